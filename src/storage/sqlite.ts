import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { Problem } from '../core/problems.ts'
import { makeFolder } from './make-folder.ts'
import type { Database, Schema } from './schema.ts'

/**
 * SQLite for Kysely over node:sqlite. Two handles: one for writes, and a read-only one, so that readers
 * never wait behind a transaction that waits for another process.
 *
 * node:sqlite is synchronous, and its busy timeout would stop the event loop while another process holds
 * the write lock. So there is no busy timeout: what finds the file busy is tried again from here, asleep.
 */
export async function openSqlite(path: string, busyWaitMs: number): Promise<Database> {
  makeFolder(dirname(path))
  const write = await whileBusy(busyWaitMs, () => openWriteHandle(path))
  const read = await whileBusy(busyWaitMs, () => openReadHandle(path))
  const writer = kyselyOver(write, busyWaitMs)
  const reader = kyselyOver(read, busyWaitMs)
  return {
    dialect: 'sqlite',
    writer,
    reader,
    async close() {
      await reader.destroy()
      await writer.destroy()
    },
  }
}

function openWriteHandle(path: string): DatabaseSync {
  const handle = new DatabaseSync(path, { timeout: 0 })
  try {
    // 16 KiB pages hold several pre-rendered applications each: a page of 100 was read in half the time of 4 KiB.
    handle.exec('pragma page_size = 16384; pragma journal_mode = wal; pragma synchronous = full;')
    handle.exec('pragma foreign_keys = on; pragma journal_size_limit = 67108864')
    return handle
  } catch (error) {
    handle.close()
    throw error
  }
}

function openReadHandle(path: string): DatabaseSync {
  const handle = new DatabaseSync(path, { timeout: 0, readOnly: true })
  // 8 MiB: more made no page faster, and a whole list fills whatever there is.
  handle.exec('pragma cache_size = -8192')
  return handle
}

function kyselyOver(handle: DatabaseSync, busyWaitMs: number): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: {
      createDriver: () => new SqliteDriver(handle, busyWaitMs),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createAdapter: () => new TransactionalSqliteAdapter(),
      createIntrospector: db => new SqliteIntrospector(db),
    },
  })
}

/** SQLite can undo schema changes; Kysely's adapter says it cannot, and would leave failed migrations half done. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class SqliteDriver implements Driver {
  readonly #handle: DatabaseSync
  readonly #connection: SqliteConnection
  #free: Promise<void> = Promise.resolve()
  #release: () => void = () => {}

  constructor(handle: DatabaseSync, busyWaitMs: number) {
    this.#handle = handle
    this.#connection = new SqliteConnection(handle, busyWaitMs)
  }

  async init(): Promise<void> {}

  /** One connection, one user at a time: a transaction has it from its begin to its end. */
  async acquireConnection(): Promise<DatabaseConnection> {
    const previous = this.#free
    let release = () => {}
    this.#free = new Promise(resolve => {
      release = resolve
    })
    await previous
    this.#release = release
    return this.#connection
  }

  async releaseConnection(): Promise<void> {
    this.#release()
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    // Immediate: the write lock is taken now or not at all, never in the middle, where giving up would be the only way.
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // Some errors (a full disk) have rolled back already.
    if (this.#handle.isTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'))
  }

  async destroy(): Promise<void> {
    await this.#free
    this.#handle.close()
  }
}

interface PreparedStatement {
  statement: StatementSync
  returnsRows: boolean
}

class SqliteConnection implements DatabaseConnection {
  readonly #handle: DatabaseSync
  readonly #busyWaitMs: number
  readonly #statements = new Map<string, PreparedStatement>()

  constructor(handle: DatabaseSync, busyWaitMs: number) {
    this.#handle = handle
    this.#busyWaitMs = busyWaitMs
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const attempt = () => this.#execute<R>(sql, parameters as (string | number | null)[])
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw isOutOfOrder(error) ? unavailable(error) : error
      return whileBusy(this.#busyWaitMs, attempt)
    }
  }

  #execute<R>(sql: string, parameters: (string | number | null)[]): QueryResult<R> {
    const { statement, returnsRows } = this.#prepare(sql)
    if (returnsRows) return { rows: statement.all(...parameters) as R[] }
    const { changes, lastInsertRowid } = statement.run(...parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  #prepare(sql: string): PreparedStatement {
    let prepared = this.#statements.get(sql)
    if (prepared === undefined) {
      // The queries of the service have few shapes; the bound is for what a future one might do.
      if (this.#statements.size >= 500) this.#statements.clear()
      const statement = this.#handle.prepare(sql)
      prepared = { statement, returnsRows: statement.columns().length > 0 }
      this.#statements.set(sql, prepared)
    }
    return prepared
  }

  // biome-ignore lint/correctness/useYield: streaming would hold the connection; lists are read in keyset pages.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('read in pages: an open stream would block every writer')
  }
}

/** Tries until the file is free, asleep in between, and gives up with 503 after `busyWaitMs`. */
async function whileBusy<T>(busyWaitMs: number, attempt: () => T): Promise<T> {
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

/** SQLITE_READONLY, SQLITE_IOERR and SQLITE_FULL: the disk is full or away, and the request was in order. */
function isOutOfOrder(error: unknown): boolean {
  return [8, 10, 13].includes(resultCode(error) ?? 0)
}

function unavailable(cause: unknown): Problem {
  return new Problem('unavailable', 'The database cannot be used at present.', {
    retryAfterSeconds: 5,
    cause,
  })
}
