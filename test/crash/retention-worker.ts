import { flushCompileCache } from 'node:module'
import { openServices } from '../../src/app.ts'
import { createErasure } from '../../src/collect/erasure/service.ts'
import { createRetention } from '../../src/collect/retention/service.ts'
import { readConfig } from '../../src/config.ts'
import { createErasureStore } from '../../src/storage/collect/erasure-store.ts'
import { createRetentionStore } from '../../src/storage/collect/retention-store.ts'
import { silentLog } from '../harness/database.ts'

/**
 * A process that does the work of retention at a given time, in batches so small that it can be killed between any two
 * steps, and prints a line before each: `node retention-worker.ts <time>`.
 */
const now = Number(process.argv[2])
const config = readConfig(process.env)
const clock = () => now
const services = await openServices(config, silentLog, clock)
flushCompileCache()

const limits = { erasureBatch: 2 }
const goesOn = async () => process.stdout.write('.\n')
const store = createRetentionStore(services.database)
await createRetention({ store, bounds: config.retention, timeZone: 'UTC', clock, limits }).run(goesOn)
const erasures = createErasureStore(services.database)
await createErasure({ store: erasures, forget: async () => {}, clock, limits }).run(goesOn)
await services.close()
