import type { Services } from '../../src/app.ts'
import { createErasure } from '../../src/collect/erasure/service.ts'
import { createRetention } from '../../src/collect/retention/service.ts'
import { createErasureStore } from '../../src/storage/collect/erasure-store.ts'
import { createRetentionStore } from '../../src/storage/collect/retention-store.ts'

/** Since the operator has set a period, which every company has to be told of before it is in force. */
const bounds = { standard: 12, min: 1, max: 24 }
const limits = { erasureBatch: 2 }

/** Does the work of retention at a given time, in batches so small that it has many steps. */
export async function retain({ database }: Services, now: number, goesOn = async () => true): Promise<void> {
  const [clock, forget] = [() => now, async () => {}]
  const store = createRetentionStore(database)
  await createRetention({ store, bounds, timeZone: 'UTC', clock, limits }).run(goesOn)
  await createErasure({ store: createErasureStore(database), forget, clock, limits }).run(goesOn)
}
