import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CompiledQuery, QueryResult } from 'kysely'
import { Problem } from '../../core/problems.ts'

type SqlValue = string | number | null

interface Prepared {
  statement: StatementSync
  /** Column names; empty if the statement returns no rows. */
  names: readonly string[]
}

export type Query = Pick<CompiledQuery, 'sql' | 'parameters'>

/**
 * Compiles statements once and keeps them. node:sqlite is synchronous, and its busy timeout would block the event loop
 * while another process holds the write lock. So there is no busy timeout: a statement that finds the file busy is
 * retried after an asynchronous pause.
 */
export class Statements {
  readonly #handle: DatabaseSync
  readonly #busyWaitMs: number
  readonly #prepared = new Map<string, Prepared>()

  constructor(handle: DatabaseSync, busyWaitMs: number) {
    this.#handle = handle
    this.#busyWaitMs = busyWaitMs
  }

  async run<R>(query: Query): Promise<QueryResult<R>> {
    try {
      return this.#execute<R>(query)
    } catch (error) {
      if (!isBusy(error)) throw asProblem(error)
      return whileBusy(this.#busyWaitMs, () => this.#execute<R>(query))
    }
  }

  /** Synchronous: for a caller that holds the write lock, and so never finds the file busy. */
  runNow<R>(query: Query): QueryResult<R> {
    try {
      return this.#execute<R>(query)
    } catch (error) {
      throw asProblem(error)
    }
  }

  /** The caller must hold the write lock. The statement is not cached, because its text never recurs. */
  execute(sql: string): void {
    try {
      this.#handle.exec(sql)
    } catch (error) {
      throw asProblem(error)
    }
  }

  #execute<R>({ sql, parameters }: Query): QueryResult<R> {
    const { statement, names } = this.#prepare(sql)
    if (names.length > 0) {
      const found = statement.all(...(parameters as SqlValue[])) as unknown as unknown[][]
      return { rows: found.map(values => rowOf<R>(names, values)) }
    }
    const { changes, lastInsertRowid } = statement.run(...(parameters as SqlValue[]))
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  #prepare(sql: string): Prepared {
    let prepared = this.#prepared.get(sql)
    if (prepared === undefined) {
      // The service has a limited number of statements; the bound guards against a future query whose text varies.
      if (this.#prepared.size >= 500) this.#prepared.clear()
      const statement = this.#handle.prepare(sql)
      statement.setReturnArrays(true)
      prepared = { statement, names: statement.columns().map(({ name }) => name) }
      this.#prepared.set(sql, prepared)
    }
    return prepared
  }
}

/** Rows built by node:sqlite itself are slow dictionaries: they added half to the time of a credential look-up. */
function rowOf<R>(names: readonly string[], values: readonly unknown[]): R {
  const row: Record<string, unknown> = {}
  for (let i = 0; i < names.length; i++) row[names[i] as string] = values[i]
  return row as R
}

/** Retries until the file is free, and fails with 503 after `busyWaitMs`. */
export async function whileBusy<T>(busyWaitMs: number, attempt: () => T): Promise<T> {
  const deadline = performance.now() + busyWaitMs
  for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 20)) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() > deadline) {
        throw new Problem('unavailable', 'The database is busy.', { retryAfterSeconds: 1, cause: error })
      }
    }
    // Jitter keeps several waiting processes from retrying in step.
    await sleep(waitMs * (0.5 + Math.random()))
  }
}

/** The primary result code: the low byte of an extended one. */
function resultCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown }).errcode
  return typeof code === 'number' ? code & 0xff : undefined
}

/** SQLITE_BUSY */
export const busy = 5

export function isBusy(error: unknown): boolean {
  return resultCode(error) === busy
}

/** SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC, or our own failed `fsync`: written data may never reach the disk. */
export function isUnsynced(error: unknown): boolean {
  const { errcode, syscall } = error as { errcode?: unknown; syscall?: unknown }
  return errcode === 1034 || errcode === 1290 || syscall === 'fsync'
}

/** SQLITE_CORRUPT and SQLITE_NOTADB: the file's content is not what SQLite wrote. */
export function isDamaged(error: unknown): boolean {
  return [11, 26].includes(resultCode(error) ?? 0)
}

/** SQLITE_READONLY, SQLITE_IOERR and SQLITE_FULL: the disk is full or unavailable, so the caller should retry. */
export function asProblem(error: unknown): unknown {
  if (![8, 10, 13].includes(resultCode(error) ?? 0)) return error
  return new Problem('unavailable', 'The database is temporarily unavailable.', {
    retryAfterSeconds: 5,
    cause: error,
  })
}
