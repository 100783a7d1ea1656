import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { createTestDatabase, open } from '../../../test/harness/database.ts'
import { createTestServer } from '../../../test/harness/server.ts'
import type { Services } from '../../../test/harness/services.ts'

type Never = () => Promise<never>

/** What /health/ready answers within two seconds of its timers, while one service never responds. */
async function readyWhileHanging(t: TestContext, hang: (quick: Services, never: Never) => Partial<Services>) {
  const database = await createTestDatabase('sqlite', 'empty')
  t.after(() => database.remove())
  const services = await open(database.settings)
  t.after(() => services.close())
  await services.schema.migrate()
  const state = await services.schema.state()
  const { schema, blobs, restoreDetection } = services
  const quick = {
    ...services,
    schema: { ...schema, state: async () => state },
    blobs: { ...blobs, async check() {} },
    restoreDetection: { ...restoreDetection, gate: { ...restoreDetection.gate, async admit() {} } },
  }
  const asked = Promise.withResolvers<void>()
  const never = () => {
    asked.resolve()
    return new Promise<never>(() => {})
  }
  const { app } = await createTestServer({ ...quick, ...hang(quick, never) }, database.settings)
  t.after(() => app.close())
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let answer: LightMyRequestResponse | undefined
  void app.inject('/health/ready').then(sent => {
    answer = sent
  })
  await asked.promise
  for (let waitedMs = 0; waitedMs < 2_000 && answer === undefined; waitedMs += 10) {
    await new Promise(setImmediate)
    t.mock.timers.tick(10)
  }
  return answer ?? assert.fail('no answer within two seconds')
}

for (const [name, hang] of [
  ['database', ({ schema }, state) => ({ schema: { ...schema, state } })],
  ['files', ({ blobs }, check) => ({ blobs: { ...blobs, check } })],
] as const satisfies [string, Parameters<typeof readyWhileHanging>[1]][])
  test(`a check that never ends makes the node not ready within two seconds: ${name}`, async t => {
    const answer = await readyWhileHanging(t, hang)
    assert.equal(answer.statusCode, 503)
    assert.equal(answer.json().detail, `Not ready: ${name}.`)
    assert.ok(Number(answer.headers['retry-after']) > 0)
  })

test('a condition that cannot be checked within two seconds is a warning', async t => {
  const answer = await readyWhileHanging(t, (_, webhookObjection) => ({ webhookObjection }))
  assert.equal(answer.statusCode, 200)
  assert.ok(answer.json().warnings.includes('webhooks'))
})
