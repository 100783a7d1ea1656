import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { generatedFiles } from '../scripts/generated-files.ts'
import { createAdminServer } from '../src/assembly/admin-server.ts'
import { createPublicServer } from '../src/assembly/servers.ts'
import type { Role } from '../src/model/principal.ts'
import type { AuthKind } from '../src/platform/http/auth/callers.ts'
import { readConfig } from '../src/settings.ts'
import { createTestDatabase, open, type TestDatabase } from './harness/database.ts'
import { publicRoutes } from './harness/public-routes.ts'
import { createTestServer, serverOptions } from './harness/server.ts'
import { appOf, type Services } from './harness/services.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The demo's own, for people who look around: none of it exists outside demo mode. */
const demoRoutes = [
  'GET /assets/:hash/northwind.css',
  'GET /assets/:hash/northwind.svg',
  'GET /demo',
  'GET /demo/application',
  'GET /demo/callback',
  'GET /demo/events',
  'GET /demo/outbox',
  'GET /demo/outbox/:mailId',
  // With a mail server, which the demo has: codes from emails.
  'GET /sign-in/email/code',
  'POST /demo/apply',
  'POST /demo/hooks',
  'POST /demo/hooks/broken',
  'POST /demo/submit',
  'POST /sign-in/email',
  'POST /sign-in/email/code',
]

const version2Routes: Record<string, AuthKind> = {
  'GET /v2/events': 'client-token',
  'GET /v2/resumes/:resumeId': 'profile-token',
  'POST /v2/applications/:applicationId/complete': 'client-token',
  'POST /v2/applications/prefilled': 'profile-token',
  'POST /v2/progress': 'client-token',
}

/** Pages of an advertiser, each with its minimum role: a recruiter's are an admin's too. */
const consoleRoutes: Record<string, Role> = {
  'GET /console/:advertiserId': 'recruiter',
  'GET /console/:advertiserId/access': 'admin',
  'GET /console/:advertiserId/access/agents/:agentId/progress': 'admin',
  'GET /console/:advertiserId/access/agents/:agentId/withdraw': 'admin',
  'GET /console/:advertiserId/access/credentials/:credentialId/revoke': 'admin',
  'GET /console/:advertiserId/access/new-agent': 'admin',
  'GET /console/:advertiserId/applications/answer-days': 'admin',
  'GET /console/:advertiserId/applications/time-zone': 'admin',
  'GET /console/:advertiserId/jobs/versions.csv': 'admin',
  'POST /console/:advertiserId/applications/:applicationId': 'recruiter',
  'POST /console/:advertiserId/applications/selection': 'recruiter',
  'POST /console/:advertiserId/applications/selection/files.zip': 'recruiter',
  'POST /console/:advertiserId/applications/answer-days': 'admin',
  'POST /console/:advertiserId/applications/take-back': 'recruiter',
  'POST /console/:advertiserId/applications/time-zone': 'admin',
  'GET /console/:advertiserId/access/new-credential': 'admin',
  'GET /console/:advertiserId/audit': 'admin',
  'POST /console/:advertiserId/audit/export': 'admin',
  'GET /console/:advertiserId/logo': 'admin',
  'POST /console/:advertiserId/logo': 'admin',
  'GET /console/:advertiserId/privacy': 'admin',
  'POST /console/:advertiserId/privacy': 'admin',
  'GET /console/:advertiserId/telling': 'admin',
  'POST /console/:advertiserId/telling': 'admin',
  'GET /console/:advertiserId/retention': 'admin',
  'POST /console/:advertiserId/retention': 'admin',
  'POST /console/:advertiserId/retention/keep': 'admin',
  'GET /console/:advertiserId/applications/:applicationId/hold': 'admin',
  'POST /console/:advertiserId/applications/:applicationId/hold': 'admin',
  'POST /console/:advertiserId/access/agents/:agentId/progress': 'admin',
  'POST /console/:advertiserId/access/agents/:agentId/withdraw': 'admin',
  'POST /console/:advertiserId/access/credentials/:credentialId/revoke': 'admin',
  'POST /console/:advertiserId/access/new-agent': 'admin',
  'POST /console/:advertiserId/access/new-credential': 'admin',
  'GET /console/:advertiserId/ads': 'recruiter',
  'GET /console/:advertiserId/ads/:jobAdId': 'recruiter',
  'GET /console/:advertiserId/applications': 'recruiter',
  'GET /console/:advertiserId/applications.csv': 'recruiter',
  'GET /console/:advertiserId/applications/:applicationId': 'recruiter',
  'GET /console/:advertiserId/applications/:applicationId/files.zip': 'recruiter',
  'GET /console/:advertiserId/applications/:applicationId/files/:type': 'recruiter',
  'GET /console/:advertiserId/applications/:applicationId/files/:type/text': 'recruiter',
  'GET /console/:advertiserId/notifications': 'recruiter',
  'POST /console/:advertiserId/notifications': 'recruiter',
  'GET /console/:advertiserId/people': 'recruiter',
  'GET /console/:advertiserId/people/:personId/remove': 'admin',
  'GET /console/:advertiserId/people/leave': 'recruiter',
  'GET /console/:advertiserId/events': 'admin',
  'GET /console/:advertiserId/events/endpoints/:endpointId': 'admin',
  'GET /console/:advertiserId/events/endpoints/:endpointId/remove': 'admin',
  'GET /console/:advertiserId/events/endpoints/:endpointId/rotate': 'admin',
  'GET /console/:advertiserId/events/log': 'admin',
  'GET /console/:advertiserId/events/new-endpoint': 'admin',
  'POST /console/:advertiserId/events/endpoints/:endpointId': 'admin',
  'POST /console/:advertiserId/events/endpoints/:endpointId/remove': 'admin',
  'POST /console/:advertiserId/events/endpoints/:endpointId/rotate': 'admin',
  'POST /console/:advertiserId/events/new-endpoint': 'admin',
  'GET /console/:advertiserId/jobs': 'admin',
  'GET /console/:advertiserId/jobs/:jobAdId': 'admin',
  'GET /console/:advertiserId/jobs/new': 'admin',
  'POST /console/:advertiserId/jobs/:jobAdId': 'admin',
  'POST /console/:advertiserId/jobs/new': 'admin',
  'GET /console/:advertiserId/screens': 'admin',
  'GET /console/:advertiserId/screens/:screenId': 'admin',
  'GET /console/:advertiserId/screens/:screenId/preview': 'admin',
  'GET /console/:advertiserId/screens/new': 'admin',
  'POST /console/:advertiserId/screens/:screenId': 'admin',
  'POST /console/:advertiserId/screens/:screenId/preview': 'admin',
  'POST /console/:advertiserId/screens/new': 'admin',
  'POST /console/:advertiserId/people': 'admin',
  'POST /console/:advertiserId/people/:personId/remove': 'admin',
  'POST /console/:advertiserId/people/leave': 'recruiter',
}

