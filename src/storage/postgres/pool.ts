import { createHash } from 'node:crypto'
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import type { ReadRows, Schema } from '../database/tables.ts'
import { asProblem, isUsedUp, readOnly, troubleOf } from './errors.ts'
import { giveBack, openSocket, RowClient } from './rows.ts'

export interface PostgresOptions {
  url: string
  /** Of one process to the primary: half for what writes, half for what reads. */
  poolSize: number
  connectMs: number
  /** What the server gives a statement. */
  statementTimeoutMs: number
  /** And a write that waits for a row or a table that another transaction holds. */
  lockWaitMs: number
  /** And a transaction that says nothing. */
  transactionIdleMs: number
  /** What the way there and back may take on top of it, before a connection is given up. */
  answerMarginMs: number
  /** How long a connection is used before a new one takes its place, so that an address that moved is followed. */
  connectionSeconds: number
  retryAfterSeconds: number
  /** How long to wait at the end for queries that are still under way. */
  closeMs: number
  /** False through a pooler that gives each transaction another session: nothing may be left in one. */
  isPrepared: boolean
  onBrokenConnection(error: Error): void
  /** Once per change: no new connection is to be had any more, and why; or they are made again. */
  onReach(pool: PoolOptions['of'], reason: unknown): void
}

export interface PoolOptions extends PostgresOptions {
  /**
   * `writer` and `reader` want the primary, and of them the reader cannot write. `replica` reads, wherever it is.
   * `migrator` takes as long as it takes.
   */
  of: 'writer' | 'reader' | 'replica' | 'migrator'
}

export interface OpenPool {
  db: Kysely<Schema>
  readRows: ReadRows
  close(): Promise<void>
}

export function openPool(options: PoolOptions): OpenPool {
  const { of, isPrepared, onBrokenConnection } = options
  const limited = of !== 'migrator'
  const pool = new pg.Pool({
    ...connectionOptions(options),
    Client: RowClient as unknown as new () => pg.ClientBase,
    stream: openSocket,
    max: connectionsFor(of, options.poolSize),
    connectionTimeoutMillis: options.connectMs,
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: options.connectionSeconds,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'dossier',
    types: int8Types as pg.CustomTypesConfig,
    pipeline: !isPrepared,
    ...(limited ? { query_timeout: options.statementTimeoutMs + options.answerMarginMs } : {}),
    verify: (client, done) => examine(client, options).then(() => done(), done),
  })
  // A connection that breaks tells us itself, see below; without a listener here it would end the process.
  pool.on('error', () => {})
  const connected = new Set<pg.PoolClient>()
  const doomed = new WeakSet<pg.PoolClient>()
  pool.on('remove', client => connected.delete(client))
  /** Undefined before the first: who cannot begin is told by whoever wanted to. */
  let isReached: boolean | undefined
  pool.on('connect', client => {
    connected.add(client)
    // Also while it is used: the query that was under way fails by itself, this is for the process.
    client.on('error', onBrokenConnection)
  })

  const sessions = new WeakMap<pg.PoolClient, Session>()

  function sessionOn(client: pg.PoolClient): Session {
    const { rows } = client as unknown as RowClient
    const run: Run = (text, values, isInBytes = false) => {
      const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>()
      const name = isPrepared ? statementName(text) : undefined
      if (isInBytes) rows.begin()
      // By callback: the promise that the driver makes keeps each result until the next full collection, and a
      // whole list then grew the process by three times as much.
      client.query({ text, values, ...(name === undefined ? {} : { name }) }, (error, result) => {
        if (isInBytes) result = { ...result, rows: [rows.end()] }
        if (error) reject(fault(error))
        else resolve(result)
      })
      return promise
    }
    function fault(error: Error & { code?: unknown }): unknown {
      // Whoever writes through what is for reading has made a mistake, and the server is as it should be.
      if (error.code === readOnly && of !== 'writer') return error
      const trouble = troubleOf(error)
      if (trouble === 'misled') for (const other of connected) doomed.add(other)
      if (trouble === 'lost') doomed.add(client)
      // An answer to the next question would be the late one to this.
      if (error.message === 'Query read timeout') socketOf(client).destroy()
      return asProblem(error, options.retryAfterSeconds)
    }
    const release = () => {
      if (doomed.has(client)) discard(client)
      else client.release()
    }
    return { query: isPrepared ? run : sessionless(run, options), release }
  }

  async function connect(): Promise<Session> {
    for (;;) {
      const client = await pool.connect().catch(error => {
        if (isReached === true && !isUsedUp(error)) {
          isReached = false
          options.onReach(of, error)
        }
        throw asProblem(explain(error), options.retryAfterSeconds)
      })
      if (doomed.has(client)) {
        discard(client)
        continue
      }
      let session = sessions.get(client)
      if (session === undefined) {
        // A new one, which has been found to be good.
        if (isReached === false) options.onReach(of, undefined)
        isReached = true
        session = sessionOn(client)
        sessions.set(client, session)
      }
      return session
    }
  }

  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({
      pool: {
        connect: async () => (await connect()) as unknown as PostgresPoolClient,
        end: () => pool.end(),
      } satisfies PostgresPool,
    }),
  })
  return {
    db,
    async readRows({ sql, parameters }, read) {
      const session = await connect()
      try {
        const { rows } = await session.query(sql, [...parameters], true)
        const bytes = rows[0] as Buffer
        const result = read(bytes)
        giveBack(bytes)
        return result
      } finally {
        session.release()
      }
    },
    async close() {
      // A server that no longer answers would keep us waiting for ever, for a result or just for a good-bye.
      const giveUp = setTimeout(() => {
        for (const client of connected) socketOf(client).destroy()
      }, options.closeMs)
      await db.destroy()
      // Kysely leaves alone what was never asked anything.
      if (!pool.ending) await pool.end()
      clearTimeout(giveUp)
    },
  }
}

