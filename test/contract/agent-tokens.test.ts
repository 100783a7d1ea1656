import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Answer } from '../harness/http.ts'
import {
  assertOauthError,
  Browser,
  bearer,
  demoClient,
  isConsentPage,
  manyFailures,
  type Parameters,
  redeem,
  requestToken,
  revokeEndpoint,
  type TestClient,
  tokenOf,
} from '../harness/oauth.ts'
import { registerClient } from '../oauth/registering.ts'
import { secondMs } from '../oauth/world.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import { kinds, listPath, tree } from './reading.ts'
import {
  allow,
  askPrefill,
  assertProblem,
  grantedToken,
  harbourId,
  onHoldId,
  ownToken,
  southernId,
  watched,
} from './version2.ts'

const northwindId = 20000001

inDemoWorldInTurn("an agent's token", { env: manyFailures }, world => {
  const door = () => watched(world().door)
  const sws = (token: string, headers: Record<string, string> = {}) => ({
    headers: { authorization: `SWS ${token}`, ...headers },
  })
  const list = (token: string, query = '', headers?: Record<string, string>) =>
    door().send('GET', `${listPath}${query}`, sws(token, headers))
  const ask = (changes: Parameters = {}, client: TestClient = demoClient) =>
    requestToken(
      door(),
      {
        grant_type: 'client_credentials',
        scope: 'r_applications',
        advertiser_id: String(harbourId),
        ...changes,
      },
      { client, headers: { 'x-request-id': 'same' } },
    )
  const { agents, advertisers } = {
    agents: () => world().services.agents,
    advertisers: () => world().services.advertisers,
  }
  let token: string
  before(async () => {
    token = tokenOf(await ask())
  })

  test("an agent's client names only advertisers that authorise the agent, and what it got ends with that", async () => {
    const browser = await Browser.signedIn(world().door)
    const refused = await browser.authorize({ advertiser_id: String(southernId), state: 's' })
    const { searchParams } = new URL(refused.headers.get('location') ?? '')
    assert.equal(searchParams.get('error'), 'invalid_request')
    assert.equal(searchParams.get('state'), 's')
    const unbound = await grantedToken(world().door, { browser })
    assertProblem(
      world().door,
      await askPrefill(world().door, unbound, { advertiserId: southernId }),
      403,
      'agent-not-authorised',
    )

    const asked = { advertiser_id: String(harbourId) }
    const page = await browser.authorize(asked)
    assert.match(page.text, /Northwind ATS<\/bdi><\/strong> on behalf of <strong><bdi>Harbour Coffee/)
    const bound = await grantedToken(world().door, { browser, advertiserId: harbourId })
    const code = await browser.code(asked)
    assert.equal((await browser.authorize(asked)).status, 303, 'remembered')
    await agents().withdraw(harbourId, northwindId)
    assert.equal((await askPrefill(world().door, bound)).status, 401)
    assertProblem(world().door, await askPrefill(world().door, unbound), 403, 'agent-not-authorised')
    await agents().authorise(harbourId, northwindId)
    assertOauthError(await redeem(world().door, code), 400, 'invalid_grant')
    assert.equal((await askPrefill(world().door, bound)).status, 401, 'the old one stays revoked')
    assert.equal((await askPrefill(world().door, unbound)).status, 200)
    assert.ok(isConsentPage(await browser.authorize(asked)), 'it is asked for again')
    token = tokenOf(await ask())
  })

  test('lists what the advertiser itself would get, and names the agent', async () => {
    const own = (await list('sws_demo_harbour')).json().JobApplications
    const { AgentID, ...rest } = (await list(token)).json().JobApplications
    assert.equal(AgentID, northwindId)
    assert.equal(own.AgentID, null)
    assert.deepEqual({ ...rest, AgentID: null }, own)
    assert.ok(rest.JobApplicationsList.length > 0)
    assert.equal(rest.AdvertiserID, harbourId)
    const keys = Object.keys((await list(token, '?limit=1')).json().JobApplications)
    assert.deepEqual(keys, Object.keys(own))
  })

  test('its calls and refusals are counted, for the people of the agent', async () => {
    const { agentCalls } = world().services
    const before = (await agentCalls.lastDays(northwindId)).at(-1)
    assert.equal((await list(token, '?limit=nonsense')).status, 400)
    assert.equal(
      (await door().send('GET', '/v1/advertiser/applications/resume/999999', sws(token))).status,
      404,
    )
    await list('sws_demo_harbour')
    await agentCalls.flush()
    const after = (await agentCalls.lastDays(northwindId)).at(-1)
    assert.ok((after?.calls ?? 0) >= (before?.calls ?? 0) + 2)
    const codes = after?.refused.map(({ code }) => code)
    assert.deepEqual(codes, ['invalid-parameter', 'not-found'])
    const nora = await Browser.signedIn(world().door, 'nora@example.com')
    const { text } = await nora.get(`/agent/${northwindId}`)
    assert.match(text, /<a href="\/docs\/errors#not-found"><code>not-found<\/code><\/a>/)
    assert.doesNotMatch(text, /None yet/)
  })

  test('names the agent in XML, in the same place', async () => {
    const names = (answer: Answer) => tree(answer.text).children.map(({ name }) => name)
    const xml = { accept: 'application/xml' }
    const [mine, own] = [await list(token, '', xml), await list('sws_demo_harbour', '', xml)]
    assert.deepEqual(names(mine), names(own))
    const agent = tree(mine.text).children.find(({ name }) => name === 'AgentID')
    assert.deepEqual([agent?.text, agent?.attributes], [String(northwindId), {}])
    const nobody = tree(own.text).children.find(({ name }) => name === 'AgentID')
    assert.deepEqual(nobody?.attributes, { 'xsi:nil': 'true' })
  })

  test('is named on every page, and on an empty list', async () => {
    for (const query of ['?limit=2', '?afterid=9999999999999999999', '?include=primaryjobseekinginfo']) {
      assert.equal((await list(token, query)).json().JobApplications.AgentID, northwindId, query)
    }
  })

  test('downloads what the advertiser itself could', async () => {
    const { JobApplicationsList } = (await list(token)).json().JobApplications
    const found = new Set<string>()
    for (const { Attachments } of JobApplicationsList) {
      for (const { Href, Type } of Attachments) {
        const [mine, own] = [
          await door().send('GET', `/v1/${Href}`, sws(token)),
          await door().send('GET', `/${Href}`, sws('sws_demo_harbour')),
        ]
        assert.equal(mine.status, own.status, Href)
        assert.ok(mine.bytes.equals(own.bytes), Href)
        if (mine.status === 200) found.add(Type.toLowerCase())
      }
    }
    assert.deepEqual([...found].toSorted(), [...kinds].toSorted())
  })

  test('does not reach over to another advertiser', async () => {
    const theirs = (await list('sws_demo_southern')).json().JobApplications.JobApplicationsList
    const attachments = theirs.flatMap((each: { Attachments: { Href: string }[] }) => each.Attachments)
    assert.ok(attachments.length > 0)
    for (const { Href } of attachments) {
      const answer = await door().send('GET', `/v1/${Href}`, sws(token))
      assertProblem(door(), answer, 404, 'not-found')
    }
  })

  test('is limited like a credential, per client and not per token', async () => {
    const leftOf = (answer: Answer) =>
      Number(/^"v1";r=(\d+);t=\d+$/.exec(answer.headers.get('ratelimit') ?? '')?.[1])
    const first = await list(token, '?limit=1')
    assert.equal(first.headers.get('ratelimit-policy'), '"v1";q=6000;w=60')
    const second = await list(tokenOf(await ask()), '?limit=1')
    assert.equal(leftOf(second), leftOf(first) - 1)
  })

  test('its response is a token response like any other', async () => {
    const answer = await ask()
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const { access_token, ...rest } = answer.json()
    assert.deepEqual(rest, { token_type: 'bearer', expires_in: 1200 })
    assert.notEqual(access_token, token)
    assert.match(answer.headers.get('ratelimit-policy') ?? '', /^"token";q=600;w=60$/)
  })

  test('not authorised, unknown, on hold, and not an ID: the same refusal', async () => {
    await agents().authorise(onHoldId, northwindId)
    const ids = [
      southernId,
      99999999,
      onHoldId,
      0,
      -1,
      'abc',
      '1e7',
      '010000001',
      ' 10000001',
      "' or 1=1",
      '9'.repeat(30),
    ]
    const answers = []
    for (const id of ids) answers.push(await ask({ advertiser_id: String(id) }))
    for (const answer of answers) {
      assertOauthError(answer, 400, 'unauthorized_client')
      assert.equal(answer.text, answers[0]?.text)
      const names = [...answer.headers.keys()].filter(name => name !== 'date').toSorted()
      assert.deepEqual(
        names,
        [...(answers[0]?.headers.keys() ?? [])].filter(name => name !== 'date').toSorted(),
      )
    }
    await agents().withdraw(onHoldId, northwindId)
  })

  test('an advertiser without a scope is refused, with the remedy', async () => {
    for (const scope of [undefined, '']) {
      const answer = await ask({ scope })
      assertOauthError(answer, 400, 'invalid_scope')
      assert.match(answer.json().error_description, /needs scope=r_applications, w_progress or both/)
    }
    const other = await registerClient(world(), 'no-agent-here')
    assertOauthError(await ask({ scope: undefined }, other), 400, 'invalid_scope')
    tokenOf(await ask({ scope: undefined, advertiser_id: '' }))
  })

  test('without an advertiser the request is invalid', async () => {
    for (const changes of [{ advertiser_id: undefined }, { advertiser_id: '' }]) {
      assertOauthError(await ask(changes), 400, 'invalid_request')
    }
    assertOauthError(
      await ask({ advertiser_id: [String(harbourId), String(southernId)] }),
      400,
      'invalid_request',
    )
  })

  test('with both scopes it reads and reports, and with one only that', async () => {
    const entry = { applicationId: 9_007_199_254_740_991, state: 'viewed', at: '2026-11-14T00:00:00Z' }
    const report = (value: string) =>
      door().send('POST', '/v1/advertiser/progress', {
        headers: { ...sws(value).headers, 'content-type': 'application/json' },
        body: JSON.stringify({ entries: [entry] }),
      })
    const others = [
      listPath,
      '/v1/advertiser/applications/1',
      '/v1/advertiser/applications/1/answers',
      '/v1/advertiser/applications/resume/1',
      '/advertiser/applications/resume/1',
      '/v1/advertiser/events',
    ]
    await agents().setProgress(harbourId, northwindId, true)
    for (const scope of ['r_applications w_progress', 'w_progress r_applications']) {
      const both = tokenOf(await ask({ scope }))
      assert.equal((await list(both)).status, 200)
      assert.equal((await report(both)).status, 200)
    }
    const reads = await report(token)
    assertProblem(door(), reads, 401, 'invalid-credential')
    assert.equal(reads.headers.get('www-authenticate'), 'SWS realm="advertiser"')
    const reporter = tokenOf(await ask({ scope: 'w_progress' }))
    assert.equal((await report(reporter)).status, 200)
    for (const path of others)
      assertProblem(door(), await door().send('GET', path, sws(reporter)), 401, 'invalid-credential')
    assert.equal((await report('sws_demo_harbour')).status, 200)
    await agents().setProgress(harbourId, northwindId, false)
    assertProblem(door(), await report(reporter), 403, 'progress-not-granted')
  })

  test("a token for progress is given to a client with that scope alone, and ends with the agent's authorisation", async () => {
    const reader = await registerClient(world(), 'reads-only', {
      options: ['--agent', String(northwindId), '--scope', 'r_applications'],
    })
    tokenOf(await ask({}, reader))
    for (const scope of ['w_progress', 'r_applications w_progress'])
      assertOauthError(await ask({ scope }, reader), 400, 'invalid_scope')
    assertOauthError(await ask({ scope: 'w_progress', advertiser_id: '' }), 400, 'invalid_request')
    assertOauthError(
      await ask({ scope: 'w_progress', advertiser_id: String(southernId) }),
      400,
      'unauthorized_client',
    )
  })

  test("only an agent's client may request it, and no scope of another API with it", async () => {
    const noAgent = await registerClient(world(), 'no-agent')
    assertOauthError(await ask({}, noAgent), 400, 'invalid_scope')
    const withoutScope = await registerClient(world(), 'profile-only', {
      options: ['--agent', String(northwindId), '--scope', 'r_profile_apply'],
    })
    assertOauthError(await ask({}, withoutScope), 400, 'invalid_scope')
    for (const scope of [
      'r_profile_apply',
      'r_applications r_profile_apply',
      'R_APPLICATIONS',
      'r_applications x',
      'r_applications m_webhooks',
      'w_progress m_webhooks',
      'w_progress w_applications',
    ]) {
      assertOauthError(await ask({ scope }), 400, 'invalid_scope')
    }
    assertOauthError(await ask({}, { ...demoClient, secret: 'wrong' }), 401, 'invalid_client')
  })

  test('another agent needs its own authorisation', async () => {
    const { id } = await agents().add('Second Agency')
    const client = await registerClient(world(), 'second-agency', { options: ['--agent', String(id)] })
    assertOauthError(await ask({}, client), 400, 'unauthorized_client')
    await agents().authorise(harbourId, id)
    const theirs = tokenOf(await ask({}, client))
    assert.equal((await list(theirs)).json().JobApplications.AgentID, id)
    await agents().withdraw(harbourId, id)
    assert.equal((await list(theirs)).status, 403)
    assert.equal((await list(token)).status, 200, 'the first one is not concerned')
  })

  test('is refused as soon as the authorisation is withdrawn, and a new one does not revive it', async () => {
    const old = tokenOf(await ask())
    await agents().withdraw(harbourId, northwindId)
    for (const path of [
      listPath,
      `${listPath}?limit=1`,
      '/v1/advertiser/applications/resume/1',
      '/advertiser/applications/screen/1',
    ]) {
      const answer = await door().send('GET', path, sws(old))
      assertProblem(door(), answer, 403, 'agent-not-authorised')
    }
    assertOauthError(await ask(), 400, 'unauthorized_client')
    // In the same millisecond: the clock of this test stands still.
    await agents().authorise(harbourId, northwindId)
    assertProblem(door(), await list(old), 403, 'agent-not-authorised')
    world().clock.advance(-5 * secondMs)
    await agents().withdraw(harbourId, northwindId)
    await agents().authorise(harbourId, northwindId)
    assertProblem(door(), await list(old), 403, 'agent-not-authorised')
    world().clock.advance(5 * secondMs)
    assertProblem(door(), await list(token), 403, 'agent-not-authorised')
    token = tokenOf(await ask())
    assert.equal((await list(token)).status, 200)
    await agents().authorise(harbourId, northwindId)
    assert.equal((await list(token)).status, 200, 'to authorise twice takes nothing away')
  })

  test('an advertiser on hold refuses its agents too, and serves them again afterwards', async () => {
    await advertisers().setStatus(harbourId, 'hold')
    assertProblem(door(), await list(token), 403, 'advertiser-on-hold')
    assertOauthError(await ask(), 400, 'unauthorized_client')
    await advertisers().setStatus(harbourId, 'active')
    assert.equal((await list(token)).status, 200)
  })

  test('ends at its expiry, with its revocation and with its client', async () => {
    const revoked = tokenOf(await ask())
    await requestToken(door(), { token: revoked }, { path: revokeEndpoint })
    assertProblem(door(), await list(revoked), 401, 'invalid-credential')

    const timed = tokenOf(await ask())
    world().clock.advance(1200 * secondMs - 1)
    assert.equal((await list(timed)).status, 200)
    world().clock.advance(1)
    assertProblem(door(), await list(timed), 401, 'invalid-credential')

    const client = await registerClient(world(), 'to-be-disabled', {
      options: ['--agent', String(northwindId)],
    })
    const theirs = tokenOf(await ask({}, client))
    assert.equal((await list(theirs)).status, 200)
    await world().services.clients.disable(client.id)
    assertProblem(door(), await list(theirs), 401, 'invalid-credential')
    token = tokenOf(await ask())
  })

  test('no token of another family is accepted, in either direction', async () => {
    const browser = new Browser(world().door)
    const granted = await grantedToken(world().door, { browser })
    const code = await allow(browser)
    for (const value of [
      granted,
      await ownToken(world().door),
      code,
      browser.session ?? '',
      demoClient.secret,
    ]) {
      assertProblem(door(), await list(value), 401, 'invalid-credential')
    }
    const asBearer = await door().send('GET', listPath, { headers: bearer(token) })
    assertProblem(door(), asBearer, 401, 'invalid-credential')
    for (const value of [token, code, browser.session ?? '', 'sws_demo_harbour']) {
      const answer = await door().send('POST', '/v2/applications/prefilled', {
        headers: { ...bearer(value), 'content-type': 'application/json' },
        body: '{}',
      })
      assertProblem(door(), answer, 401, 'invalid-token')
    }
  })
})
