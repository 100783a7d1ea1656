import type { HeldLeases, LeaseStore } from '../core/async/leases.ts'
import type { Database } from '../database/tables.ts'

/** Stores each holder with its process, which may die without releasing its leases. */
export function createLeaseStore(
  { writer, reader }: Database,
  processId: () => string = () => '',
): LeaseStore & HeldLeases {
  const inProcess = (holder: string) => `${processId()}/${holder}`
  return {
    async take(name, taker, now, until) {
      const holder = inProcess(taker)
      const tooFar = until + (until - now)
      const taken = await writer
        .insertInto('leases')
        .values({ name, holder, held_until: until })
        .onConflict(conflict =>
          conflict
            .column('name')
            .doUpdateSet({ holder, held_until: until })
            // Only if it is far too long: the clocks of two nodes differ a little, and a lease taken a moment ago must
            // hold.
            .where(lease =>
              lease.or([lease('leases.held_until', '<=', now), lease('leases.held_until', '>', tooFar)]),
            ),
        )
        .executeTakeFirst()
      return taken.numInsertedOrUpdatedRows === 1n
    },

    // Also works after the lease has expired, unless another holder has taken it.
    async renew(name, holder, until) {
      const renewed = await writer
        .updateTable('leases')
        .set({ held_until: until })
        .where('name', '=', name)
        .where('holder', '=', inProcess(holder))
        .executeTakeFirst()
      return renewed.numUpdatedRows === 1n
    },

    async release(name, holder) {
      await writer
        .deleteFrom('leases')
        .where('name', '=', name)
        .where('holder', '=', inProcess(holder))
        .execute()
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

/** Frees everything held by a dead process: leases of tasks and slots, and claimed deliveries. */
export async function freeLeases({ writer }: Database, processId: string, now: number): Promise<void> {
  await writer.deleteFrom('leases').where('holder', 'like', `${processId}/%`).execute()
  await writer
    .updateTable('deliveries')
    .set({ due_at: now, holder: null })
    .where('state', '=', 'waiting')
    .where('holder', '=', processId)
    .where('due_at', '>', now)
    .execute()
}
