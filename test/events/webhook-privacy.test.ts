import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createKeyCheck } from '../../src/events/webhooks/webhook-key-store.ts'
import { eventTypes } from '../../src/model/events.ts'
import { readOrMakeKeyFile } from '../../src/operator/keys/key-file-adapter.ts'
import { plainDraft, uploaded } from '../harness/applications.ts'
import { movableClock } from '../harness/clock.ts'
import { createTestDatabase, open, withServices } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { send } from '../harness/http.ts'
import { addBoard, applicationOf, applicationPart, file, idOf, intakeToken, post } from '../harness/intake.ts'
import { doorOf } from '../harness/oauth.ts'
import { until } from '../harness/polling.ts'
import { startReceiver, toReceiver } from '../harness/receiver.ts'
import { startServingHere } from '../harness/serving.ts'
import { addTenant } from '../harness/tenant.ts'
import { createScene, refusedWith } from './webhook-scene.ts'

const clock = movableClock()

const program = { credentialId: 'ats', agentId: null, isOnHold: false, version: 0, eventNumber: 0 }

function newSecrets() {
  const secrets: string[] = []
  const secret = () => {
    const word = `x${randomBytes(9).toString('hex')}`
    secrets.push(word)
    return word
  }
  return { secrets, secret }
}

withServices('what leaves by webhooks', { clock }, services => {
  test('no request, and no row about one, contains anything personal', async () => {
    const scene = createScene(services(), clock)
    const { id: advertiserId } = await services().advertisers.add('Northwind')
    await scene.addEndpoint({ advertiserId }, eventTypes)
    const refusing = await scene.addEndpoint({ advertiserId }, eventTypes, refusedWith(500))
    const { secrets, secret } = newSecrets()
    for (let count = 0; count < times(3, 50); count++) {
      clock.advance(1000)
      const file = await uploaded(services(), { type: 'resume', fileName: `${secret()}.pdf` }, secret())
      const { id } = await services().submissions.add(
        advertiserId,
        plainDraft({
          jobSeekerId: secret(),
          contact: {
            email: `${secret()}@example.com`,
            firstName: secret(),
            lastName: secret(),
            phone: secret(),
          },
          files: [file],
        }),
      )
      await services().applications.recordVerdict(advertiserId, id, 'resume', 'infected')
      const at = new Date(clock() + 1000).toISOString()
      const entry = { applicationId: id, state: 'notSuccessful', at, label: secret(), reason: 'workRights' }
      const body = { entries: [entry] }
      const [reported] = await services().progressReports.report({ ...program, advertiserId }, body)
      assert.equal(reported?.result, 'applied')
      await services().erasure.erase(advertiserId, id)
    }
    await scene.deliver()
    assert.ok(scene.received.length > times(6, 100))
    const { reader } = services().database
    const rows = await Promise.all(
      (['webhook_endpoints', 'webhook_lanes', 'webhook_attempts', 'webhook_hours'] as const).map(table =>
        reader.selectFrom(table).selectAll().execute(),
      ),
    )
    const all = JSON.stringify([scene.received, rows])
    assert.ok(all.includes(refusing.id) && all.includes('application.status-changed'))
    for (const word of [...secrets, 'workRights']) assert.equal(all.includes(word), false)
  })

  test('processes with another key neither deliver nor create endpoints; a change of keys is recorded', async () => {
    const keyOf = (letter: string) => Buffer.alloc(32, letter)
    const check = createKeyCheck(services().database)
    assert.equal(await check.isKnown(() => assert.fail('needs no key')), true)
    await check.record([keyOf('a')])
    await check.record([keyOf('b')])
    assert.equal(await check.isKnown(() => [keyOf('a')]), true)
    assert.equal(await check.isKnown(() => [keyOf('b')]), false)
    assert.equal(await check.isKnown(() => [keyOf('b'), keyOf('a')]), true)
    assert.equal(await check.isKnown(() => [keyOf('a')]), false, 'the new key is recorded')
    assert.equal(await check.isKnown(() => [keyOf('b')]), true)
    const { webhooks, advertisers } = services()
    const { id: advertiserId } = await advertisers.add('Other')
    const fields = { url: 'https://1.1.1.1/', types: ['application.created'], description: '' }
    await assert.rejects(webhooks.add({ advertiserId }, { ...fields, scheme: 'v1' }), {
      code: 'unavailable',
    })
    assert.match((await services().webhookObjection()) ?? '', /clock|WEBHOOK_KEY/)
  })
})

test('neither the log nor the figures of a service contain anything personal', async t => {
  const database = await createTestDatabase('sqlite', 'empty')
  t.after(() => database.remove())
  const receiver = await startReceiver()
  t.after(() => receiver.stop())
  Object.assign(database.settings, toReceiver)
  const services = await open(database.settings)
  t.after(() => services.close())
  const { advertiserId, headers } = await addTenant(services)
  const board = await addBoard(services, advertiserId)
  const types = ['application.created', 'application.erased']
  for (const path of ['/well', '/refusing']) {
    const fields = { url: receiver.urlOf(path), types, description: '' }
    const { endpoint } = await services.webhooks.add({ advertiserId }, { ...fields, scheme: 'v1' })
    await services.webhooks.test({ advertiserId }, endpoint.id)
  }
  receiver.answer(({ url }, response) => response.writeHead(url === '/well' ? 204 : 500).end())
  const serving = await startServingHere(database, { env: { LOG_LEVEL: 'trace' } })
  const door = doorOf(serving)
  const token = await intakeToken(door, board)
  const { secrets, secret } = newSecrets()
  const rounds = times(2, 30)
  for (let round = 0; round < rounds; round++) {
    const lastName = secret()
    const contact = { email: `${secret()}@example.com`, firstName: secret(), lastName, phone: secret() }
    const application = applicationOf({ advertiserId, jobSeekerId: secret(), contact })
    const parts = [applicationPart(application), file('resume', `${secret()}.txt`, secret())]
    const id = idOf(await post(door, token, parts))
    const feed = '/v1/advertiser/events?cursor=start&include=application'
    for (const path of [feed, `/v1/advertiser/applications/${id}`, '/v1/advertiser/applications'])
      assert.ok((await send(serving.baseUrl, path, 'GET', { headers })).text.includes(lastName))
    await services.erasure.erase(advertiserId, id)
  }
  let figures = ''
  await until(async () => {
    figures = (await send(serving.adminUrl, '/metrics', 'GET', {})).text
    const isRefused = /^dossier_webhook_attempts_total\{outcome="refused"\} [1-9]/m.test(figures)
    return isRefused && receiver.at('/well').length === 2 * rounds
  })
  await serving.stop()
  const all = `${serving.log()} ${figures}`
  assert.ok(all.includes('/v1/advertiser/events'))
  for (const word of secrets) assert.equal(all.includes(word), false)
})

test('the key of a machine is created once, for its owner only', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dossier-test-'))
  try {
    const path = join(folder, 'webhook.key')
    const keys = readOrMakeKeyFile(path)
    assert.deepEqual(readOrMakeKeyFile(path), keys)
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    assert.equal(Buffer.from(await readFile(path, 'utf8'), 'base64').length, 32)
  } finally {
    await rm(folder, { recursive: true })
  }
})
