import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../harness/http.ts'
import { bearer, demoClient, requestToken, tokenOf } from '../harness/oauth.ts'
import { checkAgainstDocument } from '../harness/openapi.ts'
import { inDemoWorld } from '../oauth/world.ts'

const path = '/v1/agent/advertisers'
const ofAgent = { grant_type: 'client_credentials', scope: 'm_webhooks' }

inDemoWorld('advertisers that authorise an agent', world => {
  async function ask(search: string, client = demoClient): Promise<Answer> {
    const token = tokenOf(await requestToken(world().door, ofAgent, { client }))
    const answer = await world().door.send('GET', path + search, { headers: bearer(token) })
    checkAgainstDocument('GET', path, answer)
    return answer
  }

  async function addAgent(id: string) {
    const { agents, clients } = world().services
    const agent = await agents.add(id)
    const { secret } = await clients.add({
      id,
      name: id,
      agentId: agent.id,
      scopes: ['m_webhooks'],
      redirectUris: [],
      requirePkce: false,
    })
    return { agentId: agent.id, client: { ...demoClient, id, secret } }
  }

  test('are listed by ID with their name and since when, and not those of another agent', async () => {
    const { services, clock } = world()
    const { agentId, client } = await addAgent('lister')
    const other = await addAgent('stranger')
    assert.deepEqual((await ask('', client)).json(), { advertisers: [] })
    const [first, second] = [
      await services.advertisers.add('First'),
      await services.advertisers.add('Second'),
    ]
    const at = clock()
    await services.agents.authorise(second.id, agentId)
    clock.advance(1000)
    await services.agents.authorise(first.id, agentId)
    const answer = await ask('', client)
    const iso = (ms: number) => new Date(ms).toISOString()
    assert.deepEqual(answer.json(), {
      advertisers: [
        { id: first.id, name: 'First', authorisedAt: iso(at + 1000) },
        { id: second.id, name: 'Second', authorisedAt: iso(at) },
      ],
    })
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.equal(answer.headers.get('link'), null)
    assert.deepEqual((await ask('', other.client)).json(), { advertisers: [] })
    await services.agents.withdraw(first.id, agentId)
    const ids = (await ask('', client)).json().advertisers.map(({ id }: { id: number }) => id)
    assert.deepEqual(ids, [second.id])
  })

  test('come in pages that name the next one', async () => {
    const { services } = world()
    const { agentId, client } = await addAgent('pager')
    const ids: number[] = []
    for (const name of ['A', 'B', 'C']) {
      const { id } = await services.advertisers.add(name)
      await services.agents.authorise(id, agentId)
      ids.push(id)
    }
    const seen: number[] = []
    let search: string | undefined = '?limit=2'
    while (search !== undefined) {
      const answer: Answer = await ask(search, client)
      seen.push(...answer.json().advertisers.map(({ id }: { id: number }) => id))
      const link: string | null = answer.headers.get('link')
      assert.ok(link === null || link.startsWith(`<http://localhost:8080${path}?`), link ?? '')
      search = link?.match(/(\?.*)>; rel="next"$/)?.[1]
    }
    assert.deepEqual(seen, ids)
    assert.equal((await ask('?limit=3', client)).headers.get('link'), null, 'full, and nothing follows')
    assert.deepEqual((await ask('?afterId=9999999999999999999', client)).json(), { advertisers: [] })
  })

  test('are refused with bad parameters', async () => {
    for (const search of [
      '?limit=0',
      '?limit=1001',
      '?limit=x',
      '?afterId=-1',
      '?afterId=%00',
      '?afterId=1.5',
    ])
      assert.equal((await ask(search)).json().code, 'invalid-parameter', search)
    assert.equal((await ask('?limit=1&limit=2')).json().code, 'repeated-parameter')
    assert.equal((await ask('?unknown=1&limit=')).status, 200)
  })

  test('are for the token of an agent, and no other', async () => {
    const { door } = world()
    const tokens = [
      bearer(tokenOf(await requestToken(door, { grant_type: 'client_credentials' }))),
      { authorization: 'SWS sws_demo_harbour' },
      { authorization: '' },
    ]
    for (const headers of tokens) assert.equal((await door.send('GET', path, { headers })).status, 401)
  })
})
