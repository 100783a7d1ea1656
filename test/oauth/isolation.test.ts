import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type Answer, southern } from '../harness/http.ts'
import {
  assertOauthError,
  Browser,
  bearer,
  demoClient,
  doorOf,
  isSignInPage,
  manyFailures,
  mary,
  prefill,
  redeem,
  requestToken,
  type TestClient,
  tokenOf,
  tom,
} from '../harness/oauth.ts'
import { onBothEngines, type Service } from '../harness/service.ts'
import { mustOperate, registerClient } from './registering.ts'

const listPath = '/v1/advertiser/applications'

onBothEngines('who may see what', { env: manyFailures }, service => {
  describe('two candidates', () => twoCandidates(service))
  describe('families of credentials', () => familiesOfCredentials(service))
  describe('agents', () => agents(service))
})

function twoCandidates(service: () => Service): void {
  const door = () => doorOf(service())
  let marys: string
  let toms: string
  let otherClients: string

  before(async () => {
    const other = await registerClient(service(), 'other-client')
    const tokenFor = async (email: string, client: TestClient) => {
      const browser = await Browser.signedIn(door(), email)
      return tokenOf(await redeem(door(), await browser.code({}, client), {}, client))
    }
    marys = await tokenFor(mary, demoClient)
    toms = await tokenFor(tom, demoClient)
    otherClients = await tokenFor(mary, other)
  })

  const download = (link: string, token: string, headers = {}) =>
    door().send('GET', new URL(link).pathname, { headers: { ...bearer(token), ...headers } })

  test('a prefill returns the candidate who consented, whatever the body says', async () => {
    const intruding = { candidateId: 'x', emailAddress: mary, grantId: 'x', email: mary }
    const [forMary, forTom] = [await prefill(door(), marys), await prefill(door(), toms, intruding)]
    assert.equal(forMary.json().applicantInfo.emailAddress, mary)
    assert.equal(forTom.json().applicantInfo.emailAddress, tom)
    assert.equal(forTom.json().resume, null)
    assert.notEqual(forMary.json().id, forTom.json().id)
    assert.doesNotMatch(forTom.text, /Mary|Nguyen|0491 570 006/)
  })

  test("another candidate's resume gets the same response as an unknown one", async () => {
    const { link } = (await prefill(door(), marys)).json().resume
    const unknown = link.replace(/[^/]+$/, '3f2a8f5e-0000-4000-8000-000000000000')
    assert.equal((await download(link, marys)).status, 200)
    const same = { 'x-request-id': 'isolation' }
    const [theirs, nobodys] = [await download(link, toms, same), await download(unknown, toms, same)]
    assert.equal(theirs.status, 404)
    assert.deepEqual([theirs.status, theirs.text], [nobodys.status, nobodys.text])
    for (const headers of [{ 'if-none-match': '*' }, { range: 'bytes=0-1' }]) {
      assert.equal((await download(link, toms, headers)).status, 404)
    }
  })

  test("another client's resume link of the same candidate is not valid here, and looks different", async () => {
    const ours = (await prefill(door(), marys)).json().resume.link
    const theirs = (await prefill(door(), otherClients)).json().resume.link
    assert.notEqual(ours, theirs)
    assert.equal((await download(ours, otherClients)).status, 404)
    assert.equal((await download(theirs, marys)).status, 404)
    assert.equal((await download(theirs, otherClients)).status, 200)
  })

  test('invalid resume identifiers', async () => {
    for (const id of ['x', '0', '__proto__', '..', '%00', '%2e%2e', "'", 'x'.repeat(500), '%ff']) {
      const answer = await door().send('GET', `/v2/resumes/${id}`, { headers: bearer(marys) })
      assert.ok(answer.status === 404 || answer.status === 400, `${id}: ${answer.status}`)
    }
  })

  test("a completion of another client's application: 404", async () => {
    const { complete } = (await prefill(door(), marys)).json()
    const other = await registerClient(service(), 'completing-client')
    const fields = { grant_type: 'client_credentials' }
    const send = async (client: TestClient) =>
      door().send('POST', new URL(complete).pathname, {
        headers: {
          ...bearer(tokenOf(await requestToken(door(), fields, { client }))),
          'content-type': 'application/json',
        },
        body: '{"completionDate":"2026-11-14T00:00:00Z"}',
      })
    assert.equal((await send(other)).status, 404)
    assert.equal((await send(demoClient)).status, 204)
  })

  test('a token bound to one advertiser cannot prefill for another', async () => {
    const browser = await Browser.signedIn(door())
    const client = await registerClient(service(), 'bound-client')
    const code = await browser.code({ advertiser_id: '10000002' }, client)
    const bound = tokenOf(await redeem(door(), code, {}, client))
    const body = { applicationFormUrl: 'https://ats.example.com/apply/2' }
    for (const advertiserId of ['10000001', 10000001]) {
      const answer = await prefill(door(), bound, { ...body, advertiserId })
      assert.equal(answer.status, 403)
      assert.equal(answer.json().code, 'token-of-another-advertiser')
    }
    assert.equal((await prefill(door(), bound, { ...body, advertiserId: '10000002' })).status, 200)
    for (const advertiserId of ['10000003', '99999999']) {
      assert.ok([403, 422].includes((await prefill(door(), bound, { ...body, advertiserId })).status))
    }
  })
}

