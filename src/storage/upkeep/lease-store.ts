import type { LeaseStore } from '../../core/async/leases.ts'
import type { Database } from '../database/tables.ts'

export function createLeaseStore({ writer }: Database): LeaseStore {
  return {
    async take(name, holder, now, until) {
      const tooFar = until + (until - now)
      const taken = await writer
        .insertInto('leases')
        .values({ name, holder, held_until: until })
        .onConflict(conflict =>
          conflict
            .column('name')
            .doUpdateSet({ holder, held_until: until })
            // Not just a little longer: clocks of two nodes differ, and what was taken a moment ago must hold.
            .where(lease =>
              lease.or([lease('leases.held_until', '<=', now), lease('leases.held_until', '>', tooFar)]),
            ),
        )
        .executeTakeFirst()
      return taken.numInsertedOrUpdatedRows === 1n
    },

    // Also when its time is over, as long as nobody else wanted it.
    async renew(name, holder, until) {
      const renewed = await writer
        .updateTable('leases')
        .set({ held_until: until })
        .where('name', '=', name)
        .where('holder', '=', holder)
        .executeTakeFirst()
      return renewed.numUpdatedRows === 1n
    },

    async release(name, holder) {
      await writer.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute()
    },
  }
}
