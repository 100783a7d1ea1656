import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { after, before, test } from 'node:test'
import { verifyWebhook } from '../../sdk/typescript/src/index.ts'
import { createWebhookUpkeep } from '../../src/events/webhooks/upkeep-service.ts'
import { createWebhookUpkeepStore } from '../../src/events/webhooks/webhook-upkeep-store.ts'
import { steadily } from '../harness/clock.ts'
import { formTo } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { demoBoard } from '../harness/intake.ts'
import { listenLocally } from '../harness/listen-locally.ts'
import {
  assertOauthError,
  Browser,
  bearer,
  demoClient,
  localPath,
  requestToken,
  tokenOf,
} from '../harness/oauth.ts'
import { oneEngine } from '../harness/one-engine.ts'
import { checkAgainstDocument } from '../harness/openapi.ts'
import { usePostBox } from '../harness/post-box.ts'
import { inDemoWorld } from '../oauth/world.ts'

const path = '/v1/agent/webhooks'
const ofClient = { grant_type: 'client_credentials' }
const ofWebhooks = { ...ofClient, scope: 'm_webhooks' }
const types = ['application.created']

inDemoWorld('webhooks of an agent', { env: { WEBHOOK_ALLOW: '127.0.0.1' }, on: oneEngine }, world => {
  let token: string
  let receiver: Server
  let url: string
  let status = 204
  const received: { headers: Record<string, unknown>; body: string }[] = []
  before(async () => {
    token = tokenOf(await requestToken(world().door, ofWebhooks))
    receiver = createServer(async (request, response) => {
      received.push({ headers: request.headers, body: Buffer.concat(await request.toArray()).toString() })
      response.writeHead(status).end()
    })
    url = `http://127.0.0.1:${await listenLocally(receiver)}/hooks`
  })
  after(() => receiver.close())

  async function ask(method: string, below = '', body?: object, as = bearer(token)): Promise<Answer> {
    world().clock.advance(1)
    const headers = { ...as, ...(body && { 'content-type': 'application/json' }) }
    const answer = await world().door.send(method, path + below, {
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    checkAgainstDocument(method, path + below, answer)
    return answer
  }
  const done = async (method: string, below = '', body?: object) => {
    const answer = await ask(method, below, body)
    assert.ok(answer.status < 300, answer.text)
    return answer.text === '' ? undefined : answer.json()
  }
  const faults = async (answer: Promise<Answer>) => {
    const { status: found, json } = await answer
    assert.equal(found, 422)
    const { code: problem, errors } = json()
    return [problem, ...errors.map(({ field, code }: { field: string; code: string }) => [field, code])]
  }
  const created = async () => (await done('POST', '', { url, types })) as { id: string; key: string }

  test('are created, tested, changed, paused, replayed, rotated and removed', async () => {
    const answer = await ask('POST', '', { url, types, description: 'Production' })
    assert.equal(answer.status, 201, answer.text)
    const { id, key, ...rest } = answer.json()
    assert.equal(answer.headers.get('location'), `http://localhost:8080${path}/${id}`)
    assert.match(key, /^whsec_/)
    assert.deepEqual([rest.url, rest.types, rest.description, rest.state], [url, types, 'Production', 'new'])
    assert.deepEqual(await faults(ask('POST', `/${id}/resume`)), ['invalid-fields', ['state', 'new']])

    status = 500
    const failed = await done('POST', `/${id}/test`)
    assert.deepEqual([failed.state, failed.test.outcome, failed.test.status], ['new', 'refused', 500])
    status = 204
    const tested = await done('POST', `/${id}/test`)
    assert.deepEqual([tested.state, tested.test.outcome], ['active', 'accepted'])
    const { headers, body } = received.at(-1) ?? assert.fail()
    const now = world().clock()
    const ping = await verifyWebhook({
      headers: headers as Record<string, string>,
      body,
      secrets: [key],
      now,
    })
    assert.equal(ping.type, 'test.ping')

    const other = await done('PATCH', `/${id}`, { types: ['application.erased'], description: '' })
    assert.deepEqual([other.types, other.description, other.url], [['application.erased'], '', url])
    assert.deepEqual(await done('PATCH', `/${id}`, {}), other)
    status = 500
    const elsewhere = { url: `${url}/elsewhere`, description: 'not stored' }
    assert.deepEqual(await faults(ask('PATCH', `/${id}`, elsewhere)), [
      'endpoint-not-answering',
      ['url', 'not-answering'],
    ])
    status = 204
    assert.equal((await done('GET', `/${id}`)).description, '')
    assert.equal((await done('PATCH', `/${id}`, elsewhere)).url, elsewhere.url)

    assert.equal((await done('POST', `/${id}/pause`)).state, 'paused')
    const from = new Date(world().clock() - 86_400_000).toISOString()
    const { replayId } = await done('POST', `/${id}/replay`, { advertiserId: 10000001, from })
    const details = await done('GET', `/${id}`)
    assert.deepEqual(
      details.replays.map((replay: Record<string, unknown>) => [replay['id'], replay['advertiserId']]),
      [[replayId, 10000001]],
    )
    assert.deepEqual([details.behind.events, details.parked], [0, []])
    assert.deepEqual(
      details.attempts.map((attempt: Record<string, unknown>) => [attempt['eventId'], attempt['status']]),
      [204, 500, 204, 500].map(each => [null, each]),
    )
    assert.equal('key' in details, false, 'a secret is shown once')
    assert.equal((await done('POST', `/${id}/resend`)).resent, 0)
    assert.equal((await done('POST', `/${id}/resume`)).state, 'active')

    const rotated = await done('POST', `/${id}/rotate`, { overlapHours: 1 })
    assert.notEqual(rotated.key, key)
    assert.equal(Date.parse(rotated.overlapUntil), world().clock() + 3_600_000)
    assert.equal((await done('POST', `/${id}/retire`)).overlapUntil, null)

    assert.equal((await ask('DELETE', `/${id}`)).status, 204)
    assert.equal((await ask('GET', `/${id}`)).status, 404)
    assert.deepEqual(await done('GET'), { webhooks: [] })
  })

  test('a replay that has not begun can be cancelled; a public key can be read again', async () => {
    const { id, key } = await done('POST', '', { url, types, scheme: 'v1a' })
    await done('POST', `/${id}/test`)
    assert.match(key, /^whpk_/)
    assert.equal((await done('GET', `/${id}`)).key, key)
    await done('POST', `/${id}/pause`)
    const wanted = { advertiserId: '10000001', from: '2020-01-01T00:00:00Z' }
    const { replayId } = await done('POST', `/${id}/replay`, wanted)
    assert.equal((await ask('DELETE', `/${id}/replays/${replayId}`)).status, 204)
    assert.equal((await ask('DELETE', `/${id}/replays/${replayId}`)).status, 404)
    assert.equal((await done('GET', `/${id}`)).replays[0].state, 'cancelled')
    await done('DELETE', `/${id}`)
  })

  test('are replayed for one company on the page of the agent', async () => {
    const { id } = await created()
    await done('POST', `/${id}/test`)
    const nora = await Browser.signedIn(world().door, 'nora@example.com')
    const page = `/agent/20000001/webhooks/endpoints/${id}`
    const { text } = await nora.get(page)
    const form = formTo(page, text.split('id="replay"')[1] ?? '')
    const replay = (advertiserId: string) =>
      nora.submit(form, { fields: { from: '2026-11-01', advertiserId } })
    const unchosen = await replay('')
    assert.equal(unchosen.status, 422)
    assert.match(unchosen.text, /Choose the company whose events to send again/)
    assert.equal((await replay('10000002')).status, 422, 'has not authorised the agent')
    assert.match(localPath(await replay('10000001')), /done=replaying$/)
    assert.equal((await done('GET', `/${id}`)).replays[0].advertiserId, 10000001)
    await done('DELETE', `/${id}`)
  })

  test('are the subject of an email that leads to their page', async () => {
    const { id } = await created()
    await done('POST', `/${id}/test`)
    const { services, door } = world()
    const { writer } = services.database
    // As the sender leaves it when the receiver answers 410.
    const stopped = { state: 'stopped', stop_reason: 'gone', stopped_at: 1, failing_since: 1 } as const
    await writer.updateTable('webhook_endpoints').set(stopped).where('id', '=', id).execute()
    const box = usePostBox(services)
    await createWebhookUpkeep({
      store: createWebhookUpkeepStore(services.database),
      clock: world().clock,
      lookAtTime: steadily(world().clock),
    }).run()
    await services.deliveries.run()
    const { subject, text } = await box.next('nora@example.com')
    assert.equal(subject, 'Webhooks of Northwind ATS have stopped')
    const nora = new Browser(door)
    await nora.signIn('nora@example.com')
    const [path = ''] = text.match(/\/agent\/\S+/) ?? []
    assert.match((await nora.get(path)).text, /Send a test/)
    await done('DELETE', `/${id}`)
  })

  test('bad input changes nothing', async () => {
    const bad: [body: object, ...errors: [field: string, code: string][]][] = [
      [{}, ['url', 'required'], ['types', 'required']],
      [{ url, types: [] }, ['types', 'required']],
      [{ url, types: ['application.created', '*'] }, ['types', 'unknown']],
      [{ url, types, more: 1 }, ['more', 'unknown']],
      [{ url, types, scheme: 'v2' }, ['scheme', 'wrong-type']],
      [{ url, types, description: 'a\u0000b' }, ['description', 'unwritable-character']],
    ]
    for (const [body, ...errors] of bad)
      assert.deepEqual(
        await faults(ask('POST', '', body)),
        ['invalid-fields', ...errors],
        JSON.stringify(body),
      )
    const addresses = [
      ['http://10.0.0.1/hooks', 'not-https'],
      ['https://[::ffff:169.254.169.254]/', 'not-public'],
      ['javascript:alert(1)', 'not-a-url'],
    ] as const
    for (const [address, code] of addresses)
      assert.deepEqual(await faults(ask('POST', '', { url: address, types })), [
        'endpoint-address',
        ['url', code],
      ])
    const { id } = await created()
    const changes: [string, string, object, string][] = [
      ['PATCH', '', { url: 'http://169.254.169.254/latest' }, 'url'],
      ['PATCH', '', { scheme: 'v1a' }, 'scheme'],
      ['POST', '/rotate', { overlapHours: 1.5 }, 'overlapHours'],
      ['POST', '/rotate', { overlapHours: 169 }, 'overlapHours'],
      ['POST', '/replay', { from: '2026-11-01T00:00:00Z' }, 'advertiserId'],
      ['POST', '/replay', { advertiserId: 10000001, from: 'yesterday' }, 'from'],
      // Not one of the agent's, and one that does not exist.
      ['POST', '/replay', { advertiserId: 10000002, from: '2026-11-01T00:00:00Z' }, 'state'],
      ['POST', '/replay', { advertiserId: 99999999, from: '2026-11-01T00:00:00Z' }, 'state'],
    ]
    for (const [method, below, body, field] of changes)
      assert.deepEqual((await faults(ask(method, `/${id}${below}`, body)))[1]?.[0], field)
    for (let count = 1; count < 20; count++) await created()
    assert.deepEqual(await faults(ask('POST', '', { url, types })), ['invalid-fields', ['url', 'too-many']])
    for (const each of (await done('GET')).webhooks) await done('DELETE', `/${each.id}`)
  })

  test('no agent sees the endpoints of another one or of an advertiser', async () => {
    const { services, door } = world()
    const other = await services.agents.add('Other agent')
    await services.agents.authorise(10000001, other.id)
    const { secret } = await services.clients.add({
      id: 'other-agent',
      name: 'Other agent',
      agentId: other.id,
      scopes: ['m_webhooks'],
      redirectUris: [],
      requirePkce: false,
    })
    const client = { id: 'other-agent', secret }
    const theirs = bearer(tokenOf(await requestToken(door, ofWebhooks, { client })))
    const { id } = await created()
    await done('POST', `/${id}/test`)
    await done('POST', `/${id}/pause`)
    const replay = { advertiserId: 10000001, from: '2026-11-01T00:00:00Z' }
    const { replayId } = await done('POST', `/${id}/replay`, replay)
    const before = await done('GET', `/${id}`)
    const ofHarbour = await services.webhooks.add(
      { advertiserId: 10000001 },
      { url, types, description: '', scheme: 'v1' },
    )
    const requests = received.length
    assert.deepEqual((await ask('GET', '', undefined, theirs)).json(), { webhooks: [] })
    const calls: [string, string, object?][] = [
      ['GET', ''],
      ['PATCH', '', { url: `${url}/stolen` }],
      ['POST', '/test'],
      ['POST', '/rotate', {}],
      ['POST', '/retire'],
      ['POST', '/resend'],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['POST', '/replay', replay],
      ['DELETE', `/replays/${replayId}`],
      ['DELETE', ''],
    ]
    for (const [method, below, body] of calls) {
      for (const [endpointId, as] of [
        [id, theirs],
        [ofHarbour.endpoint.id, theirs],
        [ofHarbour.endpoint.id, bearer(token)],
      ] as const) {
        const answer = await ask(method, `/${endpointId}${below}`, body, as)
        assert.equal(answer.status, 404, `${method} ${below}`)
        assert.doesNotMatch(answer.text, /127\.0\.0\.1/)
      }
    }
    assert.deepEqual(await done('GET', `/${id}`), before)
    assert.equal(received.length, requests, 'nothing was sent')
    await done('DELETE', `/${id}`)
  })

  test('take the token of an agent with this scope, and nothing else', async () => {
    const { services, door } = world()
    const ofBoard = { ...ofClient, scope: 'w_applications' }
    const ofAgent = { ...ofClient, scope: 'r_applications', advertiser_id: '10000001' }
    const tokens = [
      tokenOf(await requestToken(door, ofClient)),
      tokenOf(await requestToken(door, ofAgent)),
      tokenOf(await requestToken(door, ofBoard, { client: demoBoard })),
    ]
    for (const as of [...tokens.map(bearer), { authorization: 'SWS sws_unknown' }, { authorization: '' }])
      assert.equal((await ask('GET', '', undefined, as)).status, 401)
    // Known, without the right: see company-webhooks.
    for (const value of ['sws_demo_harbour', tokens[1]])
      assert.equal((await ask('GET', '', undefined, { authorization: `SWS ${value}` })).status, 403)
    const elsewhere: [string, Record<string, string>][] = [
      ['/v1/advertiser/applications', { authorization: `SWS ${token}` }],
      ['/v2/events', bearer(token)],
      ['/v1/intake/job-ads?advertiserId=10000001', bearer(token)],
    ]
    for (const [other, headers] of elsewhere)
      assert.equal((await door.send('GET', other, { headers })).status, 401, other)
    assertOauthError(await requestToken(door, ofWebhooks, { client: demoBoard }), 400, 'invalid_scope')
    const limited = { ...ofWebhooks, advertiser_id: '10000001' }
    assertOauthError(await requestToken(door, limited), 400, 'invalid_request')
    const both = { ...ofClient, scope: 'm_webhooks r_applications', advertiser_id: '10000001' }
    assertOauthError(await requestToken(door, both), 400, 'invalid_scope')
    const ofNone = { id: 'no-agent', name: 'No agent', agentId: null, scopes: ['m_webhooks'] }
    await assert.rejects(services.clients.add({ ...ofNone, redirectUris: [], requirePkce: false }), {
      code: 'invalid-fields',
    })
    await services.clients.disable(demoClient.id)
    assert.equal((await ask('GET')).status, 401)
  })
})
