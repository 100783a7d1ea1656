import { type Kysely, sql } from 'kysely'
import type { CountFault, CountStore } from '../../collect/progress/ports.ts'
import type { Database, Schema } from '../database/tables.ts'
import { addCounts } from '../writing/change-application.ts'

export function createCountStore({ writer, reader }: Database): CountStore {
  return {
    faults: advertiserId => faultsOf(reader, advertiserId),

    // Counts and applications are read by one statement, so every other transaction is in both or in neither. The
    // difference therefore stays right while others go on changing them.
    repair: advertiserId =>
      writer.transaction().execute(async trx => {
        // Two repairs at once would add the difference twice.
        await trx
          .updateTable('advertiser_ledger')
          .set(eb => ({ version: eb.ref('version') }))
          .where('advertiser_id', '=', advertiserId)
          .execute()
        const faults = await faultsOf(trx, advertiserId)
        await addCounts(
          trx,
          advertiserId,
          faults.map(({ jobAdId, status, kept, counted }) => ({ jobAdId, status, by: counted - kept })),
        )
        return faults
      }),
  }
}

function faultsOf(db: Kysely<Schema>, advertiserId: number): Promise<CountFault[]> {
  const kept = db
    .selectFrom('application_counts')
    .select(['job_ad_id as ad', 'status', 'applications as kept', sql.lit(0).as('counted')])
    .where('advertiser_id', '=', advertiserId)
  const counted = db
    .selectFrom('applications')
    .select(eb => [
      eb.fn.coalesce('job_ad_id', eb.lit(0)).as('ad'),
      'status',
      sql.lit(0).as('kept'),
      eb.fn.countAll<number>().as('counted'),
    ])
    .where('advertiser_id', '=', advertiserId)
    .groupBy(['job_ad_id', 'status'])
  const sum = (column: 'kept' | 'counted') => sql<number>`cast(sum(${sql.ref(column)}) as bigint)`
  return db
    .selectFrom(kept.unionAll(counted).as('both'))
    .select(['ad as jobAdId', 'status', sum('kept').as('kept'), sum('counted').as('counted')])
    .groupBy(['ad', 'status'])
    .having(sum('kept'), '<>', sum('counted'))
    .orderBy('ad')
    .orderBy('status')
    .execute()
}
