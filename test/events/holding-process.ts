import { openPatiently } from '../harness/database.ts'

/** Takes a lease, an email and a webhook lane, says so, and holds them until it is killed. */
const services = await openPatiently(process.env)
const { leases, processLock, database } = services
const forever = Date.now() + 3_600_000
await leases.take('task', 'worker', Date.now(), forever)
const { createDeliveryStore } = await import('../../src/platform/work/delivery-store.ts')
const { createLaneStore } = await import('../../src/events/webhooks/lane-store.ts')
await createDeliveryStore(database, processLock.id).claim(['notice'], Date.now(), forever, 9)
await createLaneStore(database, processLock.id).take('lane', Date.now(), forever)
process.stdout.write('held\n')
setInterval(() => {}, 1000)
