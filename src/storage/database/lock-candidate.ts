import type { Transaction } from 'kysely'
import { Problem } from '../../core/problems.ts'
import type { Schema } from './tables.ts'

/**
 * One change of what a candidate has at a time, so that there is exactly one default among the resumes for instance:
 * an update that changes nothing holds the row on PostgreSQL, and SQLite has one writer anyway. False when there is no
 * such candidate.
 */
export async function lockCandidate(trx: Transaction<Schema>, candidateId: string): Promise<boolean> {
  const held = await trx
    .updateTable('candidates')
    .set(eb => ({ first_name: eb.ref('first_name') }))
    .where('id', '=', candidateId)
    .executeTakeFirst()
  return held.numUpdatedRows === 1n
}

/** For what adds to an account: one that was deleted a moment ago takes nothing any more. */
export async function lockLivingCandidate(trx: Transaction<Schema>, candidateId: string): Promise<void> {
  if (!(await lockCandidate(trx, candidateId)))
    throw new Problem('not-found', 'This account has been deleted.')
}
