import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  assertOauthError,
  basic,
  type Credentials,
  demoClient,
  encode,
  manyFailures,
  type Parameters,
  redeem,
  requestToken,
  revokeEndpoint,
  type TestClient,
  tokenEndpoint,
  tokenOf,
} from '../harness/oauth.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import { mustOperate, registerClient } from './registering.ts'

const percentEncoded = (text: string) =>
  [...Buffer.from(text)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')
const formEncoded = (text: string) => encode({ x: text }).slice(2)
const base64 = (text: string) => Buffer.from(text).toString('base64')

onOneEngineInTurn('client authentication', { env: manyFailures }, (service, { agreed, door }) => {
  const grant_type = 'client_credentials'
  const browser = agreed()
  let other: TestClient

  before(async () => {
    other = await registerClient(service(), 'other-client')
  })

  const withHeader = (authorization: string, fields: Parameters = {}) =>
    requestToken(door, { grant_type, ...fields }, { client: null, headers: { authorization } })
  const inBody = (fields: Parameters) => requestToken(door, { grant_type, ...fields }, { client: null })

  test('B33 wrong, unknown or absent client: 401, one body, and a Basic challenge', async () => {
    const { id, secret } = demoClient
    const pairs: Credentials[] = [
      { id, secret: 'wrong' },
      { id, secret: '' },
      { id, secret: secret.slice(0, -1) },
      { id, secret: `${secret}x` },
      { id, secret: secret.toUpperCase() },
      { id, secret: other.secret },
      { id, secret: 'x'.repeat(3000) },
      { id: 'nobody', secret },
      { id: 'DEMO-ATS', secret },
      { id: '', secret },
      { id: '__proto__', secret: '' },
      { id: 'constructor', secret: 'name' },
      { id: 'demo-ats\0', secret },
      { id: "' or 1=1 --", secret },
      { id: other.id, secret },
    ]
    const answers = [
      await inBody({}),
      await inBody({ client_id: id }),
      await inBody({ client_secret: secret }),
      await inBody({ client_id: id, client_secret: 'wrong' }),
      await inBody({ client_id: 'nobody', client_secret: secret }),
      await withHeader(`Bearer ${secret}`),
      await withHeader('SWS sws_demo_harbour'),
    ]
    for (const client of pairs) answers.push(await requestToken(door, { grant_type }, { client }))
    for (const answer of answers) {
      assertOauthError(answer, 401, 'invalid_client')
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic( |$)/)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
    }
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  })

  test('B33 the client is checked before its request', async () => {
    const client = { id: 'nobody', secret: 'x' }
    for (const fields of [{}, { grant_type: 'password' }, { grant_type: 'authorization_code', code: 'x' }]) {
      assertOauthError(await requestToken(door, fields, { client }), 401, 'invalid_client')
    }
  })

  test('B33 a disabled client is refused like an unknown one, and its tokens are revoked', async () => {
    const gone = await registerClient(service(), 'gone-client')
    const code = await browser.code({}, gone)
    await mustOperate(service(), 'client', 'disable', gone.id)
    const answer = await redeem(door, code, {}, gone)
    assertOauthError(answer, 401, 'invalid_client')
    assert.equal(answer.text, (await inBody({})).text)
  })

  test('B33 while a secret is replaced both work, and then only the newest two', async () => {
    const client = await registerClient(service(), 'rotating-client')
    const isKnown = async (secret: string) =>
      (await requestToken(door, { grant_type }, { client: { id: client.id, secret } })).status === 200
    const second = await mustOperate(service(), 'client', 'rotate', client.id)
    assert.deepEqual([await isKnown(client.secret), await isKnown(second)], [true, true])
    const third = await mustOperate(service(), 'client', 'rotate', client.id)
    assert.deepEqual(
      [await isKnown(client.secret), await isKnown(second), await isKnown(third)],
      [false, true, true],
    )
  })

  test('B33 a client that has just exchanged a code is authenticated again', async () => {
    const client = await registerClient(service(), 'leaky-client')
    const codes = [await browser.code({}, client), await browser.code({}, client)]
    tokenOf(await redeem(door, codes[0] as string, {}, client))
    const secret = await mustOperate(service(), 'client', 'rotate', client.id, '--only')
    const left = codes[1] as string
    for (const fields of [{}, { redirect_uri: '' }, { client_id: 'other-client' }]) {
      assertOauthError(await redeem(door, left, fields, client), 401, 'invalid_client')
    }
    // Requests with the former secret neither use up the code nor count as attempts on it.
    tokenOf(await redeem(door, left, {}, { ...client, secret }))

    const last = await browser.code({}, client)
    await mustOperate(service(), 'client', 'disable', client.id)
    assertOauthError(await redeem(door, last, {}, { ...client, secret }), 401, 'invalid_client')
  })

  const encodings: [what: string, encoded: (text: string) => string][] = [
    ['raw', text => text],
    ['form-encoded', formEncoded],
    ['fully percent-encoded', percentEncoded],
    ['fully percent-encoded in capitals', text => percentEncoded(text).toUpperCase()],
  ]
  for (const [what, encoded] of encodings) {
    test(`B34 Basic credentials are accepted ${what}`, async () => {
      for (const { id, secret } of [demoClient, other]) {
        tokenOf(await withHeader(`Basic ${base64(`${encoded(id)}:${encoded(secret)}`)}`))
      }
    })
  }

  test('B34 the scheme in any case, and without padding', async () => {
    const value = base64('demo-ats:demo-ats-secret')
    for (const scheme of ['basic', 'BASIC', 'bAsIc']) tokenOf(await withHeader(`${scheme} ${value}`))
    tokenOf(await withHeader(`Basic ${value.replace(/=+$/, '')}`))
  })

  test('B34 encoded or not, a wrong secret is wrong', async () => {
    for (const [, encoded] of encodings) {
      const answer = await withHeader(`Basic ${base64(`${encoded('demo-ats')}:${encoded('wrong%')}`)}`)
      assertOauthError(answer, 401, 'invalid_client')
    }
  })

  test('B34 malformed Basic credentials: 4xx, never 5xx and never a token', async () => {
    const malformed = [
      'Basic',
      'Basic ',
      'Basic =',
      'Basic !!!',
      `Basic ${base64('demo-ats')}`,
      `Basic ${base64(':')}`,
      `Basic ${base64(':demo-ats-secret')}`,
      `Basic ${base64('demo-ats:')}`,
      `Basic ${base64('demo-ats:%zz')}`,
      `Basic ${base64('%:%')}`,
      `Basic ${base64('demo-ats:demo-ats-secret\0')}`,
      `Basic ${Buffer.from([0xff, 0x3a, 0xff]).toString('base64')}`,
      `Basic ${base64('demo-ats:demo-ats-secret')} extra`,
      `Basic ${base64('demo-ats:demo-ats-secret')}, Basic ${base64('a:b')}`,
      'Basic demo-ats:demo-ats-secret',
      `Digest ${base64('demo-ats:demo-ats-secret')}`,
      `Basic ${base64('__proto__:x')}`,
      `Basic ${base64('x'.repeat(9000))}`,
    ]
    for (const authorization of malformed) {
      const answer = await withHeader(authorization)
      assert.ok(answer.status === 400 || answer.status === 401, `${authorization}: ${answer.status}`)
      assertOauthError(answer, answer.status, /^invalid_(client|request)$/)
    }
  })

  test('B35 credentials in the URL are refused, even beside right ones in the header', async () => {
    const { id, secret } = demoClient
    const send = (query: string, client: Credentials | null) =>
      requestToken(door, { grant_type }, { client, path: `${tokenEndpoint}?${query}` })
    for (const query of [
      encode({ client_id: id, client_secret: secret }),
      encode({ client_secret: secret }),
    ]) {
      for (const client of [null, demoClient]) {
        const answer = await send(query, client)
        assertOauthError(answer, answer.status, /^invalid_(client|request)$/)
        assert.ok(answer.status === 400 || answer.status === 401)
      }
    }
    const revoking = await requestToken(
      door,
      { token: 'x' },
      {
        client: null,
        path: `${revokeEndpoint}?${encode({ client_id: id, client_secret: secret })}`,
      },
    )
    assert.ok(revoking.status === 400 || revoking.status === 401)
  })

  test('B35 a code in the URL is not redeemed', async () => {
    const code = await browser.code()
    const query = encode({ grant_type: 'authorization_code', code, redirect_uri: demoClient.redirectUri })
    const answer = await requestToken(door, {}, { path: `${tokenEndpoint}?${query}` })
    assertOauthError(answer, 400, 'invalid_request')
    tokenOf(await redeem(door, code))
  })

  test('B35 a body that contradicts Basic is refused', async () => {
    const contradictions: Parameters[] = [
      { client_id: other.id },
      { client_id: 'nobody' },
      { client_id: '__proto__' },
      { client_secret: 'wrong' },
      { client_secret: other.secret },
      { client_id: other.id, client_secret: other.secret },
      { client_id: demoClient.id, client_secret: 'wrong' },
    ]
    for (const fields of contradictions) {
      const answer = await withHeader(basic(demoClient), fields)
      assert.ok(answer.status === 400 || answer.status === 401, JSON.stringify(fields))
      assertOauthError(answer, answer.status, /^invalid_(client|request)$/)
    }
  })

  test('B35 right credentials in the body do not make up for wrong ones in the header', async () => {
    const { id, secret } = demoClient
    for (const authorization of [basic({ id, secret: 'wrong' }), 'Basic !!!', 'Bearer x', basic(other)]) {
      const answer = await withHeader(authorization, { client_id: id, client_secret: secret })
      assert.ok(answer.status === 400 || answer.status === 401, authorization)
    }
  })

  test('B35 an equal body is tolerated', async () => {
    const { id, secret } = demoClient
    for (const fields of [
      { client_id: id },
      { client_secret: secret },
      { client_id: id, client_secret: secret },
    ]) {
      tokenOf(await withHeader(basic(demoClient), fields))
    }
    const code = await browser.code()
    tokenOf(await redeem(door, code, { client_id: id, client_secret: secret }))
  })
})
