import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { plainDraft } from '../../test/harness/applications.ts'
import { withServices } from '../../test/harness/database.ts'
import { createTestServer } from '../../test/harness/server.ts'
import { recordStatements, type Statement } from '../../test/harness/sql-recording.ts'
import { addTenant, type Tenant } from '../../test/harness/tenant.ts'
import { tagOf } from './list-routes.ts'

const ownTime = /^insert into (rate_counts|"api_call_days"|"list_reads") /

withServices('the cost of a list', (services, settings) => {
  let app: FastifyInstance
  let tenant: Tenant
  let statements: Statement[]
  before(async () => {
    app = (await createTestServer(services(), settings())).app
    tenant = await addTenant(services())
    for (let count = 0; count < 3; count++) {
      await services().submissions.add(tenant.advertiserId, plainDraft())
    }
    // The first use is written after the response.
    await ask('')
    await services().background.whenIdle()
    statements = recordStatements(services().database)
  })
  after(() => app.close())

  async function ask(search: string, headers: Record<string, string> = {}) {
    const url = `/v1/advertiser/applications${search}`
    return app.inject({ url, headers: { ...tenant.headers, ...headers } })
  }

  async function statementsOf(search: string, headers: Record<string, string> = {}): Promise<number> {
    const before = statements.length
    const { statusCode } = await ask(search, headers)
    assert.ok(statusCode === 200 || statusCode === 304)
    // What is counted is written every few seconds, independently of requests.
    return statements.slice(before).filter(({ sql }) => !ownTime.test(sql)).length
  }

  test('while nothing changes, one statement: the look-up of the caller', async () => {
    for (const search of ['', '?limit=2', '?limit=2&afterdate=2026-01-01T00:00:00']) {
      const etag = String((await ask(search)).headers.etag)
      assert.equal(await statementsOf(search, { 'if-none-match': etag }), 1)
    }
  })

  test('a page requested by many callers is read twice', async () => {
    const costs: number[] = []
    for (let time = 0; time < 4; time++) costs.push(await statementsOf('?limit=3'))
    assert.deepEqual(costs, [2, 2, 1, 1])
    await services().submissions.add(tenant.advertiserId, plainDraft())
    assert.equal(await statementsOf('?limit=3'), 2, 'and read again after a change')
  })

  test('a page is the same whether it was read, cached or compressed', async () => {
    const name = '漢'.repeat(200)
    const contact = { email: 'mary@example.com', firstName: name, lastName: name, phone: '' }
    for (let count = 0; count < 60; count++) {
      await services().submissions.add(tenant.advertiserId, plainDraft({ contact }))
    }
    const whole = (await ask('')).rawPayload
    const pages: Buffer[] = []
    for (let time = 0; time < 3; time++) {
      const { rawPayload } = await ask('?limit=100', { 'accept-encoding': 'gzip' })
      pages.push(gunzipSync(rawPayload), (await ask('?limit=100')).rawPayload)
    }
    for (const page of pages) assert.equal(page.compare(whole), 0)
  })
})

test('a tag is not valid for another advertiser or agent, in another format or version, or for another query', () => {
  const principal = {
    credentialId: 'a',
    advertiserId: 1,
    agentId: null,
    isOnHold: false,
    version: 1,
    eventNumber: 1,
  }
  const others = [{ advertiserId: 11 }, { agentId: 1 }, { agentId: 2 }, { version: 11 }, { version: 2 }]
  const tags = [principal, ...others.map(other => ({ ...principal, ...other }))].flatMap(each => [
    tagOf(each, 'json', ''),
    tagOf(each, 'xml', ''),
    tagOf(each, 'json', 'afterid=1'),
    tagOf(each, 'json', 'afterid=2'),
  ])
  assert.equal(new Set(tags).size, tags.length)
  assert.equal(tagOf({ ...principal, credentialId: 'b' }, 'json', ''), tagOf(principal, 'json', ''))
})
