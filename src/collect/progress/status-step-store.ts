import type { Transaction } from 'kysely'
import { type ChosenStatus, isDecision, isEmailed } from '../../model/application-status.ts'
import { recordAudit } from '../../platform/audit/record-audit-store.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Schema } from '../../platform/database/tables.ts'
import { queueDeliveries } from '../../platform/work/queue-deliveries-store.ts'
import {
  addHistories,
  addStatusEvents,
  type LockedApplication,
  setStatuses,
} from '../../schema/writing/change-application.ts'
import { deliveryOf } from '../../schema/writing/queue-notice.ts'
import type { Step } from './entry-rules.ts'
import { endFormer, holdOf, recordDecisions } from './held-decision-store.ts'

/** A credential of the company, or a client of an agent. */
export type Program =
  | { by: 'api'; credentialId: string }
  | {
      by: 'agent'
      clientId: string
      agentId: number
      /** The grant with which the request was admitted: a later grant does not apply to it. */
      grantedAt: EpochMs
    }

type Author = Program | { by: 'console'; actorId: string }

/** The effective time of each application's status: the application's own time if nothing has changed it. */
export async function timesOfStatuses(
  trx: Transaction<Schema>,
  advertiserId: number,
  applications: readonly LockedApplication[],
): Promise<Map<number, EpochMs>> {
  if (applications.length === 0) return new Map()
  const rows = await trx
    .selectFrom('application_history')
    .select('application_id')
    .select(({ fn }) => fn.max<EpochMs>(fn.coalesce('counted_at', 'at')).as('at'))
    .where('advertiser_id', '=', advertiserId)
    .where(
      'application_id',
      'in',
      applications.map(({ id }) => id),
    )
    .where('kind', '=', 'status')
    .groupBy('application_id')
    .execute()
  const times = new Map(rows.map(row => [row.application_id, row.at]))
  return new Map(applications.map(({ id, submittedAt }) => [id, times.get(id) ?? submittedAt]))
}

/** Whether the agent still has the grant. Call with the ledger locked. */
export async function isGranted(
  trx: Transaction<Schema>,
  advertiserId: number,
  { agentId, grantedAt }: { agentId: number; grantedAt: EpochMs },
): Promise<boolean> {
  const granted = await trx
    .selectFrom('agent_authorisations')
    .select('progress_granted_at')
    .where('advertiser_id', '=', advertiserId)
    .where('agent_id', '=', agentId)
    .where('progress_granted_at', '=', grantedAt)
    .executeTakeFirst()
  return granted !== undefined
}

/** Writes steps in their order: status, counts, history, events, emails and audit. Call with the applications locked. */
export async function writeSteps(
  trx: Transaction<Schema>,
  advertiserId: number,
  steps: readonly Step<LockedApplication>[],
  author: Author,
  bounds: { now: EpochMs; toldAtOnce: number },
): Promise<void> {
  if (steps.length === 0) return
  const { now } = bounds
  const last = new Map(steps.map(step => [step.application.id, step]))
  await setStatuses(
    trx,
    [...last.values()].map(({ application, to }) => ({ application, status: to })),
  )
  const entries = author.by === 'console' ? steps : withoutRepeats(steps)
  await removeRepeated(trx, advertiserId, entries, author)
  await addHistories(
    trx,
    advertiserId,
    entries.map(({ application, from, to, at, label, reason }) => ({
      application_id: application.id,
      // The console shows when a colleague did it.
      ...(author.by === 'console' ? { at: now, counted_at: at === now ? null : at } : { at }),
      kind: 'status' as const,
      former: from,
      status: to,
      ...authorColumns(author),
      label: label ?? null,
      reason: reason ?? null,
    })),
  )
  const changes = steps.filter(({ from, to }) => from !== to)
  const events = changes.map(({ application, from, to, at }) => ({
    applicationId: application.id,
    from,
    to,
    at,
  }))
  await addStatusEvents(trx, advertiserId, events, authorOfEvent(author), now)
  // The last change of each application: a later step that only moves its time neither causes nor prevents an email.
  const lastChanges = new Map(changes.map(step => [step.application.id, step]))
  if (lastChanges.size > 0) await endFormer(trx, advertiserId, [...lastChanges.keys()])
  await queueEmails(trx, advertiserId, [...lastChanges.values()], bounds)
  // A report is one audit entry; the application's history lists each of its changes.
  if (author.by !== 'console') return
  await recordAudit(
    trx,
    ...changes.map(
      ({ application, from, to }) =>
        ({
          action: 'application.status',
          scope: { ownerId: advertiserId },
          target: `application:${application.id}`,
          before: { status: from },
          after: { status: to },
        }) as const,
    ),
  )
}

/** Drops consecutive repeats for an application with the same label and reason, except the last of them. */
function withoutRepeats(steps: readonly Step<LockedApplication>[]): Step<LockedApplication>[] {
  const following = new Map<number, Step<LockedApplication>>()
  const kept = steps.toReversed().filter(step => {
    const next = following.get(step.application.id)
    following.set(step.application.id, step)
    return next === undefined || !(isRepeat(step) && isRepeat(next) && saysTheSame(step, next))
  })
  return kept.toReversed()
}