const postingRoutes = (path: string) => [
  `GET ${path}`,
  `GET ${path}/:id`,
  `POST ${path}`,
  `POST ${path}/:id/close`,
  `POST ${path}/:id/open`,
  `PUT ${path}/:id`,
]
const intakeRoutes = [
  'POST /v1/intake/applications',
  'GET /v1/intake/applications/:id',
  ...postingRoutes('/v1/intake/job-ads'),
  ...postingRoutes('/v1/intake/screens'),
].toSorted()

const agentRoutes = [
  'DELETE /v1/agent/webhooks/:webhookId',
  'DELETE /v1/agent/webhooks/:webhookId/replays/:replayId',
  'GET /v1/agent/advertisers',
  'GET /v1/agent/webhooks',
  'GET /v1/agent/webhooks/:webhookId',
  'PATCH /v1/agent/webhooks/:webhookId',
  'POST /v1/agent/webhooks',
  ...['pause', 'replay', 'resend', 'resume', 'retire', 'rotate', 'test'].map(
    act => `POST /v1/agent/webhooks/:webhookId/${act}`,
  ),
].toSorted()

/** How the document names the permitted callers; the token endpoints check the client themselves. */
const securityOf: Record<AuthKind, string | readonly string[] | undefined> = {
  public: undefined,
  sws: 'sws',
  'profile-token': 'bearer',
  'client-token': 'bearer',
  'intake-token': 'bearer',
  'progress-token': 'sws',
  'agent-token': 'bearer',
  'webhook-token': ['bearer', 'sws'],
  session: undefined,
  console: undefined,
  operator: undefined,
  agent: undefined,
}
const clientRoutes = ['POST /api/iam/oauth2/revoke', 'POST /api/iam/oauth2/token']

let database: TestDatabase
let services: Services
let routes: RouteOptions[]
before(async () => {
  database = await createTestDatabase('sqlite', 'empty')
  services = await open(database.settings)
  const server = await createTestServer(services, database.settings)
  routes = server.routes
  await server.app.close()
})
after(async () => {
  await services.close()
  await database.remove()
})

interface Entry {
  route: string
  auth: AuthKind | undefined
  role: Role | undefined
  isHidden: boolean
}

/** HEAD follows GET everywhere (a test below), so it is not listed. */
const ledgerOf = (of: readonly RouteOptions[]): Entry[] =>
  of.flatMap(({ method, url, config, schema }) =>
    [method]
      .flat()
      .filter(verb => verb !== 'HEAD')
      .map(verb => ({
        route: `${verb} ${url.replace(/^\/assets\/[0-9a-f]{12}\//, '/assets/:hash/')}`,
        auth: config?.auth,
        role: config?.role,
        isHidden: schema?.hide === true,
      })),
  )
