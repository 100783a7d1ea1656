import type { Command } from 'commander'
import { numericId } from '../terminal/arguments.ts'
import { CommandError, type Context, exitCodes, withServices } from '../terminal/context.ts'
import { formatList, isoTime } from '../terminal/table.ts'
import { addPeople } from './invite.ts'

export function addAdvertiser(program: Command, context: Context): void {
  const advertiser = program
    .command('advertiser')
    .description('Manage advertisers, the accounts that receive applications.')

  advertiser
    .command('add')
    .description('Add an advertiser and print its ID.')
    .argument('<name>', 'name that candidates see')
    .option('--id <id>', 'your own ID instead of the next free one', numericId)
    .option('--time-zone <zone>', 'time zone of its console (default: TIME_ZONE)')
    .option('--json', 'print JSON')
    .action((name: string, options: { id?: number; timeZone?: string; json?: boolean }) =>
      withServices(context, async services => {
        const { id } = await services.advertisers.add(name, options.id, options.timeZone)
        context.print(options.json ? `${JSON.stringify({ id, name })}\n` : `${id}\n`)
      }),
    )

  advertiser
    .command('list')
    .description('List all advertisers.')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      withServices(context, async services => {
        const rows = (await services.advertisers.list()).map(({ createdAt, ...rest }) => ({
          ...rest,
          createdAt: isoTime(createdAt),
        }))
        const whenEmpty = 'No advertisers yet. Add one with: dossier advertiser add <name>'
        context.print(formatList(rows, { json: options.json === true, whenEmpty }))
      }),
    )

  advertiser
    .command('time-zone')
    .description('Set the time zone of its console; without one, TIME_ZONE applies.')
    .argument('<id>', 'ID of the advertiser', numericId)
    .argument('[zone]', 'such as Europe/London')
    .action((id: number, zone: string | undefined) =>
      withServices(context, async services => {
        const { name, timeZone } = await services.advertisers.setTimeZone(id, zone ?? null)
        context.print(`${name} uses the time zone ${timeZone ?? 'in TIME_ZONE'}.\n`)
      }),
    )

  advertiser
    .command('second-factor')
    .description('Require a second factor of its people, starting with their next request, or no longer.')
    .argument('<id>', 'ID of the advertiser', numericId)
    .argument('<rule>', 'required or optional')
    .action((id: number, rule: string) =>
      withServices(context, async services => {
        if (rule !== 'required' && rule !== 'optional')
          throw new CommandError('The rule is required or optional.', exitCodes.usage)
        const { name } = await services.advertisers.setRequiresFactor(id, rule === 'required')
        context.print(`A second factor is ${rule} for the people of ${name}.\n`)
      }),
    )

  for (const [command, status, description] of [
    ['hold', 'hold', 'Reject requests of this advertiser with 403, starting with the next. No data is lost.'],
    ['activate', 'active', 'Serve an advertiser that was on hold.'],
  ] as const) {
    advertiser
      .command(command)
      .description(description)
      .argument('<id>', 'ID of the advertiser', numericId)
      .action((id: number) =>
        withServices(context, async services => {
          const { name } = await services.advertisers.setStatus(id, status)
          context.print(`${name} is ${status === 'hold' ? 'on hold' : 'active'}.\n`)
        }),
      )
  }
  addPeople(advertiser, context, 'advertiser')
}
