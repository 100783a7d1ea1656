import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import type { ReadRows, Schema } from '../tables.ts'
import { asProblem, asUnavailableProblem, isPoolExhausted, kindOf, readOnly } from './errors.ts'
import type { PoolOptions } from './pool-options.ts'
import { openSocket, RowClient, reuse } from './rows.ts'
import { destroySocket, discard, int8AsNumber, type Run, runOn } from './session.ts'
import {
  connectionOptions,
  explainConnectionError,
  timeoutsOf,
  verifyConnection,
} from './session-settings.ts'

/**
 * Behind an open connection, a pooler may change servers. So each transaction asks for the primary: a standby refuses
 * to begin a transaction that may write.
 */
const beginStatements: Record<PoolOptions['of'], string> = {
  writer: 'begin isolation level read committed, read write',
  migrator: 'begin isolation level read committed, read write',
  reader: 'begin isolation level read committed, read write; set transaction read only',
  replica: 'begin isolation level read committed, read only',
}

/** PostgreSQL rejects these inside a transaction, and a standby rejects them anyway. */
const outsideTransactions = /^(create|drop) index concurrently /

/**
 * Sets timeouts and access mode in each transaction instead of the session, because a transaction pooler may give each
 * transaction another session. A single statement becomes a transaction, whose three parts are sent together: one
 * round trip.
 */
function runThroughPooler(run: Run, options: PoolOptions): Run {
  const begin = [
    beginStatements[options.of],
    ...timeoutsOf(options).map(([name, ms]) => `set local ${name} = ${ms}`),
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
    if (outsideTransactions.test(text)) return run(text, values)
    // If the statement fails, the commit rolls back; if the begin fails, all three fail.
    const [begun, result, committed] = await Promise.allSettled([
      run(begin, []),
      run(text, values, isInBytes),
      run('commit', []),
    ])
    for (const part of [begun, result, committed]) if (part.status === 'rejected') throw part.reason
    return (result as PromiseFulfilledResult<Awaited<ReturnType<Run>>>).value
  }
}

export interface OpenPool {
  db: Kysely<Schema>
  readRows: ReadRows
  counts(): { total: number; idle: number; waiting: number }
  close(): Promise<void>
}

interface Session {
  query: Run
  release(): void
}

export function openPool(options: PoolOptions): OpenPool {
  const { of, isPrepared } = options
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
    types: int8AsNumber,
    pipeline: !isPrepared,
    ...(of === 'migrator' ? {} : { query_timeout: options.statementTimeoutMs + options.answerMarginMs }),
  })
  // Each connection reports its own errors, see below; without a listener here they would end the process.
  pool.on('error', () => {})
  const connected = new Set<pg.PoolClient>()
  /** Connections to discard instead of reusing them. */
  const condemned = new WeakSet<pg.PoolClient>()
  /** Undefined before the first connection: the caller reports a failure to start. */
  let isReached: boolean | undefined
  pool.on('remove', client => connected.delete(client))
  pool.on('connect', client => {
    connected.add(client)
    // Also while the connection is in use: the query in progress rejects, but without a listener the process would end.
    client.on('error', options.onBrokenConnection)
  })

  const sessions = new WeakMap<pg.PoolClient, Session>()

  function sessionOn(client: pg.PoolClient): Session {
    const run = runOn(client, isPrepared, error => {
      // Writing through a reader is our mistake, not the server's.
      if (error.code === readOnly && of !== 'writer') return error
      const kind = kindOf(error)
      if (kind === 'all-lost') for (const other of connected) condemned.add(other)
      if (kind === 'lost') condemned.add(client)
      // Otherwise the next query would take the late result for its own.
      if (error.message === 'Query read timeout') destroySocket(client)
      return asProblem(error)
    })
    const release = () => {
      if (condemned.has(client)) discard(client)
      else client.release()
    }
    return { query: isPrepared ? run : runThroughPooler(run, options), release }
  }

  /**
   * The pool could verify new connections itself, but if a request gives up during the check, the pool never releases
   * its connection: the slot would be lost forever.
   */
  async function checkOut(): Promise<pg.PoolClient> {
    const client = await pool.connect()
    if (sessions.has(client)) return client
    try {
      await verifyConnection(client, options)
      return client
    } catch (error) {
      discard(client)
      throw error
    }
  }

  async function connect(): Promise<Session> {
    for (;;) {
      const client = await checkOut().catch(error => {
        if (isReached === true && !isPoolExhausted(error)) {
          isReached = false
          options.onReach(of, error)
        }
        throw asUnavailableProblem(explainConnectionError(error))
      })
      if (condemned.has(client)) {
        discard(client)
        continue
      }
      let session = sessions.get(client)
      if (session === undefined) {
        // A new connection that has been verified.
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
        reuse(bytes)
        return result
      } finally {
        session.release()
      }
    },
    counts: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      // A server that no longer answers would keep us waiting forever for a result or for the end of the connection.
      const giveUp = setTimeout(() => {
        for (const client of connected) destroySocket(client)
      }, options.closeMs)
      await db.destroy()
      // Kysely does not close a pool that it has never used.
      if (!pool.ending) await pool.end()
      clearTimeout(giveUp)
    },
  }
}

/** Migrations have one connection, for as long as they take. */
export function connectionsFor(of: PoolOptions['of'], poolSize: number): number {
  if (of === 'migrator') return 1
  return of === 'writer' ? Math.ceil(poolSize / 2) : Math.max(1, Math.floor(poolSize / 2))
}
