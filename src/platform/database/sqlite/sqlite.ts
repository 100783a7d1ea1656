import { realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { makeFolder } from '../../core/files/make-folder.ts'
import type { Database, Schema } from '../tables.ts'
import { Checkpoints } from './checkpoints.ts'
import { examineFile } from './examination.ts'
import { Flush } from './flush.ts'
import { assertOwnLog } from './log.ts'
import { restrictToOwner } from './restrict-to-owner.ts'
import { busy, Statements, whileBusy } from './statements.ts'
import { rewriteUnsynced } from './unsynced-log.ts'
import { refuseStream, WriteDriver } from './writer.ts'

/** Limit: How long a write waits for another process to release the SQLite file before it gets 503. */
const busyWaitMs = 10_000

/**
 * Opens SQLite for Kysely over node:sqlite, with two handles: one for writes and a read-only one, so that readers never
 * wait for a transaction that waits for another process.
 */
export async function openSqlite(path: string, waitMs = busyWaitMs): Promise<Database> {
  makeFolder(dirname(path))
  assertOwnLog(path)
  restrictToOwner(path)
  const write = await whileBusy(waitMs, () => openWriteHandle(path))
  const read = await whileBusy(waitMs, () => openReadHandle(path))
  // SQLite also resolves links before it names the log.
  const realPath = realpathSync(path)
  const flush = new Flush(realPath, read)
  await rewriteUnsynced(realPath, { handle: write, log: flush.log, waitMs })
  const checkpoints = writesBeside ? new Checkpoints(realPath, flush) : undefined
  const readDriver = new ReadDriver(read, waitMs, flush)
  const writeDriver = new WriteDriver(write, {
    busyWaitMs: waitMs,
    flush,
    checkpoints,
    async closeOthers() {
      await checkpoints?.close()
      await flush.close()
      await readDriver.destroy()
    },
  })
  const writer = kyselyOver(writeDriver)
  const reader = kyselyOver(readDriver)
  return {
    dialect: 'sqlite',
    path,
    writer,
    reader,
    migrator: writer,
    step: body => writeDriver.step(body),
    forget: () => writeDriver.forget(),
    whenDurable: () => flush.whenDurable(),
    whenVersionDurable: (...version) => flush.whenVersionDurable(...version),
    failed: flush.failed,
    examine: isDeep => examineFile(reader, isDeep),
    // Kysely would not close a driver that it has never used itself.
    close: () => writeDriver.destroy(),
  }
}

/**
 * Two handles of one process that write and make checkpoints at the same time need SQLite 3.51.3: before it, restarting
 * the log could lose a checkpoint (https://sqlite.org/wal.html#walresetbug). With an older one, commits sync and make
 * checkpoints themselves.
 */
const writesBeside = isAtLeast(process.versions['sqlite'], [3, 51, 3])

function isAtLeast(version: string | undefined, min: readonly number[]): boolean {
  const parts = String(version).split('.').map(Number)
  const index = min.findIndex((part, at) => parts[at] !== part)
  return index < 0 || (parts[index] ?? 0) > (min[index] ?? 0)
}

function openWriteHandle(path: string): DatabaseSync {
  const { ino } = statSync(path)
  const handle = new DatabaseSync(path, { timeout: 0 })
  try {
    // 16 KiB pages hold several pre-rendered applications each: a page of 100 was read in half the time of 4 KiB.
    handle.exec('pragma page_size = 16384; pragma journal_mode = wal')
    // flush.ts and checkpoints.ts sync commits and checkpoints, in the right order, off the event loop.
    handle.exec(
      writesBeside ? 'pragma synchronous = off; pragma wal_autocheckpoint = 0' : 'pragma synchronous = full',
    )
    handle.exec('pragma foreign_keys = on; pragma journal_size_limit = 67108864')
    // Overwrites deleted data: an erased address must not stay in the file until its space is reused.
    handle.exec('pragma secure_delete = on')
    // Savepoints keep the few pages that they would restore in memory, instead of creating a file each time.
    handle.exec('pragma temp_store = memory')
    // 8 MiB, as for reading: rows of codes, tokens and accounts are scattered over their tables.
    handle.exec('pragma cache_size = -8192')
    // A restore has since replaced the file: its log would belong to the replaced file. Open it again, as if it were
    // busy.
    if (statSync(path).ino !== ino) throw Object.assign(new Error('the file was replaced'), { errcode: busy })
    return handle
  } catch (error) {
    handle.close()
    throw error
  }
}

function openReadHandle(path: string): DatabaseSync {
  const handle = new DatabaseSync(path, { timeout: 0, readOnly: true })
  // 8 MiB: a larger cache made no page faster, and a whole list fills any cache.
  handle.exec('pragma cache_size = -8192')
  return handle
}

interface SqliteDriver extends Driver {
  /** Undefined for queries that must go through Kysely's executor. */
  execute<R>(query: CompiledQuery): Promise<QueryResult<R>> | undefined
}

/** Bypasses Kysely's executor, which costs a dozen promises per query, where possible. */
function kyselyOver(driver: SqliteDriver): Kysely<Schema> {
  const db = new Kysely<Schema>({
    dialect: {
      createDriver: () => driver,
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createAdapter: () => new TransactionalSqliteAdapter(),
      createIntrospector: kysely => new SqliteIntrospector(kysely),
    },
  })
  // Transactions have their own executors.
  const executor = db.getExecutor()
  const byConnection = executor.executeQuery.bind(executor)
  executor.executeQuery = query => driver.execute(query) ?? byConnection(query)
  return db
}

/**
 * SQLite can roll back schema changes; Kysely's adapter declares that it cannot, which would leave failed migrations
 * half done.
 */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** Reads single statements, each finished before the next begins, so it needs no turns. */
class ReadDriver implements SqliteDriver {
  readonly #handle: DatabaseSync
  readonly #statements: Statements
  readonly #flush: Flush

  constructor(handle: DatabaseSync, busyWaitMs: number, flush: Flush) {
    this.#handle = handle
    this.#statements = new Statements(handle, busyWaitMs)
    this.#flush = flush
  }

  async execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const result = await this.#statements.run<R>(query)
    await this.#flush.noteRead()
    return result
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return { executeQuery: query => this.execute(query), streamQuery: refuseStream }
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(): Promise<void> {
    throw new Error('a reader has no transactions: use one statement, or the writer')
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async destroy(): Promise<void> {
    if (this.#handle.isOpen) this.#handle.close()
  }
}
