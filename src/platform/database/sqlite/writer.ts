import type { DatabaseSync } from 'node:sqlite'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import type { Step } from '../tables.ts'
import type { Flush } from './flush.ts'
import {
  release,
  rollback,
  rollbackToSavepoint,
  SharedCommits,
  savepoint,
  type WriterOptions,
} from './shared-commits.ts'
import type { Query } from './statements.ts'

/** Kysely's driver for writes: its transactions take turns on one connection and share commits. */
export class WriteDriver implements Driver {
  readonly #commits: SharedCommits
  readonly #flush: Flush

  constructor(handle: DatabaseSync, options: WriterOptions) {
    this.#commits = new SharedCommits(handle, options)
    this.#flush = options.flush
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this.#commits, this.#flush, await this.#commits.takeTurn())
  }

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    connection.endTurn()
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    const isFirst = !this.#commits.isInTransaction
    await this.#commits.begin()
    // The first part is undone by undoing everything: a savepoint costs a copy of each page that it changes.
    if (!isFirst) await this.#commits.query(savepoint)
    connection.part = isFirst ? 'first' : 'further'
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    if (connection.part === 'further') await this.#commits.query(release)
    connection.part = undefined
    const committed = this.#commits.whenCommitted()
    connection.endTurn()
    await committed
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    const { part } = connection
    connection.part = undefined
    // Nothing to undo if the shared commit failed, or an error such as a full disk has rolled back everything.
    if (part !== undefined && this.#commits.isInTransaction) {
      if (part === 'first') {
        await this.#commits.query(rollback)
      } else {
        await this.#commits.query(rollbackToSavepoint)
        await this.#commits.query(release)
      }
    }
    // Last, because the flush may wait or fail; by now the changes are undone and no writer waits.
    connection.endTurn()
    await this.#flush.noteRead()
  }

  step<T>(body: Step<T>): Promise<T> {
    return this.#noteRejection(this.#commits.step(body))
  }

  /** A write that succeeds has waited for the flush of its commit, which covers the data that it has read. */
  async #noteRejection<T>(write: Promise<T>): Promise<T> {
    try {
      return await write
    } catch (error) {
      await this.#flush.noteRead()
      throw error
    }
  }

  /** A write outside a transaction is a separate step. */
  execute<R>(query: CompiledQuery): Promise<QueryResult<R>> | undefined {
    return isRead(query) ? undefined : this.#noteRejection(this.#commits.step(run => run<R>(query), false))
  }

  forget(): Promise<void> {
    return this.#commits.forget()
  }

  destroy(): Promise<void> {
    return this.#commits.close()
  }
}

function isRead({ sql }: Query): boolean {
  return /^(select|pragma|explain)\b/i.test(sql)
}

/** One turn on the only connection. */
class SqliteConnection implements DatabaseConnection {
  readonly #commits: SharedCommits
  /** Its place in a shared commit; undefined outside transactions. */
  part: 'first' | 'further' | undefined
  readonly endTurn: () => void
  readonly #flush: Flush

  constructor(commits: SharedCommits, flush: Flush, endTurn: () => void) {
    this.#commits = commits
    this.#flush = flush
    this.endTurn = endTurn
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // The write would join whatever transaction is open, and would resolve before its commit.
    if (this.part === undefined && !isRead(query))
      throw new Error('a connection writes in a transaction only')
    const result = await this.#commits.query<R>(query)
    if (this.part === undefined) await this.#flush.noteRead()
    return result
  }

  streamQuery = refuseStream
}

// biome-ignore lint/correctness/useYield: streaming would hold the connection; lists are read in keyset pages.
export async function* refuseStream<R>(): AsyncIterableIterator<QueryResult<R>> {
  throw new Error('read in pages: an open stream would block every writer')
}
