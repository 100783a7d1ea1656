import type { PoolOptions } from './pool-options.ts'
import type { Run } from './session.ts'
import { timeoutsOf } from './session-settings.ts'

/**
 * Behind a connection that stays open, a pooler may change servers. So each transaction asks for the primary: a
 * standby refuses to begin a transaction that may write.
 */
const beginStatements: Record<PoolOptions['of'], string> = {
  writer: 'begin isolation level read committed, read write',
  migrator: 'begin isolation level read committed, read write',
  reader: 'begin isolation level read committed, read write; set transaction read only',
  replica: 'begin isolation level read committed, read only',
}

/**
 * Sets timeouts and access mode in each transaction instead of the session, because a transaction pooler may give each
 * transaction another session. A single statement becomes a transaction, whose three parts are sent together: one
 * round trip.
 */
export function runThroughPooler(run: Run, options: PoolOptions): Run {
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
