import type { HeldLeases, LeaseStore } from '../../core/async/leases.ts'
import type { Database } from '../database/tables.ts'

export function createLeaseStore({ writer, reader }: Database): LeaseStore & HeldLeases {
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
            // Only far too long: clocks of two nodes differ a little, and a lease taken a moment ago must hold.
            .where(lease =>
              lease.or([lease('leases.held_until', '<=', now), lease('leases.held_until', '>', tooFar)]),
            ),
        )
        .executeTakeFirst()
      return taken.numInsertedOrUpdatedRows === 1n
    },

    // Also after it has expired, unless another holder has taken it.
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

    async isHeld(name, now) {
      const held = await reader
        .selectFrom('leases')
        .select('name')
        .where('name', '=', name)
        .where('held_until', '>', now)
        .executeTakeFirst()
      return held !== undefined
    },
  }
}
