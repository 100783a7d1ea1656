import type { DatabaseSync } from 'node:sqlite'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import type { Step } from '../database/tables.ts'
import { release, rollback, rollbackToSavepoint, SharedCommits, savepoint } from './shared-commits.ts'
import type { Query } from './statements.ts'

/** Kysely's driver for writes: its transactions take turns at the one connection and share commits. */
export class WriteDriver implements Driver {
  readonly #commits: SharedCommits

  constructor(handle: DatabaseSync, busyWaitMs: number) {
    this.#commits = new SharedCommits(handle, busyWaitMs)
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this.#commits, await this.#commits.takeTurn())
  }

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    connection.endTurn()
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    const isFirst = !this.#commits.isInTransaction
    await this.#commits.begin()
    // The first is undone by undoing everything: a savepoint costs a copy of each page that it changes.
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
    if (part === undefined || !this.#commits.isInTransaction) return
    if (part === 'first') {
      await this.#commits.query(rollback)
    } else {
      await this.#commits.query(rollbackToSavepoint)
      await this.#commits.query(release)
    }
  }

  step<T>(body: Step<T>): Promise<T> {
    return this.#commits.step(body)
  }

  /** A write outside a transaction is a step of its own. */
  execute<R>(query: CompiledQuery): Promise<QueryResult<R>> | undefined {
    return isRead(query) ? undefined : this.#commits.step(run => run<R>(query), false)
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

/** One turn at the one connection. */
class SqliteConnection implements DatabaseConnection {
  readonly #commits: SharedCommits
  /** During a transaction: whether it is the first of those that share a commit. */
  part: 'first' | 'further' | undefined
  readonly endTurn: () => void

  constructor(commits: SharedCommits, endTurn: () => void) {
    this.#commits = commits
    this.endTurn = endTurn
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // It would join whatever transaction is open, and would resolve before its commit.
    if (this.part === undefined && !isRead(query))
      throw new Error('a connection writes in a transaction only')
    return this.#commits.query<R>(query)
  }

  streamQuery = refuseStream
}

// biome-ignore lint/correctness/useYield: streaming would hold the connection; lists are read in keyset pages.
export async function* refuseStream<R>(): AsyncIterableIterator<QueryResult<R>> {
  throw new Error('read in pages: an open stream would block every writer')
}
