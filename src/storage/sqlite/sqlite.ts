import { statSync } from 'node:fs'
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
import { makeFolder } from '../blobs/make-folder.ts'
import type { Database, Schema } from '../database/tables.ts'
import { examineFile } from './examination.ts'
import { keepToOwner } from './keep-to-owner.ts'
import { assertOwnLog } from './log.ts'
import { busy, Statements, whileBusy } from './statements.ts'
import { refuseStream, WriteDriver } from './writer.ts'

/**
 * Opens SQLite for Kysely over node:sqlite, with two handles: one for writes and a read-only one, so that readers never
 * wait for a transaction that waits for another process.
 */
export async function openSqlite(path: string, busyWaitMs: number): Promise<Database> {
  makeFolder(dirname(path))
  assertOwnLog(path)
  keepToOwner(path)
  const write = await whileBusy(busyWaitMs, () => openWriteHandle(path))
  const read = await whileBusy(busyWaitMs, () => openReadHandle(path))
  const writeDriver = new WriteDriver(write, busyWaitMs)
  const readDriver = new ReadDriver(read, busyWaitMs)
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
    examine: isDeep => examineFile(reader, isDeep),
    async close() {
      // Kysely would not close a driver that it has never used itself. The last handle to close empties the log.
      await readDriver.destroy()
      await writeDriver.destroy()
    },
  }
}

function openWriteHandle(path: string): DatabaseSync {
  const { ino } = statSync(path)
  const handle = new DatabaseSync(path, { timeout: 0 })
  try {
    // 16 KiB pages hold several pre-rendered applications each: a page of 100 was read in half the time of 4 KiB.
    handle.exec('pragma page_size = 16384; pragma journal_mode = wal; pragma synchronous = full;')
    handle.exec('pragma foreign_keys = on; pragma journal_size_limit = 67108864')
    // Overwrites deleted data: an erased address must not stay in the file until its space is reused.
    handle.exec('pragma secure_delete = on')
    // Savepoints keep the few pages that they would restore in memory, instead of a new file each time.
    handle.exec('pragma temp_store = memory')
    // 8 MiB, as for reading: rows of codes, tokens and accounts are spread over their tables.
    handle.exec('pragma cache_size = -8192')
    // A restore has replaced the file meanwhile: its log would be that of the replaced one. Opened again, like a busy one.
    if (statSync(path).ino !== ino) throw Object.assign(new Error('the file was replaced'), { errcode: busy })
    return handle
  } catch (error) {
    handle.close()
    throw error
  }
}

function openReadHandle(path: string): DatabaseSync {
  const handle = new DatabaseSync(path, { timeout: 0, readOnly: true })
  // 8 MiB: more made no page faster, and a whole list fills any cache.
  handle.exec('pragma cache_size = -8192')
  return handle
}

interface SqliteDriver extends Driver {
  /** Undefined for queries that must go through Kysely's executor. */
  execute<R>(query: CompiledQuery): Promise<QueryResult<R>> | undefined
}

/** Bypasses Kysely's executor, which costs a dozen promises per query, where it is not needed. */
function kyselyOver(driver: SqliteDriver): Kysely<Schema> {
  const db = new Kysely<Schema>({
    dialect: {
      createDriver: () => driver,
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createAdapter: () => new TransactionalSqliteAdapter(),
      createIntrospector: kysely => new SqliteIntrospector(kysely),
    },
  })
  // Transactions have executors of their own.
  const executor = db.getExecutor()
  const byConnection = executor.executeQuery.bind(executor)
  executor.executeQuery = query => driver.execute(query) ?? byConnection(query)
  return db
}

/** SQLite can roll back schema changes; Kysely's adapter says that it cannot, and would leave failed migrations half done. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** Reads single statements, each finished before the next begins, so there are no turns to wait for. */
class ReadDriver implements SqliteDriver {
  readonly #handle: DatabaseSync
  readonly #statements: Statements

  constructor(handle: DatabaseSync, busyWaitMs: number) {
    this.#handle = handle
    this.#statements = new Statements(handle, busyWaitMs)
  }

  execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#statements.run<R>(query)
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