const ledger = () => ledgerOf(routes)
const routesWith = (kind: AuthKind | undefined) => ledger().filter(({ auth }) => auth === kind)
const names = (entries: readonly Entry[]) => entries.map(({ route }) => route).toSorted()

test('every route declares its authentication, and the public ones are these', () => {
  assert.deepEqual(routesWith(undefined), [])
  assert.deepEqual(names(routesWith('public')), publicRoutes)
})

test('demo mode adds these pages, all public, and nothing else', async () => {
  const ofDemo: RouteOptions[] = []
  const { app } = await createPublicServer(readConfig(database.settings), appOf(services), {
    ...serverOptions(),
    isDemo: true,
    async beforeRoutes(instance) {
      instance.addHook('onRoute', route => {
        ofDemo.push(route)
      })
    },
  })
  await app.close()
  const ordinary = new Set(names(ledger()))
  const added = ledgerOf(ofDemo).filter(({ route }) => !ordinary.has(route))
  assert.deepEqual(names(added), demoRoutes)
  assert.equal(ledgerOf(ofDemo).length, ledger().length + added.length)
  for (const { route, auth, isHidden } of added) assert.deepEqual([auth, isHidden], ['public', true], route)
})

test('everything of version 1, and nothing else, asks for an SWS credential', () => {
  for (const { url, config } of routes) {
    const isOfVersion1 = config?.auth === 'sws' || config?.auth === 'progress-token'
    assert.equal(isOfVersion1, /^(\/v1)?\/advertiser\//.test(url), url)
  }
})

test("everything of version 2 asks for a bearer token, either the candidate's or the client's own", () => {
  const found = ledger().filter(({ route }) => / \/v2\//.test(route))
  assert.deepEqual(Object.fromEntries(found.map(({ route, auth }) => [route, auth])), version2Routes)
  const bearers = [...routesWith('profile-token'), ...routesWith('client-token')]
  assert.deepEqual(names(bearers), Object.keys(version2Routes).toSorted())
})

test('the webhook endpoints and the advertisers of an agent, and nothing else, ask for the token of an agent', () => {
  const found = ledger().filter(({ route }) => / \/v1\/agent\//.test(route))
  assert.deepEqual(names(found), agentRoutes)
  const doors = [...routesWith('webhook-token'), ...routesWith('agent-token')]
  assert.deepEqual(names(doors), agentRoutes)
})

test('everything of intake, and nothing else, asks for the token of a job board', () => {
  const found = ledger().filter(({ route }) => / \/v1\/intake\//.test(route))
  assert.deepEqual(names(found), intakeRoutes)
  assert.deepEqual(names(routesWith('intake-token')), intakeRoutes)
})

test('every page of the account, the form to apply and the list of workplaces, and nothing else, ask for a session', () => {
  for (const { url, config } of routes) {
    const isTheirs =
      /^\/account(\/|$)|^\/jobs\/:jobAdId\/apply(\/draft)?$|^\/console$|^\/operator\/join\/accept$/.test(url)
    assert.equal(config?.auth === 'session', isTheirs, url)
  }
})

test('every page of an advertiser, and nothing else, asks for its members, each in the role of the list', () => {
  const found = ledger().filter(({ route }) => / \/console\/./.test(route))
  assert.deepEqual(Object.fromEntries(found.map(({ route, role }) => [route, role])), consoleRoutes)
  assert.deepEqual(names(routesWith('console')), Object.keys(consoleRoutes).toSorted())
  for (const { route, auth, role } of ledger()) if (auth !== 'console') assert.equal(role, undefined, route)
  for (const route of Object.keys(consoleRoutes)) assert.match(route, / \/console\/:advertiserId(\/|$)/)
})

test('callers are authenticated before anything else', () => {
  for (const { url, config, onRequest } of routes) {
    assert.equal(onRequest !== undefined, config?.auth !== 'public', url)
  }
})

test('a parameter that no text column can store is not found, on every path', async () => {
  const { app } = await createPublicServer(readConfig(database.settings), appOf(services), {
    ...serverOptions(),
    async beforeRoutes(instance) {
      // Callers are not authenticated, so that every path is reached.
      instance.addHook('onRoute', route => {
        route.onRequest = []
      })
    },
  })
  const withParameter = routes.filter(({ url }) => url.includes(':'))
  assert.ok(withParameter.length > 40, String(withParameter.length))
  const types = {
    json: 'application/json',
    form: 'application/x-www-form-urlencoded',
    upload: 'multipart/form-data',
  }
  for (const { method, url, config } of withParameter) {
    const headers = config?.body === undefined ? {} : { 'content-type': types[config.body] }
    for (const verb of [method].flat() as 'GET'[]) {
      const { statusCode } = await app.inject({ method: verb, url: url.replace(/:\w+/g, 'a%00b'), headers })
      assert.equal(statusCode, 404, `${verb} ${url}`)
    }
  }
  await app.close()
})

test('pages and assets are hidden from the document; endpoints for programs are not', () => {
  for (const { method, url, config, schema } of routes) {
    const isForPeople =
      config?.errors === 'page' ||
      url.startsWith('/assets/') ||
      /^\/(robots\.txt|sitemap\.xml|docs\/sdk\/:file)$/.test(url)
    // Clients send the browser there, so they have to know it.
    const isEntrance = method !== 'POST' && url === '/api/iam/oauth2/authorize'
    assert.equal(schema?.hide === true, isForPeople && !isEntrance, `${method} ${url}`)
  }
})

test('a route that does not declare its callers cannot be served', async () => {
  const options = {
    ...serverOptions(),
    async beforeRoutes(app: FastifyInstance) {
      app.route({ method: 'GET', url: '/secret', handler: async () => 'secret' })
    },
  }
  await assert.rejects(
    createPublicServer(readConfig(database.settings), appOf(services), options),
    /GET \/secret does not declare its authentication/,
  )
})

test('the admin port has the metrics and nothing else', async () => {
  const { app } = await createAdminServer(readConfig(database.settings), serverOptions())
  await app.ready()
  assert.equal(app.printRoutes({ commonPrefix: false }), '└── /metrics (GET, HEAD)\n')
  for (const url of ['/health/live', '/v1/advertiser/applications', '/']) {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    const { statusCode, headers } = await app.inject({ url, headers: { accept } })
    assert.deepEqual([statusCode, headers['content-type']], [404, 'text/plain; charset=utf-8'])
  }
  await app.close()
})

test('the document describes every route that is not hidden, and every path in it exists', async () => {
  const document: {
    paths: Record<string, Record<string, { security: Record<string, unknown>[] }>>
    components: { securitySchemes: Record<string, { type: string; scheme?: string }> }
  } = JSON.parse(await readFile(join(root, 'spec/openapi.json'), 'utf8'))
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { security }]) => ({
      route: `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
      security: security.flatMap(each => Object.keys(each)),
    })),
  )
  const served = ledger().filter(({ isHidden }) => !isHidden)
  const expected = served.map(({ route, auth }) => {
    const scheme = clientRoutes.includes(route) ? 'client' : securityOf[auth as AuthKind]
    return { route, security: scheme === undefined ? [] : [scheme].flat() }
  })
  const byRoute = (a: { route: string }, b: { route: string }) => (a.route < b.route ? -1 : 1)
  assert.deepEqual(documented.toSorted(byRoute), expected.toSorted(byRoute))
  const schemes = Object.entries(document.components.securitySchemes)
  assert.deepEqual(Object.fromEntries(schemes.map(([name, { type, scheme }]) => [name, [type, scheme]])), {
    sws: ['apiKey', undefined],
    bearer: ['http', 'bearer'],
    client: ['http', 'basic'],
  })
})

test('an operation is named once', async () => {
  const { paths }: { paths: Record<string, Record<string, { operationId: string; tags: string[] }>> } =
    JSON.parse(await readFile(join(root, 'spec/openapi.json'), 'utf8'))
  const operations = Object.values(paths).flatMap(path => Object.values(path))
  const ids = operations.map(({ operationId }) => operationId)
  assert.deepEqual(ids.toSorted(), [...new Set(ids)].toSorted())
  const tags = new Set(operations.flatMap(operation => operation.tags))
  assert.deepEqual([...tags].toSorted(), [
    'Authorization',
    'Intake',
    'Service',
    'Version 1',
    'Version 2',
    'Webhooks',
  ])
})

test('every GET route also takes HEAD, from the same callers', () => {
  const of = (verb: string) =>
    routes
      .filter(({ method }) => [method].flat().includes(verb))
      .map(({ url, config }) => `${url} ${config?.auth}`)
      .toSorted()
  assert.deepEqual(of('HEAD'), of('GET'))
})

test('the document is valid according to third-party validators', async () => {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [join(root, 'node_modules/@redocly/cli/bin/cli.js'), 'lint', '--extends=minimal', 'spec/openapi.json'],
    {
      cwd: root,
      // It would ask for its own updates and report its use; a test contacts no other host.
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' },
    },
  )
  assert.match(stdout + stderr, /Your API description is valid/)
})

test('every generated file is what the code makes of it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dossier-generated-'))
  try {
    for (const [path, text] of Object.entries(await generatedFiles(folder))) {
      assert.equal(await readFile(join(root, path), 'utf8'), text, `${path}: run "npm run generate"`)
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})
