import { sql } from 'kysely'
import type { Database } from '../../database/tables.ts'
import type { RateCount } from './rate-count-store.ts'

export type SlidingCountStore = ReturnType<typeof createSlidingCountStore>

/** Counts a key's hits in several windows. */
export function createSlidingCountStore({ writer, dialect }: Database) {
  return {
    /**
     * Adds this hit, and returns the counts of the windows from `from` to `to` including it, oldest first. If their sum
     * exceeds `max`, the hit is removed again. Concurrent hits are counted one after the other.
     */
    hit: (
      { name, key, window, hits, expiresAt }: RateCount,
      { from, to, max }: { from: number; to: number; max: number },
    ): Promise<Pick<RateCount, 'window' | 'hits'>[]> =>
      writer.transaction().execute(async trx => {
        const ofKey = trx
          .selectFrom('rate_counts')
          .select(['time_window as window', 'hits'])
          .where('name', '=', name)
          .where('key', '=', key)
          .where('time_window', '>=', from)
          .where('time_window', '<=', to)
          .orderBy('time_window')
        // Other hits of the key wait here, or for the inserted row.
        if (dialect === 'postgres') await ofKey.forUpdate().execute()
        const add = (by: number) =>
          trx
            .insertInto('rate_counts')
            .values({ name, key, time_window: window, hits: by, expires_at: expiresAt })
            .onConflict(conflict =>
              conflict
                .columns(['name', 'key', 'time_window'])
                .doUpdateSet({ hits: sql<number>`rate_counts.hits + excluded.hits` }),
            )
            .execute()
        await add(hits)
        const counts = await ofKey.execute()
        if (counts.reduce((sum, count) => sum + count.hits, 0) > max) await add(-hits)
        return counts
      }),
  }
}
