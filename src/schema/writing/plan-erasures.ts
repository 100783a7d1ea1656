import { sql, type Transaction } from 'kysely'
import type { Schema } from '../../platform/database/tables.ts'

type Erasure = Pick<Schema['erasures'], 'advertiser_id' | 'application_id' | 'due_at'> & {
  reason: 'account' | 'withdrawn'
}

/**
 * Plans erasures that a candidate has caused. Of two plans for one application the earlier time wins. A reason given by
 * a period does not remain, because a hold discards plans made for the period alone.
 */
export async function planErasures(trx: Transaction<Schema>, erasures: readonly Erasure[]): Promise<void> {
  // In batches of a few hundred, far below the maximum number of parameters.
  for (let start = 0; start < erasures.length; start += 200) {
    await trx
      .insertInto('erasures')
      .values(erasures.slice(start, start + 200))
      .onConflict(conflict =>
        conflict.columns(['advertiser_id', 'application_id']).doUpdateSet({
          due_at: sql`case when erasures.due_at < excluded.due_at then erasures.due_at else excluded.due_at end`,
          reason: sql`excluded.reason`,
          // Only erasures planned by a period wait for a day of running time.
          ripe_at: sql`case when erasures.due_at < excluded.due_at then erasures.ripe_at else 0 end`,
        }),
      )
      .execute()
  }
}
