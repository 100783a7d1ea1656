import { type Kysely, sql, type Transaction } from 'kysely'
import type { Category } from '../../model/categories.ts'
import { clientTypeCode, detailOf, type EventType, typeCode } from '../../model/events.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Schema } from '../../platform/database/tables.ts'
import { nextVersion } from './next-version.ts'

/**
 * Issues the number of the next event of an advertiser, and locks its ledger until the commit. So events become visible
 * in the order of their numbers: a reader that has seen a number has seen every lower one (decision 067). An event that
 * also changes the advertiser's list raises the list's version to the same number.
 */
export async function nextEventNumber(
  trx: Transaction<Schema>,
  advertiserId: number,
  now: EpochMs,
  { changesList }: { changesList: boolean },
): Promise<number> {
  const number = nextVersion(now)
  const { event_number } = await trx
    .updateTable('advertiser_ledger')
    .set({ event_number: number, ...(changesList ? { version: number } : {}) })
    .where('advertiser_id', '=', advertiserId)
    .returning('event_number')
    .executeTakeFirstOrThrow()
  return event_number
}

/** Reserves numbers for several events: returns the first, and the others follow it. */
export async function nextEventNumbers(
  trx: Transaction<Schema>,
  advertiserId: number,
  now: EpochMs,
  count: number,
): Promise<number> {
  const { event_number } = await trx
    .updateTable('advertiser_ledger')
    .set({ event_number: sql<number>`${nextVersion(now)} + ${count - 1}` })
    .where('advertiser_id', '=', advertiserId)
    .returning('event_number')
    .executeTakeFirstOrThrow()
  return event_number - count + 1
}

/** Events by transaction, to be counted once it is committed. */
const written = new WeakMap<Transaction<Schema>, EventType[]>()

export function noteEvent(trx: Transaction<Schema>, type: EventType): void {
  const types = written.get(trx)
  if (types === undefined) written.set(trx, [type])
  else types.push(type)
}

export const eventsOf = (trx: Transaction<Schema>): readonly EventType[] => written.get(trx) ?? []

/**
 * Call with a number from `nextEventNumber` of the same transaction. `data`: besides the advertiser and the
 * application.
 */
export async function addEvent(
  trx: Transaction<Schema>,
  advertiserId: number,
  number: number,
  type: EventType,
  applicationId: number | null,
  data: object = {},
): Promise<void> {
  noteEvent(trx, type)
  await trx
    .insertInto('events')
    .values({
      advertiser_id: advertiserId,
      number,
      type: typeCode(type),
      application_id: applicationId,
      detail: detailOf(data),
    })
    .execute()
}

/** Asks a client to delete data that it holds. */
export interface ReleaseEvent {
  clientId: string
  type: 'consent.withdrawn' | 'candidate.erased' | 'consent.narrowed'
  advertiserId: number | null
  prefilledApplicationIds: readonly string[]
  /** Set for `consent.narrowed`. */
  removedCategories?: readonly Category[]
}

/** Notifies an agent's client that an endpoint of the agent is failing or has stopped. */
export interface EndpointEvent {
  clientId: string
  type: 'webhook.failing' | 'webhook.stopped'
  agentId: number
  endpointId: string
  since: string
}

export type ClientEvent = ReleaseEvent | EndpointEvent

/** Writes to the logs of OAuth clients. Locks their ledgers in the order of their IDs, after everything else. */
export async function addClientEvents(
  trx: Transaction<Schema>,
  events: readonly ClientEvent[],
  now: EpochMs,
): Promise<void> {
  for (const event of events.toSorted((a, b) => compare(a.clientId, b.clientId))) {
    const { clientId, type, ...data } = event
    const { event_number } = await trx
      .insertInto('client_ledger')
      .values({ client_id: clientId, event_number: now })
      .onConflict(conflict =>
        conflict.column('client_id').doUpdateSet({
          event_number: sql<number>`case when client_ledger.event_number >= ${now}
            then client_ledger.event_number + 1 else ${now} end`,
        }),
      )
      .returning('event_number')
      .executeTakeFirstOrThrow()
    await trx
      .insertInto('client_events')
      .values({
        client_id: clientId,
        number: event_number,
        type: clientTypeCode(type),
        detail: detailOf(data),
      })
      .execute()
  }
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

/** An event names at most this many prefilled applications. */
const idsPerEvent = 100

/** Events about the data that clients hold by a candidate's consents, or by one of them. */
export async function findReleaseEvents(
  db: Kysely<Schema>,
  type: ReleaseEvent['type'],
  candidateId: string,
  grantId?: string,
): Promise<ReleaseEvent[]> {
  const rows = await db
    .selectFrom('prefilled_applications')
    .select(['id', 'client_id as clientId', 'advertiser_id as advertiserId'])
    .where('candidate_id', '=', candidateId)
    .$if(grantId !== undefined, query => query.where('grant_id', '=', grantId as string))
    .execute()
  rows.sort(
    (a, b) => compare(a.clientId, b.clientId) || a.advertiserId - b.advertiserId || compare(a.id, b.id),
  )
  const events: (ReleaseEvent & { prefilledApplicationIds: string[] })[] = []
  for (const { id, clientId, advertiserId } of rows) {
    const last = events.at(-1)
    if (
      last?.clientId === clientId &&
      last.advertiserId === advertiserId &&
      last.prefilledApplicationIds.length < idsPerEvent
    )
      last.prefilledApplicationIds.push(id)
    else events.push({ clientId, type, advertiserId, prefilledApplicationIds: [id] })
  }
  return events
}
