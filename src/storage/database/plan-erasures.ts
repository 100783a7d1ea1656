import { sql, type Transaction } from 'kysely'
import type { Schema } from './tables.ts'

type Erasure = Pick<Schema['erasures'], 'advertiser_id' | 'application_id' | 'due_at'> & {
  reason: 'account' | 'withdrawn' | 'retention'
}

/** Plans erasures. Of two plans for one application the earlier stays, with its reason. */
export async function planErasures(trx: Transaction<Schema>, erasures: readonly Erasure[]): Promise<void> {
  // In batches of a few hundred, far below the maximum number of parameters.
  for (let start = 0; start < erasures.length; start += 200) {
    await trx
      .insertInto('erasures')
      .values(erasures.slice(start, start + 200))
      .onConflict(conflict =>
        conflict
          .columns(['advertiser_id', 'application_id'])
          .doUpdateSet({ due_at: sql`excluded.due_at`, reason: sql`excluded.reason` })
          .whereRef('erasures.due_at', '>', 'excluded.due_at' as 'erasures.due_at'),
      )
      .execute()
  }
}
