import { InvalidArgumentError } from 'commander'
import { advertiserId } from '../../companies/advertiser-argument.ts'
import { argument, numericId, option, requiredOption } from '../../platform/cli/arguments.ts'
import { command, group } from '../../platform/cli/command.ts'
import { isoTime } from '../../platform/cli/table.ts'
import { dayIn } from '../../platform/core/time/time-zone.ts'
import type { CompanyPlan } from './service.ts'

const applicationId = argument('ID of the application', numericId)

export const retention = group('Manage how long advertisers keep applications, and holds for disputes.', {
  plan: command({
    about:
      'Show the period of each advertiser, and what will be erased until a shorter one takes effect, or within 14 days.',
    options: { advertiser: option('<id>', 'only this advertiser', numericId) },
    async run({ collect }, { advertiser }) {
      if (advertiser !== undefined) return [await collect.retention.of(advertiser)]
      const plans: CompanyPlan[] = []
      for await (const plan of collect.retention.all()) plans.push(plan)
      return plans
    },
    prints: {
      rows: plans => plans.map(asRow),
      json: plans => plans.map(asJson),
      whenEmpty: 'No advertisers yet. Add one with: dossier advertiser add <name>',
    },
  }),
  set: command({
    about:
      'Choose the period of an advertiser. A shorter one takes effect after 14 days, and its admins get an email.',
    takes: {
      advertiserId,
      months: argument('months after submission, or "default" for RETENTION_MONTHS', monthsOrDefault),
    },
    run: ({ collect }, { advertiserId, months }) => collect.retention.choose(advertiserId, months),
    prints: inWords,
  }),
  'take-back': command({
    about: 'Take back a shorter period that has not taken effect yet.',
    takes: { advertiserId },
    run: ({ collect }, { advertiserId }) => collect.retention.takeBack(advertiserId),
    prints: inWords,
  }),
  hold: command({
    about: 'Put an application on hold for a dispute: nothing of it is erased, whatever the reason.',
    takes: { advertiserId, applicationId },
    options: {
      reason: requiredOption('<text>', 'why; people of the company see it, the candidate does not'),
    },
    run: ({ collect }, { advertiserId, applicationId, reason }) =>
      collect.holds.place(advertiserId, applicationId, { reason, by: null }),
    prints: (_, { applicationId }) => `Application ${applicationId} is on hold.`,
  }),
  release: command({
    about: 'Release an application from hold. If it is due, it is erased by the next run.',
    takes: { advertiserId, applicationId },
    run: ({ collect }, { advertiserId, applicationId }) =>
      collect.holds.release(advertiserId, applicationId, null),
    prints: (isReleased, { applicationId }) =>
      `Application ${applicationId} ${isReleased ? 'has been released' : 'was not on hold'}.`,
  }),
  holds: command({
    about: 'List applications on hold.',
    options: { advertiser: option('<id>', 'only of this advertiser', numericId) },
    run: ({ collect }, { advertiser }) => collect.holds.list(advertiser),
    prints: {
      rows: holds =>
        holds.map(({ advertiserId, applicationId, placedAt, placedBy, reason }) => ({
          advertiserId,
          applicationId,
          placedAt: isoTime(placedAt),
          placedBy: placedBy === null ? 'operator' : 'company',
          reason,
        })),
      whenEmpty: 'No application is on hold.',
    },
  }),
})

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
