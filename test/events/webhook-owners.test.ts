import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { webhookPage, webhookSaveMs, webhookUnsaved } from '../../src/events/webhooks/lane-service.ts'
import { maxWebhooksPerAdvertiser, webhookTestsAtOnce } from '../../src/events/webhooks/service.ts'
import { createSigner, signedHeaders } from '../../src/events/webhooks/signing-rules.ts'
import { eventId } from '../../src/model/events.ts'
import { defaultLimits } from '../../src/settings-limits.ts'
import { movableClock } from '../harness/clock.ts'
import { withServices } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { until } from '../harness/polling.ts'
import { type createScene, emptyScene, webhookKeys } from './webhook-scene.ts'

const clock = movableClock()
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const away = () => ({ outcome: 'connect' as const, status: null })

withServices('owners of webhooks', { clock }, services => {
  let scene: ReturnType<typeof createScene>
  let advertiserId: number
  beforeEach(async () => {
    ;({ scene, advertiserId } = await emptyScene(services(), clock))
  })
  const owner = () => ({ advertiserId })
  const idOf = (number: number) => eventId({ advertiserId }, number)

  const write = (count: number) => scene.write(advertiserId, count)

  test('an owner whose receivers hang has its share of the slots, and others get their events', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { webhooksAtOnce } = defaultLimits
    const hanging = async () => {
      await released
      return { outcome: 'timeout' as const, status: null }
    }
    const bad: { id: string; url: string }[] = []
    for (let count = 0; count < maxWebhooksPerAdvertiser; count++) bad.push(await scene.addEndpoint(owner()))
    for (const { url } of bad) scene.answers.set(url, hanging)
    const other = (await services().advertisers.add('Other')).id
    const good = await scene.addEndpoint({ advertiserId: other })
    await write(1)
    const sender = scene.newSender()
    const quiet = sender.runOnce(60_000)
    const countAt = ({ url }: { url: string }) => scene.idsAt(url).length
    await until(async () => bad.filter(each => countAt(each) > 0).length === webhooksAtOnce / 8)
    await scene.writeEvent(other)
    sender.hint(other)
    await until(async () => countAt(good) === 1)
    assert.equal(bad.filter(each => countAt(each) > 0).length, webhooksAtOnce / 8)

    // Tests have no slots, and are bounded themselves.
    const tests = bad
      .slice(0, webhookTestsAtOnce)
      .map(({ id }) => scene.webhooks.test(owner(), id).then(({ result }) => result.outcome))
    await until(
      async () => scene.received.filter(({ type }) => type === 'test.ping').length === webhookTestsAtOnce,
    )
    await assert.rejects(scene.webhooks.test(owner(), bad.at(-1)?.id ?? ''), { code: 'rate-limited' })
    await scene.webhooks.test({ advertiserId: other }, good.id)
    release()
    assert.deepEqual(new Set(await Promise.all(tests)), new Set(['timeout']))
    await quiet
  })

  test('a test says nothing about how fast a receiver takes events', async () => {
    const { id, url } = await scene.addEndpoint(owner())
    scene.answers.set(url, () => ({ outcome: 'timeout', status: null, ms: 15_000 }))
    await write(1)
    await scene.deliver()
    scene.answers.delete(url)
    await scene.webhooks.test(owner(), id)
    assert.equal((await scene.endpointRow(id)).answer_ms, 15_000)
  })

  test('an agent gets the events of every advertiser that authorises it, from then until it is withdrawn', async () => {
    const { agents, advertisers } = services()
    const agent = await agents.add('Agent')
    const other = (await advertisers.add('Other')).id
    await agents.authorise(advertiserId, agent.id)
    const { id, url } = await scene.addEndpoint({ agentId: agent.id })
    const lanes = async () => (await scene.lanesOf(id)).map(({ advertiser_id }) => advertiser_id).toSorted()
    assert.deepEqual(await lanes(), [advertiserId])
    await scene.writeEvent(other)
    await agents.authorise(other, agent.id)
    const ids = [idOf(await scene.writeEvent(advertiserId))]
    const [otherId] = [eventId({ advertiserId: other }, await scene.writeEvent(other))]
    await scene.deliver()
    assert.deepEqual(scene.idsAt(url).toSorted(), [...ids, otherId].toSorted())
    // In the middle of a lane.
    scene.received.length = 0
    await write(50)
    scene.answers.set(url, async () => {
      if (scene.received.length === 5) await agents.withdraw(advertiserId, agent.id)
      clock.advance(webhookSaveMs)
      return { outcome: 'accepted', status: 200 }
    })
    await scene.deliver()
    assert.equal(scene.idsAt(url).length, 5, 'nothing after the withdrawal')
    assert.deepEqual(await lanes(), [other])
    await agents.authorise(advertiserId, agent.id)
    scene.received.length = 0
    await scene.deliver()
    assert.deepEqual(scene.idsAt(url), [], 'nothing from before the authorisation')
  })

  test('the lanes of an advertiser on hold rest', async () => {
    const { advertisers } = services()
    const { url } = await scene.addEndpoint(owner())
    await advertisers.setStatus(advertiserId, 'hold')
    const ids = await write(2)
    await scene.pass(hour)
    assert.deepEqual(scene.idsAt(url), [])
    await advertisers.setStatus(advertiserId, 'active')
    await scene.deliver()
    assert.deepEqual(scene.idsAt(url), ids)
  })

  test('an owner sees and changes only its own endpoints', async () => {
    const { webhooks } = scene
    const { id } = await scene.addEndpoint(owner())
    const stranger = { advertiserId: (await services().advertisers.add('Stranger')).id }
    const agent = { agentId: advertiserId }
    for (const other of [stranger, agent]) {
      assert.deepEqual(await webhooks.list(other), [])
      const calls: (() => Promise<unknown>)[] = [
        () => webhooks.find(other, id),
        () => webhooks.change(other, id, { description: 'mine' }),
        () => webhooks.test(other, id),
        () => webhooks.pause(other, id),
        () => webhooks.resume(other, id),
        () => webhooks.rotate(other, id),
        () => webhooks.retire(other, id),
        () => webhooks.replay(other, id, { from: 0, advertiserId }),
        () => webhooks.resendDeferred(other, id, 'all'),
        () => webhooks.details(other, id),
        () => webhooks.remove(other, id),
      ]
      for (const call of calls) await assert.rejects(call, { code: 'not-found' })
    }
    const { description, state, generation } = await webhooks.find(owner(), id)
    assert.deepEqual([description, state, generation], ['', 'active', 1])
    await assert.rejects(webhooks.cancelReplay(stranger, id, 'x'), { code: 'not-found' })
  })

  test('a replay sends what is kept beside new events, also from before the endpoint existed', async () => {
    const old = await write(4)
    clock.advance(hour)
    const { id, url } = await scene.addEndpoint(owner())
    const from = Number(old[1]?.split('_').at(-1))
    const { id: replayId } = await scene.webhooks.replay(owner(), id, { from })
    const [fresh = ''] = await write(1)
    await scene.deliver()
    const isReplayed = (header: string | undefined) =>
      scene.received.filter(({ headers }) => headers['dossier-replay'] === header).map(each => each.id)
    assert.deepEqual(isReplayed(replayId), old.slice(1))
    assert.deepEqual(isReplayed(undefined), [fresh])
    const [lane] = (await scene.webhooks.details(owner(), id)).lanes
    assert.deepEqual([lane?.state, lane?.delivered], ['done', 3])
    // One that has not begun can be cancelled.
    scene.answers.set(url, away)
    const again = await scene.webhooks.replay(owner(), id, { from })
    await scene.webhooks.cancelReplay(owner(), id, again.id)
    scene.received.length = 0
    await scene.pass(hour)
    assert.deepEqual(scene.idsAt(url), [])
  })

  test('bounds: endpoints of an owner, tests, the log', async () => {
    const { webhooks } = scene
    for (let count = 0; count < 10; count++) await scene.addEndpoint(owner())
    await assert.rejects(scene.addEndpoint(owner()), { code: 'invalid-fields' })
    const [first] = await webhooks.list(owner())
    const id = first?.id ?? ''
    clock.advance(minute)
    for (let count = 0; count < 10; count++) {
      clock.advance(1)
      await webhooks.test(owner(), id)
    }
    await assert.rejects(webhooks.test(owner(), id), { code: 'rate-limited' })
    const { database } = services()
    const row = {
      endpoint_id: id,
      advertiser_id: advertiserId,
      attempt: 1,
      status: 500,
      ms: 1,
      answer: null,
    }
    const now = clock()
    for (let start = 0; start < times(300, 10_500); start += 100) {
      const rows = Array.from({ length: 100 }, (_, index) => start + index).flatMap(number =>
        ['accepted', 'refused'].map((outcome, offset) => ({
          ...row,
          outcome,
          number: number + 1,
          at: now - number * 10 - offset,
        })),
      )
      await database.writer.insertInto('webhook_attempts').values(rows).execute()
    }
    await database.writer
      .insertInto('webhook_attempts')
      .values({ ...row, outcome: 'refused', number: 1, at: now - 31 * day })
      .execute()
    await scene.upkeep.run()
    const count = async (outcome: string) =>
      (
        await database.reader
          .selectFrom('webhook_attempts')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('endpoint_id', '=', id)
          .where('outcome', '=', outcome)
          .executeTakeFirstOrThrow()
      ).count
    assert.deepEqual([await count('accepted'), await count('refused')], [100, times(300, 10_000)])
  })

  test('an endpoint that is changed while its lane catches up gets what comes afterwards as it is then', async () => {
    const { id, url } = await scene.addEndpoint(owner())
    const newUrl = `${url}/new`
    const before = await write(2 * webhookPage + 5)
    let erased = ''
    let count = 0
    scene.answers.set(url, async () => {
      count += 1
      if (count !== 3) return {}
      const types = ['application.created', 'application.erased']
      await scene.webhooks.change(owner(), id, { url: newUrl, types })
      await scene.webhooks.rotate(owner(), id, 0)
      clock.advance(1)
      erased = idOf(await scene.writeEvent(advertiserId, 'application.erased'))
      return {}
    })
    clock.advance(hour)
    await scene.deliver()
    const sent = scene.received.filter(({ type }) => type !== 'test.ping')
    assert.deepEqual(
      sent.map(each => each.id),
      [...before, erased],
    )
    // What was accepted is written every so often, and then the change is seen.
    assert.ok(scene.idsAt(url).length <= 3 + webhookUnsaved)
    const last = sent.at(-1)
    const signer = createSigner(webhookKeys, await scene.webhooks.find(owner(), id), clock())
    const signed = signedHeaders(signer, erased, last?.body ?? '', last?.at ?? 0)
    assert.deepEqual({ ...last?.headers, ...signed }, last?.headers)
  })

  test('an endpoint that is paused in the middle of its events goes on as soon as it is resumed', async () => {
    const { id, url } = await scene.addEndpoint(owner())
    const ids = await write(2 * webhookUnsaved)
    scene.answers.set(url, async ({ id: sent }) => {
      if (sent === ids[2]) await scene.webhooks.pause(owner(), id)
      return {}
    })
    await scene.deliver()
    assert.ok(scene.idsAt(url).length < ids.length)
    await scene.webhooks.resume(owner(), id)
    await scene.deliver()
    assert.deepEqual(scene.idsAt(url), ids)
  })

  test('an endpoint that is gone when a parked event is sent again stops, and this is told', async () => {
    const { id, url } = await scene.addEndpoint(owner())
    const [poison = ''] = await write(2)
    let status = 422
    scene.answers.set(url, ({ id: sent }) => (sent === poison ? { outcome: 'refused', status } : {}))
    await scene.deliver()
    await scene.pass(10 * minute)
    assert.equal((await scene.lanesOf(id)).length, 2)
    status = 410
    await scene.webhooks.resendDeferred(owner(), id, 'all')
    await scene.deliver()
    assert.equal((await scene.webhooks.find(owner(), id)).state, 'stopped')
    await scene.upkeep.run()
    const { events } = await services().eventStore.page({ advertiserId }, { after: 0, limit: 10 })
    assert.equal(events.at(-1)?.type, 'webhook.stopped')
  })

  test('endpoints that stopped long ago do not hide others that fail', async () => {
    const { id } = await scene.addEndpoint(owner(), undefined, away)
    const { database } = services()
    const stopped = Array.from({ length: 1000 }, (_, index) => ({
      id: `stopped-${index}`,
      advertiser_id: advertiserId,
      agent_id: null,
      url: 'https://gone.example.com',
      description: '',
      scheme: 'v1' as const,
      types: 'application.created',
      state: 'stopped' as const,
      created_at: 1,
      rotated_at: 1,
      overlap_until: null,
      stopped_at: 3,
      stop_reason: 'failing' as const,
      failing_since: 1,
      failed_at: 2,
      told: 3,
    }))
    for (let from = 0; from < stopped.length; from += 100)
      await database.writer
        .insertInto('webhook_endpoints')
        .values(stopped.slice(from, from + 100))
        .execute()
    await write(1)
    await scene.pass(2 * hour)
    await scene.upkeep.run()
    const { events } = await services().eventStore.page({ advertiserId }, { after: 0, limit: 10 })
    const [told] = events.filter(({ type }) => type === 'webhook.failing')
    assert.ok(told?.detail.includes(id))
  })

  test('an endpoint that is paused during a test stays paused', async () => {
    const { id, url } = await scene.addEndpoint(owner(), undefined, away)
    await write(1)
    await scene.deliver()
    assert.equal((await scene.webhooks.find(owner(), id)).state, 'failing')
    scene.answers.set(url, async () => {
      await scene.webhooks.pause(owner(), id)
      return {}
    })
    const { endpoint, result } = await scene.webhooks.test(owner(), id)
    assert.deepEqual([result.outcome, endpoint.state], ['accepted', 'paused'])
    assert.equal((await scene.webhooks.resume(owner(), id)).state, 'active')
  })

  test('removing an endpoint removes its lanes and its log', async () => {
    const { id, url } = await scene.addEndpoint(owner())
    await write(2)
    await scene.webhooks.remove(owner(), id)
    await scene.deliver()
    assert.deepEqual(scene.idsAt(url), [])
    const { reader } = services().database
    for (const table of ['webhook_lanes', 'webhook_attempts', 'webhook_hours'] as const)
      assert.deepEqual(await reader.selectFrom(table).select('endpoint_id').execute(), [])
  })
})
