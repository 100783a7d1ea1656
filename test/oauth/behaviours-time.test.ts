import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../harness/http.ts'
import {
  assertOauthError,
  Browser,
  demoClient,
  doorInto,
  isAlive,
  isSignInPage,
  prefill,
  redeem,
  requestToken,
  tokenOf,
} from '../harness/oauth.ts'
import { registerClient } from './registering.ts'
import { dayMs, secondMs } from './world.ts'
import { inDemoWorldInTurn } from './world-in-turn.ts'

inDemoWorldInTurn('lifetimes', (world, { door }) => {
  const signedIn = () => Browser.signedIn(door)

  test('B16 a code lives 300 seconds, and an expired one is an invalid_grant', async () => {
    const browser = await signedIn()
    const [early, late] = [await browser.code(), await browser.code()]
    world().clock.advance(300 * secondMs - 1)
    tokenOf(await redeem(door, early))
    world().clock.advance(1)
    assertOauthError(await redeem(door, late), 400, 'invalid_grant')
  })

  test('B16 an expired code gets the same response as an unknown one', async () => {
    const code = await (await signedIn()).code()
    world().clock.advance(300 * secondMs)
    const [expired, unknown] = [await redeem(door, code), await redeem(door, 'dac_unknown')]
    assert.deepEqual([expired.status, expired.text], [unknown.status, unknown.text])
  })

  test('B30 a replay revokes even when the code has expired meanwhile', async () => {
    const code = await (await signedIn()).code()
    const token = tokenOf(await redeem(door, code))
    world().clock.advance(301 * secondMs)
    assert.equal(await isAlive(door, token), true)
    assertOauthError(await redeem(door, code), 400, 'invalid_grant')
    assert.equal(await isAlive(door, token), false)
  })

  test('B39 a token lives 1200 seconds, then 401 invalid_token', async () => {
    const token = tokenOf(await redeem(door, await (await signedIn()).code()))
    const { resume, complete } = (await prefill(door, token)).json()
    const { pathname } = new URL(resume.link)
    const download = () => door.send('GET', pathname, { headers: { authorization: `Bearer ${token}` } })
    world().clock.advance(1200 * secondMs - 1)
    assert.equal(await isAlive(door, token), true)
    assert.equal((await download()).status, 200)
    world().clock.advance(1)
    for (const answer of [await prefill(door, token), await download()]) {
      assert.equal(answer.status, 401)
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer .*error="invalid_token"/)
    }
    assert.match(complete, /\/v2\/applications\/[\w-]+\/complete$/)
  })

  test("B39 a client's and an agent's token expire too", async () => {
    const own = tokenOf(await requestToken(door, { grant_type: 'client_credentials' }))
    const fields = { grant_type: 'client_credentials', scope: 'r_applications', advertiser_id: '10000001' }
    const agents = tokenOf(await requestToken(door, fields))
    const list = () =>
      door.send('GET', '/v1/advertiser/applications', { headers: { authorization: `SWS ${agents}` } })
    const complete = () =>
      door.send('POST', '/v2/applications/00000000-0000-4000-8000-000000000000/complete', {
        headers: { authorization: `Bearer ${own}`, 'content-type': 'application/json' },
        body: JSON.stringify({ completionDate: '2026-11-14T00:00:00Z' }),
      })
    assert.deepEqual([(await list()).status, (await complete()).status], [200, 404])
    world().clock.advance(1200 * secondMs)
    assert.deepEqual([(await list()).status, (await complete()).status], [401, 401])
  })

  test('B14 a sign-in ends after 14 days', async () => {
    const browser = await signedIn()
    await browser.code()
    world().clock.advance(14 * dayMs - secondMs)
    assert.equal((await browser.authorize()).status, 303)
    world().clock.advance(secondMs)
    assert.ok(isSignInPage(await browser.authorize()))
  })
})

