import { createSemaphore, type Semaphore } from '../../core/async/semaphore.ts'
import { Problem } from '../../core/problems.ts'
import { createServerHistory } from '../server-history.ts'
import type { Database, LedgerSlots } from '../tables.ts'
import { connectionsFor, openPool } from './pool.ts'
import type { PostgresOptions } from './pool-options.ts'

export interface PrimaryOptions extends PostgresOptions {
  /** Number of IDs to skip when some may have been lost. */
  idsRaisedBy: number
  onRaisedIds(by: number): void
}

export function openPostgres(options: PrimaryOptions): Database {
  const writer = openPool({ ...options, of: 'writer' })
  const reader = openPool({ ...options, of: 'reader' })
  const migrator = openPool({ ...options, of: 'migrator' })
  return {
    dialect: 'postgres',
    writer: writer.db,
    reader: reader.db,
    readRows: reader.readRows,
    migrator: migrator.db,
    // One for the writer, one waiting for its lock, one in transit: more would only wait.
    inLedgerSlot: createLedgerSlots({
      max: Math.max(1, Math.floor(connectionsFor('writer', options.poolSize) / 3)),
      waitMs: options.connectMs,
    }),
    history: createServerHistory({ raiseBy: options.idsRaisedBy, onRaise: options.onRaisedIds }),
    pools: () => ({ writer: writer.counts(), reader: reader.counts() }),
    // Autovacuum removes dead rows, and the operator is responsible for the WAL.
    async forget() {},
    async close() {
      await Promise.all([writer, reader, migrator].map(pool => pool.close()))
    },
  }
}

export function createLedgerSlots({
  max,
  waitMs,
}: {
  /** Concurrent transactions per ledger. */
  max: number
  waitMs: number
}): LedgerSlots {
  const busy = new Map<number, { semaphore: Semaphore; callers: number }>()
  return async (ledger, write, busyText) => {
    const own = busy.get(ledger) ?? { semaphore: createSemaphore(max), callers: 0 }
    busy.set(ledger, own)
    own.callers += 1
    try {
      if (!(await own.semaphore.take(waitMs))) throw new Problem('unavailable', busyText)
      try {
        return await write()
      } finally {
        own.semaphore.release()
      }
    } finally {
      own.callers -= 1
      if (own.callers === 0) busy.delete(ledger)
    }
  }
}
