import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { after, before, test } from 'node:test'
import { type Answer, harbour } from '../harness/http.ts'
import { listenLocally } from '../harness/listen-locally.ts'
import { Browser, bearer, requestToken, tokenOf } from '../harness/oauth.ts'
import { checkAgainstDocument } from '../harness/openapi.ts'
import { inDemoWorld } from '../oauth/world.ts'

const path = '/v1/agent/webhooks'
const types = ['application.created']
const ofWebhooks = { grant_type: 'client_credentials', scope: 'm_webhooks' }

inDemoWorld('webhooks of a company, by a credential', { env: { WEBHOOK_ALLOW: '127.0.0.1' } }, world => {
  let receiver: Server
  let url: string
  let as: Record<string, string>
  before(async () => {
    receiver = createServer((_request, response) => response.writeHead(204).end())
    url = `http://127.0.0.1:${await listenLocally(receiver)}/hooks`
    as = await withRight(10000001)
  })
  after(() => receiver.close())

  const withRight = async (advertiserId: number) => {
    const { value } = await world().services.credentials.issue(advertiserId, 'Deploy', null, true)
    return { authorization: `SWS ${value}` }
  }

  async function ask(method: string, below = '', body?: object, headers = as): Promise<Answer> {
    world().clock.advance(1)
    const answer = await world().door.send(method, path + below, {
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    checkAgainstDocument(method, path + below, answer)
    return answer
  }

  test('are created, changed, replayed, rotated and removed, each on the chain of the company', async () => {
    const answer = await ask('POST', '', { url, types, description: 'Production' })
    assert.equal(answer.status, 201, answer.text)
    const { id, key } = answer.json()
    assert.match(key, /^whsec_/)
    const endpoint = await world().services.webhooks.find({ advertiserId: 10000001 }, id)
    assert.deepEqual(endpoint.owner, { advertiserId: 10000001 })
    assert.equal((await ask('POST', `/${id}/test`)).json().state, 'active')
    assert.equal((await ask('PATCH', `/${id}`, { description: 'Staging' })).json().description, 'Staging')
    const from = '2026-11-01T00:00:00Z'
    assert.equal((await ask('POST', `/${id}/replay`, { from, advertiserId: 10000001 })).status, 200)
    assert.equal((await ask('POST', `/${id}/replay`, { from, advertiserId: 10000002 })).status, 422)
    assert.match((await ask('POST', `/${id}/rotate`, {})).json().key, /^whsec_/)
    const read = await ask('GET', `/${id}`)
    assert.deepEqual([read.json().key, read.text.includes(key)], [undefined, false], 'a secret is shown once')
    const listed: { id: string }[] = (await ask('GET')).json().webhooks
    assert.ok(listed.some(each => each.id === id))
    assert.equal((await ask('DELETE', `/${id}`)).status, 204)
    const rows = await world()
      .services.database.reader.selectFrom('audit_entries')
      .select(['scope', 'actor_kind as actor', 'action'])
      .where('target', '=', `webhook:${id}`)
      .orderBy('number')
      .execute()
    assert.deepEqual(new Set(rows.map(({ actor }) => actor)), new Set(['credential']))
    assert.deepEqual(new Set(rows.map(({ scope }) => scope)).size, 1)
    assert.deepEqual(
      rows.map(({ action }) => action),
      ['webhook.add', 'webhook.change', 'webhook.change', 'webhook.rotate', 'webhook.remove'],
    )
  })

  test('need the right, and stay within the company', async () => {
    for (const headers of [harbour, { authorization: 'SWS sws_unknown' }]) {
      const refused = await ask('GET', '', undefined, headers)
      const expected = headers === harbour ? [403, 'webhooks-not-allowed'] : [401, 'invalid-credential']
      assert.deepEqual([refused.status, refused.json().code], expected)
    }
    const token = tokenOf(await requestToken(world().door, ofWebhooks))
    const ofAgent = (await ask('POST', '', { url, types }, bearer(token))).json().id
    const ofOther = (await ask('POST', '', { url, types }, await withRight(10000002))).json().id
    const own = (await ask('POST', '', { url, types })).json().id
    for (const id of [ofAgent, ofOther]) {
      for (const [method, below, body] of [
        ['GET', ''],
        ['DELETE', ''],
        ['PATCH', '', { description: 'taken' }],
        ['POST', '/rotate', {}],
        ['POST', '/pause'],
      ] as const)
        assert.equal((await ask(method, `/${id}${below}`, body)).status, 404)
    }
    assert.equal((await ask('GET', `/${own}`, undefined, bearer(token))).status, 404)
    const ids = (await ask('GET')).json().webhooks.map(({ id }: { id: string }) => id)
    assert.ok(ids.includes(own) && !ids.includes(ofAgent) && !ids.includes(ofOther))
  })

  test('the right is off unless an admin gives it in the console', async () => {
    const admin = await Browser.signedIn(world().door, 'rae@example.com')
    const access = '/console/10000001/access'
    for (const isAllowed of [false, true]) {
      const form = await admin.form(`${access}/new-credential`)
      const fields = { label: isAllowed ? 'Deploys' : 'Reads' }
      const { text } = await admin.submit(form, { fields, ticked: isAllowed ? ['1'] : [] })
      const [value] = /sws_[\w-]{20,}/.exec(text) ?? []
      assert.ok(value !== undefined, text)
      const answer = await ask('GET', '', undefined, { authorization: `SWS ${value}` })
      assert.equal(answer.status, isAllowed ? 200 : 403)
    }
    assert.match((await admin.get(access)).text, /Deploys.{0,80}Manages webhook endpoints/s)
  })
})
