import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { movableClock } from '../../test/harness/clock.ts'
import { silentLog, withServices } from '../../test/harness/database.ts'
import { createBackground } from '../core/async/background.ts'
import { newUuid } from '../core/ids.ts'
import { defaultLimits } from '../limits.ts'
import { createDeliveryStore } from '../storage/upkeep/delivery-store.ts'
import type { ClaimedDelivery, DeliveryOutcome, DeliveryStore } from './delivery-ports.ts'
import { createDeliveries } from './delivery-service.ts'

const clock = movableClock()
const minute = 60_000
const day = 1440 * minute
const later: DeliveryOutcome = { outcome: 'retry', words: '451 later', isUnavailable: false }
const away: DeliveryOutcome = { outcome: 'retry', words: 'no route', isUnavailable: true }
const background = createBackground(silentLog)

withServices(
  'deliveries',
  services => {
    let store: DeliveryStore
    beforeEach(async () => {
      store = createDeliveryStore(services().database)
      await services().database.writer.deleteFrom('deliveries').execute()
    })

    const add = async (kind = 'letter', giveUpAfter = 3 * day, id = newUuid()) => {
      await store.add([{ id, kind, content: '{"to":1}', giveUpAt: clock() + giveUpAfter }], clock())
      return id
    }
    const rowOf = (id: string) =>
      services()
        .database.reader.selectFrom('deliveries')
        .select(['state', 'attempts', 'content', 'fault', 'due_at'])
        .where('id', '=', id)
        .executeTakeFirst()

    /** A process that delivers, and what its courier was given. */
    function worker(
      answer: DeliveryOutcome | ((delivery: ClaimedDelivery) => Promise<DeliveryOutcome>),
      limits = {},
      isOn = true,
    ) {
      const given: ClaimedDelivery[] = []
      const deliver = async (delivery: ClaimedDelivery) => {
        given.push(delivery)
        return typeof answer === 'function' ? answer(delivery) : answer
      }
      const couriers = { letter: { deliver }, private: { deliver, isPersonal: true } }
      const deliveries = createDeliveries({
        ...{ store, couriers, background, clock, log: silentLog },
        isOn: () => isOn,
        limits: { ...defaultLimits, ...limits },
      })
      return { deliveries, given }
    }

    test('a person who waits for an email that a round has just claimed gets its report', async () => {
      const { promise: answered, resolve: answer } = Promise.withResolvers<DeliveryOutcome>()
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
      const { deliveries, given } = worker(() => {
        begin()
        return answered
      })
      const id = await add()
      const round = deliveries.run()
      await begun
      const report = deliveries.deliver(id)
      // Not before it is known that the round has the claim.
      assert.equal(await store.claimOne(id, clock(), clock()), undefined)
      answer({ outcome: 'dead', words: '550 no such user' })
      assert.equal(await report, 'dead')
      assert.deepEqual([await round, given.length], [{ did: { dead: 1 } }, 1])
    })

    test('temporary failures are retried after 1, 5 and 15 minutes, 1, 4, 12 and 24 hours, and given up after three days', async () => {
      const { deliveries, given } = worker(later)
      const id = await add()
      const start = clock()
      const attempts = [0, 1, 6, 21, 81, 321, 1041, 2481, 3921]
      for (const [index, at] of attempts.entries()) {
        clock.set(start + at * minute - 1)
        await deliveries.run()
        assert.equal(given.length, index)
        clock.advance(1)
        await deliveries.run()
        assert.equal(given.length, index + 1)
      }
      assert.deepEqual(
        given.map(each => [each.id, each.attempt]),
        attempts.map((_, index) => [id, index + 1]),
      )
      const { state, fault } = (await rowOf(id)) ?? {}
      assert.deepEqual([state, fault], ['dead', '451 later'])
      assert.equal(await deliveries.retryNow('dead', day), 1)
      assert.deepEqual((await deliveries.run()).did, { waiting: 1 })
    })

    test('each end is recorded; what names a person is forgotten at once', async () => {
      const ids = [await add('letter'), await add('private')]
      await worker({ outcome: 'sent' }).deliveries.run()
      assert.deepEqual(
        (await Promise.all(ids.map(rowOf))).map(row => [row?.state, row?.content]),
        [
          ['sent', '{"to":1}'],
          ['sent', '{}'],
        ],
      )
      const dead = await add('private')
      await worker({ outcome: 'dead', words: '550 no' }).deliveries.run()
      const row = await rowOf(dead)
      assert.deepEqual([row?.state, row?.content, row?.fault], ['dead', '{}', '550 no'])
      // There is nothing left to send.
      assert.equal(await store.retryNow([dead], clock(), clock() + day), 0)
      const gone = await add()
      await worker({ outcome: 'dropped' }).deliveries.run()
      assert.equal(await rowOf(gone), undefined)
      const late = await add('letter', -1)
      const { deliveries, given } = worker({ outcome: 'sent' })
      await deliveries.run()
      assert.deepEqual([given.length, (await rowOf(late))?.state], [0, 'dead'])
      assert.deepEqual(await deliveries.counts(), { waiting: 0, dead: 2, oldestAt: null, held: 0 })
      assert.equal(await deliveries.drop('dead'), 2)
    })

    test('a process that dies after it has sent leaves the delivery to another one, under the same ID', async () => {
      const id = await add()
      // Never records the end, as if it had been killed.
      const [dying] = await store.claim(['letter'], clock(), clock() + 5 * minute, 9)
      assert.equal(dying?.id, id)
      const { deliveries, given } = worker({ outcome: 'sent' })
      await deliveries.run()
      assert.equal(given.length, 0)
      clock.advance(5 * minute)
      await deliveries.run()
      assert.deepEqual([given[0]?.id, given[0]?.attempt], [id, 2])
      // The late record of the first one changes nothing.
      await store.retry(dying ?? assert.fail(), clock(), 'too late')
      assert.equal((await rowOf(id))?.state, 'sent')
    })

    test('what a clock that was ahead has queued is due when the clock is right again', async () => {
      const now = clock()
      clock.set(now + 365 * day)
      const id = await add()
      clock.set(now)
      const { deliveries, given } = worker({ outcome: 'sent' })
      await deliveries.run()
      assert.deepEqual(
        given.map(delivery => delivery.id),
        [id],
      )
    })

    test('a waiting delivery that is retried now is given up no later', async () => {
      const id = await add('private', minute)
      assert.equal(await store.retryNow([id], clock(), clock() + 3 * day), 1)
      clock.advance(2 * minute)
      await worker({ outcome: 'sent' }).deliveries.run()
      assert.deepEqual((await rowOf(id))?.content, '{}')
      assert.equal((await rowOf(id))?.state, 'dead')
    })

    test('two workers at once send each delivery once', async () => {
      const ids = await Promise.all(Array.from({ length: 60 }, () => add()))
      const workers = [worker({ outcome: 'sent' }), worker({ outcome: 'sent' }), worker({ outcome: 'sent' })]
      await Promise.all(workers.map(each => each.deliveries.run()))
      // What one had claimed is not due for the others, so they may end early.
      await workers[0]?.deliveries.run()
      const given = workers.flatMap(each => each.given.map(({ id }) => id))
      assert.deepEqual(given.toSorted(), ids.toSorted())
    })

    test('one delivery can be attempted before all others, once', async () => {
      await Promise.all(Array.from({ length: 9 }, () => add()))
      clock.advance(1)
      const id = await add()
      const { deliveries, given } = worker({ outcome: 'sent' })
      const reports = await Promise.all([deliveries.deliver(id), deliveries.deliver(id)])
      // The second gets the report of the first, if that attempt is still under way.
      assert.ok(reports.includes('sent') && reports.every(report => /^(sent|waiting)$/.test(report)))
      assert.deepEqual(
        given.map(each => each.id),
        [id],
      )
    })

    test('an unavailable server gets one batch of attempts in each round, and the others stay due', async () => {
      for (let count = 0; count < 5; count++) await add()
      const { deliveries, given } = worker(away, { deliveriesAtOnce: 2 })
      await deliveries.run()
      assert.equal(given.length, 2)
      await deliveries.run()
      assert.equal(given.length, 4)
    })

    test('a server that hangs neither keeps other work waiting nor the process from stopping', async () => {
      const id = await add()
      const { promise, resolve } = Promise.withResolvers<DeliveryOutcome>()
      const { deliveries, given } = worker(() => promise, { deliveryWaitSeconds: 0.01 })
      assert.deepEqual(await deliveries.run(), { did: {} })
      // The same attempt, still under way.
      assert.deepEqual(await deliveries.run(), { did: {} })
      assert.equal(given.length, 1)
      deliveries.stop()
      assert.equal(await deliveries.deliver(id), 'waiting')
      resolve({ outcome: 'sent' })
      await background.settle()
      assert.equal((await rowOf(id))?.state, 'sent')
    })

    test('an attempt that takes too long is cut off and repeated', async () => {
      const id = await add()
      const { deliveries } = worker(() => new Promise(() => {}), { deliveryAttemptSeconds: 0.01 })
      assert.deepEqual((await deliveries.run()).did, { waiting: 1 })
      assert.equal((await rowOf(id))?.fault, 'no answer in time')
    })

    test('a courier that throws is asked again later, and its error goes to the log alone', async () => {
      const id = await add()
      const { deliveries } = worker(() => Promise.reject(new Error('mary@example.com')))
      assert.deepEqual((await deliveries.run()).did, { waiting: 1 })
      assert.equal((await rowOf(id))?.fault, 'internal error, see the log')
    })

    test('kinds of other versions are left alone; without a mail server, emails are dropped after an hour', async () => {
      const strange = await add('webhook')
      const id = await add()
      const { deliveries, given } = worker({ outcome: 'sent' }, {}, false)
      assert.deepEqual(await deliveries.run(), { did: {} })
      clock.advance(60 * minute)
      assert.deepEqual(await deliveries.run(), { did: { dropped: 1 } })
      assert.deepEqual([given.length, await rowOf(id), (await rowOf(strange))?.attempts], [0, undefined, 0])
    })

    test('a wake sends what was queued at once', async () => {
      const { promise, resolve } = Promise.withResolvers<string>()
      const { deliveries } = worker(async ({ id }) => {
        resolve(id)
        return { outcome: 'sent' }
      })
      deliveries.wake()
      assert.equal(await add().then(id => promise.then(sent => sent === id)), true)
      await background.settle()
    })

    test('what is committed after one that was announced later is sent, too', async () => {
      const { promise, resolve } = Promise.withResolvers<string>()
      let first: Promise<string> | undefined
      const { deliveries } = worker(async ({ id }) => {
        if (first === undefined) {
          first = add()
          await first
        } else resolve(id)
        return { outcome: 'sent' }
      })
      await add()
      deliveries.wake()
      deliveries.wake()
      const sent = await promise
      assert.equal(sent, await first)
      // Its further looks would find what the next test adds.
      deliveries.stop()
      await background.settle()
    })

    test('looks go on after one that failed', async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const { deliveries } = worker(async () => {
        resolve()
        return { outcome: 'sent' }
      })
      const { claim } = store
      store.claim = async () => {
        store.claim = claim
        throw new Error('the database cannot be reached')
      }
      await add()
      deliveries.wake()
      await promise
      await background.settle()
    })
  },
  clock,
)
