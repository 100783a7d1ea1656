import type { Kysely, Transaction } from 'kysely'
import type { NewIndex } from '../postgres/concurrent-indexes.ts'
import type { Database, Dialect, Schema } from '../tables.ts'

/**
 * Limit: How long a migration on PostgreSQL waits for a table that others use. Requests wait behind it, and PostgreSQL
 * checks for deadlocks after a second.
 */
export const migrationLockMs = 500
/** Limit: How long a migration lets requests pass before it tries again. */
export const migrationPauseMs = 500
/** Limit: How often a migration tries: for ten minutes. A report or a backup that reads all tables takes minutes. */
export const migrationTries = 600

export interface Mark {
  /** The code of a release needs its `expand` migrations; it runs before and after its `contract` ones. */
  kind: 'expand' | 'contract'
  /**
   * The oldest release that can run on the migrated schema: at least the previous release must run after each
   * migration.
   */
  oldest: string
}

/** A change to many rows, which background work makes in batches after the migration: see data-changes.ts. */
export interface DataChange {
  /**
   * The oldest release that writes the new form itself. The change begins once no older release runs, and again after
   * one has run.
   */
  writtenSince: string
  /** Number of rows to process, for the progress. */
  count(db: Kysely<Schema>): Promise<number>
  /**
   * Changes some rows after the cursor, which is empty at first; undefined if none are left. Must be safe to repeat.
   */
  next(
    trx: Transaction<Schema>,
    cursor: string,
    dialect: Dialect,
  ): Promise<{ cursor: string; rows: number } | undefined>
}

/** Either `up`, in one transaction, or `indexes`, which PostgreSQL builds while others write. */
export interface Migration {
  mark: Mark
  /** One line for operators, without a full stop. */
  does?: string
  up?(db: Database['writer'], dialect: Dialect): Promise<void>
  indexes?: readonly NewIndex[]
  /** Runs after `up`. Later contract migrations wait until it has finished. */
  change?: DataChange
}

export type Migrations = Readonly<Record<string, Migration>>
