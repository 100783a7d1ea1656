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
  const writeDriver = new WriteDriver(write, busyWaitMs)
  const writer = kyselyOver(writeDriver)
  const reader = kyselyOver(new ReadDriver(read, busyWaitMs))
  return {
    dialect: 'sqlite',
    writer,
    reader,
    forget: () => writeDriver.forget(),
    async close() {
      await reader.destroy()
      await writer.destroy()
      // Kysely leaves alone what was never asked anything. The last handle to close empties the log.
      for (const handle of [read, write]) if (handle.isOpen) handle.close()
    },
  }
}

function openWriteHandle(path: string): DatabaseSync {
  const handle = new DatabaseSync(path, { timeout: 0 })
  try {
    // 16 KiB pages hold several pre-rendered applications each: a page of 100 was read in half the time of 4 KiB.
    handle.exec('pragma page_size = 16384; pragma journal_mode = wal; pragma synchronous = full;')
    handle.exec('pragma foreign_keys = on; pragma journal_size_limit = 67108864')
    // What is deleted is overwritten: an erased address must not stay in the file until its place is used again.
    handle.exec('pragma secure_delete = on')
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

function kyselyOver(driver: Driver): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: {
      createDriver: () => driver,
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

/** Single reads, each over before the next begins: nobody has to wait for a turn. */
class ReadDriver implements Driver {
  readonly #handle: DatabaseSync
  readonly #connection: DatabaseConnection

  constructor(handle: DatabaseSync, busyWaitMs: number) {
    const statements = new Statements(handle, busyWaitMs)
    this.#handle = handle
    this.#connection = {
      executeQuery: ({ sql, parameters }) => statements.run(sql, parameters as SqlValue[]),
      streamQuery: refuseStream,
    }
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(): Promise<void> {
    throw new Error('what belongs together is read by one statement, or by the writer')
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#handle.close()
  }
}

// biome-ignore lint/correctness/useYield: streaming would hold the connection; lists are read in keyset pages.
async function* refuseStream<R>(): AsyncIterableIterator<QueryResult<R>> {
  throw new Error('read in pages: an open stream would block every writer')
}

/** One user at a time, in the order in which they came. */
class Turns {
  #last: Promise<void> = Promise.resolve()

  /** Resolves with what ends the turn. */
  async take(): Promise<() => void> {
    const previous = this.#last
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = promise
    await previous
    return resolve
  }
}

/**
 * A commit waits for the disk, and one wait does for everybody who is ready: transactions that come at the same
 * time are parts (savepoints) of one, and all are answered when that one is safe. Each is still all or nothing,
 * and none is answered before its bytes are on the disk.
 */
class WriteDriver implements Driver {
  readonly #handle: DatabaseSync
  readonly #statements: Statements
  readonly #turns = new Turns()
  #waiting: PromiseWithResolvers<void>[] = []
  #isCommitDue = false

  constructor(handle: DatabaseSync, busyWaitMs: number) {
    this.#handle = handle
    this.#statements = new Statements(handle, busyWaitMs)
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this, await this.#turns.take())
  }

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    connection.endTurn()
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    const isFirst = !this.#handle.isTransaction
    await this.#join()
    this.#commitSoon()
    // The first can be undone by undoing everything, and a savepoint costs a copy of each page that it changes.
    if (!isFirst) await this.#run('savepoint part')
    connection.part = isFirst ? 'first' : 'further'
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    if (connection.part === 'further') await this.#run('release part')
    connection.part = undefined
    await this.#whenSafe(connection)
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    // Not when it was the common commit that failed, and some errors (a full disk) have rolled back everything.
    const { part } = connection
    connection.part = undefined
    if (part === undefined || !this.#handle.isTransaction) return
    if (part === 'first') {
      await this.#run('rollback')
    } else {
      await this.#run('rollback to part')
      await this.#run('release part')
    }
  }

  /** What is asked outside of a transaction is a part of its own, unless it only reads. */
  async execute<R>(connection: SqliteConnection, query: CompiledQuery): Promise<QueryResult<R>> {
    if (connection.part !== undefined || /^(select|pragma|explain)\b/i.test(query.sql))
      return this.#query<R>(query)
    await this.#join()
    // Also when it fails: whatever was begun must end.
    this.#commitSoon()
    const result = await this.#query<R>(query)
    await this.#whenSafe(connection)
    return result
  }

  async #query<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return await this.#statements.run<R>(sql, parameters as SqlValue[])
    } catch (error) {
      if (this.#waiting.length > 0 && !this.#handle.isTransaction) this.#settle(error)
      throw error
    }
  }

  #run(sql: string): Promise<QueryResult<unknown>> {
    return this.#query(CompiledQuery.raw(sql))
  }

  async #join(): Promise<void> {
    // Immediate: the write lock is taken now or not at all, never in the middle, where giving up would be the only way.
    if (!this.#handle.isTransaction) await this.#run('begin immediate')
  }

  /** Lets the next one in, and resolves when what was done so far has been committed. */
  #whenSafe(connection: SqliteConnection): Promise<void> {
    const safe = Promise.withResolvers<void>()
    this.#waiting.push(safe)
    this.#commitSoon()
    connection.endTurn()
    return safe.promise
  }

  /** After what has arrived by now: whoever is in the queue before the commit is a part of it. */
  #commitSoon(): void {
    if (this.#isCommitDue) return
    this.#isCommitDue = true
    setImmediate(async () => {
      const endTurn = await this.#turns.take()
      this.#isCommitDue = false
      await this.#commit()
      endTurn()
    })
  }

  async #commit(): Promise<void> {
    if (!this.#handle.isTransaction) return
    try {
      await this.#run('commit')
      this.#settle()
    } catch (error) {
      if (this.#handle.isTransaction) this.#handle.exec('rollback')
      this.#settle(error)
    }
  }

  #settle(error?: unknown): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const { resolve, reject } of waiting) {
      if (error === undefined) resolve()
      else reject(error)
    }
  }

  /** The log has pages as they were before. Whoever reads just now keeps it; the next time will do. */
  async forget(): Promise<void> {
    const endTurn = await this.#turns.take()
    try {
      await this.#commit()
      await this.#run('pragma wal_checkpoint(truncate)')
    } finally {
      endTurn()
    }
  }

  async destroy(): Promise<void> {
    await this.#turns.take()
    await this.#commit()
    this.#handle.close()
  }
}

