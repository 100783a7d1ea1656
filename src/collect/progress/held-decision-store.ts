import { type Kysely, sql, type Transaction } from 'kysely'
import type { ChosenStatus } from '../../model/application-status.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

/** Limit: How long the emails about many decisions wait, so that the decisions can be taken back. */
const decisionsHeldSeconds = 600

const heldMs = decisionsHeldSeconds * 1000

/** A decision that the candidate is to be notified of. */
export interface Decision {
  applicationId: number
  former: ChosenStatus
  status: ChosenStatus
  /** The email; null if the candidate has no account. */
  deliveryId: string | null
}

/** Decisions of one kind whose emails are on hold. */
export interface HeldDecisions {
  status: ChosenStatus
  count: number
  /** When the first and the last email are due. */
  from: EpochMs
  until: EpochMs
}

/**
 * When emails about these decisions are due, by kind, if they are put on hold: together with the last ten minutes'
 * decisions, there are more than `toldAtOnce`. Call with the ledger locked.
 */
export async function holdOf(
  trx: Transaction<Schema>,
  advertiserId: number,
  decisions: readonly Pick<Decision, 'status'>[],
  { now, toldAtOnce }: { now: EpochMs; toldAtOnce: number },
): Promise<Map<ChosenStatus, EpochMs>> {
  const held = new Map<ChosenStatus, EpochMs>()
  for (const [status, { length }] of Map.groupBy(decisions, decision => decision.status)) {
    const recent = await trx
      .selectFrom('recent_decisions')
      .select('application_id')
      .where('advertiser_id', '=', advertiserId)
      .where('status', '=', status)
      .where('decided_at', '>', now - heldMs)
      .limit(toldAtOnce)
      .execute()
    if (recent.length + length > toldAtOnce) held.set(status, now + heldMs)
  }
  return held
}

/**
 * Ends the decisions on applications that change again, and removes their emails: after a later decision of the same
 * kind, such an email would announce it twice, or announce a decision that was taken back. Call with the ledger locked.
 */
export async function endFormer(
  trx: Transaction<Schema>,
  advertiserId: number,
  applicationIds: readonly number[],
): Promise<void> {
  const former = await trx
    .selectFrom('recent_decisions')
    .select(['application_id', 'delivery_id'])
    .where('advertiser_id', '=', advertiserId)
    .where('application_id', 'in', applicationIds)
    .where(({ or, eb }) => or([eb('held_until', 'is not', null), eb('delivery_id', 'is not', null)]))
    .execute()
  if (former.length === 0) return
  await trx
    .deleteFrom('deliveries')
    .where(
      'id',
      'in',
      former.map(row => row.delivery_id ?? ''),
    )
    .where('state', '=', 'waiting')
    .where('attempts', '=', 0)
    .execute()
  // These decisions still belong to the last ten minutes.
  await trx
    .updateTable('recent_decisions')
    .set({ held_until: null, delivery_id: null })
    .where('advertiser_id', '=', advertiserId)
    .where(
      'application_id',
      'in',
      former.map(row => row.application_id),
    )
    .execute()
}

/** Records the last decision of each application. Call with the ledger locked. */
export async function recordDecisions(
  trx: Transaction<Schema>,
  advertiserId: number,
  decisions: readonly (Decision & { heldUntil: EpochMs | null })[],
  now: EpochMs,
): Promise<void> {
  if (decisions.length === 0) return
  await trx
    .insertInto('recent_decisions')
    .values(
      decisions.map(({ applicationId, former, status, heldUntil, deliveryId }) => ({
        advertiser_id: advertiserId,
        application_id: applicationId,
        former,
        status,
        decided_at: now,
        held_until: heldUntil,
        delivery_id: deliveryId,
      })),
    )
    .onConflict(conflict =>
      conflict.columns(['advertiser_id', 'application_id']).doUpdateSet(eb => ({
        former: eb.ref('excluded.former'),
        status: eb.ref('excluded.status'),
        decided_at: eb.ref('excluded.decided_at'),
        held_until: eb.ref('excluded.held_until'),
        delivery_id: eb.ref('excluded.delivery_id'),
      })),
    )
    .execute()
}

const heldDecisions = (db: Kysely<Schema>, advertiserId: number, now: EpochMs) =>
  db.selectFrom('recent_decisions').where('advertiser_id', '=', advertiserId).where('held_until', '>', now)

export const countHeld = (
  reader: Kysely<Schema>,
  advertiserId: number,
  now: EpochMs,
): Promise<HeldDecisions[]> =>
  heldDecisions(reader, advertiserId, now)
    .select(({ fn }) => [
      'status',
      fn.countAll<number>().as('count'),
      fn.min<number>('held_until').as('from'),
      fn.max<number>('held_until').as('until'),
    ])
    .groupBy('status')
    .orderBy('status')
    .execute()

/**
 * Ends the hold of some decisions, the next to be sent first, and removes their emails. Omits decisions whose email has
 * been sent, or may be in transit: a sender that claims an email counts an attempt. Call with the ledger locked.
 */
export async function endHold(
  trx: Transaction<Schema>,
  dialect: Dialect,
  advertiserId: number,
  { status, until, now, max }: { status: ChosenStatus; until: EpochMs; now: EpochMs; max: number },
): Promise<{ ended: number; decisions: Omit<Decision, 'deliveryId'>[] }> {
  const held = await heldDecisions(trx, advertiserId, now)
    .select(['application_id', 'former', 'held_until', 'delivery_id'])
    .where('status', '=', status)
    .where('held_until', '<=', until)
    // In the order in which they are due.
    .orderBy('decided_at')
    .limit(max)
    .execute()
  if (held.length === 0) return { ended: 0, decisions: [] }
  // PostgreSQL does not accept an empty list.
  const deliveryIds = held.map(row => row.delivery_id ?? '')
  const untouched = trx
    .selectFrom('deliveries')
    .select('id')
    .where('id', 'in', deliveryIds)
    .where('state', '=', 'waiting')
    .where('attempts', '=', 0)
    // Only if no operator has made it due. A sum, so that the planner looks up by ID, not by time.
    .where(sql`due_at + 0`, '>', now)
  await trx
    .deleteFrom('deliveries')
    // A row that another transaction has locked is being claimed.
    .where('id', 'in', dialect === 'postgres' ? untouched.forUpdate().skipLocked() : untouched)
    .execute()
  // A missing email was not sent: the candidate has deleted the account, or the operator has deleted the email.
  const left = await trx.selectFrom('deliveries').select('id').where('id', 'in', deliveryIds).execute()
  await trx
    .deleteFrom('recent_decisions')
    .where('advertiser_id', '=', advertiserId)
    .where(
      'application_id',
      'in',
      held.map(row => row.application_id),
    )
    .execute()
  const leftIds = new Set<string | null>(left.map(({ id }) => id))
  return {
    ended: held.length,
    decisions: held
      .filter(({ delivery_id }) => !leftIds.has(delivery_id))
      .map(row => ({ applicationId: row.application_id, former: row.former, status })),
  }
}
