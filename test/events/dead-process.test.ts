import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLaneStore } from '../../src/events/webhooks/lane-store.ts'
import { createDeliveryStore } from '../../src/platform/work/delivery-store.ts'
import { createTestDatabase, engines, open } from '../harness/database.ts'
import { isLongRun } from '../harness/effort.ts'
import { startNode } from '../harness/process.ts'
import { addTenant } from '../harness/tenant.ts'

const script = new URL('holding-process.ts', import.meta.url).pathname

for (const engine of isLongRun ? engines : engines.slice(0, 1)) {
  test(`what a process held is free once it is dead, and not before [${engine}]`, async t => {
    const stored = await createTestDatabase(engine, 'empty')
    t.after(() => stored.remove())
    const services = await open(stored.settings)
    t.after(() => services.close())
    await services.schema.migrate()
    const { database, leases } = services
    const { advertiserId } = await addTenant(services)
    const now = Date.now()
    const fields = { url: 'https://ats.example.com/', types: ['application.created'], description: '' }
    const { endpoint } = await services.webhooks.add({ advertiserId }, { ...fields, scheme: 'v1' })
    await database.writer.updateTable('webhook_endpoints').set({ state: 'active' }).execute()
    await database.writer
      .insertInto('webhook_lanes')
      .values({
        id: 'lane',
        endpoint_id: endpoint.id,
        advertiser_id: advertiserId,
        kind: 'live',
        sent: 0,
        end_number: null,
        types: null,
        due_at: now,
        created_at: now,
      })
      .execute()
    const deliveries = createDeliveryStore(database)
    await deliveries.add([{ id: 'email', kind: 'notice', content: '{}', giveUpAt: 9e15 }], now)
    const lanes = createLaneStore(database)
    // No lease ends by time in this test: see holding-process.ts.
    const later = () => Date.now() + 3_600_000
    const taken = async () => [
      await leases.take('task', 'other', Date.now(), later()),
      (await deliveries.claim(['notice'], Date.now(), later(), 9)).length > 0,
      (await lanes.take('lane', Date.now(), later())) !== undefined,
    ]

    const holder = startNode(script, [], stored.settings)
    await holder.until(stdout => (stdout.includes('held') ? stdout : undefined))
    await services.takeOverLeases()
    assert.deepEqual(await taken(), [false, false, false], 'its holder lives')
    holder.child.kill('SIGKILL')
    await holder.finished
    assert.deepEqual(await taken(), [false, false, false], 'it is not known to be dead yet')
    // Background work begins with it.
    await services.work.run('tombstones')
    assert.deepEqual(await taken(), [true, true, true])
    const own = services.processLock.id()
    assert.deepEqual(await readdir(join(stored.settings['DATA_DIR'] ?? '', 'processes')), [own])
  })
}
