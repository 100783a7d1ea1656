import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Answer } from '../harness/http.ts'
import {
  assertOauthError,
  authorizeEndpoint,
  Browser,
  bearer,
  demoClient,
  encode,
  isAlive,
  manyFailures,
  metadataPath,
  type Parameters,
  prefill,
  redeem,
  requestToken,
  revokeEndpoint,
  type TestClient,
  tokenEndpoint,
  tokenOf,
} from '../harness/oauth.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import { assertErrorPage, assertRefusedByRedirect } from './refusing.ts'
import { registerClient } from './registering.ts'

function assertChallenged(answer: Answer, { wasSent }: { wasSent: boolean }, what = ''): void {
  assert.equal(answer.status, 401, `${what}: ${answer.status} ${answer.text}`)
  const challenge = answer.headers.get('www-authenticate') ?? ''
  assert.match(challenge, /^Bearer( |$)/, what)
  assert.equal(challenge.includes('error="invalid_token"'), wasSent, `${what}: ${challenge}`)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(answer.json().code, 'invalid-token')
}

onOneEngineInTurn('tokens at the API', { env: manyFailures }, (service, { door }) => {
  const browser = new Browser(door)
  let other: TestClient
  let resumePath: string
  let token: string

  before(async () => {
    token = tokenOf(await redeem(door, await browser.code()))
    other = await registerClient(service(), 'other-client')
    resumePath = new URL((await prefill(door, token)).json().resume.link).pathname
  })

  const json = { 'content-type': 'application/json' }
  const doors: Record<string, (headers: Record<string, string>, query?: string) => Promise<Answer>> = {
    prefill: (headers, query = '') =>
      door.send('POST', `/v2/applications/prefilled${query}`, {
        headers: { ...json, ...headers },
        body: '{"advertiserId":"10000001","applicationFormUrl":"https://ats.example.com/apply"}',
      }),
    resume: (headers, query = '') => door.send('GET', `${resumePath}${query}`, { headers }),
    complete: (headers, query = '') =>
      door.send('POST', `/v2/applications/00000000-0000-4000-8000-000000000000/complete${query}`, {
        headers: { ...json, ...headers },
        body: '{"completionDate":"2026-11-14T00:00:00Z"}',
      }),
  }

  for (const [name, ask] of Object.entries(doors)) {
    test(`B39 ${name}: without a token the response names only the scheme`, async () => {
      assertChallenged(await ask({}), { wasSent: false })
    })

    test(`B39 ${name}: a token in the query does not count`, async () => {
      assertChallenged(await ask({}, `?${encode({ access_token: token })}`), { wasSent: false })
      assertChallenged(await ask({}, `?${encode({ token, bearer: token })}`), { wasSent: false })
    })

    test(`B39 ${name}: an invalid token is rejected`, async () => {
      const code = await browser.code()
      const wrong = [
        'Bearer',
        'Bearer ',
        `Bearer${token}`,
        `Bearer ${token} x`,
        `Bearer "${token}"`,
        `Basic ${token}`,
      ]
      const values = [
        'x',
        code,
        'dat_',
        `dat_${'A'.repeat(43)}`,
        token.slice(0, -1),
        `${token}x`,
        token.toUpperCase(),
      ]
      const odd = ['__proto__', 'null', 'undefined', 'x'.repeat(3000), demoClient.secret, 'sws_demo_harbour']
      for (const authorization of [...wrong, ...[...values, ...odd].map(value => `Bearer ${value}`)]) {
        assertChallenged(await ask({ authorization }), { wasSent: true }, authorization)
      }
    })
  }

  test('B39 a token in the body does not count', async () => {
    const answer = await door.send('POST', '/v2/applications/prefilled', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: encode({ access_token: token }),
    })
    assert.ok(answer.status === 401 || answer.status === 415)
  })

  test('B39 the scheme in any case', async () => {
    for (const scheme of ['bearer', 'BEARER', 'bEARER']) {
      assert.equal((await doors['prefill']?.({ authorization: `${scheme} ${token}` }))?.status, 200)
    }
  })

  test('B39 a revoked token', async () => {
    const dead = tokenOf(await redeem(door, await browser.code()))
    await requestToken(door, { token: dead }, { path: revokeEndpoint })
    assertChallenged((await doors['prefill']?.(bearer(dead))) as Answer, { wasSent: true })
    assertChallenged((await doors['resume']?.(bearer(dead))) as Answer, { wasSent: true })
  })

  test('B39 scope: a token opens only its own endpoints', async () => {
    const own = tokenOf(await requestToken(door, { grant_type: 'client_credentials' }))
    const fields = { grant_type: 'client_credentials', scope: 'r_applications', advertiser_id: '10000001' }
    const agents = tokenOf(await requestToken(door, fields))
    for (const [name, value, opens] of [
      ['prefill', token, 200],
      ['prefill', own, 401],
      ['prefill', agents, 401],
      ['resume', token, 200],
      ['resume', own, 401],
      ['resume', agents, 401],
      ['complete', token, 401],
      ['complete', own, 404],
      ['complete', agents, 401],
    ] as const) {
      const answer = (await doors[name]?.(bearer(value))) as Answer
      assert.equal(answer.status, opens, `${name} ${opens}: ${answer.text}`)
      if (opens === 401) assertChallenged(answer, { wasSent: true }, name)
    }
  })

  test('B39 advertiser: a bound token prefills for that one only', async () => {
    const code = await browser.code({ advertiser_id: '10000001' })
    const bound = tokenOf(await redeem(door, code))
    assert.equal((await prefill(door, bound, { advertiserId: 10000001 })).status, 200)
    const refused = await prefill(door, bound, { advertiserId: '10000002' })
    assert.equal(refused.status, 403)
    assert.equal(refused.json().code, 'token-of-another-advertiser')
  })

  test('B40 the metadata list only what is supported', async () => {
    const answer = await door.send('GET', metadataPath)
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json(;|$)/)
    const metadata = answer.json()
    assert.deepEqual(metadata, {
      issuer: service().baseUrl,
      authorization_endpoint: `${service().baseUrl}${authorizeEndpoint}`,
      token_endpoint: `${service().baseUrl}${tokenEndpoint}`,
      revocation_endpoint: `${service().baseUrl}${revokeEndpoint}`,
      scopes_supported: ['r_profile_apply', 'r_applications', 'w_progress', 'w_applications', 'm_webhooks'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      code_challenge_methods_supported: ['S256'],
      prompt_values_supported: ['none', 'login', 'consent'],
      authorization_response_iss_parameter_supported: true,
    })
  })

  test('B40 both authentication methods of the metadata work at both endpoints', async () => {
    const { id, secret } = demoClient
    const bodies: [Parameters, string][] = [
      [{ grant_type: 'client_credentials' }, tokenEndpoint],
      [{ token: 'unknown' }, revokeEndpoint],
    ]
    for (const [fields, path] of bodies) {
      assert.equal((await requestToken(door, fields, { path })).status, 200)
      const inBody = { ...fields, client_id: id, client_secret: secret }
      assert.equal((await requestToken(door, inBody, { path, client: null })).status, 200)
    }
  })

  test("B40 revocation: the client's own token is revoked, with any hint and none", async () => {
    for (const token_type_hint of [undefined, 'access_token', 'refresh_token', 'nonsense']) {
      const mine = tokenOf(await redeem(door, await browser.code()))
      const answer = await requestToken(door, { token: mine, token_type_hint }, { path: revokeEndpoint })
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      assert.equal(await isAlive(door, mine), false)
      const again = await requestToken(door, { token: mine }, { path: revokeEndpoint })
      assert.equal(again.status, 200)
    }
  })

  test('B40 revocation: a foreign client cannot', async () => {
    const answer = await requestToken(door, { token }, { path: revokeEndpoint, client: other })
    assert.ok(answer.status === 200 || answer.status === 400)
    assert.equal(await isAlive(door, token), true)
  })

  test('B40 revocation: unknown tokens give 200', async () => {
    for (const unknown of [
      'x',
      `dat_${'A'.repeat(43)}`,
      await browser.code(),
      '__proto__',
      'x'.repeat(5000),
    ]) {
      assert.equal((await requestToken(door, { token: unknown }, { path: revokeEndpoint })).status, 200)
    }
  })

  test('B40 revocation: an unknown client, and an invalid request', async () => {
    const mine = tokenOf(await redeem(door, await browser.code()))
    const at = { path: revokeEndpoint }
    assertOauthError(
      await requestToken(door, { token: mine }, { ...at, client: null }),
      401,
      'invalid_client',
    )
    const wrong = { id: demoClient.id, secret: 'wrong' }
    assertOauthError(
      await requestToken(door, { token: mine }, { ...at, client: wrong }),
      401,
      'invalid_client',
    )
    assertOauthError(await requestToken(door, {}, at), 400, 'invalid_request')
    assertOauthError(await requestToken(door, { token: [mine, mine] }, at), 400, 'invalid_request')
    const inUrl = { path: `${revokeEndpoint}?${encode({ token: mine })}` }
    assertOauthError(await requestToken(door, {}, inUrl), 400, 'invalid_request')
    const get = await door.send('GET', `${revokeEndpoint}?${encode({ token: mine })}`)
    assertOauthError(get, 405, 'invalid_request')
    assert.equal(await isAlive(door, mine), true)
  })

  test('B40 names that callers send never touch object prototypes', async () => {
    for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty']) {
      assertErrorPage(await browser.authorize({ client_id: name }), name)
      assertRefusedByRedirect(await browser.authorize({ scope: name }), 'invalid_scope')
      assertRefusedByRedirect(await browser.authorize({ response_type: name }), 'unsupported_response_type')
      assertRefusedByRedirect(await browser.authorize({ advertiser_id: name }), 'invalid_request')
      assert.equal((await browser.authorize({ [name]: name, prompt: name })).status, 303)
      const client = { id: name, secret: name }
      assertOauthError(await requestToken(door, { grant_type: name }, { client }), 401, 'invalid_client')
      assertOauthError(await requestToken(door, { grant_type: name }), 400, 'unsupported_grant_type')
      const credentials = { grant_type: 'client_credentials', [name]: name }
      tokenOf(await requestToken(door, credentials))
      assertOauthError(await requestToken(door, { ...credentials, scope: name }), 400, 'invalid_scope')
    }
  })
})
