import { Problem } from '../../core/problems.ts'

/**
 * What an error of PostgreSQL, or of the way to it, means for us. `lost`: the connection is of no use any more.
 * `misled`: neither are the others, made before it. `late`: the statement took too long. `beaten`: another
 * transaction or a shortage stood in the way, and the connection is as good as before.
 */
export type Trouble = 'lost' | 'misled' | 'late' | 'beaten'

const details: Record<Trouble, string> = {
  lost: 'The database cannot be reached.',
  misled: 'The database cannot be reached.',
  late: 'The database took too long.',
  beaten: 'The database is busy.',
}

/** What PostgreSQL says to whoever writes where nobody may. */
export const readOnly = '25006'

/** In this order: the first that matches. */
const bySqlState: [RegExp, Trouble][] = [
  // Read-only where we write: it was the primary, or never was. The next connection may find the new one.
  [new RegExp(`^${readOnly}$`), 'misled'],
  // A pooler gave us a session that is not the one in which we prepared, or one in which somebody else did.
  [/^(26000|42P05)$/, 'misled'],
  // Connection exceptions; shutting down, starting, cut by an administrator; idle in a transaction for too long.
  [/^(08|57P0|25P0[34]$)/, 'lost'],
  [/^57014$/, 'late'],
  // Deadlocks, recovery on a replica, locks that are not to be had; no room for connections, memory or the disk.
  [/^(40|55P03$|53)/, 'beaten'],
  [/^(ECONN|ENOENT$|EPIPE$|ETIMEDOUT$|ENOTFOUND$|EAI_AGAIN$|EHOSTUNREACH$|ENETUNREACH$)/, 'lost'],
]

/** Errors of the driver have no code. */
const byMessage: [RegExp, Trouble][] = [
  [/^Query read timeout/, 'misled'],
  [/^(Connection terminated|Client (has encountered|was closed))/, 'lost'],
  [/^Cannot use a pool after/, 'lost'],
]

/** All connections of a pool are in use, and none came free in time. */
export function isUsedUp(error: Error): boolean {
  return /^timeout exceeded when trying to connect/.test(error.message)
}

/** What PostgreSQL does when it says 0A000, which is for whatever it does not support. */
const misleading = new Set([
  // The schema has changed under a statement that was prepared before: other connections have prepared it too.
  'RevalidateCachedQuery',
  // A transaction that may write was begun on a standby.
  'call_bool_check_hook',
])

/** Undefined for what is a fault of ours. */
export function troubleOf(error: unknown): Trouble | undefined {
  const { code, message, routine } = error as Record<string, unknown>
  if (code === '0A000' && misleading.has(String(routine))) return 'misled'
  if (isUsedUp(error as Error)) return 'beaten'
  const [text, kinds] = typeof code === 'string' ? [code, bySqlState] : [String(message), byMessage]
  return kinds.find(([pattern]) => pattern.test(text))?.[1]
}

/** For the caller, who can do nothing about it but come again. */
export function asProblem(error: unknown, retryAfterSeconds: number): unknown {
  const trouble = troubleOf(error)
  return trouble === undefined
    ? error
    : new Problem('unavailable', details[trouble], { retryAfterSeconds, cause: error })
}
