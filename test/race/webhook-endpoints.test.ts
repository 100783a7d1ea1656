import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { Problem } from '../../src/platform/core/problems.ts'
import { type createScene, emptyScene, refusedWith } from '../events/webhook-scene.ts'
import { movableClock } from '../harness/clock.ts'
import { withServices } from '../harness/database.ts'
import { times } from '../harness/effort.ts'

const clock = movableClock()
const from = clock() - 86_400_000

/** What a caller may be told when the endpoint or its lane has gone. */
const orRefused = (error: unknown) => assert.ok(error instanceof Problem, String(error))

withServices('webhook endpoints that end in the middle of other work', { clock }, services => {
  let scene: ReturnType<typeof createScene>
  let advertiserId: number
  beforeEach(async () => {
    ;({ scene, advertiserId } = await emptyScene(services(), clock))
  })

  test('removing one leaves nothing of it, whatever adds to it meanwhile', async () => {
    for (let round = 0; round < times(10, 200); round++) {
      const owner = { advertiserId }
      const { id } = await scene.addEndpoint(owner, undefined, refusedWith(400))
      await scene.writeEvent(advertiserId)
      await scene.writeEvent(advertiserId)
      const others = [
        () => scene.deliver(),
        () => scene.webhooks.test(owner, id),
        () => scene.webhooks.replay(owner, id, { from }),
        () => scene.webhooks.replay(owner, id, { from }),
      ]
      const begun = others.map(other => other().catch(orRefused))
      for (let turns = 0; turns < round % 12; turns++) await new Promise(setImmediate)
      await scene.webhooks.remove(owner, id)
      await Promise.all(begun)
      assert.deepEqual(await scene.lanesOf(id), [])
    }
  })

  test('removing one that answers its first test meanwhile leaves nothing of it', async () => {
    const owner = { advertiserId }
    const fields = {
      url: 'https://receiver.example.com/new',
      types: ['application.created'],
      description: '',
    }
    for (let round = 0; round < times(10, 200); round++) {
      const { endpoint } = await scene.webhooks.add(owner, { ...fields, scheme: 'v1' })
      const tested = scene.webhooks.test(owner, endpoint.id).catch(orRefused)
      for (let turns = 0; turns < round % 12; turns++) await new Promise(setImmediate)
      await scene.webhooks.remove(owner, endpoint.id)
      await tested
      assert.deepEqual(await scene.lanesOf(endpoint.id), [])
    }
  })

  test('an agent that is withdrawn gets no replay afterwards', async () => {
    const { agents } = services()
    const agent = await agents.add('Agent')
    const owner = { agentId: agent.id }
    await agents.authorise(advertiserId, agent.id)
    const { id } = await scene.addEndpoint(owner, ['application.created', 'agent.withdrawn'])
    for (let round = 0; round < times(10, 200); round++) {
      await scene.writeEvent(advertiserId)
      const replays = Array.from({ length: 4 }, () =>
        scene.webhooks.replay(owner, id, { from, advertiserId }).catch(orRefused),
      )
      for (let turns = 0; turns < round % 12; turns++) await new Promise(setImmediate)
      await agents.withdraw(advertiserId, agent.id)
      await Promise.all(replays)
      const kinds = (await scene.lanesOf(id)).map(({ kind }) => kind)
      assert.deepEqual(kinds, ['live'], 'the lane that ends with the withdrawal')
      await agents.authorise(advertiserId, agent.id)
    }
  })

  test('an endpoint that becomes active while its agent is withdrawn gets no event afterwards', async () => {
    const { agents } = services()
    const agent = await agents.add('Agent')
    const owner = { agentId: agent.id }
    const fields = {
      url: 'https://receiver.example.com/new',
      types: ['application.created'],
      description: '',
    }
    for (let round = 0; round < times(10, 200); round++) {
      await agents.authorise(advertiserId, agent.id)
      const { endpoint } = await scene.webhooks.add(owner, { ...fields, scheme: 'v1' })
      const tested = scene.webhooks.test(owner, endpoint.id)
      for (let turns = 0; turns < round % 12; turns++) await new Promise(setImmediate)
      await agents.withdraw(advertiserId, agent.id)
      assert.equal((await tested).endpoint.state, 'active')
      assert.deepEqual(await scene.lanesOf(endpoint.id), [])
      await scene.webhooks.remove(owner, endpoint.id)
    }
  })
})
