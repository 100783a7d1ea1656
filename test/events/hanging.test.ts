import assert from 'node:assert/strict'
import dns from 'node:dns'
import type { RequestListener } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import { readConfig } from '../../src/settings.ts'
import { defaultLimits } from '../../src/settings-limits.ts'
import { createTestDatabase, silentLog } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { oneEngine } from '../harness/one-engine.ts'
import { until } from '../harness/polling.ts'
import { startReceiver, toReceiver } from '../harness/receiver.ts'
import { openServices } from '../harness/services.ts'
import { draftOf } from '../harness/tenant.ts'

const large = Buffer.alloc(10 * 1024 ** 2)
const each = times(2, 10)

/** What a receiver does instead of answering. */
const vices: Record<string, RequestListener> = {
  hangs() {},
  drips(_request, response) {
    response.writeHead(500, { 'content-type': 'text/plain' })
    const drip = setInterval(() => response.write('.'), 1000)
    response.on('close', () => clearInterval(drip))
  },
  floods(_request, response) {
    const flood = () => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
    }
    response.writeHead(200).on('drain', flood)
    flood()
  },
  'answers 10 MB': (_request, response) => response.writeHead(200).end(large),
}

for (const engine of oneEngine) {
  test(`a healthy receiver gets its events beside sixty that hang, drip, flood and answer too much [${engine}]`, async t => {
    const database = await createTestDatabase(engine, 'empty')
    t.after(() => database.remove())
    const config = readConfig({ ...database.settings, ...toReceiver })
    // No attempt ends during the test: whatever the healthy one gets, it gets beside them.
    const limits = { ...config.limits, webhookAttemptSeconds: 3_600, webhookLeaseSeconds: 36_000 }
    const services = await openServices({ ...config, limits }, silentLog)
    t.after(() => services.close())
    await services.schema.migrate()
    const receiver = await startReceiver()
    t.after(() => receiver.stop())

    async function addEndpoint(advertiserId: number, path: string): Promise<void> {
      const fields = { url: receiver.urlOf(path), types: ['application.created'], description: '' }
      const { endpoint } = await services.webhooks.add({ advertiserId }, { ...fields, scheme: 'v1' })
      await services.webhooks.test({ advertiserId }, endpoint.id)
    }
    const others: number[] = []
    const names = Object.keys(vices)
    for (let index = 0; index < 60; index++) {
      if (index % 10 === 0) others.push((await services.advertisers.add('Other')).id)
      await addEndpoint(others.at(-1) as number, `/${names[index % names.length]}/${index}`)
    }
    const { id: healthy } = await services.advertisers.add('Healthy')
    await addEndpoint(healthy, '/healthy')

    let open = 0
    receiver.answer((request, response) => {
      const [, name = ''] = decodeURI(request.url ?? '').split('/')
      const act = vices[name] ?? (() => response.writeHead(204).end())
      open += 1
      response.on('close', () => {
        open -= 1
      })
      act(request, response)
    })
    services.webhookSender.start()
    for (let count = 0; count < times(5, 300); count++) {
      for (const advertiserId of others)
        if (count < each) await services.submissions.add(advertiserId, draftOf(count))
      await services.submissions.add(healthy, draftOf(count))
      await until(async () => receiver.at('/healthy').length === count + 1)
      assert.ok(services.webhookSender.running() <= defaultLimits.webhooksAtOnce)
      assert.ok(open <= defaultLimits.webhooksAtOnce)
    }
    // The status decides: what follows it is neither read to its end nor waited for.
    const accepting = (path: string) => receiver.at(path).length
    await until(async () => accepting('/floods/2') >= each && accepting('/answers%2010%20MB/3') >= each)
    // Those that hang have their first request still.
    assert.deepEqual([accepting('/hangs/0'), accepting('/drips/1')], [1, 1])
    await services.webhookSender.stop(0)
  })
}

test('a receiver reached by its name gets its events while dns.lookup never answers', async t => {
  const database = await createTestDatabase('sqlite', 'empty')
  t.after(() => database.remove())
  const services = await openServices(
    readConfig({ ...database.settings, WEBHOOK_ALLOW: 'localhost' }),
    silentLog,
  )
  t.after(() => services.close())
  await services.schema.migrate()
  const receiver = await startReceiver()
  t.after(() => receiver.stop())
  const hangs = [
    t.mock.method(dns, 'lookup', () => {}),
    t.mock.method(dns.promises, 'lookup', () => new Promise(() => {})),
  ]
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })

  const { id: advertiserId } = await services.advertisers.add('Named')
  const url = receiver.urlOf('/named').replace('127.0.0.1', 'localhost')
  const fields = { url, types: ['application.created'], description: '' }
  const { endpoint } = await services.webhooks.add({ advertiserId }, { ...fields, scheme: 'v1' })
  const { result } = await services.webhooks.test({ advertiserId }, endpoint.id)
  assert.equal(result.outcome, 'accepted')
  services.webhookSender.start()
  await services.submissions.add(advertiserId, draftOf(1))
  await until(async () => receiver.at('/named').length === 1)
  await services.webhookSender.stop(0)
  assert.deepEqual(
    hangs.map(({ mock }) => mock.callCount()),
    [0, 0],
  )
})
