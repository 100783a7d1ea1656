import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openServices } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createTestDatabase, type Engine, silentLog } from '../harness/database.ts'
import { some } from '../harness/effort.ts'
import { until } from '../harness/polling.ts'
import { startReceiver, toReceiver } from '../harness/receiver.ts'
import { recordStatements } from '../harness/sql-recording.ts'
import { addTenant, draftOf } from '../harness/tenant.ts'
import { neverMs } from './nodes.ts'

for (const engine of some<Engine>(1, ['sqlite', 'postgres'])) {
  test(`without an endpoint no application is followed by a look for webhooks, and the first endpoint changes that [${engine}]`, async t => {
    const database = await createTestDatabase(engine)
    t.after(() => database.remove())
    const config = readConfig({ ...database.settings, ...toReceiver })
    // Looks without a hint would find everything, sooner or later.
    const limits = { ...config.limits, webhookLookMs: neverMs }
    const services = await openServices({ ...config, limits }, silentLog)
    t.after(() => services.close())
    await services.schema.migrate()
    const { advertiserId } = await addTenant(services)
    const write = () => services.submissions.add(advertiserId, draftOf('x'))
    const statements = recordStatements(services.database)
    const looks = () => statements.filter(({ sql }) => sql.includes('webhook_lanes')).length

    services.webhookSender.start()
    await until(async () => looks() === 1)
    await write()
    await write()

    const receiver = await startReceiver()
    t.after(() => receiver.stop())
    const fields = { url: receiver.urlOf('/hooks'), types: ['application.created'], description: '' }
    assert.equal(looks(), 1)
    const { endpoint } = await services.webhooks.add({ advertiserId }, { ...fields, scheme: 'v1' })
    await services.webhooks.test({ advertiserId }, endpoint.id)
    for (const count of [1, 2, 3]) {
      await write()
      // The first may be found by the look that the endpoint has caused; the others are told of by hints only.
      await until(async () => receiver.at('/hooks').length === count)
    }
    await services.webhookSender.stop(neverMs)
  })
}