inDemoWorldInTurn('settings of lifetimes', { env: { CODE_SECONDS: '2', TOKEN_SECONDS: '7' } }, world => {
  test('CODE_SECONDS and TOKEN_SECONDS', async () => {
    const browser = await Browser.signedIn(world().door)
    const answer = await redeem(world().door, await browser.code())
    assert.equal(answer.json().expires_in, 7)
    const late = await browser.code()
    world().clock.advance(2 * secondMs)
    assertOauthError(await redeem(world().door, late), 400, 'invalid_grant')
    world().clock.advance(5 * secondMs)
    assert.equal(await isAlive(world().door, tokenOf(answer)), false)
  })
})

function assertLimited(answer: Answer): void {
  assert.equal(answer.status, 429)
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d?$/)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  assert.match(answer.json().error, /^[a-z_]+$/)
}

inDemoWorldInTurn('guessing client secrets', world => {
  const grant_type = 'client_credentials'
  const from = (address: string) => doorInto(world().app, address)
  const guess = (address: string, id: string) =>
    requestToken(from(address), { grant_type }, { client: { id, secret: 'wrong' } })
  const nextMinute = () => world().clock.advance(60 * secondMs)

  test('B37 thirty failures a minute per client, from wherever they come', async () => {
    nextMinute()
    for (let count = 0; count < 30; count++) {
      assertOauthError(await guess(`192.0.2.${count}`, demoClient.id), 401, 'invalid_client')
    }
    assertLimited(await guess('192.0.2.100', demoClient.id))
    nextMinute()
    assertOauthError(await guess('192.0.2.100', demoClient.id), 401, 'invalid_client')
  })

  test('B37 the right secret still works while others guess', async () => {
    nextMinute()
    const other = await registerClient(world(), 'other-client')
    for (let count = 0; count < 40; count++) await guess('192.0.2.1', demoClient.id)
    assertLimited(await guess('192.0.2.1', demoClient.id))
    for (const address of ['192.0.2.1', '192.0.2.2']) {
      tokenOf(await requestToken(from(address), { grant_type }, { client: demoClient }))
    }
    tokenOf(await requestToken(from('192.0.2.2'), { grant_type }, { client: other }))
    assertOauthError(await guess('192.0.2.2', other.id), 401, 'invalid_client')
  })

  test('B37 sixty failures a minute per address, whichever clients they name', async () => {
    nextMinute()
    for (let count = 0; count < 60; count++) {
      assertOauthError(await guess('192.0.2.7', `guess-${count}`), 401, 'invalid_client')
    }
    assertLimited(await guess('192.0.2.7', 'guess-60'))
    assertLimited(await requestToken(from('192.0.2.7'), { grant_type }, { client: null }))
    assertOauthError(await guess('192.0.2.8', 'guess-60'), 401, 'invalid_client')
    tokenOf(await requestToken(from('192.0.2.7'), { grant_type }))
  })

  test('B37 successes do not count', async () => {
    nextMinute()
    for (let count = 0; count < 100; count++) {
      tokenOf(await requestToken(from('192.0.2.9'), { grant_type }))
    }
    assertOauthError(await guess('192.0.2.9', demoClient.id), 401, 'invalid_client')
  })

  test('B37 a bad code is no failed authentication', async () => {
    nextMinute()
    for (let count = 0; count < 70; count++) {
      assertOauthError(await redeem(from('192.0.2.10'), 'dac_unknown'), 400, 'invalid_grant')
    }
    assertOauthError(await guess('192.0.2.10', demoClient.id), 401, 'invalid_client')
  })

  test('B37 client names that are properties of objects are counted like others', async () => {
    nextMinute()
    for (let count = 0; count < 30; count++) {
      assertOauthError(await guess('192.0.2.11', '__proto__'), 401, 'invalid_client')
    }
    assertLimited(await guess('192.0.2.11', '__proto__'))
  })

  test('600 requests a minute per client on the token endpoint, even with the right secret', async () => {
    nextMinute()
    for (let count = 0; count < 600; count++) {
      const { status, headers } = await requestToken(from('192.0.2.12'), { grant_type: 'password' })
      assert.equal(status, 400)
      assert.match(headers.get('ratelimit') ?? '', /;r=\d+;t=\d+$/)
    }
    assertLimited(await requestToken(from('192.0.2.12'), { grant_type }))
  })
})
