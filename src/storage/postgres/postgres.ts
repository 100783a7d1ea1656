import { createServerHistory } from '../database/server-history.ts'
import type { Database } from '../database/tables.ts'
import { createLedgerTurns } from './ledger-turns.ts'
import { connectionsFor, openPool, type PostgresOptions } from './pool.ts'

export interface PrimaryOptions extends PostgresOptions {
  /** How many IDs are left out where some may have been lost, and when that was. */
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
    // One writes, one waits for it, one is on its way: more would only wait.
    inLedgerTurn: createLedgerTurns({
      most: Math.max(1, Math.floor(connectionsFor('writer', options.poolSize) / 3)),
      waitMs: options.connectMs,
      retryAfterSeconds: options.retryAfterSeconds,
    }),
    history: createServerHistory({ raiseBy: options.idsRaisedBy, onRaise: options.onRaisedIds }),
    // It clears up dead rows by itself, and its log is the operator's.
    async forget() {},
    async close() {
      await Promise.all([writer, reader, migrator].map(pool => pool.close()))
    },
  }
}
