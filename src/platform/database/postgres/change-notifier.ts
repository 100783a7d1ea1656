import { randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { withTimeout } from '../../core/async/with-timeout.ts'
import type { ChangeNotifier } from '../change-notifier.ts'
import type { Schema } from '../tables.ts'
import { connectMs } from './pool-options.ts'
import { destroySocket } from './session.ts'

/** Limit: On PostgreSQL, how often a process that listens checks that it hears its own notifications. */
const listenCheckSeconds = 15
/** Limit: How long its own notification may take before the process connects again. */
const listenAnswerMs = 2_000
/** Limit: The first pause before another attempt to listen; it is doubled each time. */
const listenPauseMs = 500
/** Limit: The longest pause before another attempt to listen. */
const maxListenPauseMs = 30_000

/** Every database can use the same name: PostgreSQL keeps their channels apart. */
const channel = 'dossier'
/** PostgreSQL requires fewer than 8,000 bytes. */
const maxPayloadBytes = 7_900

const bounds = { connectMs, listenCheckSeconds, listenAnswerMs, listenPauseMs }

export interface PostgresNotifierOptions {
  /** Must lead to a session that stays the same; undefined if there is no such address. */
  url: string | undefined
  /** Sends the notifications, like all other statements: a notification that returns has proved both directions. */
  db: Kysely<Schema>
  limits: Partial<typeof bounds>
  /** Called once per change. `reason` is undefined if there is no address to listen on. */
  onChange(change: { isHeard: true } | { isHeard: false; reason: unknown }): void
}

/**
 * Notifies other processes of changes by NOTIFY, and listens for theirs by LISTEN. Notifications are sent outside the
 * transactions that they announce, never inside: a commit that notifies takes a lock on the whole server (decision
 * 068).
 *
 * A connection may be half open, or lead to a pooler that gives each transaction another session: there LISTEN succeeds
 * and nothing arrives. So notifications count as heard only while this process hears its own.
 */
export function createPostgresNotifier(options: PostgresNotifierOptions): ChangeNotifier {
  const { url, db } = options
  const limits = { ...bounds, ...options.limits }
  const self = randomBytes(9).toString('base64url')
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let pauseMs = limits.listenPauseMs
  let isWanted = false
  let isClosed = false
  let isHeard = false
  /** Last reported change. */
  let reported: boolean | undefined
  /** Words in transit: who awaits each, and on which connection. */
  const awaited = new Map<string, { on: pg.Client; resolve(): void }>()
  let onHeard: Parameters<ChangeNotifier['attend']>[0] = () => {}

  const notify = (from: string, streams: string) =>
    sql`select pg_notify(${sql.lit(channel)}, ${`${from} ${streams}`})`.execute(db)

  function hear(on: pg.Client, payload: string): void {
    const [from = '', streams = ''] = payload.split(' ')
    const waiting = awaited.get(from)
    if (waiting?.on === on) waiting.resolve()
    else if (from === self) return
    else if (streams === '*') onHeard(undefined)
    else if (streams !== '') onHeard(streams.split(','))
  }

  function report(change: Parameters<PostgresNotifierOptions['onChange']>[0]): void {
    isHeard = change.isHeard
    if (reported !== isHeard) options.onChange(change)
    reported = isHeard
    // Notifications may have been missed, and the next poll is now due at another time.
    onHeard(undefined)
  }

  function newClient(): pg.Client {
    const own = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: limits.connectMs,
      query_timeout: limits.connectMs,
      keepAlive: true,
      application_name: 'dossier',
    })
    own.on('error', error => drop(own, error))
    own.on('end', () => drop(own, new Error('the connection has ended')))
    own.on('notification', ({ payload = '' }) => hear(own, payload))
    return own
  }

  async function listen(own: pg.Client): Promise<void> {
    await own.connect()
    await own.query(`listen ${channel}`)
    await hearOwnWord(own)
  }

  /** Each word is unique, because several may be in transit. Other processes ignore it: it names no stream. */
  async function hearOwnWord(own: pg.Client): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const word = `${self}.${randomBytes(6).toString('base64url')}`
    let isBack = false
    awaited.set(word, {
      on: own,
      resolve() {
        isBack = true
        resolve()
      },
    })
    try {
      await notify(word, '')
      await withTimeout(limits.listenAnswerMs, promise)
    } finally {
      awaited.delete(word)
    }
    if (!isBack) throw new Error('its own notification did not arrive')
  }

  function later(ms: number, step: () => Promise<void>): void {
    clearTimeout(timer)
    timer = setTimeout(() => {
      timer = undefined
      void step()
    }, ms)
    timer.unref()
  }

  async function connect(): Promise<void> {
    if (!isWanted) return
    const own = newClient()
    client = own
    try {
      await listen(own)
      if (client !== own) return
      pauseMs = limits.listenPauseMs
      report({ isHeard: true })
      later(limits.listenCheckSeconds * 1000, () => checkAgain(own))
    } catch (error) {
      drop(own, error)
    }
  }

  async function checkAgain(own: pg.Client): Promise<void> {
    if (client !== own) return
    // The next waiting request connects again.
    if (!isWanted) return disconnect()
    try {
      await hearOwnWord(own)
      if (client === own) later(limits.listenCheckSeconds * 1000, () => checkAgain(own))
    } catch (error) {
      drop(own, error)
    }
  }

  function disconnect(): void {
    const own = client
    client = undefined
    isHeard = false
    clearTimeout(timer)
    timer = undefined
    if (own !== undefined) destroySocket(own)
  }

  function drop(own: pg.Client, reason: unknown): void {
    if (client !== own) return
    disconnect()
    report({ isHeard: false, reason })
    // Random, so that nodes that lost their connections together do not reconnect at the same time.
    later(pauseMs * (0.5 + Math.random() / 2), connect)
    pauseMs = Math.min(2 * pauseMs, maxListenPauseMs)
  }

  return {
    isHeard: () => isHeard,

    attend(listener) {
      onHeard = listener
      if (isWanted || isClosed) return
      isWanted = true
      if (url === undefined) report({ isHeard: false, reason: undefined })
      else if (client === undefined && timer === undefined) void connect()
    },

    rest() {
      isWanted = false
    },

    async ring(streams) {
      const names = streams.join()
      await notify(self, Buffer.byteLength(names) + self.length < maxPayloadBytes ? names : '*')
    },

    async prove() {
      if (url === undefined) return false
      if (isHeard && client !== undefined) {
        await hearOwnWord(client)
        return true
      }
      const own = newClient()
      try {
        await listen(own)
        return true
      } finally {
        destroySocket(own)
      }
    },

    close() {
      isClosed = true
      isWanted = false
      onHeard = () => {}
      disconnect()
    },
  }
}
