import { createServerHistory } from '../database/server-history.ts'
import type { Database } from '../database/tables.ts'
import { createLedgerTurns } from './ledger-turns.ts'
import { connectionsFor, openPool } from './pool.ts'
import type { PostgresOptions } from './pool-options.ts'

export interface PrimaryOptions extends PostgresOptions {
  /** How many IDs are skipped when some may have been lost. */
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
    // One writer, one that waits for its lock, one in transit: more would only wait.
    inLedgerTurn: createLedgerTurns({
      max: Math.max(1, Math.floor(connectionsFor('writer', options.poolSize) / 3)),
      waitMs: options.connectMs,
      retryAfterSeconds: options.retryAfterSeconds,
    }),
    history: createServerHistory({ raiseBy: options.idsRaisedBy, onRaise: options.onRaisedIds }),
    pools: () => ({ writer: writer.counts(), reader: reader.counts() }),
    // Autovacuum removes dead rows, and the WAL is the operator's.
    async forget() {},
    async close() {
      await Promise.all([writer, reader, migrator].map(pool => pool.close()))
    },
  }
}
