import type { Transaction } from 'kysely'
import { Problem } from '../../platform/core/problems.ts'
import type { Schema } from '../../platform/database/tables.ts'

/**
 * Serialises changes to a candidate's data, for instance to keep exactly one default resume: an update that changes
 * nothing locks the row on PostgreSQL, and SQLite has one writer anyway. False if there is no such candidate.
 */
export async function lockCandidate(trx: Transaction<Schema>, candidateId: string): Promise<boolean> {
  const held = await trx
    .updateTable('candidates')
    .set(eb => ({ first_name: eb.ref('first_name') }))
    .where('id', '=', candidateId)
    .executeTakeFirst()
  return held.numUpdatedRows === 1n
}

/** For additions to an account: throws if the account has just been deleted. */
export async function lockLivingCandidate(trx: Transaction<Schema>, candidateId: string): Promise<void> {
  if (!(await lockCandidate(trx, candidateId)))
    throw new Problem('not-found', 'This account has been deleted.')
}
