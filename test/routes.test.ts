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
import { createAdminServer, createPublicServer, type Services } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createTestDatabase, open, type TestDatabase } from './harness/database.ts'
import { createTestServer, serverOptions } from './harness/server.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Whoever adds a public route adds it here, and says in the review why nobody has to say who they are. */
const publicRoutes = [
  'GET /',
  'GET /health/live',
  'GET /health/ready',
  'GET /openapi.json',
  'GET /problems/:code',
]

let database: TestDatabase
let services: Services
let routes: RouteOptions[]
before(async () => {
  database = await createTestDatabase('sqlite')
  services = await open(database.settings)
  const server = await createTestServer(services, database.settings)
  routes = server.routes
  await server.app.close()
})
after(async () => {
  await services.close()
  await database.remove()
})

const ledger = () =>
  routes.flatMap(({ method, url, config }) =>
    [method].flat().map(verb => ({ route: `${verb} ${url}`, auth: config?.auth })),
  )

test('every route declares its authentication, and the public ones are these', () => {
  assert.deepEqual(
    ledger().filter(({ auth }) => auth !== 'public' && auth !== 'sws'),
    [],
  )
  const found = ledger().filter(({ auth }) => auth === 'public')
  assert.deepEqual(found.map(({ route }) => route).toSorted(), publicRoutes)
})

test('everything of version 1, and nothing else, asks for an SWS credential before anything else', () => {
  for (const { url, config, onRequest } of routes) {
    const isVersion1 = /^(\/v1)?\/advertiser\//.test(url)
    assert.equal(config?.auth, isVersion1 ? 'sws' : 'public', url)
    assert.equal(onRequest !== undefined, isVersion1, url)
  }
})

test('a route that does not say who may call it cannot be served', async () => {
  const options = {
    ...serverOptions(),
    async beforeRoutes(app: FastifyInstance) {
      app.route({ method: 'GET', url: '/secret', handler: async () => 'secret' })
    },
  }
  await assert.rejects(
    createPublicServer(readConfig(database.settings), services, options),
    /GET \/secret does not declare its authentication/,
  )
})

test('the admin port has the metrics and nothing else', async () => {
  const { app } = await createAdminServer(readConfig(database.settings), serverOptions())
  await app.ready()
  assert.equal(app.printRoutes({ commonPrefix: false }), '└── /metrics (GET)\n')
  for (const url of ['/health/live', '/v1/advertiser/applications', '/']) {
    assert.equal((await app.inject({ url })).statusCode, 404, url)
  }
  await app.close()
})

test('the document describes every route, and every path that it describes is one', async () => {
  const document: { paths: Record<string, Record<string, { security: unknown[] }>> } = JSON.parse(
    await readFile(join(root, 'spec/openapi.json'), 'utf8'),
  )
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { security }]) => ({
      route: `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
      auth: security.length === 0 ? 'public' : 'sws',
    })),
  )
  // HEAD is GET without the body and not told twice.
  const served = ledger().filter(({ route }) => !route.startsWith('HEAD '))
  const byRoute = (a: { route: string }, b: { route: string }) => (a.route < b.route ? -1 : 1)
  assert.deepEqual(documented.toSorted(byRoute), served.toSorted(byRoute))
})

test('whatever can be read with GET can be asked for with HEAD on version 1', () => {
  for (const { method, url, config } of routes) {
    if (config?.auth === 'sws') assert.deepEqual([method].flat(), ['GET', 'HEAD'], url)
  }
})

test('the document is valid by the judgement of others', async () => {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [join(root, 'node_modules/@redocly/cli/bin/cli.js'), 'lint', '--extends=minimal', 'spec/openapi.json'],
    {
      cwd: root,
      // It would ask for its own updates and tell about its use; a test talks to nobody.
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