function familiesOfCredentials(service: () => Service): void {
  const door = () => doorOf(service())
  /** One of each family, valid. */
  let credentials: Record<string, string>
  let resumePath: string
  let completePath: string

  before(async () => {
    const browser = new Browser(door())
    const profile = tokenOf(await redeem(door(), await browser.code()))
    const { resume, complete } = (await prefill(door(), profile)).json()
    resumePath = new URL(resume.link).pathname
    completePath = new URL(complete).pathname
    const grant_type = 'client_credentials'
    const agent = { grant_type, scope: 'r_applications', advertiser_id: '10000001' }
    credentials = {
      'SWS credential': await mustOperate(service(), 'credential', 'issue', '10000001'),
      'profile token': profile,
      'client token': tokenOf(await requestToken(door(), { grant_type })),
      'agent token': tokenOf(await requestToken(door(), agent)),
      'session id': browser.session ?? '',
      code: await browser.code(),
      'client secret': demoClient.secret,
      'client id': demoClient.id,
      password: 'demo-password',
    }
  })

  type Ask = (credential: string) => Promise<Answer>
  const json = { 'content-type': 'application/json' }
  const formUrl = 'https://ats.example.com/apply'

  /** Each endpoint, called with a credential in its place, and the families it admits. */
  const doors: [name: string, ask: Ask, opensTo: string[], isOpen: (answer: Answer) => boolean][] = [
    [
      'version 1',
      value => door().send('GET', listPath, { headers: { authorization: `SWS ${value}` } }),
      ['SWS credential', 'agent token'],
      ({ status }) => status === 200,
    ],
    [
      'version 1 as Bearer',
      value => door().send('GET', listPath, { headers: bearer(value) }),
      [],
      ({ status }) => status === 200,
    ],
    [
      'prefill',
      value => prefill(door(), value, { applicationFormUrl: formUrl }),
      ['profile token'],
      ({ status }) => status === 200,
    ],
    [
      'prefill as SWS',
      value => prefill(door(), value, { applicationFormUrl: formUrl }, { authorization: `SWS ${value}` }),
      [],
      ({ status }) => status === 200,
    ],
    [
      'resume',
      value => door().send('GET', resumePath, { headers: bearer(value) }),
      ['profile token'],
      ({ status }) => status === 200,
    ],
    [
      'completion',
      value =>
        door().send('POST', completePath, {
          headers: { ...bearer(value), ...json },
          body: '{"completionDate":"2026-11-14T00:00:00Z"}',
        }),
      ['client token'],
      ({ status }) => status === 204,
    ],
    [
      'the account pages',
      value => door().send('GET', '/account', { headers: { cookie: `dossier-session=${value}` } }),
      ['session id'],
      answer => answer.status === 200 && !isSignInPage(answer),
    ],
    [
      'the account pages as Bearer',
      value => door().send('GET', '/account', { headers: bearer(value) }),
      [],
      answer => answer.status === 200 && !isSignInPage(answer),
    ],
    [
      'the token endpoint, as secret',
      value =>
        requestToken(
          door(),
          { grant_type: 'client_credentials' },
          { client: { id: demoClient.id, secret: value } },
        ),
      ['client secret'],
      ({ status }) => status === 200,
    ],
    ['the token endpoint, as code', value => redeem(door(), value), ['code'], ({ status }) => status === 200],
  ]

  for (const [name, ask, opensTo, isOpen] of doors) {
    test(`${name} opens to ${opensTo.join(' and ') || 'no caller'}`, async () => {
      for (const [family, value] of Object.entries(credentials)) {
        assert.ok(value.length > 0, family)
        const answer = await ask(value)
        const what = `${family}: ${answer.status} ${answer.text.slice(0, 200)}`
        assert.equal(isOpen(answer), opensTo.includes(family), what)
        if (!isOpen(answer)) assert.ok([303, 400, 401].includes(answer.status), what)
      }
    })
  }
}

