import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import type { CompanyPlan } from '../../collect/retention/service.ts'
import { dayIn } from '../../core/time/time-zone.ts'
import { numericId } from '../terminal/arguments.ts'
import { type Context, withServices } from '../terminal/context.ts'
import { formatList, isoTime } from '../terminal/table.ts'

export function addRetention(program: Command, context: Context): void {
  const retention = program
    .command('retention')
    .description('Manage how long advertisers keep applications, and holds for disputes.')

  retention
    .command('plan')
    .description(
      'Show the period of each advertiser, and what will be erased until a shorter one takes effect, or within 14 days.',
    )
    .option('--advertiser <id>', 'only this advertiser', numericId)
    .option('--json', 'print JSON')
    .action((options: { advertiser?: number; json?: boolean }) =>
      withServices(context, async ({ retention: { of, all } }) => {
        const plans: CompanyPlan[] = []
        if (options.advertiser !== undefined) plans.push(await of(options.advertiser))
        else for await (const plan of all()) plans.push(plan)
        const whenEmpty = 'No advertisers yet. Add one with: dossier advertiser add <name>'
        const rows: Record<string, unknown>[] = options.json ? plans.map(asJson) : plans.map(asRow)
        context.print(formatList(rows, { json: options.json === true, whenEmpty }))
      }),
    )

  retention
    .command('set')
    .description(
      'Choose the period of an advertiser. A shorter one takes effect after 14 days, and its admins get an email.',
    )
    .argument('<advertiserId>', 'ID of the advertiser', numericId)
    .argument('<months>', 'months after submission, or "default" for RETENTION_MONTHS', monthsOrDefault)
    .action((advertiserId: number, months: number | null) =>
      withServices(context, async services =>
        context.print(`${inWords(await services.retention.choose(advertiserId, months))}\n`),
      ),
    )

  retention
    .command('take-back')
    .description('Take back a shorter period that has not taken effect yet.')
    .argument('<advertiserId>', 'ID of the advertiser', numericId)
    .action((advertiserId: number) =>
      withServices(context, async services =>
        context.print(`${inWords(await services.retention.takeBack(advertiserId))}\n`),
      ),
    )

  retention
    .command('hold')
    .description('Put an application on hold for a dispute: nothing of it is erased, whatever the reason.')
    .argument('<advertiserId>', 'ID of the advertiser', numericId)
    .argument('<applicationId>', 'ID of the application', numericId)
    .requiredOption('--reason <text>', 'why; people of the company see it, the candidate does not')
    .action((advertiserId: number, applicationId: number, { reason }: { reason: string }) =>
      withServices(context, async ({ holds }) => {
        await holds.place(advertiserId, applicationId, { reason, by: null })
        context.print(`Application ${applicationId} is on hold.\n`)
      }),
    )

  retention
    .command('release')
    .description('Release an application from hold. If it is due, it is erased by the next run.')
    .argument('<advertiserId>', 'ID of the advertiser', numericId)
    .argument('<applicationId>', 'ID of the application', numericId)
    .action((advertiserId: number, applicationId: number) =>
      withServices(context, async ({ holds }) => {
        const isReleased = await holds.release(advertiserId, applicationId, null)
        const outcome = isReleased ? 'has been released' : 'was not on hold'
        context.print(`Application ${applicationId} ${outcome}.\n`)
      }),
    )

  retention
    .command('holds')
    .description('List applications on hold.')
    .option('--advertiser <id>', 'only of this advertiser', numericId)
    .option('--json', 'print JSON')
    .action((options: { advertiser?: number; json?: boolean }) =>
      withServices(context, async ({ holds }) => {
        const rows = (await holds.list(options.advertiser)).map(
          ({ advertiserId, applicationId, placedAt, placedBy, reason }) => ({
            advertiserId,
            applicationId,
            placedAt: isoTime(placedAt),
            placedBy: placedBy === null ? 'operator' : 'company',
            reason,
          }),
        )
        context.print(
          formatList(rows, { json: options.json === true, whenEmpty: 'No application is on hold.' }),
        )
      }),
    )
}

function monthsOrDefault(text: string): number | null {
  if (text === 'default') return null
  if (!/^[1-9]\d{0,2}$/.test(text))
    throw new InvalidArgumentError('It must be a number of months, or "default".')
  return Number(text)
}

function asJson({ advertiserId, name, months, choice, change, plan }: CompanyPlan) {
  return {
    advertiserId,
    name,
    months,
    isDefault: choice === null,
    next: change && { months: change.months, at: isoTime(change.at) },
    plan: plan && {
      until: isoTime(plan.at),
      sentBefore: isoTime(plan.before),
      applications: plan.count,
      oldest: isoTime(plan.oldestAt),
      onHold: plan.onHold,
    },
  }
}

function asRow({ advertiserId, name, months, choice, change, plan, timeZone }: CompanyPlan) {
  const source = choice === null ? 'default' : 'chosen'
  return {
    advertiser: advertiserId,
    name,
    period:
      months === null ? 'no end' : `${inMonths(months)} (${change === null ? source : 'until changed'})`,
    next: change === null ? null : `${inMonths(change.months)} from ${isoTime(change.at)}`,
    erased: plan?.count,
    'sent before': plan === undefined ? null : dayIn(plan.before, timeZone),
    until: plan === undefined ? null : isoTime(plan.at),
    'on hold': plan?.onHold,
  }
}

const inMonths = (count: number) => (count === 1 ? '1 month' : `${count} months`)

function inWords({ advertiserId, name, months, change, plan }: CompanyPlan): string {
  const now = months === null ? 'without end' : `for ${inMonths(months)}`
  if (change === null || plan === undefined) return `${name} keeps applications ${now}.`
  const goes = plan.count === 1 ? '1 application is' : `${plan.count} applications are`
  return `${name} keeps applications ${now}, and for ${inMonths(change.months)} from ${isoTime(change.at)}: ${goes} erased then. Take it back with: dossier retention take-back ${advertiserId}`
}
