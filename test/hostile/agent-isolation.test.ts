import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { before, test } from 'node:test'
import type { RouteOptions } from 'fastify'
import { demoAgents, noraId, raeId, rexId, tomId } from '../../src/demo/world/world.ts'
import type { AgentRole } from '../../src/model/principal.ts'
import { sampleForms } from '../contract/held-form-samples.ts'
import type { Answer } from '../harness/http.ts'
import { joinAgent } from '../harness/memberships.ts'
import { Browser, mary, tom } from '../harness/oauth.ts'
import { everyRow } from '../harness/person.ts'
import { createTestServer } from '../harness/server.ts'
import { inDemoWorld } from '../oauth/world.ts'

interface AgentRoute {
  method: string
  url: string
  role: string | undefined
}

/** The sender has the page open that shows another person's change, so it says more than "not found". */
const tellsOfAChange = ['POST /agent/:agentId/people/:personId/remove']

/** Pages of an agent, each with its minimum role: a reader's are an admin's too. */
const agentPages: Record<string, AgentRole> = {
  'GET /agent/:agentId': 'reader',
  'GET /agent/:agentId/clients': 'reader',
  'GET /agent/:agentId/clients/:clientId': 'reader',
  'POST /agent/:agentId/clients/:clientId': 'admin',
  'POST /agent/:agentId/clients/:clientId/logo': 'admin',
  'GET /agent/:agentId/webhooks': 'admin',
  'GET /agent/:agentId/webhooks/new-endpoint': 'admin',
  'POST /agent/:agentId/webhooks/new-endpoint': 'admin',
  'GET /agent/:agentId/webhooks/endpoints/:webhookId': 'admin',
  'POST /agent/:agentId/webhooks/endpoints/:webhookId': 'admin',
  'GET /agent/:agentId/webhooks/endpoints/:webhookId/rotate': 'admin',
  'POST /agent/:agentId/webhooks/endpoints/:webhookId/rotate': 'admin',
  'GET /agent/:agentId/webhooks/endpoints/:webhookId/remove': 'admin',
  'POST /agent/:agentId/webhooks/endpoints/:webhookId/remove': 'admin',
  'GET /agent/:agentId/people': 'reader',
  'GET /agent/:agentId/people/:personId/remove': 'admin',
  'GET /agent/:agentId/people/leave': 'reader',
  'POST /agent/:agentId/people': 'admin',
  'POST /agent/:agentId/people/:personId/remove': 'admin',
  'POST /agent/:agentId/people/leave': 'reader',
}

const [{ id: northwind }] = demoAgents
const nameOf = ({ method, url }: AgentRoute) => `${method} ${url}`
const hasObject = ({ url }: AgentRoute) => /:(?!agentId)/.test(url)

