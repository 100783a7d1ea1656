import { createHash } from 'node:crypto'
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { Problem } from '../core/problems.ts'
import type { Database, Schema } from './schema.ts'

export interface PostgresOptions {
  url: string
  poolSize: number
  connectMs: number
  retryAfterSeconds: number
  /** How long to wait at the end for queries that are still under way. */
  closeMs: number
  onBrokenConnection(error: Error): void
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

export function openPostgres(options: PostgresOptions): Database {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: options.connectMs,
    application_name: 'dossier',
    types: int8Types as pg.CustomTypesConfig,
  })
  // Without a listener a connection that breaks while idle would end the process; the pool replaces it.
  pool.on('error', options.onBrokenConnection)
  const connected = new Set<pg.PoolClient>()
  pool.on('connect', client => connected.add(client)).on('remove', client => connected.delete(client))
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: watchedPool(pool, options) }) })
  return {
    dialect: 'postgres',
    writer: db,
    reader: db,
    // It clears up dead rows by itself, and its log is the operator's.
    async forget() {},
    async close() {
      // A server that no longer answers would keep us waiting for ever, for a result or just for a good-bye.
      const giveUp = setTimeout(() => {
        for (const client of connected) socketOf(client).destroy()
      }, options.closeMs)
      await db.destroy()
      clearTimeout(giveUp)
    },
  }
}

/** The pool as Kysely wants it, with statements prepared by name and lost connections told as `unavailable`. */
function watchedPool(
  pool: pg.Pool,
  { retryAfterSeconds, onBrokenConnection }: PostgresOptions,
): PostgresPool {
  const translate = (error: unknown): unknown =>
    isConnectionLoss(error)
      ? new Problem('unavailable', 'The database cannot be reached.', { retryAfterSeconds, cause: error })
      : error

  return {
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect().catch(error => {
        throw translate(error)
      })
      // The pool listens only to idle ones. The query that was under way fails by itself; this is for the process.
      client.on('error', onBrokenConnection)
      const release = () => {
        client.off('error', onBrokenConnection)
        client.release()
      }
      // By callback: the promise that the driver makes keeps each result until the next full collection, and a
      // whole list then grew the process by three times as much.
      const query = (sql: string, parameters: readonly unknown[]) => {
        const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>()
        client.query({ text: sql, values: [...parameters], ...statementName(sql) }, (error, result) => {
          if (error) reject(translate(error))
          else resolve(result)
        })
        return promise
      }
      return { query, release } as unknown as PostgresPoolClient
    },
  }
}

function socketOf(client: pg.PoolClient): { destroy(): void } {
  return (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream
}

const statementNames = new Map<string, { name: string }>()

/** Named statements are parsed and planned once per connection: half the time of a short query. */
function statementName(sql: string): { name?: string } {
  let named = statementNames.get(sql)
  if (named === undefined && statementNames.size < 500) {
    named = { name: createHash('sha256').update(sql).digest('hex').slice(0, 32) }
    statementNames.set(sql, named)
  }
  return named ?? {}
}

function isConnectionLoss(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  if (typeof code === 'string') {
    // Class 08: connection exception; 57P0x: the server is shutting down or starting; 53300: too many connections.
    return /^(08|57P0|53300$|ECONN|ENOENT$|EPIPE$|ETIMEDOUT$|ENOTFOUND$|EAI_AGAIN$|EHOSTUNREACH$)/.test(code)
  }
  return (
    typeof message === 'string' &&
    /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after)/.test(
      message,
    )
  )
}
