import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { webhookSaveMs, webhooksLatePerSecond } from '../../src/events/webhooks/lane-service.ts'
import { createWebhookUpkeep } from '../../src/events/webhooks/upkeep-service.ts'
import { createWebhookUpkeepStore } from '../../src/events/webhooks/webhook-upkeep-store.ts'
import { eventId } from '../../src/model/events.ts'
import type { LookAtTime } from '../../src/platform/core/task-ports.ts'
import { movableClock } from '../harness/clock.ts'
import { withServices } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { addMember, type createScene, emptyScene, refusedWith } from './webhook-scene.ts'

const clock = movableClock()
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const away = () => ({ outcome: 'connect' as const, status: null })

withServices('webhooks', { clock }, services => {
  let scene: ReturnType<typeof createScene>
  let advertiserId: number
  beforeEach(async () => {
    ;({ scene, advertiserId } = await emptyScene(services(), clock))
  })
  const owner = () => ({ advertiserId })
  const idOf = (number: number) => eventId({ advertiserId }, number)

  const write = (count: number) => scene.write(advertiserId, count)
  const upkeepWith = (lookAtTime: LookAtTime) =>
    createWebhookUpkeep({ store: createWebhookUpkeepStore(services().database), lookAtTime, clock })
  const inDoubt = () => upkeepWith(async () => ({ runningMs: 0, pausedMs: 1, doubtMs: 1 }))

  test('a new endpoint gets events once it has answered a test', async () => {
    const { webhooks } = scene
    const url = 'https://receiver.example.com/hooks'
    scene.answers.set(url, refusedWith(500, { answer: 'not yet' }))
    const fields = { url, types: ['application.created'], description: 'ATS', scheme: 'v1' as const }
    const { endpoint, key } = await webhooks.add(owner(), fields)
    assert.match(key, /^whsec_/)
    const first = await webhooks.test(owner(), endpoint.id)
    assert.deepEqual([first.endpoint.state, first.result.status], ['new', 500])
    await write(1)
    await scene.deliver()
    assert.deepEqual(scene.idsAt(url), [])
    await assert.rejects(webhooks.resume(owner(), endpoint.id), /has not answered a test/)
    scene.answers.delete(url)
    assert.equal((await webhooks.test(owner(), endpoint.id)).endpoint.state, 'active')
    const ids = await write(3)
    await scene.writeEvent(advertiserId, 'application.erased')
    await scene.deliver()
    assert.deepEqual(scene.idsAt(url), ids, 'events since the activation, of the chosen type')
    const { attempts, hours, backlog } = await webhooks.details(owner(), endpoint.id)
    assert.deepEqual([attempts.at(-1)?.answer, attempts.length], ['not yet', 3])
    assert.deepEqual(
      hours.map(({ accepted, failed }) => [accepted, failed]),
      [[3, 0]],
    )
    assert.deepEqual(backlog, { events: 0, oldestAt: null, nextTryAt: null })
  })

  test('a receiver that was down for an hour gets everything in order, at a limited rate, and nothing is parked', async () => {
    const { id, url } = await scene.addEndpoint(owner(), undefined, away)
    const ids = await write(5)
    await scene.deliver()
    for (let count = 0; count < times(12, 60); count++) {
      ids.push(...(await write(2)))
      await scene.pass(hour / times(12, 60))
    }
    assert.deepEqual(new Set(scene.idsAt(url)), new Set(ids.slice(0, 1)), 'one event at a time')
    scene.received.length = 0
    scene.answers.delete(url)
    const back = clock()
    await scene.pass(36 * minute)
    assert.deepEqual(scene.idsAt(url), ids)
    assert.ok((scene.received[0]?.at ?? 0) - back <= 36 * minute, 'the first within one pause')
    const [first, last] = [scene.received[0]?.at ?? 0, scene.received.at(-1)?.at ?? 0]
    const late = ids.length - 5
    assert.ok(last - first >= (late * 1000) / webhooksLatePerSecond / 2, 'not all at once')
    assert.equal((await scene.lanesOf(id)).length, 1)
    assert.equal((await scene.webhooks.find(owner(), id)).state, 'active')
  })

  test('an event that is refused while the next one is accepted steps aside, and can be resent', async () => {
    const { id, url } = await scene.addEndpoint(owner())
    const [poison = '', ...others] = await write(4)
    scene.answers.set(url, ({ id: sent }) =>
      sent === poison ? { outcome: 'refused', status: 422 } : { outcome: 'accepted', status: 200 },
    )
    await scene.deliver()
    await scene.pass(2 * minute, 5000)
    assert.deepEqual(new Set(scene.idsAt(url)), new Set([poison]))
    await scene.pass(minute, 5000)
    assert.deepEqual(scene.idsAt(url), [poison, poison, poison, poison, ...others])
    const parked = async () => (await scene.webhooks.details(owner(), id)).lanes
    assert.deepEqual(
      (await parked()).map(({ kind, state, end }) => [kind, state, idOf(end ?? 0)]),
      [['parked', 'waiting', poison]],
    )
    // Later events go on in order.
    others.push(...(await write(2)))
    await scene.deliver()
    assert.deepEqual(scene.idsAt(url).slice(4), others)
    await scene.pass(90 * hour, hour)
    assert.deepEqual([(await parked())[0]?.state, (await parked())[0]?.tries], ['given-up', 8])
    await addMember(services(), { advertiser_id: advertiserId }, 'admin')
    assert.equal((await inDoubt().run()).did['givenUp'], 1, 'by a number of attempts, not by age')
    scene.answers.delete(url)
    scene.received.length = 0
    assert.equal(await scene.webhooks.resendDeferred(owner(), id, 'all'), 1)
    await scene.deliver()
    assert.deepEqual(scene.idsAt(url), [poison])
    assert.equal((await parked())[0]?.state, 'done')
  })

  test('an outage keeps the order: if the next event is refused, too, the lane waits', async () => {
    const { id, url } = await scene.addEndpoint(owner(), undefined, refusedWith(500))
    const ids = await write(3)
    await scene.deliver()
    await scene.pass(20 * minute)
    assert.deepEqual(new Set(scene.idsAt(url)), new Set(ids.slice(0, 2)), 'the head, and the one behind it')
    assert.equal((await scene.lanesOf(id)).length, 1)
    scene.answers.delete(url)
    scene.received.length = 0
    await scene.pass(30 * minute)
    assert.deepEqual(scene.idsAt(url), ids)
  })

  test('an endpoint that refuses an event is not told of its own failure in its place', async () => {
    const both = ['application.created', 'webhook.failing'] as const
    const { id, url } = await scene.addEndpoint(owner(), both)
    const [poison = ''] = await write(1)
    scene.answers.set(url, ({ id: sent }) =>
      sent === poison ? { outcome: 'refused', status: 422 } : { outcome: 'accepted', status: 200 },
    )
    clock.advance(1)
    await scene.writeEvent(advertiserId, 'webhook.failing', { endpointId: id, since: clock() })
    await scene.deliver()
    await scene.pass(hour)
    assert.deepEqual(new Set(scene.idsAt(url)), new Set([poison]))
    const [next = ''] = await write(1)
    await scene.pass(hour)
    assert.deepEqual(new Set(scene.idsAt(url)), new Set([poison, next]))
  })

  test('410 stops an endpoint at once; resuming goes on without loss', async () => {
    const { id, url } = await scene.addEndpoint(owner(), undefined, refusedWith(410))
    const ids = await write(2)
    await scene.deliver()
    assert.deepEqual(
      (({ state, stopReason }) => [state, stopReason])(await scene.webhooks.find(owner(), id)),
      ['stopped', 'gone'],
    )
    assert.deepEqual((await inDoubt().run()).did, { told: 1, stopped: 1, givenUp: 0 })
    await scene.upkeep.run()
    ids.push(...(await write(2)))
    await scene.pass(hour)
    assert.equal(scene.idsAt(url).length, 1)
    scene.answers.delete(url)
    scene.received.length = 0
    await scene.webhooks.resume(owner(), id)
    await scene.deliver()
    assert.deepEqual(scene.idsAt(url), ids)
  })

  test('admins are told after an hour, four days and at the stop after five; events go to other endpoints only', async () => {
    const { database } = services()
    await addMember(services(), { advertiser_id: advertiserId }, 'admin')
    const both = ['application.created', 'webhook.failing', 'webhook.stopped'] as const
    const failing = await scene.addEndpoint(owner(), both, away)
    const other = await scene.addEndpoint(owner(), ['webhook.failing', 'webhook.stopped'])
    const [first = ''] = await write(1)
    const told = async () =>
      (
        await database.reader
          .selectFrom('deliveries')
          .select('content')
          .where('kind', '=', 'webhook-failing')
          .where('content', 'like', `%${failing.id}%`)
          .orderBy('created_at')
          .execute()
      ).map(({ content }) => (JSON.parse(content) as { isStopped: boolean }).isStopped)
    await scene.deliver()
    const steps: [ms: number, told: boolean[]][] = [
      [30 * minute, []],
      [hour, [false]],
      [day, [false]],
      [3 * day, [false, false]],
      [day, [false, false, true]],
      [day, [false, false, true]],
    ]
    for (const [ms, expected] of steps) {
      await scene.pass(ms, Math.max(30 * minute, ms / 8))
      const toldBefore = await told()
      await inDoubt().run()
      assert.deepEqual(await told(), toldBefore, 'while the clock is in doubt')
      await scene.upkeep.run()
      assert.deepEqual(await told(), expected)
    }
    await scene.deliver()
    const types = scene.received.filter(({ url }) => url === other.url).map(({ type }) => type)
    assert.deepEqual(types, ['webhook.failing', 'webhook.stopped'])
    assert.deepEqual(new Set(scene.idsAt(failing.url)), new Set([first]))
    const row = await scene.webhooks.find(owner(), failing.id)
    assert.deepEqual([row.state, row.stopReason], ['stopped', 'failing'])
  })

  test('failures that a clock recorded while it was ahead stop no endpoint, and start no later', async () => {
    const [first, second] = [
      await scene.addEndpoint(owner(), undefined, away),
      await scene.addEndpoint(owner()),
    ]
    await write(1)
    await scene.deliver()
    const start = clock()
    scene.answers.set(second.url, away)
    clock.set(start + 6 * day)
    await write(1)
    await scene.deliver()
    clock.set(start + hour)
    await scene.upkeep.run()
    // Nothing is sent meanwhile, for instance because the advertiser is on hold.
    clock.set(start + 7 * day)
    await scene.upkeep.run()
    const rows = await Promise.all([first, second].map(({ id }) => scene.endpointRow(id)))
    assert.deepEqual(
      rows.map(row => [row.state, row.failing_since, row.failed_at]),
      [
        ['active', start, start + hour],
        ['active', start + hour, start + hour],
      ],
    )
  })

  for (const days of [40, -40])
    test(`a clock that moves by ${days} days during the check removes nothing from the log`, async () => {
      const { id } = await scene.addEndpoint(owner())
      await write(1)
      await scene.deliver()
      const start = clock()
      clock.set(start + Math.max(0, -days) * day)
      const moving = upkeepWith(async () => {
        clock.advance(days * day)
        return { runningMs: 0, pausedMs: 0, doubtMs: 0 }
      })
      await moving.run()
      clock.set(start)
      assert.ok((await scene.webhooks.details(owner(), id)).attempts.length > 0)
    })

  test('a process that lost its lease moves nothing, neither back nor on', async () => {
    const { id, url } = await scene.addEndpoint(owner())
    const ids = await write(3)
    const [lane] = await scene.lanesOf(id)
    const slow = await scene.laneStore.take(lane?.id ?? '', clock(), clock() + minute)
    assert.ok(slow !== undefined)
    await scene.deliver()
    assert.deepEqual(scene.idsAt(url), [], 'while the lease lasts, no other process sends')
    clock.advance(minute)
    await scene.deliver()
    assert.deepEqual(scene.idsAt(url), ids)
    const sentOf = async () => (await scene.lanesOf(id)).map(({ sent }) => sent)
    const before = await sentOf()
    const stale = {
      now: clock(),
      sent: slow.sent,
      tries: 3,
      dueAt: clock() + hour,
      leasedUntil: null,
      accepted: 1,
      attempts: [],
      answerMs: 1,
      skewMs: null,
    }
    assert.equal(await scene.laneStore.record(slow, stale), undefined)
    assert.equal(await scene.laneStore.record(slow, { ...stale, sent: Number.MAX_SAFE_INTEGER }), undefined)
    assert.deepEqual(await sentOf(), before)
    assert.equal((await scene.webhooks.details(owner(), id)).hours[0]?.accepted, 3)
  })

  test('a look that fails while the process stops does not fail the stop', async () => {
    const [begun, failing] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()]
    const findDue = () => {
      begun.resolve()
      return failing.promise
    }
    const sender = scene.newSender({ ...scene.laneStore, findDue })
    const looked = assert.rejects(sender.runOnce(minute), /away/)
    await begun.promise
    const stopped = sender.stop(minute)
    failing.reject(new Error('the database is away'))
    await looked
    await stopped
  })

  test('a process that slept through its lease sends nothing under it', async () => {
    const { id, url } = await scene.addEndpoint(owner())
    const others = scene.newSender()
    let isAwake = true
    /** Once; meanwhile another process sends everything. */
    const sleep = async () => {
      if (!isAwake) return
      isAwake = false
      clock.advance(2 * minute)
      await others.runOnce(60_000)
    }
    const sleepy = scene.newSender({
      ...scene.laneStore,
      async record(lane, record) {
        const result = await scene.laneStore.record(lane, record)
        await sleep()
        return result
      },
    })
    scene.answers.set(url, () => {
      clock.advance(webhookSaveMs)
      return { outcome: 'accepted', status: 204 }
    })
    const ids = await write(3)
    await sleepy.runOnce(60_000)
    assert.deepEqual(scene.idsAt(url), ids)

    // While it waits for the answer about an event that then steps aside.
    const [poison = '', ...next] = await write(2)
    isAwake = true
    const first = scene.newSender()
    scene.answers.set(url, async ({ id: sent, attempt }) => {
      if (sent !== poison) return { outcome: 'accepted', status: 204 }
      if (attempt === 4) await sleep()
      return { outcome: 'refused', status: 422 }
    })
    scene.received.length = 0
    for (let step = 0; step < 40; step++) {
      clock.advance(5000)
      await first.runOnce(60_000)
    }
    assert.deepEqual(
      scene.idsAt(url).filter(sent => sent !== poison),
      next,
    )
    assert.equal((await scene.lanesOf(id)).filter(({ kind }) => kind === 'parked').length, 1)
  })

  test('a clock that steps back delays nothing and breaks no order', async t => {
    const { id, url } = await scene.addEndpoint(owner())
    const start = clock()
    t.after(() => clock.set(start))
    const ids = await write(2)
    await scene.deliver()
    clock.set(start - hour)
    ids.push(...(await write(2)))
    await scene.deliver()
    assert.deepEqual(scene.idsAt(url), ids)
    const numbers = ids.map(each => Number(each.split('_').at(-1)))
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    )
    // Pauses that began on the wrong clock.
    scene.answers.set(url, away)
    ids.push(...(await write(1)))
    await scene.deliver()
    assert.equal((await scene.lanesOf(id))[0]?.tries, 1)
    scene.answers.delete(url)
    clock.set(start - 365 * day)
    scene.received.length = 0
    await scene.deliver()
    assert.deepEqual(scene.idsAt(url), ids.slice(-1))
  })

  test('several processes share the lanes and send each event once', async () => {
    const { url } = await scene.addEndpoint(owner())
    const second = await scene.addEndpoint(owner())
    const ids = await write(times(30, 300))
    const senders = [scene.newSender(), scene.newSender(), scene.newSender()]
    await Promise.all(senders.map(each => each.runOnce(60_000)))
    assert.deepEqual([scene.idsAt(url), scene.idsAt(second.url)], [ids, ids])
  })
})
