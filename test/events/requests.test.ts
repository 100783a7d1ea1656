import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createPublicServer } from '../../src/assembly/servers.ts'
import { readConfig } from '../../src/settings.ts'
import { startHere } from '../harness/command.ts'
import { createTestDatabase, open, silentLog, type TestDatabase } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { type Answer, send } from '../harness/http.ts'
import { doorOf, requestToken, tokenOf } from '../harness/oauth.ts'
import { oneEngine } from '../harness/one-engine.ts'
import { until } from '../harness/polling.ts'
import { RawClient } from '../harness/raw-client.ts'
import { serverOptions } from '../harness/server.ts'
import { appOf, openServices, type Services } from '../harness/services.ts'
import { type ServingHere, startServingHere } from '../harness/serving.ts'
import { addTenant, draftOf, type Tenant } from '../harness/tenant.ts'

const path = '/v1/advertiser/events'

for (const engine of oneEngine) {
  describe(`requests that wait [${engine}]`, () => {
    let database: TestDatabase
    let serving: ServingHere
    /** Another process, as far as the service can tell. */
    let operator: Services
    let tenant: Tenant
    before(async () => {
      database = await createTestDatabase(engine, 'empty')
      operator = await open(database.settings)
      await operator.schema.migrate()
      serving = await startServingHere(database)
    })
    after(async () => {
      await serving?.stop()
      await operator?.close()
      await database?.remove()
    })

    const get = (search: string, value: string): Promise<Answer> =>
      send(serving.baseUrl, `${path}${search}`, 'GET', { headers: { authorization: `SWS ${value}` } })
    const apply = () => operator.submissions.add(tenant.advertiserId, draftOf(1))

    async function figure(name: string): Promise<number> {
      const { text } = await send(serving.adminUrl, '/metrics', 'GET', {})
      return Number(
        text
          .split('\n')
          .find(line => line.startsWith(`${name} `))
          ?.split(' ')[1],
      )
    }
    const untilWaiting = (count: number) =>
      until(async () => (await figure('dossier_event_waiters')) === count)

    /** The answer to a request that waited while this happened, and then something else. */
    async function whileWaiting(value: string, act: () => Promise<unknown>): Promise<Answer> {
      const { cursor } = (await get('', value)).json()
      const answer = get(`?cursor=${cursor}&wait=50`, value)
      await untilWaiting(1)
      await act()
      return answer
    }

    test('are answered with an event of another process, and counted', async () => {
      tenant = await addTenant(operator)
      const answer = await whileWaiting(tenant.credential, apply)
      assert.equal(answer.json().events.length, 1)
      assert.equal(await figure('dossier_event_wake_seconds_count'), 1)
      assert.equal(await figure('dossier_event_waiters'), 0)
      const { text } = await send(serving.adminUrl, '/metrics', 'GET', {})
      assert.match(text, /^dossier_event_hints_total\{from="(notify|look)"\} [1-9]/m)
    })

    test('with a credential that was revoked meanwhile get 401, and no event', async () => {
      tenant = await addTenant(operator)
      const answer = await whileWaiting(tenant.credential, async () => {
        await operator.credentials.revoke(tenant.credentialId)
        await apply()
      })
      assert.deepEqual([answer.status, answer.json().events], [401, undefined])
    })

    test('of an advertiser that was put on hold meanwhile get 403, and no event', async () => {
      tenant = await addTenant(operator)
      const answer = await whileWaiting(tenant.credential, async () => {
        await operator.advertisers.setStatus(tenant.advertiserId, 'hold')
        await apply()
      })
      assert.deepEqual([answer.status, answer.json().code], [403, 'advertiser-on-hold'])
    })

    test('of an agent that was withdrawn meanwhile get no event, not even that one', async () => {
      tenant = await addTenant(operator)
      const { advertiserId } = tenant
      const agent = await operator.agents.add('Agent')
      await operator.agents.authorise(advertiserId, agent.id)
      const { client, secret } = await operator.clients.add({
        id: 'agent-client',
        name: 'Agent',
        redirectUris: [],
        agentId: agent.id,
        requirePkce: false,
        scopes: ['r_applications'],
        advertiserIds: [],
      })
      const asked = {
        grant_type: 'client_credentials',
        scope: 'r_applications',
        advertiser_id: String(advertiserId),
      }
      const caller = { client: { id: client.id, secret, redirectUri: '' } }
      const token = tokenOf(await requestToken(doorOf(serving), asked, caller))
      const other = await operator.agents.add('Other agent')
      // Another agent's event does not answer a request that waits, but what comes after it does.
      const woken = await whileWaiting(token, async () => {
        await operator.agents.authorise(advertiserId, other.id)
        await apply()
      })
      const typesOf = (found: Answer) => found.json().events.map(({ type }: { type: string }) => type)
      assert.deepEqual(typesOf(woken), ['application.created'])
      for (const [value, count] of [
        [token, 1],
        [tenant.credential, 2],
      ] as const)
        assert.equal(typesOf(await get('?cursor=start&types=agent.authorised', value)).length, count)
      const answer = await whileWaiting(token, () => operator.agents.withdraw(advertiserId, agent.id))
      assert.ok([401, 403].includes(answer.status), answer.text)
      assert.equal(answer.json().events, undefined)
      const later = await get('', token)
      assert.equal(later.status, answer.status)
    })

    test('"dossier events follow" prints what another process writes, and says where to go on', async () => {
      tenant = await addTenant(operator)
      const following = startHere(['events', 'follow', String(tenant.advertiserId)], database.settings)
      // Written until one comes after it began.
      await until(async () => {
        await apply()
        return following.stdout().includes('application.created')
      })
      following.stop()
      const { code, stderr } = await following.finished
      assert.equal(code, 0)
      const cursor = /--cursor (\S+)\n$/.exec(stderr)?.[1]
      assert.deepEqual((await get(`?cursor=${cursor}&limit=1`, tenant.credential)).status, 200)
    })

    test('beyond the limit of a process are answered at once', async t => {
      const config = readConfig(database.settings)
      const limits = { ...config.limits, waitingPerProcess: 3 }
      const services = await openServices({ ...config, limits }, silentLog)
      t.after(() => services.close())
      tenant = await addTenant(services)
      const server = await createPublicServer({ ...config, limits }, appOf(services), serverOptions())
      const ask = async (search: string) =>
        (await server.app.inject({ url: `${path}${search}`, headers: tenant.headers })).json()
      const { cursor } = await ask('')
      const held = [1, 2, 3].map(() => ask(`?cursor=${cursor}&wait=50`))
      await until(async () => services.waiting.count() === 3)
      assert.deepEqual(await ask(`?cursor=${cursor}&wait=50`), { events: [], cursor, more: false })
      await services.submissions.add(tenant.advertiserId, draftOf(1))
      for (const answer of await Promise.all(held)) assert.equal(answer.events.length, 1)
      await server.drain()
    })

    test('are all answered when the process stops, with the same cursor', async () => {
      tenant = await addTenant(operator)
      const count = times(40, 1000)
      const ending = await startServingHere(database, { env: { SHUTDOWN_GRACE_SECONDS: '600' } })
      const { cursor } = (await get('', tenant.credential)).json()
      const credentials = await Promise.all(
        Array.from({ length: Math.ceil(count / 8) }, () =>
          operator.credentials.issue(tenant.advertiserId, 'test', null),
        ),
      )
      const callers = await Promise.all(
        Array.from({ length: count }, async (_, index) => {
          const caller = await RawClient.connect(ending.port)
          const authorization = `SWS ${credentials[index % credentials.length]?.value}`
          caller.send(`${path}?cursor=${cursor}&wait=50`, { authorization })
          return caller
        }),
      )
      const waiters = async () =>
        /^dossier_event_waiters (\d+)$/m.exec((await send(ending.adminUrl, '/metrics', 'GET', {})).text)?.[1]
      await until(async () => (await waiters()) === String(count))
      const stopped = ending.stop()
      for (const caller of callers) {
        const { status, headers } = await caller.head()
        assert.deepEqual([status, headers.get('connection')], [200, 'close'])
        const body = JSON.parse(await caller.plainRest())
        assert.deepEqual(body, { events: [], cursor, more: false })
      }
      await stopped
    })
  })
}
