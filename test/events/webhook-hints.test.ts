import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readConfig } from '../../src/settings.ts'
import { createTestDatabase, type Engine, silentLog } from '../harness/database.ts'
import { some } from '../harness/effort.ts'
import { until } from '../harness/polling.ts'
import { startReceiver, toReceiver } from '../harness/receiver.ts'
import { openServices } from '../harness/services.ts'
import { recordStatements } from '../harness/sql-recording.ts'
import { addTenant, draftOf } from '../harness/tenant.ts'
import { isSomebodyWaiting } from '../harness/waiting-locks.ts'
import { neverMs } from './nodes.ts'

/** A process that sends what hints tell it of, and nothing else: looks without a hint would find everything, sooner or later. */
async function openSender(t: TestContext, engine: Engine) {
  const database = await createTestDatabase(engine, 'empty')
  const receiver = await startReceiver()
  const config = readConfig({ ...database.settings, ...toReceiver })
  const limits = { ...config.limits, webhookPollMs: neverMs }
  const services = await openServices({ ...config, limits }, silentLog)
  t.after(async () => {
    await services.webhookSender.stop(0)
    await receiver.stop()
    await services.close()
    await database.remove()
  })
  await services.schema.migrate()
  const { advertiserId } = await addTenant(services)
  const statements = recordStatements(services.database)
  const written: number[] = []
  return {
    services,
    receiver,
    looks: () => statements.filter(({ sql }) => /^select .* from "webhook_lanes"/.test(sql)).length,
    isReceived: async () => receiver.at('/hooks').length === written.length,
    async write(): Promise<void> {
      written.push((await services.submissions.add(advertiserId, draftOf('x'))).id)
    },
    async addEndpoint(): Promise<void> {
      const fields = { url: receiver.urlOf('/hooks'), types: ['application.created'], description: '' }
      const { endpoint } = await services.webhooks.add({ advertiserId }, { ...fields, scheme: 'v1' })
      await services.webhooks.test({ advertiserId }, endpoint.id)
      written.length = 0
    },
  }
}

for (const engine of some<Engine>(1, ['sqlite', 'postgres'])) {
  test(`without an endpoint no application is followed by a look for webhooks, and the first endpoint changes that [${engine}]`, async t => {
    const { services, looks, write, addEndpoint, isReceived } = await openSender(t, engine)
    services.webhookSender.start()
    await until(async () => looks() === 1)
    await write()
    await write()
    assert.equal(looks(), 1)

    await addEndpoint()
    for (let count = 0; count < 3; count++) {
      await write()
      // The first may be found by the look that the endpoint has caused; the others are told of by hints only.
      await until(isReceived)
    }
  })
}

// SQLite has one writer: nothing is written between a lane's last look at the ledger and its release.
test('an event that is written while its lane is given back is sent, though the look for it found the lane taken', async t => {
  const { services, receiver, looks, write, addEndpoint, isReceived } = await openSender(t, 'postgres')
  services.webhookSender.start()
  await addEndpoint()
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  let holding: Promise<void> | undefined
  receiver.answer((_request, response) => {
    if (holding !== undefined) return response.writeHead(204).end()
    // The progress is written in one transaction: first the lane with a look at the ledger, then the endpoint.
    holding = services.database.writer.transaction().execute(async trx => {
      await trx.selectFrom('webhook_endpoints').select('id').forUpdate().execute()
      response.writeHead(204).end()
      await isOver
    })
    return response
  })
  await write()
  await until(() => isSomebodyWaiting(services.database))
  const before = looks()
  await write()
  await until(async () => looks() > before)
  end()
  await holding
  await until(isReceived)
})
