import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Answer } from '../harness/http.ts'
import {
  assertOauthError,
  Browser,
  bearer,
  demoClient,
  requestToken,
  revokeEndpoint,
  type TestClient,
  tokenOf,
} from '../harness/oauth.ts'
import { registerClient } from '../oauth/registering.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import {
  askPrefill,
  assertProblem,
  complete,
  getResume,
  grantedToken,
  ownToken,
  prefilled,
  resumePath,
  unknownUuid,
  watched,
} from './version2.ts'

interface Left {
  policy: string
  left: number
}

function limitOf({ headers }: Answer): Left {
  const now = /^"([\w-]+)";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '')
  const policy = /^"([\w-]+)";q=(\d+);w=60$/.exec(headers.get('ratelimit-policy') ?? '')
  assert.ok(now && policy, `${headers.get('ratelimit')} ${headers.get('ratelimit-policy')}`)
  assert.equal(now[1], policy[1])
  return { policy: `${policy[1]} ${policy[2]}`, left: Number(now[2]) }
}

const completion = { completionDate: '2026-11-14T00:00:00Z' }
const grant = { grant_type: 'client_credentials' }

inDemoWorldInTurn('rate limits of version 2 by default', world => {
  const door = () => watched(world().door)

  test('every response states what is left of 3,000 a minute', async () => {
    const token = await grantedToken(world().door)
    const path = resumePath(await prefilled(door(), token))
    const own = await ownToken(world().door)
    const reported = (entries: readonly object[]) =>
      door().send('POST', '/v2/progress', {
        headers: { ...bearer(own), 'content-type': 'application/json' },
        body: JSON.stringify({ entries }),
      })
    const calls: [status: number, call: () => Promise<Answer>][] = [
      [200, () => askPrefill(door(), token)],
      [422, () => askPrefill(door(), token, { advertiserId: 1 })],
      [200, () => getResume(door(), token, path)],
      [200, () => getResume(door(), token, path, {}, 'HEAD')],
      [206, () => getResume(door(), token, path, { range: 'bytes=0-1' })],
      [304, () => getResume(door(), token, path, { 'if-none-match': '*' })],
      [416, () => getResume(door(), token, path, { range: 'bytes=99999999-' })],
      [404, () => getResume(door(), token, `/v2/resumes/${unknownUuid}`)],
      [404, () => complete(door(), own, unknownUuid, completion)],
      [422, () => complete(door(), own, unknownUuid, {})],
      [
        200,
        () =>
          reported([{ prefilledApplicationId: unknownUuid, state: 'viewed', at: completion.completionDate }]),
      ],
      [422, () => reported([])],
    ]
    for (const [status, call] of calls) {
      const answer = await call()
      assert.equal(answer.status, status)
      assert.equal(limitOf(answer).policy, 'v2 3000')
    }
  })

  test('the token and the revocation endpoint state what is left of 600 a minute', async () => {
    for (const path of ['/api/iam/oauth2/token', revokeEndpoint]) {
      const answer = await requestToken(door(), { ...grant, token: 'x' }, { path })
      assert.equal(answer.status, 200)
      assert.equal(limitOf(answer).policy, 'token 600')
    }
    const refused = await requestToken(door(), { grant_type: 'password' })
    assertOauthError(refused, 400, 'unsupported_grant_type')
    assert.equal(limitOf(refused).policy, 'token 600')
  })

  test('a failure states what is left of 60 a minute for the address, and of 30 for the client', async () => {
    assert.equal(limitOf(await askPrefill(door(), 'dat_wrong')).policy, 'auth-failures 60')
    const wrong = await requestToken(door(), grant, { client: { ...demoClient, secret: 'wrong' } })
    assertOauthError(wrong, 401, 'invalid_client')
    assert.equal(limitOf(wrong).policy, 'auth-failures-of-client 30')
  })
})

inDemoWorldInTurn(
  'five requests a minute on version 2',
  { env: { RATE_LIMIT_V2_PER_MINUTE: '5' } },
  world => {
    const door = () => watched(world().door)

    test('belong to a token; the sixth is refused, whatever it requests, until the next minute', async () => {
      const browser = new Browser(world().door)
      const token = await grantedToken(world().door, { browser })
      const other = await grantedToken(world().door, { browser })
      const answers = [
        await askPrefill(door(), token),
        await askPrefill(door(), token, { advertiserId: 'x' }),
        await getResume(door(), token, `/v2/resumes/${unknownUuid}`),
        await getResume(door(), token, '/v2/resumes/x', {}, 'HEAD'),
        await askPrefill(door(), token),
      ]
      assert.deepEqual(
        answers.map(answer => limitOf(answer).left),
        [4, 3, 2, 1, 0],
      )
      for (const call of [
        () => askPrefill(door(), token),
        () => askPrefill(door(), token, { advertiserId: 'x' }),
        () => getResume(door(), token, '/v2/resumes/x'),
      ]) {
        const refused = await call()
        assertProblem(door(), refused, 429, 'rate-limited')
        assert.equal(limitOf(refused).left, 0)
        assert.equal(refused.headers.get('retry-after'), '60')
      }
      assert.equal((await askPrefill(door(), other)).status, 200, 'another token has its own')
      world().clock.advance(59_999)
      assert.equal((await askPrefill(door(), token)).status, 429)
      world().clock.advance(1)
      assert.equal((await askPrefill(door(), token)).status, 200)
    })

    test('belong to the client for its own calls: a new token brings no new ones', async () => {
      for (let count = 0; count < 5; count++) {
        const answer = await complete(door(), await ownToken(world().door), unknownUuid, completion)
        assert.equal(answer.status, 404)
        assert.equal(limitOf(answer).left, 4 - count)
      }
      const refused = await complete(door(), await ownToken(world().door), unknownUuid, completion)
      assertProblem(door(), refused, 429, 'rate-limited')
    })
  },
)