/** Migrations have one of their own, as long as they take. */
export function connectionsFor(of: PoolOptions['of'], poolSize: number): number {
  if (of === 'migrator') return 1
  return of === 'writer' ? Math.ceil(poolSize / 2) : Math.max(1, Math.floor(poolSize / 2))
}

const onlyReads = (of: PoolOptions['of']) => of === 'reader' || of === 'replica'

/** What the server does to what takes too long. A read waits for no row. */
function rulesOf(options: PoolOptions): [name: string, ms: number][] {
  if (options.of === 'migrator') return []
  return [
    ['statement_timeout', options.statementTimeoutMs],
    // A node that vanished in the middle of a transaction must not keep the row of an advertiser.
    ['idle_in_transaction_session_timeout', options.transactionIdleMs],
    ...(options.of === 'writer' ? ([['lock_timeout', options.lockWaitMs]] as [string, number][]) : []),
  ]
}

/** The rules of a session come with the connection itself, so that they cost nothing. */
function connectionOptions(options: PoolOptions): pg.PoolConfig {
  const { url, of, isPrepared } = options
  if (!isPrepared) return { connectionString: url }
  const address = new URL(url)
  const rules = [
    address.searchParams.get('options') ?? '',
    // Whatever the database is set to: who has waited for a row goes on with what is in it by then.
    '-c default_transaction_isolation=read\\ committed',
    ...rulesOf(options).map(([name, ms]) => `-c ${name}=${ms}`),
    // Planned once: a page that is planned for each pair of bounds costs half as much again, redeeming a code three
    // times as much, and the plan is the same every time.
    ...(of === 'migrator' ? [] : ['-c plan_cache_mode=force_generic_plan']),
    ...(onlyReads(of) ? ['-c default_transaction_read_only=on'] : []),
  ]
  address.searchParams.set('options', rules.join(' ').trim())
  return { connectionString: address.href }
}

/** With `isInBytes` the result is one row, which holds the bytes of all rows. */
type Run = (text: string, values: unknown[], isInBytes?: boolean) => Promise<pg.QueryResult>

interface Session {
  query: Run
  release(): void
}

/**
 * A pooler changes servers behind a connection that is there, so each transaction must ask for the primary: a standby
 * refuses to begin one that may write.
 */
