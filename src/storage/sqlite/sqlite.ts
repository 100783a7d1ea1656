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
import { keepToOwner } from '../database/keep-to-owner.ts'
import type { Database, Schema } from '../database/tables.ts'
import { examineFile } from './examination.ts'
import { assertOwnLog } from './log.ts'
import { Statements, whileBusy } from './statements.ts'
import { refuseStream, WriteDriver } from './writer.ts'

/**
 * SQLite for Kysely over node:sqlite. Two handles: one for writes, and a read-only one, so that readers
 * never wait behind a transaction that waits for another process.
 *
 * node:sqlite is synchronous, and its busy timeout would stop the event loop while another process holds
 * the write lock. So there is no busy timeout: what finds the file busy is tried again from here, asleep.
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
    writer,
    reader,
    migrator: writer,
    step: body => writeDriver.step(body),
    forget: () => writeDriver.forget(),
    examine: isDeep => examineFile(reader, isDeep),
    async close() {
      // Kysely would leave alone what it was never asked for itself. The last handle to close empties the log.
      await readDriver.destroy()
      await writeDriver.destroy()
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
    // Where savepoints keep the pages that they would restore: a few, and not worth a file of their own each time.
    handle.exec('pragma temp_store = memory')
    // 8 MiB, as for reading: rows of codes, tokens and accounts lie all over their tables.
    handle.exec('pragma cache_size = -8192')
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

interface SqliteDriver extends Driver {
  /** Undefined: what only Kysely's own way can do. */
  execute<R>(query: CompiledQuery): Promise<QueryResult<R>> | undefined
}

/** Kysely's own way to a connection and back is a dozen promises long; what needs none of them goes straight there. */
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

/** SQLite can undo schema changes; Kysely's adapter says it cannot, and would leave failed migrations half done. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** Single reads, each over before the next begins: nobody has to wait for a turn. */
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
    throw new Error('what belongs together is read by one statement, or by the writer')
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async destroy(): Promise<void> {
    if (this.#handle.isOpen) this.#handle.close()
  }
}
