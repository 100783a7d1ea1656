import type pg from 'pg'
import { readOnly } from './errors.ts'
import type { PoolOptions } from './pool-options.ts'

const onlyReads = (of: PoolOptions['of']) => of === 'reader' || of === 'replica'

/** The timeouts that the server enforces. Reads wait for no locks, so only writers limit that wait. */
export function timeoutsOf(options: PoolOptions): [name: string, ms: number][] {
  if (options.of === 'migrator') return []
  return [
    ['statement_timeout', options.statementTimeoutMs],
    // A node that vanishes in mid-transaction must not keep a row locked.
    ['idle_in_transaction_session_timeout', options.transactionIdleMs],
    ...(options.of === 'writer' ? ([['lock_timeout', options.lockWaitMs]] as [string, number][]) : []),
  ]
}

/** Sends the session settings with the connection request, so that they cost no round trip. */
export function connectionOptions(options: PoolOptions): pg.PoolConfig {
  const { url, of, isPrepared } = options
  if (!isPrepared) return { connectionString: url }
  const address = new URL(url)
  const settings = [
    address.searchParams.get('options') ?? '',
    // Overrides the database's own default: a transaction that waited for a row continues with its new content.
    '-c default_transaction_isolation=read\\ committed',
    ...timeoutsOf(options).map(([name, ms]) => `-c ${name}=${ms}`),
    // Plans once: planning a page for each pair of bounds adds half to its time, planning a redemption triples it, and
    // the plan is the same every time.
    ...(of === 'migrator' ? [] : ['-c plan_cache_mode=force_generic_plan']),
    ...(onlyReads(of) ? ['-c default_transaction_read_only=on'] : []),
  ]
  address.searchParams.set('options', settings.join(' ').trim())
  return { connectionString: address.href }
}

/**
 * Rejects with the reason if a new connection does not reach a server and session that we can use, or not within
 * `connectMs`.
 */
export async function verifyConnection(
  client: pg.ClientBase,
  { of, isPrepared, statementTimeoutMs, connectMs }: PoolOptions,
): Promise<void> {
  const text = `select pg_is_in_recovery() as is_standby,
    current_setting('server_encoding') as encoding,
    current_setting('statement_timeout')::interval = '${statementTimeoutMs} ms' as is_limited,
    current_setting('default_transaction_read_only') = 'on' as is_read_only`
  // The driver knows this option; its types do not.
  const query = { text, query_timeout: connectMs }
  const { rows } = await client.query(query)
  const found = rows[0]
  // A standby may show old data and cannot write: wait until the address leads to the primary again.
  if (found.is_standby && of !== 'replica')
    throw Object.assign(new Error('the server is a standby'), { code: readOnly })
  if (found.encoding !== 'UTF8')
    throw connectionError(
      `the encoding of the database is ${found.encoding}: create one with UTF8, which can store every name`,
    )
  const hasSettings = found.is_limited && (found.is_read_only || !onlyReads(of))
  if (isPrepared && of !== 'migrator' && !hasSettings)
    throw connectionError(`the limits sent with the connection did not take effect; ${poolerAdvice}`)
}

const poolerAdvice = 'behind a transaction pooler, set DATABASE_PREPARED=off'

/** Uses the SQLSTATE that PostgreSQL sends if no connection can be made. */
function connectionError(message: string): Error {
  return Object.assign(new Error(message), { code: '08001' })
}

/** Adds advice to the error of a pooler that does not support our settings. */
export function explainConnectionError(error: Error): Error {
  if (/^unsupported startup parameter/.test(error.message)) error.message += `; ${poolerAdvice}`
  return error
}
