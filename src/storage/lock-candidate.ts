import type { Transaction } from 'kysely'
import type { Schema } from './schema.ts'

/**
 * One change of a candidate's resumes at a time, so that there is exactly one default among them: an update
 * that changes nothing holds the row on PostgreSQL, and SQLite has one writer anyway.
 */
export async function lockCandidate(trx: Transaction<Schema>, candidateId: string): Promise<void> {
  await trx
    .updateTable('candidates')
    .set(eb => ({ first_name: eb.ref('first_name') }))
    .where('id', '=', candidateId)
    .execute()
}
