import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  assertOauthError,
  authorizePath,
  callbackOf,
  demoClient,
  isAlive,
  manyFailures,
  newPkce,
  redeem,
  requestToken,
  type TestClient,
  tokenEndpoint,
  tokenOf,
} from '../harness/oauth.ts'
import { onBothEngines } from '../harness/service.ts'
import { registerClient } from './registering.ts'

onBothEngines('the token endpoint', { env: manyFailures }, (service, { agreed, door }) => {
  const browser = agreed()
  let other: TestClient

  before(async () => {
    other = await registerClient(service(), 'other-client')
    await browser.code({}, other)
  })

  test('B27 a success: access_token, token_type bearer, integer expires_in, never stored', async () => {
    const answer = await redeem(door, await browser.code())
    assert.equal(answer.status, 200)
    const body = answer.json()
    assert.equal(typeof body.access_token, 'string')
    assert.match(body.access_token, /^[\w.~+/-]{27,}=*$/)
    assert.equal(body.token_type, 'bearer')
    assert.equal(body.expires_in, 1200)
    assert.equal('refresh_token' in body, false)
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json(;|$)/)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.equal(answer.headers.get('pragma'), 'no-cache')
    assert.ok(await isAlive(door, body.access_token))
  })

  test('B27 the same for client_credentials', async () => {
    const answer = await requestToken(door, { grant_type: 'client_credentials' })
    const body = answer.json()
    assert.equal(answer.status, 200)
    assert.deepEqual([body.token_type, body.expires_in], ['bearer', 1200])
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.equal(answer.headers.get('pragma'), 'no-cache')
  })

  test('B27 errors are not stored either', async () => {
    const answers = [
      await redeem(door, 'unknown'),
      await requestToken(door, {}, { client: null }),
      await requestToken(door, { grant_type: 'x' }),
      await door.send('GET', tokenEndpoint),
    ]
    for (const answer of answers) assert.equal(answer.headers.get('cache-control'), 'no-store')
  })

  test('B28 sequential reuse of a code: invalid_grant', async () => {
    const code = await browser.code()
    tokenOf(await redeem(door, code))
    for (let round = 0; round < 3; round++) {
      assertOauthError(await redeem(door, code), 400, 'invalid_grant')
    }
  })

  test('B28 an unknown code: invalid_grant', async () => {
    for (const code of [
      'x',
      'dac_',
      `dac_${'A'.repeat(43)}`,
      'x'.repeat(5000),
      '__proto__',
      "' or 1=1 --",
      '💼',
    ]) {
      assertOauthError(await redeem(door, code), 400, 'invalid_grant')
    }
  })

  test('B30 a valid replay revokes exactly the tokens of that code', async () => {
    const [first, second] = [await browser.code(), await browser.code()]
    const ours = tokenOf(await redeem(door, first))
    const neighbour = tokenOf(await redeem(door, second))
    const unredeemed = await browser.code()
    const clients = tokenOf(await redeem(door, await browser.code({}, other), {}, other))
    assertOauthError(await redeem(door, first), 400, 'invalid_grant')
    assert.equal(await isAlive(door, ours), false)
    assert.equal(await isAlive(door, neighbour), true)
    assert.equal(await isAlive(door, clients), true)
    tokenOf(await redeem(door, unredeemed))
    assert.ok(callbackOf(await browser.authorize()).has('code'), 'the consent survives')
  })

  test('B30 also with PKCE', async () => {
    const { parameters, verifier } = newPkce()
    const code = await browser.code(parameters)
    const token = tokenOf(await redeem(door, code, { code_verifier: verifier }))
    assertOauthError(await redeem(door, code, { code_verifier: newPkce().verifier }), 400, 'invalid_grant')
    assert.equal(await isAlive(door, token), true, 'an invalid attempt is no replay')
    assertOauthError(await redeem(door, code, { code_verifier: verifier }), 400, 'invalid_grant')
    assert.equal(await isAlive(door, token), false)
  })

  /** Every kind of invalid request, from a client that authenticates correctly. */
  function invalidAttempts(code: string, verifier: string) {
    const right = { code_verifier: verifier }
    return [
      () => redeem(door, code, { ...right, redirect_uri: demoClient.redirectUri }, other),
      () => redeem(door, code, { ...right, redirect_uri: other.redirectUri }, other),
      () => redeem(door, code, { ...right, redirect_uri: `${demoClient.redirectUri}/` }),
      () => redeem(door, code, { ...right, redirect_uri: 'HTTP://127.0.0.1:9090/callback' }),
      () => redeem(door, code, { code_verifier: newPkce().verifier }),
      () => redeem(door, code, { code_verifier: undefined }),
    ]
  }

  test('B31 an invalid attempt neither burns the code nor revokes anything', async () => {
    const { parameters, verifier } = newPkce()
    const code = await browser.code(parameters)
    for (const attempt of invalidAttempts(code, verifier))
      assertOauthError(await attempt(), 400, 'invalid_grant')
    const token = tokenOf(await redeem(door, code, { code_verifier: verifier }))
    for (const attempt of invalidAttempts(code, verifier))
      assertOauthError(await attempt(), 400, 'invalid_grant')
    assert.equal(await isAlive(door, token), true)
  })

  test('B31 an unrecognised client does not touch the code', async () => {
    const code = await browser.code()
    const wrong = { ...demoClient, secret: 'wrong' }
    for (let round = 0; round < 12; round++)
      assertOauthError(await redeem(door, code, {}, wrong), 401, 'invalid_client')
    const token = tokenOf(await redeem(door, code))
    assertOauthError(await redeem(door, code, {}, wrong), 401, 'invalid_client')
    assert.equal(await isAlive(door, token), true)
  })

  test('B31 nine failed attempts leave the code valid, ten end it', async () => {
    for (const [failures, isUsable] of [
      [9, true],
      [10, false],
      [11, false],
    ] as const) {
      const { parameters, verifier } = newPkce()
      const code = await browser.code(parameters)
      const attempts = invalidAttempts(code, verifier)
      for (let count = 0; count < failures; count++) {
        assertOauthError(
          await (attempts[count % attempts.length] as () => ReturnType<typeof redeem>)(),
          400,
          'invalid_grant',
        )
      }
      const answer = await redeem(door, code, { code_verifier: verifier })
      assert.equal(answer.status, isUsable ? 200 : 400, `${failures}: ${answer.text}`)
      if (!isUsable) assertOauthError(answer, 400, 'invalid_grant')
    }
  })

  test('B31 failed attempts on one code do not count for another', async () => {
    const [one, two] = [await browser.code(), await browser.code()]
    for (let count = 0; count < 10; count++)
      await redeem(door, one, { redirect_uri: 'http://127.0.0.1:9090/' })
    tokenOf(await redeem(door, two))
  })

  test('B32 the code is bound to its client', async () => {
    const code = await browser.code()
    for (const redirect_uri of [demoClient.redirectUri, other.redirectUri]) {
      assertOauthError(await redeem(door, code, { redirect_uri }, other), 400, 'invalid_grant')
    }
    tokenOf(await redeem(door, code))
  })

  test('B32 the code is bound to its redirect URI', async () => {
    const code = await browser.code()
    const uri = demoClient.redirectUri
    for (const redirect_uri of [
      `${uri}/`,
      `${uri}?`,
      uri.toUpperCase(),
      encodeURIComponent(uri),
      'http://127.0.0.1:9090',
    ]) {
      assertOauthError(await redeem(door, code, { redirect_uri }), 400, 'invalid_grant')
    }
    tokenOf(await redeem(door, code))
  })

  test('B32 another redirect URI of the same client is not the one of the code', async () => {
    const [first, second] = ['http://127.0.0.1:9095/one', 'http://127.0.0.1:9095/two']
    const client = await registerClient(service(), 'two-uris', {
      redirectUri: first,
      options: ['--redirect-uri', second],
    })
    const code = callbackOf(await browser.decide(authorizePath({}, client)), first).get('code') ?? ''
    assertOauthError(await redeem(door, code, { redirect_uri: second }, client), 400, 'invalid_grant')
    tokenOf(await redeem(door, code, {}, client))
  })

  test('B32 a missing redirect URI is refused, and does not burn the code', async () => {
    const code = await browser.code()
    for (const redirect_uri of [undefined, '']) {
      assertOauthError(await redeem(door, code, { redirect_uri }), 400, 'invalid_request')
    }
    tokenOf(await redeem(door, code))
  })
})
