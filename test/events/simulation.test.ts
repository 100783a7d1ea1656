import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slowMs } from '../../src/events/webhooks/schedule-rules.ts'
import { webhookPollMs } from '../../src/events/webhooks/sender-service.ts'
import { defaultLimits } from '../../src/settings-limits.ts'
import { times } from '../harness/effort.ts'
import { World } from './lane-simulation.ts'
import { neverMs } from './nodes.ts'

const minute = 60_000
const advertisers = [1, 2]

/** Everything that can happen to nodes, receivers and owners, at random. */
function disturb(world: World): void {
  const { random, pick, chance } = world
  const endpoint = pick([...world.endpoints.values()])
  const node = pick(world.nodes)
  const what = random()
  if (what < 0.55)
    for (let count = Math.ceil(random() * 8); count > 0; count--) world.write(pick(advertisers))
  else if (what < 0.7) endpoint.mode = pick(['well', 'well', 'down', 'refusing', 'hanging'] as const)
  else if (what < 0.8) {
    const number = world.last(pick(advertisers))
    for (const advertiserId of advertisers) if (chance(0.5)) endpoint.poison.add(`${advertiserId} ${number}`)
  } else if (what < 0.84) {
    world.kill(node)
    world.startNode()
  } else if (what < 0.9) world.suspend(node, random() * 3 * minute)
  else if (what < 0.93) world.storeFails = pick([0, 0.05, 0.3])
  else if (what < 0.96) endpoint.state = endpoint.state === 'active' ? 'paused' : 'active'
  else {
    const agent = world.endpoints.get('agent') ?? assert.fail()
    const advertiserId = pick(advertisers)
    if (agent.advertiserIds.delete(advertiserId)) world.removeLanes('agent', advertiserId)
    else {
      agent.advertiserIds.add(advertiserId)
      world.addLane('agent', advertiserId)
    }
  }
}

async function simulate(seed: number, steps: number): Promise<World> {
  const limits = { webhookPollMs: 20_000, webhooksAtOnce: 4, webhookPage: 10, webhookUnsaved: 4 }
  const world = new World(seed, limits)
  for (const advertiserId of advertisers) world.write(advertiserId)
  world.addEndpoint('one', [1])
  world.addEndpoint('two', [2])
  world.addEndpoint('agent', advertisers)
  world.startNode()
  world.startNode()
  for (let step = 0; step < steps; step++) {
    disturb(world)
    // Mostly moments, sometimes as long as a pause.
    await world.pass(world.chance(0.9) ? world.random() * 400 : world.random() * 10 * minute)
  }
  // Everything is well again: what is left arrives.
  world.storeFails = 0
  for (const endpoint of world.endpoints.values()) {
    endpoint.mode = 'well'
    endpoint.state = 'active'
    endpoint.poison.clear()
  }
  for (const lane of world.lanes.values()) if (lane.kind === 'parked') lane.dueAt = world.now
  await world.pass(40 * minute)
  return world
}

test('every event reaches every receiver in order, whatever happens to nodes and receivers', async () => {
  for (let seed = 1; seed <= times(5, 60); seed++) {
    const world = await simulate(seed, times(150, 2_000))
    world.checkOrder()
    for (const lane of world.lanes.values())
      if (lane.kind === 'live')
        assert.equal(lane.sent, world.last(lane.advertiserId), `seed ${seed}: ${lane.id}`)
      else if (lane.ended !== 'given-up') assert.equal(lane.ended, 'done', `seed ${seed}: ${lane.id}`)
    const events = [...world.events.values()].flat().length
    const first = [...world.endpoints.values()].flatMap(({ accepted }) => [
      ...new Set(accepted.map(each => `${each.advertiserId} ${each.number}`)),
    ]).length
    const all = [...world.endpoints.values()].flatMap(({ accepted }) => accepted).length
    assert.ok(events > 100 && first >= events - advertisers.length, `seed ${seed} did something`)
    assert.ok(all < first * 2, `seed ${seed}: ${all} requests for ${first} events`)
  }
})