/** One turn at the one connection there is. */
class SqliteConnection implements DatabaseConnection {
  readonly #driver: WriteDriver
  readonly #endTurn: () => void
  #isOver = false
  /** Between the begin and the end of a transaction: which of those that share a commit it is. */
  part: 'first' | 'further' | undefined

  constructor(driver: WriteDriver, endTurn: () => void) {
    this.#driver = driver
    this.#endTurn = endTurn
  }

  endTurn(): void {
    this.#isOver = true
    this.#endTurn()
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // It would get between the statements of somebody else.
    if (this.#isOver) throw new Error('a write outside of a transaction ends the turn at the connection')
    return this.#driver.execute<R>(this, query)
  }

  streamQuery = refuseStream
}

type SqlValue = string | number | null

/** Statements are compiled once and kept. */
class Statements {
  readonly #handle: DatabaseSync
  readonly #busyWaitMs: number
  readonly #prepared = new Map<string, { statement: StatementSync; returnsRows: boolean }>()

  constructor(handle: DatabaseSync, busyWaitMs: number) {
    this.#handle = handle
    this.#busyWaitMs = busyWaitMs
  }

  async run<R>(sql: string, parameters: readonly SqlValue[]): Promise<QueryResult<R>> {
    const attempt = () => this.#execute<R>(sql, parameters)
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw isOutOfOrder(error) ? unavailable(error) : error
      return whileBusy(this.#busyWaitMs, attempt)
    }
  }

  #execute<R>(sql: string, parameters: readonly SqlValue[]): QueryResult<R> {
    const { statement, returnsRows } = this.#prepare(sql)
    if (returnsRows) return { rows: statement.all(...parameters) as R[] }
    const { changes, lastInsertRowid } = statement.run(...parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  #prepare(sql: string) {
    let prepared = this.#prepared.get(sql)
    if (prepared === undefined) {
      // The queries of the service have few shapes; the bound is for what a future one might do.
      if (this.#prepared.size >= 500) this.#prepared.clear()
      const statement = this.#handle.prepare(sql)
      prepared = { statement, returnsRows: statement.columns().length > 0 }
      this.#prepared.set(sql, prepared)
    }
    return prepared
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