const isRepeat = ({ from, to }: Pick<Step, 'from' | 'to'>): boolean => from === to

const saysTheSame = (one: Pick<Step, 'label' | 'reason'>, other: Pick<Step, 'label' | 'reason'>): boolean =>
  (one.label ?? null) === (other.label ?? null) && (one.reason ?? null) === (other.reason ?? null)

/**
 * A state that a program reports at every sync has only a first and a last entry: otherwise, each report would add an
 * entry, until the history is full. Others may report the same in between.
 */
async function removeRepeated(
  trx: Transaction<Schema>,
  advertiserId: number,
  steps: readonly Step<LockedApplication>[],
  author: Author,
): Promise<void> {
  const first = new Map(steps.toReversed().map(step => [step.application.id, step]))
  const repeating = [...first.values()].filter(isRepeat)
  if (author.by === 'console' || repeating.length === 0) return
  const { source_id } = authorColumns(author)
  const ofRepeating = trx
    .selectFrom('application_history')
    .where('advertiser_id', '=', advertiserId)
    .where(
      'application_id',
      'in',
      repeating.map(({ application }) => application.id),
    )
    .where('kind', '=', 'status')
  // One pass: a subquery per entry would read a full history once for each entry.
  const newest = await ofRepeating
    .select('application_id')
    .select(({ fn, ref }) => [
      fn.max<number | null>('position').filterWhere('former', '<>', ref('status')).as('change'),
      fn
        .max<number | null>('position')
        .filterWhere(({ and, eb }) =>
          and([eb('former', '=', ref('status')), eb('source_id', '=', source_id as string)]),
        )
        .as('repeat'),
    ])
    .groupBy('application_id')
    .execute()
  const repeats = new Map(
    newest.flatMap(({ application_id, change, repeat }) =>
      repeat !== null && repeat > (change ?? 0) ? [[application_id, repeat]] : [],
    ),
  )
  if (repeats.size === 0) return
  const said = await ofRepeating
    .select(['application_id', 'position', 'label', 'reason'])
    .where('position', 'in', [...new Set(repeats.values())])
    .execute()
  const replaced = said.filter(
    entry =>
      repeats.get(entry.application_id) === entry.position &&
      saysTheSame(entry, first.get(entry.application_id) ?? {}),
  )
  for (const [position, entries] of Map.groupBy(replaced, entry => entry.position))
    await trx
      .deleteFrom('application_history')
      .where('advertiser_id', '=', advertiserId)
      .where(
        'application_id',
        'in',
        entries.map(entry => entry.application_id),
      )
      .where('position', '=', position)
      .execute()
}

const authorColumns = (author: Author) =>
  author.by === 'console'
    ? { actor_id: author.actorId }
    : { source: author.by, source_id: author.by === 'api' ? author.credentialId : author.clientId }

const authorOfEvent = (author: Author) => {
  if (author.by === 'console') return { by: author.by }
  const { by } = author
  return by === 'api' ? { by, credentialId: author.credentialId } : { by, clientId: author.clientId }
}

/** Queues an email to each candidate who has an account, if the company notifies candidates of such changes. */
async function queueEmails(
  trx: Transaction<Schema>,
  advertiserId: number,
  steps: readonly Step<LockedApplication>[],
  bounds: { now: EpochMs; toldAtOnce: number },
): Promise<void> {
  const { now } = bounds
  const wanted = steps.filter(({ tells }) => tells)
  if (wanted.length === 0) return
  const { candidate_emails: choice } = await trx
    .selectFrom('advertisers')
    .select('candidate_emails')
    .where('id', '=', advertiserId)
    .executeTakeFirstOrThrow()
  const told = new Map(
    wanted.filter(({ to }) => isEmailed(choice, to)).map(step => [step.application.id, step.to]),
  )
  if (told.size === 0) return
  const decisions = wanted
    .filter(({ application: { id }, to }) => told.has(id) && isDecision(to))
    .map(({ application: { id }, from, to }) => ({
      applicationId: id,
      former: from as ChosenStatus,
      status: to,
    }))
  const held = await holdOf(trx, advertiserId, decisions, bounds)
  const senders = await trx
    .selectFrom('own_applications')
    .select(['candidate_id as candidateId', 'application_id as applicationId'])
    .where('advertiser_id', '=', advertiserId)
    .where('application_id', 'in', [...told.keys()])
    .execute()
  const emails = senders.map(({ candidateId, applicationId }) => {
    const status = told.get(applicationId) as ChosenStatus
    const notice = { kind: 'status-changed' as const, advertiserId, status, candidateId, applicationId }
    return { applicationId, delivery: { ...deliveryOf(notice, now), dueAt: held.get(status) ?? now } }
  })
  await queueDeliveries(
    trx,
    emails.map(({ delivery }) => delivery),
    now,
  )
  const idOf = new Map(emails.map(({ applicationId, delivery }) => [applicationId, delivery.id]))
  await recordDecisions(
    trx,
    advertiserId,
    decisions.map(decision => ({
      ...decision,
      heldUntil: held.get(decision.status) ?? null,
      deliveryId: idOf.get(decision.applicationId) ?? null,
    })),
    now,
  )
}