const beginnings: Record<PoolOptions['of'], string> = {
  writer: 'begin isolation level read committed, read write',
  migrator: 'begin isolation level read committed, read write',
  reader: 'begin isolation level read committed, read write; set transaction read only',
  replica: 'begin isolation level read committed, read only',
}

/**
 * Where each transaction may meet another session, the rules stand in the transaction. What is a statement alone
 * for the stores is a transaction here; its three parts are sent together, so that there is one way to go.
 */
function sessionless(run: Run, options: PoolOptions): Run {
  const begin = [
    beginnings[options.of],
    ...rulesOf(options).map(([name, ms]) => `set local ${name} = ${ms}`),
  ].join('; ')
  let inTransaction = false
  return async (text, values, isInBytes) => {
    if (text === 'begin') {
      inTransaction = true
      return run(begin, [])
    }
    if (inTransaction) {
      inTransaction = text !== 'commit' && text !== 'rollback'
      return run(text, values, isInBytes)
    }
    // A statement that fails turns the commit into a rollback; when the beginning fails, all three do.
    const parts = await Promise.allSettled([run(begin, []), run(text, values, isInBytes), run('commit', [])])
    for (const part of parts) if (part.status === 'rejected') throw part.reason
    return (parts[1] as PromiseFulfilledResult<pg.QueryResult>).value
  }
}

/** Whether what a new connection leads to is what we need; rejects with what is not. */
async function examine(
  client: pg.ClientBase,
  { of, isPrepared, statementTimeoutMs }: PoolOptions,
): Promise<void> {
  const { rows } = await client.query(`select pg_is_in_recovery() as is_standby,
    current_setting('server_encoding') as encoding,
    current_setting('statement_timeout')::interval = '${statementTimeoutMs} ms' as is_limited,
    current_setting('default_transaction_read_only') = 'on' as is_read_only`)
  const found = rows[0]
  // It would show what was, and cannot write: until the address leads to the primary again.
  if (found.is_standby && of !== 'replica') throw standbyError()
  if (found.encoding !== 'UTF8')
    throw refusal(
      `the encoding of the database is ${found.encoding}, and names need one that is made with UTF8`,
    )
  const hasRules = found.is_limited && (found.is_read_only || !onlyReads(of))
  if (isPrepared && of !== 'migrator' && !hasRules)
    throw refusal(`the limits that come with the connection do not arrive; ${poolerAdvice}`)
}

const poolerAdvice = 'a pooler in between wants DATABASE_PREPARED=off'

/** As PostgreSQL tells that there is no connection. */
function refusal(message: string): Error {
  return Object.assign(new Error(message), { code: '08001' })
}

/** A pooler that knows no more than the protocol says what it does not know, and not what to do about it. */
function explain(error: Error): Error {
  if (/^unsupported startup parameter/.test(error.message)) {
    error.message += `; ${poolerAdvice}`
  }
  return error
}

/** As PostgreSQL tells it to whoever writes there. */
function standbyError(): Error {
  return Object.assign(new Error('the server is a standby'), { code: readOnly })
}

function discard(client: pg.PoolClient): void {
  client.release(true)
  // Its good-bye may never be answered.
  socketOf(client).destroy()
}

function socketOf(client: pg.PoolClient): { destroy(): void } {
  return (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream
}

const statementNames = new Map<string, string>()

/** Named statements are parsed and planned once per connection: half the time of a short query. */
function statementName(sql: string): string | undefined {
  let name = statementNames.get(sql)
  if (name === undefined && statementNames.size < 500) {
    name = createHash('sha256').update(sql).digest('hex').slice(0, 32)
    statementNames.set(sql, name)
  }
  return name
}

const int8 = 20
const int8Types = {
  // Our int8 values are epoch milliseconds and IDs below 2^53; what is not exact must not pass as a number.
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === int8 ? exactNumber : pg.types.getTypeParser(oid, format as 'text'),
}

function exactNumber(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error(`${text} is not exact as a number`)
  return value
}
