import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { before, test } from 'node:test'
import { demoAgents, harbourId } from '../../src/demo/world/world.ts'
import type { AuthKind } from '../../src/platform/http/auth/callers.ts'
import { useSecondFactor } from '../harness/account.ts'
import { some } from '../harness/effort.ts'
import { harbour } from '../harness/http.ts'
import { demoBoard } from '../harness/intake.ts'
import {
  Browser,
  bearer,
  demoClient,
  manyFailures,
  mary,
  redeem,
  requestToken,
  tokenOf,
} from '../harness/oauth.ts'
import { oneEngine } from '../harness/one-engine.ts'
import { everyRow } from '../harness/person.ts'
import { createTestServer } from '../harness/server.ts'
import { inDemoWorld } from '../oauth/world.ts'

interface Door {
  method: string
  url: string
  auth: AuthKind
}

/** What stands for the parameters of an address; nothing is looked up before the caller is known. */
const objects: Record<string, string> = { advertiserId: String(harbourId), agentId: String(demoAgents[0].id) }

/** Everyone who can call, and the doors that are theirs. The first are those that no other suite of isolation knows. */
const callers = [
  ['operator', ['operator', 'session']],
  ['person of an agent', ['agent', 'session']],
  ['token of an agent', ['webhook-token', 'agent-token', 'client-token']],
  ['admin of a company', ['console', 'session']],
  ['candidate', ['session']],
  ['credential', ['sws', 'progress-token']],
  ['token of a job board', ['intake-token']],
  ['token of a candidate’s profile', ['profile-token']],
  ['visitor', []],
] as const

inDemoWorld(
  'every kind of caller at every door that is not theirs',
  { env: manyFailures, on: oneEngine },
  world => {
    let doors: Door[]
    const headers: Record<string, Record<string, string>> = {}
    const browsers: Record<string, Browser> = {}

    before(async () => {
      const { services, door } = world()
      const { app, routes } = await createTestServer(services, world().settings)
      await app.close()
      doors = routes.flatMap(({ method, url, config }) =>
        [method]
          .flat()
          .filter(verb => verb !== 'HEAD' && config?.auth !== undefined && config.auth !== 'public')
          .map(verb => ({ method: verb, url, auth: config?.auth as AuthKind })),
      )
      for (const [who, email] of Object.entries({
        operator: 'omar@example.com',
        'person of an agent': 'nora@example.com',
        'admin of a company': 'rae@example.com',
        candidate: mary,
      })) {
        browsers[who] = new Browser(door)
        await browsers[who].signIn(email)
      }
      await useSecondFactor(services.database)
      const ofClient = { grant_type: 'client_credentials' }
      const tokenFor = async (scope: string, client: { id: string; secret: string }) =>
        bearer(tokenOf(await requestToken(door, { ...ofClient, scope }, { client })))
      headers['token of an agent'] = await tokenFor('m_webhooks', demoClient)
      headers['token of a job board'] = await tokenFor('w_applications', demoBoard)
      headers['token of a candidate’s profile'] = bearer(
        tokenOf(await redeem(door, await new Browser(door).code())),
      )
      headers['credential'] = harbour
    })

    async function knock(who: string, { method, url }: Door) {
      const path = url.replaceAll(/:(\w+)/g, (_, name) => objects[name] ?? '1')
      const browser = browsers[who] ?? new Browser(world().door)
      if (method === 'GET') return browser.get(path, headers[who])
      const token = createHmac('sha256', browser.session ?? '')
        .update(JSON.stringify(['held form', path]))
        .digest('base64url')
      if (method === 'POST') return browser.post(path, [['form_token', token]], headers[who])
      return browser.send(method, path, { headers: headers[who] ?? {} })
    }

    /** Refused calls are counted, and the use of a credential that lacks a right is noted. */
    const rowsNow = async () =>
      (await everyRow(world().services))
        .filter(row => !/^(rate_counts|agent_call_days) /.test(row))
        .map(row => row.replace(/^(sws_credentials .*"last_used_at":)\w+/, '$1'))

    test('every door has its callers', () => {
      const known = new Set<string>(callers.flatMap(([, own]) => own))
      assert.deepEqual(
        [...new Set(doors.map(({ auth }) => auth))].filter(auth => !known.has(auth)),
        [],
      )
    })

    for (const [who, own] of some(3, callers)) {
      test(`${who}: refused, and nothing changes`, async () => {
        const others = doors.filter(({ auth }) => !(own as readonly string[]).includes(auth))
        assert.ok(others.length > 20)
        await world().services.background.whenIdle()
        const rows = await rowsNow()
        for (const door of others) {
          const { status, headers: answered } = await knock(who, door)
          const asksToSignIn = status === 303 && answered.get('location')?.startsWith('/sign-in?')
          assert.ok([401, 403, 404].includes(status) || asksToSignIn, `${door.method} ${door.url}: ${status}`)
        }
        await world().services.background.whenIdle()
        assert.deepEqual(await rowsNow(), rows)
      })
    }
  },
)
