import { type Kysely, sql } from 'kysely'
import type { ApplicationStatus } from '../model/application-status.ts'
import type { Database, Schema } from '../platform/database/tables.ts'
import { addCounts } from '../schema/writing/change-application.ts'

/** A count that differs from the number of applications. Ad 0 stands for applications without an ad stored here. */
export interface CountFault {
  jobAdId: number
  status: ApplicationStatus
  kept: number
  counted: number
}

/** The operator's check of an advertiser's counts against its applications. */
export function createCountStore({ writer, reader }: Database) {
  return {
    faults: (advertiserId: number): Promise<CountFault[]> => faultsOf(reader, advertiserId),

    // One statement reads counts and applications, so every other transaction is in both or in neither. The difference
    // therefore stays right while others keep changing them.
    /** Corrects the counts; returns the errors found. */
    repair: (advertiserId: number): Promise<CountFault[]> =>
      writer.transaction().execute(async trx => {
        // Two concurrent repairs would add the difference twice.
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