function agents(service: () => Service): void {
  const door = () => doorOf(service())
  const grant_type = 'client_credentials'
  const agentFields = { grant_type, scope: 'r_applications', advertiser_id: '10000001' }
  const list = (token: string) =>
    door().send('GET', `${listPath}?limit=1000`, { headers: { authorization: `SWS ${token}` } })

  test('a token with r_applications opens version 1 for exactly that advertiser, with AgentID', async () => {
    const token = tokenOf(await requestToken(door(), agentFields))
    const answer = await list(token)
    assert.equal(answer.status, 200)
    const { AdvertiserID, AgentID, JobApplicationsList } = answer.json().JobApplications
    assert.deepEqual([AdvertiserID, AgentID], [10000001, 20000001])
    assert.ok(JobApplicationsList.length > 0)
    const theirs = await door().send('GET', listPath, { headers: southern })
    const [foreign] = theirs.json().JobApplications.JobApplicationsList
    const headers = { authorization: `SWS ${token}` }
    const download = await door().send('GET', `/v1/advertiser/applications/resume/${foreign.ID}`, {
      headers,
    })
    assert.equal(download.status, 404)
    const own = JobApplicationsList.find(({ Attachments }: { Attachments: { Type: string }[] }) =>
      Attachments.some(({ Type }) => Type === 'resume'),
    )
    const ownDownload = await door().send('GET', `/v1/advertiser/applications/resume/${own.ID}`, {
      headers,
    })
    assert.equal(ownDownload.status, 200)
    const xml = await door().send('GET', listPath, { headers: { ...headers, accept: 'application/xml' } })
    assert.match(xml.text, /<AgentID>20000001<\/AgentID>/)
  })

  test('it is revoked at once when the agent is withdrawn, and a new authorisation does not revive it', async () => {
    const token = tokenOf(await requestToken(door(), agentFields))
    assert.equal((await list(token)).status, 200)
    await mustOperate(service(), 'agent', 'withdraw', '20000001', '10000001')
    const refused = await list(token)
    assert.equal(refused.status, 403)
    assert.equal(refused.json().code, 'agent-not-authorised')
    assertOauthError(await requestToken(door(), agentFields), 400, 'unauthorized_client')
    await mustOperate(service(), 'agent', 'authorise', '20000001', '10000001')
    assert.equal((await list(token)).status, 403)
    assert.equal((await list(tokenOf(await requestToken(door(), agentFields)))).status, 200)
  })

  test('it is refused while the advertiser is on hold', async () => {
    const token = tokenOf(await requestToken(door(), agentFields))
    await mustOperate(service(), 'advertiser', 'hold', '10000001')
    try {
      assert.equal((await list(token)).status, 403)
      assertOauthError(await requestToken(door(), agentFields), 400, 'unauthorized_client')
    } finally {
      await mustOperate(service(), 'advertiser', 'activate', '10000001')
    }
    assert.equal((await list(token)).status, 200)
  })

  test('everything of a client is revoked at once when it is disabled', async () => {
    const options = ['--agent', '20000001']
    const client = await registerClient(service(), 'short-lived', { options })
    const browser = new Browser(door())
    const agents = tokenOf(await requestToken(door(), agentFields, { client }))
    const own = tokenOf(await requestToken(door(), { grant_type }, { client }))
    const profile = tokenOf(await redeem(door(), await browser.code({}, client), {}, client))
    const { complete, resume } = (await prefill(door(), profile)).json()
    const asks: (() => Promise<Answer>)[] = [
      () => list(agents),
      () => prefill(door(), profile),
      () => door().send('GET', new URL(resume.link).pathname, { headers: bearer(profile) }),
      () =>
        door().send('POST', new URL(complete).pathname, {
          headers: { ...bearer(own), 'content-type': 'application/json' },
          body: '{"completionDate":"2026-11-14T00:00:00Z"}',
        }),
    ]
    const statuses = async () => Promise.all(asks.map(async ask => (await ask()).status))
    assert.deepEqual(await statuses(), [200, 200, 200, 204])
    // Rotating the secret revokes nothing.
    await mustOperate(service(), 'client', 'rotate', client.id, '--only')
    assert.deepEqual(await statuses(), [200, 200, 200, 204])
    await mustOperate(service(), 'client', 'disable', client.id)
    assert.deepEqual(await statuses(), [401, 401, 401, 401])
  })
}
