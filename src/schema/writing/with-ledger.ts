import type { Transaction } from 'kysely'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { eventsOf } from './record-event.ts'

/**
 * A transaction that waits for an advertiser's row occupies a connection, so each advertiser gets only a few: while one
 * row is locked, writes for other advertisers continue.
 */
export const inSlotOf = <T>(
  { inLedgerSlot }: Pick<Database, 'inLedgerSlot'>,
  advertiserId: number,
  write: () => Promise<T>,
): Promise<T> =>
  inLedgerSlot === undefined
    ? write()
    : inLedgerSlot(advertiserId, write, 'Too much is being written for this advertiser.')

/** Runs a transaction that locks the advertiser's row of the ledger, and then sends hints to its followers. */
export async function withLedger<T>(
  database: Pick<Database, 'writer' | 'inLedgerSlot' | 'hints' | 'ids'>,
  advertiserId: number,
  body: (trx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  const { writer, hints, ids } = database
  await ids?.admit()
  let events: ReturnType<typeof eventsOf> = []
  const result = await inSlotOf(database, advertiserId, () =>
    writer.transaction().execute(async trx => {
      const result = await body(trx)
      events = eventsOf(trx)
      return result
    }),
  )
  // Not earlier: a follower that polls before the commit finds nothing.
  hints?.changed({ advertiserId }, events)
  return result
}
