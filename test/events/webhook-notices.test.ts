import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { removeEvents } from '../../src/events/feed/remove-events-store.ts'
import { deferredEventId } from '../../src/events/webhooks/messages.ts'
import { movableClock } from '../harness/clock.ts'
import { withServices } from '../harness/database.ts'
import { type createScene, emptyScene } from './webhook-scene.ts'

const clock = movableClock()
const [minute, day] = [60_000, 86_400_000]

withServices('notices about a stream', { clock }, services => {
  let scene: ReturnType<typeof createScene>
  let advertiserId: number
  beforeEach(async () => {
    ;({ scene, advertiserId } = await emptyScene(services(), clock))
  })
  const owner = () => ({ advertiserId })

  const write = (count: number) => scene.write(advertiserId, count)

  test('stopped for ten days, everything arrives; for forty, a gap is told first', async () => {
    const { id, url } = await scene.addEndpoint(owner())
    await scene.webhooks.pause(owner(), id)
    const lost = await write(3)
    clock.advance(10 * day)
    await scene.webhooks.resume(owner(), id)
    await scene.deliver()
    assert.deepEqual(scene.idsAt(url), lost)

    await scene.webhooks.pause(owner(), id)
    const [from = ''] = lost.slice(-1)
    await write(3)
    clock.advance(35 * day)
    const kept = await write(2)
    await services().work.run('expiry')
    await removeEvents(services().database, clock() - 30 * day, 500)
    scene.received.length = 0
    await scene.webhooks.resume(owner(), id)
    await scene.deliver()
    assert.deepEqual(
      scene.received.map(({ type }) => type),
      ['stream.gap', 'application.created', 'application.created'],
    )
    assert.deepEqual(scene.idsAt(url).slice(1), kept)
    const gap = JSON.parse(scene.received[0]?.body ?? '{}') as { data: { from: string } }
    assert.equal(Date.parse(gap.data.from), Number(from.split('_').at(-1)))
    // Told once.
    await write(1)
    await scene.deliver()
    assert.equal(scene.received.filter(({ type }) => type === 'stream.gap').length, 1)
  })

  test('a restore is told once, between the events before it and those after it', async () => {
    const { url } = await scene.addEndpoint(owner())
    const before = await write(2)
    clock.advance(1000)
    await services().restoreDetection.reconcile(1)
    clock.advance(1000)
    const after = await write(2)
    await scene.deliver()
    const ids = scene.idsAt(url)
    assert.deepEqual([ids.slice(0, 2), ids.slice(3)], [before, after])
    assert.match(String(ids[2]), /^evt_\d+_restored_\d+$/)
    await write(1)
    await scene.deliver()
    assert.equal(scene.idsAt(url).filter(id => id.includes('restored')).length, 1)
  })

  test('a receiver that refuses notices gets its events, and the notices later', async () => {
    const { id, url } = await scene.addEndpoint(owner())
    const isNotice = (type: string) => type.startsWith('stream.')
    scene.answers.set(url, ({ type }) =>
      isNotice(type) ? { outcome: 'refused', status: 400 } : { outcome: 'accepted', status: 204 },
    )
    await scene.webhooks.pause(owner(), id)
    await write(2)
    clock.advance(35 * day)
    await removeEvents(services().database, clock() - 30 * day, 500)
    await services().restoreDetection.reconcile(1)
    clock.advance(1000)
    const kept = await write(2)
    await scene.webhooks.resume(owner(), id)
    await scene.pass(4 * minute, 5_000)
    const events = () => scene.received.filter(({ type }) => !isNotice(type)).map(each => each.id)
    assert.deepEqual(events(), kept, 'after four attempts of the gap')
    // The second notice is alone at the end: it steps aside without an event behind it.
    clock.advance(1000)
    await services().restoreDetection.reconcile(1)
    await scene.pass(4 * minute, 5_000)
    const parked = async () =>
      (await scene.webhooks.details(owner(), id)).lanes.map(deferredEventId).toSorted()
    const ids = await parked()
    assert.deepEqual(
      ids.map(each => /gap|restored/.exec(each)?.[0]),
      ['restored', 'restored', 'gap'],
    )
    const more = await write(1)
    await scene.deliver()
    assert.deepEqual(events(), [...kept, ...more])
    assert.equal((await scene.webhooks.find(owner(), id)).state, 'active')

    scene.answers.delete(url)
    scene.received.length = 0
    await scene.webhooks.resendDeferred(owner(), id, 'all')
    await scene.deliver()
    assert.deepEqual(scene.idsAt(url).toSorted(), ids)
    await scene.deliver()
    assert.equal(scene.received.length, 3)
  })
})