test('the same seed gives the same history', async () => {
  const [one, two] = [await simulate(7, 60), await simulate(7, 60)]
  assert.equal(one.requests, two.requests)
  assert.deepEqual(
    [...one.endpoints.values()].map(({ accepted }) => accepted),
    [...two.endpoints.values()].map(({ accepted }) => accepted),
  )
})

test('receivers that hang, more than there are slots, do not delay a healthy one', async () => {
  const world = new World(1)
  const { webhooksAtOnce } = defaultLimits
  // Some of these owners have one endpoint, others ten.
  const ids = Array.from({ length: 2.5 * webhooksAtOnce }, (_, index) => index + 1)
  for (const id of ids) {
    world.write(id)
    world.addEndpoint(id < webhooksAtOnce ? `${id}/one` : `many ${Math.floor(id / 10)}/${id}`, [id])
  }
  world.addEndpoint('healthy', [1])
  const healthy = world.endpoints.get('healthy') ?? assert.fail()
  world.startNode()
  await world.pass(2000)
  for (const endpoint of world.endpoints.values()) if (endpoint !== healthy) endpoint.mode = 'hanging'
  for (let second = 0; second < times(40, 900); second++) {
    for (const id of ids) world.write(id)
    await world.pass(1000)
    assert.ok(world.inFlight <= 4 * webhooksAtOnce)
  }
  await world.pass(2000)
  const delays = healthy.accepted.map(({ number, at }) => at - number)
  assert.equal(delays.length, times(40, 900))
  // A hint may be lost, so the next look finds the event. Then come three calls of the database and the request. Only when
  // all begin to hang at the same moment, the healthy one waits until they have turned slow.
  const usual = webhookPollMs + 200
  assert.ok(Math.max(...delays) <= slowMs + usual, `${Math.max(...delays)} ms`)
  const late = delays.filter(ms => ms > usual)
  assert.ok(late.length <= 5, `${late.length} are late`)
})

test('an owner takes its share of the slots only, however many endpoints it has', async () => {
  const world = new World(1)
  const ids = Array.from({ length: 100 }, (_, index) => index + 1)
  for (const id of ids) world.write(id)
  for (let count = 0; count < 20; count++) world.addEndpoint(`agent/${count}`, ids)
  world.startNode()
  for (const endpoint of world.endpoints.values()) endpoint.mode = 'hanging'
  for (const id of ids) world.write(id)
  await world.pass(20_000)
  assert.equal(world.maxInFlight, defaultLimits.webhooksAtOnce / 8)
})

test('a process that gets every hint sends every event without a look, however few its slots are', async () => {
  for (let seed = 1; seed <= times(5, 200); seed++) {
    const slots = { webhooksAtOnce: 4, lanesPerEndpoint: 2, webhookPage: 3, webhookUnsaved: 2 }
    const world = new World(seed, { ...slots, webhookPollMs: neverMs })
    world.hintsArrive = 1
    const ids = [1, 2, 3, 4, 5]
    world.addEndpoint('one', [1])
    world.addEndpoint('two', [2])
    world.addEndpoint('agent', ids)
    world.startNode()
    for (let round = 0; round < 20; round++) {
      for (let step = Math.ceil(world.random() * 3); step > 0; step--) {
        for (let count = Math.ceil(world.random() * 6); count > 0; count--) world.write(world.pick(ids))
        // As if an answer had taken long: half of the slots are for others.
        if (world.chance(0.5)) world.pick([...world.endpoints.values()]).answerMs = 5_000
        await world.pass(world.random() * 80)
      }
      await world.pass(minute)
      for (const lane of world.lanes.values())
        assert.equal(lane.sent, world.last(lane.advertiserId), `seed ${seed}: ${lane.id}`)
    }
  }
})
