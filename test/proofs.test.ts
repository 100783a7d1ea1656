import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { RouteOptions } from 'fastify'
import { createTestDatabase, open, type TestDatabase } from './harness/database.ts'
import { createTestServer } from './harness/server.ts'
import type { Services } from './harness/services.ts'

/** Why a page that writes asks for no fresh proof. Everything else does. */
const asks = 'the page that asks for the proof'
const own = 'a person’s own entries, which they can change back'
const daily = 'daily work, which can be changed back and is on record'
const looks = 'changes nothing'
const leaving = 'gives up access, and gains none'
const unproved: Record<string, string> = {
  'POST /account/applications/:applicationId/documents': own,
  'POST /account/applications/:applicationId/withdraw': own,
  'POST /account/applications/drafts/discard': own,
  'POST /account/confirm': asks,
  'POST /account/notifications': own,
  'POST /account/profile/about': own,
  'POST /account/profile/country': own,
  'POST /account/profile/job': own,
  'POST /account/profile/skills': own,
  'POST /account/resumes/default': own,
  'POST /account/resumes/delete': own,
  'POST /account/resumes/upload': own,
  'POST /account/sharing/narrow': leaving,
  'POST /account/sharing/withdraw': leaving,
  'POST /account/sharing/end-keeping': leaving,
  'POST /agent/:agentId/clients/:clientId/logo': daily,
  'POST /agent/:agentId/people/leave': leaving,
  'POST /console/:advertiserId/applications/:applicationId': daily,
  'POST /console/:advertiserId/applications/:applicationId/hold': daily,
  'POST /console/:advertiserId/applications/selection': daily,
  'POST /console/:advertiserId/applications/answer-days': daily,
  'POST /console/:advertiserId/applications/take-back': daily,
  'POST /console/:advertiserId/applications/time-zone': daily,
  'POST /console/:advertiserId/jobs/:jobAdId': daily,
  'POST /console/:advertiserId/jobs/new': daily,
  'POST /console/:advertiserId/logo': daily,
  'POST /console/:advertiserId/notifications': daily,
  'POST /console/:advertiserId/people/leave': leaving,
  'POST /console/:advertiserId/screens/:screenId': daily,
  'POST /console/:advertiserId/screens/:screenId/preview': looks,
  'POST /console/:advertiserId/screens/new': daily,
  'POST /console/:advertiserId/telling': daily,
  'POST /console/:advertiserId/privacy': daily,
  'POST /jobs/:jobAdId/apply': own,
  'POST /jobs/:jobAdId/apply/draft': own,
}

/** Downloads of many people’s data, and forms whose code or challenge would expire while the person is asked. */
const provedReads = [
  'GET /account/security/two-step/app',
  'GET /account/security/two-step/passkey',
  'GET /console/:advertiserId/applications.csv',
]

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

/** Of each act, where an address has several. */
const needsOf = (proof: string | object) => (typeof proof === 'string' ? [proof] : Object.values(proof))
const isOfSession = ({ config }: RouteOptions) =>
  config?.errors === 'page' && config.auth !== 'public' && config.auth !== undefined
const verbsOf = ({ method }: RouteOptions) => [method].flat().filter(verb => verb !== 'HEAD')

test('every page route that writes asks for a fresh proof, or is listed with the reason why not', () => {
  const writing = routes
    .filter(route => isOfSession(route) && verbsOf(route).includes('POST'))
    .map(({ url, config }) => ({ route: `POST ${url}`, isFresh: config?.proof !== undefined }))
  const without = writing.filter(({ isFresh }) => !isFresh).map(({ route }) => route)
  assert.deepEqual(without.toSorted(), Object.keys(unproved).toSorted())
})

test('everything that an operator changes asks for a fresh proof', () => {
  for (const { url, method, config } of routes) {
    // The link of an invitation is a proof itself.
    if (url.startsWith('/operator') && url !== '/operator/join' && [method].flat().includes('POST'))
      assert.ok(config?.proof === 'fresh' || config?.proof === 'sign-in', url)
  }
})

test('of what is only read, these ask for a fresh proof', () => {
  const reading = routes.filter(
    route => route.config?.proof !== undefined && !verbsOf(route).includes('POST'),
  )
  const found = new Set(reading.flatMap(route => verbsOf(route).map(verb => `${verb} ${route.url}`)))
  assert.deepEqual([...found].toSorted(), provedReads)
})

test('what changes how a person signs in takes a second factor as well', () => {
  const found = routes.flatMap(({ url, method, config }) =>
    config?.proof === undefined || needsOf(config.proof).every(need => need === 'fresh')
      ? []
      : [[`${[method].flat()[0]} ${url}`, config.proof]],
  )
  assert.deepEqual(Object.fromEntries(found), {
    'POST /account/data/delete': 'factor',
    'POST /account/security': { password: 'factor', email: 'factor', 'unlink-provider': 'sign-in' },
    'POST /account/security/two-step': {
      'remove-app': 'removal',
      'remove-passkey': 'removal',
      'rename-passkey': 'sign-in',
      'renew-codes': 'sign-in',
    },
    'GET /account/security/two-step/app': 'sign-in',
    'POST /account/security/two-step/app': 'sign-in',
    'POST /operator/lookup/reset-factor': 'sign-in',
    'GET /account/security/two-step/passkey': 'sign-in',
    'POST /account/security/two-step/passkey': 'sign-in',
  })
})