inDemoWorldInTurn('three token requests a minute', { env: { RATE_LIMIT_TOKEN_PER_MINUTE: '3' } }, world => {
  const door = () => watched(world().door)
  let other: TestClient
  before(async () => {
    other = await registerClient(world(), 'another-ats')
  })

  test('belong to a client, authenticated or not; the fourth is refused and another client is not', async () => {
    assert.equal((await requestToken(door(), grant)).status, 200)
    assertOauthError(await requestToken(door(), { grant_type: 'x' }), 400, 'unsupported_grant_type')
    assert.equal((await requestToken(door(), { token: 'x' }, { path: revokeEndpoint })).status, 200)
    for (const path of ['/api/iam/oauth2/token', revokeEndpoint]) {
      const refused = await requestToken(door(), { ...grant, token: 'x' }, { path })
      assertOauthError(refused, 429, 'temporarily_unavailable')
      assert.equal(refused.headers.get('retry-after'), '60')
      assert.deepEqual(limitOf(refused), { policy: 'token 3', left: 0 })
    }
    assert.equal((await requestToken(door(), grant, { client: other })).status, 200)
    const wrong = await requestToken(door(), grant, { client: { ...demoClient, secret: 'x' } })
    assertOauthError(wrong, 401, 'invalid_client')
    world().clock.advance(60_000)
    assert.equal((await requestToken(door(), grant)).status, 200)
  })
})

inDemoWorldInTurn(
  'two failures a minute for a client',
  { env: { RATE_LIMIT_AUTH_FAILURES_PER_CLIENT_PER_MINUTE: '2' } },
  world => {
    const door = () => watched(world().door)

    test('are counted down, the third is refused; the right secret works meanwhile, and so do other clients', async () => {
      const wrong = { ...demoClient, secret: 'wrong' }
      for (const left of [1, 0]) {
        const answer = await requestToken(door(), grant, { client: wrong })
        assertOauthError(answer, 401, 'invalid_client')
        assert.deepEqual(limitOf(answer), { policy: 'auth-failures-of-client 2', left })
      }
      for (const path of ['/api/iam/oauth2/token', revokeEndpoint]) {
        const refused = await requestToken(door(), { ...grant, token: 'x' }, { client: wrong, path })
        assertOauthError(refused, 429, 'temporarily_unavailable')
      }
      assert.equal((await requestToken(door(), grant)).status, 200, 'only failures are refused')
      const nobody = await requestToken(door(), grant, { client: { id: 'nobody', secret: 'x' } })
      assertOauthError(nobody, 401, 'invalid_client')
      world().clock.advance(60_000)
      assertOauthError(await requestToken(door(), grant, { client: wrong }), 401, 'invalid_client')
    })
  },
)

inDemoWorldInTurn(
  'three failures a minute for an address',
  { env: { RATE_LIMIT_AUTH_FAILURES_PER_ADDRESS_PER_MINUTE: '3' } },
  world => {
    const door = () => watched(world().door)

    test('are counted together, wherever they happen, and a right credential still works', async () => {
      const token = await grantedToken(world().door)
      const own = tokenOf(await requestToken(world().door, grant))
      const failures = [
        () => askPrefill(door(), 'dat_wrong'),
        () => complete(door(), token, unknownUuid, completion),
        () => requestToken(door(), grant, { client: { id: 'nobody', secret: 'x' } }),
      ]
      for (const fail of failures) assert.equal((await fail()).status, 401)
      for (const fail of failures) {
        const refused = await fail()
        assert.equal(refused.status, 429)
        assert.deepEqual(limitOf(refused), { policy: 'auth-failures 3', left: 0 })
      }
      const list = await door().send('GET', '/v1/advertiser/applications', {
        headers: { authorization: 'SWS wrong' },
      })
      assertProblem(door(), list, 429, 'rate-limited')
      assert.equal((await askPrefill(door(), token)).status, 200)
      assert.equal((await complete(door(), own, unknownUuid, completion)).status, 404)
      assert.equal((await requestToken(door(), grant)).status, 200)
    })
  },
)
