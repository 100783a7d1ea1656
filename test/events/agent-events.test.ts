import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { readFeedQuery } from '../../src/events/feed/query.ts'
import { pageRoom } from '../../src/events/feed/records.ts'
import { webhookSaveMs } from '../../src/events/webhooks/lane-service.ts'
import { createWebhookUpkeepStore } from '../../src/events/webhooks/webhook-upkeep-store.ts'
import { eventTypes } from '../../src/model/events.ts'
import { movableClock } from '../harness/clock.ts'
import { withServices } from '../harness/database.ts'
import { type createScene, emptyScene } from './webhook-scene.ts'

const clock = movableClock()
const hour = 3_600_000
const agentTypes = ['application.created', 'agent.authorised', 'agent.withdrawn'] as const

withServices('the events of agents', { clock }, services => {
  let scene: ReturnType<typeof createScene>
  let advertiserId: number
  let own: number
  let other: number
  beforeEach(async () => {
    ;({ scene, advertiserId } = await emptyScene(services(), clock))
    own = (await services().agents.add('Own')).id
    other = (await services().agents.add('Other')).id
  })
  const authorise = (agentId: number) => services().agents.authorise(advertiserId, agentId)
  const withdraw = (agentId: number) => services().agents.withdraw(advertiserId, agentId)
  const addEndpoint = (types: Parameters<typeof scene.addEndpoint>[1] = agentTypes) =>
    scene.addEndpoint({ agentId: own }, types)
  /** The type and the agent of each event that the endpoint was sent, in order. */
  const sentTo = (url: string) =>
    scene.received
      .filter(each => each.url === url && each.type !== 'test.ping')
      .map(({ type, body }) => [type, JSON.parse(body).data.agentId])
  const away = () => ({ outcome: 'connect' as const, status: null })

  const query = (agentId: number | null, search: string) =>
    readFeedQuery({ advertiserId }, search, eventTypes, agentId)
  /** What the feed answers in each form; they must agree. */
  async function follow(agentId: number | null, search: string) {
    const { feed } = services()
    const rows = await feed.follow({ advertiserId }, query(agentId, search), {})
    const { page, cursor, more } = await feed.followJson(advertiserId, query(agentId, search), {})
    const events = JSON.parse(`[${page?.json.toString('utf8', pageRoom, page.json.length - pageRoom) ?? ''}]`)
    const types = events.map(({ type, data }: (typeof events)[number]) => [type, data.agentId])
    assert.deepEqual([rows.events.length, rows.cursor, rows.more], [events.length, cursor, more])
    return { types, cursor, more }
  }

  test('in the feed are those of the reader, and all for the advertiser', async () => {
    await authorise(own)
    await authorise(other)
    await scene.writeEvent(advertiserId)
    await withdraw(other)
    const ofAdvertiser = await follow(null, 'cursor=start')
    assert.deepEqual(ofAdvertiser.types, [
      ['agent.authorised', own],
      ['agent.authorised', other],
      ['application.created', undefined],
      ['agent.withdrawn', other],
    ])
    const ofAgent = await follow(own, 'cursor=start')
    assert.deepEqual(ofAgent.types, [
      ['agent.authorised', own],
      ['application.created', undefined],
    ])
    assert.equal(ofAgent.cursor, ofAdvertiser.cursor, 'moves over what is hidden')
    const full = await follow(own, 'cursor=start&limit=2')
    assert.deepEqual([full.more, full.cursor], [false, ofAdvertiser.cursor], 'nothing more for this agent')
    const chosen = await follow(other, 'cursor=start&types=agent.authorised,agent.withdrawn')
    assert.deepEqual(chosen.types, [
      ['agent.authorised', other],
      ['agent.withdrawn', other],
    ])
  })

  test('with applications, too, and agents whose numbers begin alike are told apart', async () => {
    const shorter = (await services().agents.add('Shorter', Math.floor(own / 10))).id
    await authorise(own)
    assert.deepEqual((await follow(shorter, 'cursor=start&include=application')).types, [])
    assert.deepEqual((await follow(own, 'cursor=start&include=application')).types, [
      ['agent.authorised', own],
    ])
  })

  test('that different readers ask for at the same moment are not mixed', async () => {
    await authorise(own)
    const { cursor } = await follow(null, 'cursor=now')
    await authorise(other)
    const [lastNumber = 0] = await services().eventStore.lastOf([{ advertiserId }])
    const [ofAdvertiser, ofOwn, ofOther] = await Promise.all(
      [null, own, other].map(agentId =>
        services().feed.follow({ advertiserId }, query(agentId, `cursor=${cursor}`), { lastNumber }),
      ),
    )
    const counts = [ofAdvertiser, ofOwn, ofOther].map(answer => answer?.events.length)
    assert.deepEqual(counts, [1, 0, 1])
  })

  test('reach the endpoints of that agent alone: its authorisation first, its withdrawal last', async () => {
    const { id, url } = await addEndpoint()
    const ofAdvertiser = await scene.addEndpoint({ advertiserId }, agentTypes)
    await authorise(own)
    await authorise(other)
    await scene.writeEvent(advertiserId)
    await withdraw(other)
    await scene.deliver()
    const first = [
      ['agent.authorised', own],
      ['application.created', undefined],
    ]
    assert.deepEqual(sentTo(url), first)
    await withdraw(own)
    await scene.writeEvent(advertiserId)
    await authorise(other)
    await scene.deliver()
    assert.deepEqual(sentTo(url), [...first, ['agent.withdrawn', own]])
    assert.ok(scene.received.every(({ headers }) => headers['dossier-replay'] === undefined))
    assert.equal(sentTo(ofAdvertiser.url).length, 7, 'the advertiser gets all of them')
    await scene.pass(hour)
    assert.equal(sentTo(url).length, 3)
    // An endpoint without lanes that run is neither behind nor able to replay.
    const { backlog, lanes } = await scene.webhooks.details({ agentId: own }, id)
    assert.deepEqual([backlog.events, lanes], [0, []])
    await assert.rejects(scene.webhooks.replay({ agentId: own }, id, { advertiserId, from: 0 }), {
      code: 'invalid-fields',
    })
    const figures = await createWebhookUpkeepStore(services().database).figures(clock())
    assert.equal(figures.behindMs, 0)
  })

  test('are sent after an outage: the withdrawal, and nothing else that happened', async () => {
    const { id, url } = await addEndpoint()
    scene.answers.set(url, away)
    await authorise(own)
    await scene.writeEvent(advertiserId)
    await scene.deliver()
    await withdraw(own)
    await scene.writeEvent(advertiserId)
    assert.equal((await scene.webhooks.details({ agentId: own }, id)).backlog.events, 0)
    await assert.rejects(scene.webhooks.replay({ agentId: own }, id, { advertiserId, from: 0 }), {
      code: 'invalid-fields',
    })
    scene.received.length = 0
    scene.answers.delete(url)
    await scene.pass(hour)
    assert.deepEqual(sentTo(url), [
      ['agent.authorised', own],
      ['agent.withdrawn', own],
    ])
  })

  test('a lane that is under way when its agent is withdrawn sends the withdrawal at its end', async () => {
    const { url } = await addEndpoint()
    await authorise(own)
    for (let count = 0; count < 50; count++) await scene.writeEvent(advertiserId)
    scene.answers.set(url, async () => {
      if (scene.received.length === 5) await withdraw(own)
      clock.advance(webhookSaveMs)
      return {}
    })
    await scene.deliver()
    await scene.pass(hour)
    const types = sentTo(url).map(([type]) => type)
    assert.equal(types.filter(type => type === 'application.created').length, 4)
    assert.equal(types.at(-1), 'agent.withdrawn')
  })

  test('an agent that is authorised again before it got its withdrawal misses nothing', async () => {
    const { url } = await addEndpoint()
    await authorise(own)
    await scene.deliver()
    await withdraw(own)
    await authorise(own)
    await scene.writeEvent(advertiserId)
    await scene.deliver()
    assert.deepEqual(sentTo(url), [
      ['agent.authorised', own],
      ['agent.withdrawn', own],
      ['agent.authorised', own],
      ['application.created', undefined],
    ])
    // And once it has got it, nothing from the time in between.
    await withdraw(own)
    await scene.deliver()
    await scene.writeEvent(advertiserId)
    scene.received.length = 0
    await authorise(own)
    await scene.deliver()
    assert.deepEqual(sentTo(url), [['agent.authorised', own]])
  })

  test('one that was refused and parked stays alone when the agent is authorised again', async () => {
    const { id, url } = await addEndpoint()
    scene.answers.set(url, ({ type }) =>
      type === 'agent.authorised' ? { outcome: 'refused', status: 422 } : {},
    )
    await authorise(own)
    await withdraw(own)
    await scene.pass(hour)
    await scene.writeEvent(advertiserId)
    const parked = async () => (await scene.lanesOf(id)).filter(({ kind }) => kind === 'parked')
    const [before, ...more] = await parked()
    assert.ok(before !== undefined && before.end_number !== null && more.length === 0)
    await authorise(own)
    const [after] = await parked()
    assert.deepEqual([after?.end_number, after?.types], [before.end_number, before.types])
  })

  test('an endpoint that has not chosen them loses its lane with the authorisation', async () => {
    const { id, url } = await addEndpoint(['application.created'])
    await authorise(own)
    await scene.deliver()
    assert.deepEqual(sentTo(url), [])
    await withdraw(own)
    assert.deepEqual(await scene.lanesOf(id), [])
  })

  test('in a replay and in the backlog are its own', async () => {
    await authorise(own)
    const { id, url } = await addEndpoint()
    const from = clock()
    scene.answers.set(url, away)
    await authorise(other)
    await scene.writeEvent(advertiserId)
    const { backlog } = await scene.webhooks.details({ agentId: own }, id)
    assert.equal(backlog.events, 1)
    scene.answers.delete(url)
    await scene.deliver()
    scene.received.length = 0
    await scene.webhooks.replay({ agentId: own }, id, { advertiserId, from: from - hour })
    await scene.deliver()
    assert.deepEqual(sentTo(url), [
      ['agent.authorised', own],
      ['application.created', undefined],
    ])
  })
})
