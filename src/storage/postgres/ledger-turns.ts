import type { Transaction } from 'kysely'
import { createTurns, type Turns } from '../../core/async/turns.ts'
import { Problem } from '../../core/problems.ts'
import type { Database, LedgerTurns, Schema } from '../database/tables.ts'
import { eventsOf } from '../writing/record-event.ts'

/**
 * Runs a transaction that locks the advertiser's row of the ledger, and then hints to its followers. A transaction that
 * waits for that row occupies a connection, so each advertiser gets only a few: while one row is locked, writes of other
 * advertisers go on.
 */
export async function withLedger<T>(
  { writer, inLedgerTurn, hints, ids }: Pick<Database, 'writer' | 'inLedgerTurn' | 'hints' | 'ids'>,
  advertiserId: number,
  body: (trx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  await ids?.admit()
  let events: ReturnType<typeof eventsOf> = []
  const write = () =>
    writer.transaction().execute(async trx => {
      const result = await body(trx)
      events = eventsOf(trx)
      return result
    })
  const result = await (inLedgerTurn === undefined ? write() : inLedgerTurn(advertiserId, write))
  // Not earlier: a follower that looks before the commit finds nothing.
  hints?.changed({ advertiserId }, events)
  return result
}

export function createLedgerTurns({
  max,
  waitMs,
  retryAfterSeconds,
}: {
  /** Concurrent transactions per advertiser. */
  max: number
  waitMs: number
  retryAfterSeconds: number
}): LedgerTurns {
  const busy = new Map<number, { turns: Turns; callers: number }>()
  return async (advertiserId, write) => {
    const own = busy.get(advertiserId) ?? { turns: createTurns(max), callers: 0 }
    busy.set(advertiserId, own)
    own.callers += 1
    try {
      if (!(await own.turns.take(waitMs))) {
        throw new Problem('unavailable', 'Too much is being written for this advertiser.', {
          retryAfterSeconds,
        })
      }
      try {
        return await write()
      } finally {
        own.turns.giveBack()
      }
    } finally {
      own.callers -= 1
      if (own.callers === 0) busy.delete(advertiserId)
    }
  }
}
