import { createErasureStore } from '../../src/collect/erasure/erasure-store.ts'
import { createErasure } from '../../src/collect/erasure/service.ts'
import { createRetentionStore } from '../../src/collect/retention/retention-store.ts'
import { createRetention } from '../../src/collect/retention/service.ts'
import { steadily } from '../harness/clock.ts'
import type { Services } from '../harness/services.ts'

/** Since the operator has set a period, which every company has to be told of before it is in force. */
const bounds = { standard: 12, min: 1, max: 24 }
const limits = { erasureBatch: 2, clockSteadyMs: 0 }

/** Does the work of retention at a given time, in batches so small that it has many steps. */
export async function retain({ database }: Services, now: number, goesOn = async () => true): Promise<void> {
  const [clock, forget] = [() => now, async () => {}]
  const lookAtTime = steadily(clock)
  const store = createRetentionStore(database)
  await createRetention({ store, bounds, timeZone: 'UTC', clock, lookAtTime, limits }).run(goesOn)
  await createErasure({ store: createErasureStore(database), forget, clock, lookAtTime, limits }).run(goesOn)
}