inDemoWorld('pages of an agent, requested by people without access', { on: ['sqlite'] }, world => {
  let routes: AgentRoute[]
  let objects: Record<string, string>
  let other: number
  const browsers: Record<'admin' | 'reader' | 'stranger' | 'company' | 'candidate', Browser> = {} as never

  before(async () => {
    const { services } = world()
    const { app, routes: all } = await createTestServer(services, world().settings)
    await app.close()
    routes = all
      .filter(({ url, config }) => url.startsWith('/agent/') || config?.auth === 'agent')
      .filter(({ method }) => method !== 'HEAD')
      .map(({ method, url, config }: RouteOptions) => ({
        method: [method].flat()[0] as string,
        url,
        role: config?.agentRole,
      }))
    other = (await services.agents.add('Other agent')).id
    await joinAgent(services.database, tomId, 'admin', other)
    await joinAgent(services.database, rexId, 'reader')
    const fields = { types: ['application.created'], description: '', scheme: 'v1' as const }
    const { endpoint } = await services.webhooks.add(
      { agentId: northwind },
      { url: 'https://receiver.example/hook', ...fields },
    )
    objects = { personId: noraId, clientId: 'demo-ats', webhookId: endpoint.id }
    for (const [who, email] of Object.entries({
      admin: 'nora@example.com',
      reader: 'rex@example.com',
      stranger: tom,
      company: 'rae@example.com',
      candidate: mary,
    })) {
      const browser = await Browser.signedIn(world().door, email)
      browsers[who as keyof typeof browsers] = browser
    }
  })

  const pathOf = ({ url }: AgentRoute, agentId: number) =>
    url.replaceAll(/:(\w+)/g, (_, name) =>
      name === 'agentId' ? String(agentId) : (objects[name] ?? assert.fail(`${url}: :${name}`)),
    )

  /** With a token that is valid for this address in this session. */
  function ask(who: Browser, route: AgentRoute, agentId: number): Promise<Answer> {
    const path = pathOf(route, agentId)
    if (route.method !== 'POST') return who.get(path)
    const sample = sampleForms[route.url] ?? assert.fail(`${route.url} is not in held-form-samples.ts`)
    const form_token = createHmac('sha256', who.session ?? '')
      .update(JSON.stringify(['held form', path]))
      .digest('base64url')
    const entries = Object.entries({ ...sample.fields, form_token })
    if (sample.files === undefined) return who.post(path, entries)
    const parts = entries.map(([name, content]) => ({ name, content }))
    return who.upload(path, parts)
  }

  /** The page must contain nothing of Northwind's, and no row may have changed. */
  async function refused(
    who: Browser,
    of: readonly AgentRoute[],
    agentId: number,
    expected: (route: AgentRoute) => number,
  ): Promise<void> {
    await world().services.background.whenIdle()
    const rows = await everyRow(world().services)
    assert.ok(of.length > 0)
    for (const route of of) {
      const answer = await ask(who, route, agentId)
      assert.equal(answer.status, expected(route), `${nameOf(route)}: ${answer.text}`)
      assert.doesNotMatch(answer.text, /Northwind|Nora/, nameOf(route))
    }
    assert.deepEqual(await everyRow(world().services), rows)
  }

  test('every page of an agent, and nothing else, asks for its people, each in the role of the list', () => {
    const found = routes.map(route => [nameOf(route), route.role])
    assert.deepEqual(Object.fromEntries(found), agentPages)
  })

  test('its admin sees them: the refusals below have no other reason', async () => {
    for (const route of routes.filter(({ method }) => method === 'GET')) {
      const { status, text } = await ask(browsers.admin, route, northwind)
      assert.equal(status, 200, `${nameOf(route)}: ${text}`)
    }
  })

  for (const who of ['stranger', 'company', 'candidate'] as const)
    test(`${who}: there is no such page`, () => refused(browsers[who], routes, northwind, () => 404))

  test('a visitor who is not signed in: asked to sign in', () =>
    refused(new Browser(world().door), routes, northwind, () => 303))

  test('an agent that does not exist, or has an odd ID', async () => {
    for (const id of ['99999999', '0', '-1', '2e7', '020000001', 'null', '%00'])
      for (const who of [browsers.admin, browsers.stranger])
        assert.equal((await who.get(`/agent/${id}`)).status, 404, id)
  })

  test('Northwind’s objects under the ID of the stranger’s own agent: not found', () =>
    refused(browsers.stranger, routes.filter(hasObject), other, route =>
      tellsOfAChange.includes(nameOf(route)) ? 409 : 404,
    ))

  test('a person of an agent opens no company’s page', async () => {
    for (const path of ['', '/people', '/applications'])
      assert.equal((await browsers.admin.get(`/console/10000001${path}`)).status, 404)
  })

  test('a reader: the pages for admins are refused, those for readers are shown', async () => {
    const rows = await everyRow(world().services)
    for (const route of routes.filter(({ role }) => role === 'admin')) {
      const answer = await ask(browsers.reader, route, northwind)
      assert.equal(answer.status, 403, nameOf(route))
      assert.match(answer.text, /admin/i)
    }
    assert.deepEqual(await everyRow(world().services), rows)
    for (const route of routes.filter(({ role, method }) => role === 'reader' && method === 'GET'))
      assert.equal((await ask(browsers.reader, route, northwind)).status, 200, nameOf(route))
  })

  test('a former person of the agent sees none', async () => {
    const leave = routes.find(({ method, url }) => method === 'POST' && url.endsWith('/leave'))
    assert.equal((await ask(browsers.reader, leave as AgentRoute, northwind)).status, 303)
    // The first page of the console, which a recruiter of one company does not see, leads on to the company.
    assert.equal((await browsers.reader.get('/console')).status, 303)
    await refused(browsers.reader, routes, northwind, () => 404)
  })

  test('an admin may send every form: none was refused above because of its fields', async () => {
    const forms = routes.filter(({ method, url }) => method === 'POST' && !url.endsWith('/leave'))
    for (const route of forms) {
      const { status, text } = await ask(browsers.admin, route, northwind)
      assert.ok([200, 303, 409, 422].includes(status), `${nameOf(route)}: ${status} ${text}`)
    }
    assert.equal((await world().services.agentMembers.find(northwind, noraId))?.role, 'admin')
    assert.equal(await world().services.agentMembers.find(northwind, raeId), undefined)
  })
})
