import { Problem } from '../../core/problems.ts'

/**
 * What an error of PostgreSQL or of the network means for us. `lost`: the connection cannot be used again. `all-lost`:
 * older connections cannot be used again either. `late`: the statement took too long. `busy`: another transaction or a
 * shortage was in the way, and the connection is still good.
 */
export type ErrorKind = 'lost' | 'all-lost' | 'late' | 'busy'

const details: Record<ErrorKind, string> = {
  lost: 'The database cannot be reached.',
  'all-lost': 'The database cannot be reached.',
  late: 'The database took too long.',
  busy: 'The database is busy.',
}

/** SQLSTATE of a write in a read-only transaction. */
export const readOnly = '25006'

/** The first match wins. */
const bySqlState: [RegExp, ErrorKind][] = [
  // Read-only where we write: the server is no longer the primary, or never was. A new connection may find the new one.
  [new RegExp(`^${readOnly}$`), 'all-lost'],
  // A pooler gave us another session than the one in which we prepared, or a session in which another client prepared.
  [/^(26000|42P05)$/, 'all-lost'],
  // Connection exceptions; shutting down, starting, ended by an administrator; idle in a transaction for too long.
  [/^(08|57P0|25P0[34]$)/, 'lost'],
  [/^57014$/, 'late'],
  // Deadlocks, recovery on a replica, locks not granted in time; too many connections, no memory, no disk space.
  [/^(40|55P03$|53)/, 'busy'],
  [/^(ECONN|ENOENT$|EPIPE$|ETIMEDOUT$|ENOTFOUND$|EAI_AGAIN$|EHOSTUNREACH$|ENETUNREACH$)/, 'lost'],
]

/** The driver's own errors have no code. */
const byMessage: [RegExp, ErrorKind][] = [
  [/^Query read timeout/, 'all-lost'],
  [/^(Connection terminated|Client (has encountered|was closed))/, 'lost'],
  [/^Cannot use a pool after/, 'lost'],
]

/** All connections of a pool are in use, and none was released in time. */
export function isPoolExhausted(error: Error): boolean {
  return /^timeout exceeded when trying to connect/.test(error.message)
}

/** Routines of PostgreSQL whose 0A000 ("feature not supported") means that the connection can no longer be used. */
const staleRoutines = new Set([
  // The schema changed after the statement was prepared; other connections have prepared it too.
  'RevalidateCachedQuery',
  // A transaction that may write was begun on a standby.
  'call_bool_check_hook',
])

/** Undefined if the error is our own mistake. */
export function kindOf(error: unknown): ErrorKind | undefined {
  const { code, message, routine } = error as Record<string, unknown>
  if (code === '0A000' && staleRoutines.has(String(routine))) return 'all-lost'
  if (isPoolExhausted(error as Error)) return 'busy'
  const [text, kinds] = typeof code === 'string' ? [code, bySqlState] : [String(message), byMessage]
  return kinds.find(([pattern]) => pattern.test(text))?.[1]
}

/** Converts errors that the caller can only retry to a problem; returns other errors unchanged. */
export function asProblem(error: unknown): unknown {
  const kind = kindOf(error)
  return kind === undefined ? error : new Problem('unavailable', details[kind], { cause: error })
}

/**
 * The same for an error while connecting, which is never a mistake of the request: the password was changed, or the
 * database accepts no connections during maintenance or replacement.
 */
export function asUnavailableProblem(error: unknown): Problem {
  const detail = details[kindOf(error) ?? 'lost']
  return new Problem('unavailable', detail, { cause: error })
}
