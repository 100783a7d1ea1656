import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { demoAdvertisers, demoCandidates, demoClients } from '../../src/demo/world/world.ts'
import { hashSecret, newSecret } from '../../src/platform/core/secrets.ts'
import { scopes } from '../../src/share/protocol/scopes.ts'
import { withDemo } from '../harness/database.ts'
import { byPassword } from '../harness/proof.ts'
import { createTestServer } from '../harness/server.ts'
import { newSubmission } from './scene.ts'
import { type Stores, storesOver } from './stores.ts'

/** Differs between two equal responses. */
const changing = new Set(['date', 'ratelimit'])

interface Caller {
  candidateId: string
  clientId: string
  session: string
  profileToken: string
  clientToken: string
}

withDemo('every route that names shared data', (services, settings) => {
  let app: FastifyInstance
  let routes: RouteOptions[]
  let stores: Stores
  let owner: Caller
  let stranger: Caller
  const named: Record<string, string> = {}
  before(async () => {
    stores = storesOver(services().database)
    ;({ app, routes } = await createTestServer(services(), settings()))
    const [client, advertiser] = [demoClients[0], demoAdvertisers[0]]
    const [mary, tom] = demoCandidates
    assert.ok(client && advertiser && mary && tom)
    const other = { id: 'other-client', name: 'Other', agentId: null, requirePkce: false, redirectUris: [] }
    await stores.clients.add({ ...other, scopes: [scopes.profile] }, 'hash', 1)
    owner = await enter(mary.id, client.id)
    stranger = await enter(tom.id, other.id)

    const answer = await app.inject({
      method: 'POST',
      url: '/v2/applications/prefilled',
      headers: { authorization: `Bearer ${owner.profileToken}` },
      payload: { advertiserId: String(advertiser.id), applicationFormUrl: 'https://client.example/form' },
    })
    assert.equal(answer.statusCode, 200, answer.body)
    const released = await services().database.reader.selectFrom('released_resumes').selectAll().execute()
    const [prefilled] = await stores.history.applications(mary.id, 1)
    const [resume] = await stores.candidates.listResumes(mary.id)
    const content = Readable.from([Buffer.from('Mary')])
    await services().profiles.addResume(mary.id, { name: 'mary.txt', content })
    const text = (await stores.candidates.listResumes(mary.id)).find(
      ({ fileName }) => fileName === 'mary.txt',
    )
    const ad = { advertiserId: advertiser.id, jobAdId: 31 }
    const submission = newSubmission(ad, 'a form')
    const application = { ...submission.application, files: [] }
    const form = { ...submission, application, resumeId: text?.id }
    const sent = await stores.ownApplications.send(mary.id, form, 1)
    assert.ok(released[0] && prefilled && resume && text && sent.kind === 'sent')
    Object.assign(named, {
      'GET /account/applications/:applicationId': String(sent.applicationId),
      'GET /account/applications/:applicationId/files/:type': String(sent.applicationId),
      'GET /account/applications/:applicationId/files/:type/text': String(sent.applicationId),
      'GET /account/resumes/:resumeId': resume.id,
      'GET /account/resumes/file/:resumeId': resume.id,
      'GET /account/resumes/file/:resumeId/text': text.id,
      'GET /v2/resumes/:resumeId': released[0].id,
      'HEAD /v2/resumes/:resumeId': released[0].id,
      'POST /v2/applications/:applicationId/complete': prefilled.id,
    })
  })
  after(() => app.close())

  /** Signed in, and with one token of each kind. */
  async function enter(candidateId: string, clientId: string): Promise<Caller> {
    const now = services().clock()
    const times = { issuedAt: now, expiresAt: now + 600_000 }
    const [session, profileToken, clientToken] = [
      newSecret('session'),
      newSecret('token'),
      newSecret('token'),
    ]
    const { passwordHash } = (await stores.accounts.find(candidateId)) ?? assert.fail()
    await stores.sessions.add(candidateId, passwordHash, {
      hash: hashSecret(session),
      sessionId: randomUUID(),
      browser: 'Firefox',
      ...byPassword,
      createdAt: now,
      expiresAt: times.expiresAt,
    })
    const code = { hash: randomUUID(), redirectUri: '', scope: scopes.profile, challenge: null, ...times }
    const decision = {
      grantId: randomUUID(),
      scope: scopes.profile,
      released: 63,
      filled: 63,
      decidedAt: now,
      resumeId: (await stores.candidates.listResumes(candidateId))[0]?.id ?? null,
    }
    await stores.oauth.recordConsent({ candidateId, clientId, advertiserId: null }, decision, code)
    const [secretHash = ''] = (await stores.clients.find(clientId))?.secretHashes ?? []
    const holder = { clientId, secretHash, redirectUri: '', challenge: '' }
    await stores.oauth.redeem(code.hash, holder, { hash: hashSecret(profileToken), ...times }, 3)
    await stores.oauth.issueClientToken(clientId, { hash: hashSecret(clientToken), ...times })
    return { candidateId, clientId, session, profileToken, clientToken }
  }

  async function ask(route: string, id: string, caller: Caller) {
    const [method, url = ''] = route.split(' ')
    const token = method === 'POST' ? caller.clientToken : caller.profileToken
    const answer = await app.inject({
      method: method as 'GET',
      url: url.replace(':type', 'resume').replace(/:\w+/, id),
      headers: {
        'x-request-id': 'same',
        ...(url.startsWith('/v2/')
          ? { authorization: `Bearer ${token}` }
          : { cookie: `dossier-session=${caller.session}` }),
      },
      ...(method === 'POST' ? { payload: { completionDate: '2026-01-05T10:00:00Z' } } : {}),
    })
    const kept = Object.entries(answer.headers).filter(([name]) => !changing.has(name))
    return { status: answer.statusCode, body: answer.body, headers: Object.fromEntries(kept) }
  }

  test('is tested', () => {
    // The form of an ad is public; routes of job boards are in test/contract/job-ads.test.ts and similar files. Routes
    // of the console, of agents and of operators are in test/hostile. The form that withdraws is in own-side.test.ts;
    // replacing a file, in isolation.test.ts.
    const others = [
      'public',
      'sws',
      'intake-token',
      'webhook-token',
      'agent-token',
      'console',
      'agent',
      'operator',
    ]
    const found = routes
      .filter(({ url, config }) => url.includes('/:') && !others.includes(config?.auth ?? ''))
      .filter(
        ({ url }) =>
          !url.startsWith('/jobs/:jobAdId/apply') && !/:applicationId\/(documents|withdraw)$/.test(url),
      )
      .flatMap(({ method, url }) => [method].flat().map(verb => `${verb} ${url}`))
    const withoutAutomaticHead = found.filter(route => !route.startsWith('HEAD /account/'))
    assert.deepEqual([...new Set(withoutAutomaticHead)].toSorted(), Object.keys(named).toSorted())
  })

  test("answers others exactly as for an unknown ID: 404, and the owner's success", async () => {
    for (const [route, id] of Object.entries(named)) {
      const unknown = await ask(route, randomUUID(), stranger)
      assert.equal(unknown.status, 404, route)
      assert.deepEqual(await ask(route, id, stranger), unknown, route)
      const { status } = await ask(route, id, owner)
      assert.ok([200, 204].includes(status), `${route}: ${status}`)
    }
  })
})
