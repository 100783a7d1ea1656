import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CompiledQuery, QueryResult } from 'kysely'
import { Problem } from '../../core/problems.ts'

type SqlValue = string | number | null

interface Prepared {
  statement: StatementSync
  /** Of the columns; none where nothing is returned. */
  names: readonly string[]
}

export type Query = Pick<CompiledQuery, 'sql' | 'parameters'>

/**
 * Statements are compiled once and kept. node:sqlite is synchronous, and its busy timeout would stop the event loop
 * while another process holds the write lock. So there is no busy timeout: what finds the file busy is tried again
 * from here, asleep.
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

  /** Without waiting: for whoever holds the write lock, and so never finds the file busy. */
  runNow<R>(query: Query): QueryResult<R> {
    try {
      return this.#execute<R>(query)
    } catch (error) {
      throw asProblem(error)
    }
  }

  /** For whoever holds the write lock, and for text that never comes again: it is not kept. */
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
      // The queries of the service have few shapes; the bound is for what a future one might do.
      if (this.#prepared.size >= 500) this.#prepared.clear()
      const statement = this.#handle.prepare(sql)
      statement.setReturnArrays(true)
      prepared = { statement, names: statement.columns().map(({ name }) => name) }
      this.#prepared.set(sql, prepared)
    }
    return prepared
  }
}

/** The objects of node:sqlite itself are made like maps, name by name: to look up a credential took half as long again. */
function rowOf<R>(names: readonly string[], values: readonly unknown[]): R {
  const row: Record<string, unknown> = {}
  for (let i = 0; i < names.length; i++) row[names[i] as string] = values[i]
  return row as R
}

/** Tries until the file is free, asleep in between, and gives up with 503 after `busyWaitMs`. */
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
    // The spread keeps several waiting processes from knocking in step.
    await sleep(waitMs * (0.5 + Math.random()))
  }
}

/** The low byte is the primary result code, whatever the extended reason. */
function resultCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown }).errcode
  return typeof code === 'number' ? code & 0xff : undefined
}

function isBusy(error: unknown): boolean {
  return resultCode(error) === 5
}

/** SQLITE_CORRUPT and SQLITE_NOTADB: what is in the file is not what SQLite has written. */
export function isDamaged(error: unknown): boolean {
  return [11, 26].includes(resultCode(error) ?? 0)
}

/** SQLITE_READONLY, SQLITE_IOERR and SQLITE_FULL: the disk is full or away, and the request was in order. */
function asProblem(error: unknown): unknown {
  if (![8, 10, 13].includes(resultCode(error) ?? 0)) return error
  return new Problem('unavailable', 'The database cannot be used at present.', {
    retryAfterSeconds: 5,
    cause: error,
  })
}
