import type { Transaction } from 'kysely'
import type { Schema } from '../../platform/database/tables.ts'
import { recordTombstones, type Tombstone } from './record-tombstones.ts'

/** Removes an address, in any of these spellings, from reports of jobs; returns how many contained it. */
export async function forgetReporter(
  trx: Transaction<Schema>,
  spellings: readonly string[],
): Promise<number> {
  const reports = await trx
    .updateTable('job_reports')
    .set({ email: null })
    .where('email', 'in', spellings)
    .returning('id')
    .execute()
  await recordTombstones(trx, ...reports.map(({ id }): Tombstone => ['reporter', id]))
  return reports.length
}
