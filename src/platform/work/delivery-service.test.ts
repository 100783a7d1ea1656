import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { movableClock, steadily } from '../../../test/harness/clock.ts'
import { silentLog, withServices } from '../../../test/harness/database.ts'
import { createBackground } from '../core/async/background.ts'
import { newUuid } from '../core/ids.ts'
import type { ClaimedDelivery, DeliveryOutcome } from './delivery-ports.ts'
import { createDeliveries } from './delivery-service.ts'
import { createDeliveryStore, type DeliveryStore } from './delivery-store.ts'
import { createServiceClockStore } from './service-clock-store.ts'
import { createSteadyTimes } from './steady-time-service.ts'

const clock = movableClock()
const minute = 60_000
const day = 1440 * minute
const later: DeliveryOutcome = { outcome: 'retry', words: '451 later', isUnavailable: false }
const away: DeliveryOutcome = { outcome: 'retry', words: 'no route', isUnavailable: true }
const inDoubt = async () => ({ runningMs: 0, pausedMs: 1, doubtMs: 1 })
const background = createBackground(silentLog)

withServices('deliveries', { clock }, services => {
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

  /** A process that delivers, and what its handler was given. */
  function worker(
    answer: DeliveryOutcome | ((delivery: ClaimedDelivery) => Promise<DeliveryOutcome>),
    limits = {},
    isOn = true,
    lookAtTime = steadily(clock),
  ) {
    const given: ClaimedDelivery[] = []
    const deliver = async (delivery: ClaimedDelivery) => {
      given.push(delivery)
      return typeof answer === 'function' ? answer(delivery) : answer
    }
    const handlers = { letter: { deliver }, private: { deliver, isPersonal: true } }
    const deliveries = createDeliveries({
      store,
      handlers,
      background,
      clock,
      lookAtTime,
      log: silentLog,
      isOn: () => isOn,
      limits,
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

  test('and so does one whose email a round is still claiming', async () => {
    const { promise: claimed, resolve: tellClaimed } = Promise.withResolvers<void>()
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
    const { deliveries } = worker({ outcome: 'dead', words: '550 no such user' })
    const { claim } = store
    store.claim = async (...args) => {
      const deliveriesOf = await claim(...args)
      tellClaimed()
      await isOver
      return deliveriesOf
    }
    const id = await add()
    const round = deliveries.run()
    await claimed
    const report = deliveries.deliver(id)
    // The answer to the round comes after the answer to the person.
    assert.equal(await store.claimOne(id, clock(), clock()), undefined)
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
    end()
    assert.equal(await report, 'dead')
    await round
  })

  test('a process that is stopped while it claims emails releases them without an attempt', async () => {
    const id = await add()
    const { deliveries, given } = worker({ outcome: 'sent' })
    const claim = store.claim
    store.claim = async (...args) => {
      const claimed = await claim(...args)
      deliveries.stop()
      return claimed
    }
    await deliveries.run()
    assert.deepEqual(
      [given.length, await rowOf(id)],
      [0, { ...(await rowOf(id)), attempts: 0, due_at: clock() }],
    )
    assert.deepEqual(await worker({ outcome: 'sent' }).deliveries.deliver(id), 'sent')
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
    assert.equal(await worker(later).deliveries.retryNow([dead], day), 0)
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
    assert.equal(await worker(later).deliveries.retryNow([id], 3 * day), 1)
    clock.advance(2 * minute)
    await worker({ outcome: 'sent' }).deliveries.run()
    assert.deepEqual((await rowOf(id))?.content, '{}')
    assert.equal((await rowOf(id))?.state, 'dead')
  })

  for (const isOn of [true, false])
    test(`a clock that is ahead for one run ends no email that waits, ${isOn ? 'with' : 'without'} a mail server`, async () => {
      const { database } = services()
      await database.writer.deleteFrom('service_clock').execute()
      const clocks = { store: createServiceClockStore(database), clock, steadyClock: movableClock() }
      const { look } = createSteadyTimes({ ...clocks, log: silentLog })
      await look()
      const { deliveries, given } = worker({ outcome: 'sent' }, {}, isOn, look)
      const id = await add('private', day)
      clock.advance(30 * day)
      assert.deepEqual(await deliveries.run(), { did: {} })
      assert.equal(await deliveries.deliver(id), 'waiting')
      assert.deepEqual([given.length, (await rowOf(id))?.content], [0, '{"to":1}'])
      clock.advance(-30 * day)
      await worker({ outcome: 'sent' }).deliveries.run()
      assert.equal((await rowOf(id))?.state, 'sent')
    })

  for (const ms of [30 * day, -30 * day])
    test(`a clock that moves by ${ms / day} days during its check ends no email`, async () => {
      const id = await add('private', day)
      const start = clock()
      clock.set(start + Math.max(0, -ms))
      const { deliveries } = worker({ outcome: 'sent' }, {}, true, async () => {
        clock.advance(ms)
        return steadily(clock)()
      })
      await deliveries.run()
      clock.set(start)
      await worker({ outcome: 'sent' }).deliveries.run()
      assert.equal((await rowOf(id))?.state, 'sent')
    })

  test('an email that fails once while the clock is ahead, until its check corrects it, is retried', async () => {
    const id = await add('private', day)
    let looks = 0
    const { deliveries } = worker(
      async () => {
        clock.advance(30 * day)
        return later
      },
      {},
      true,
      async () => {
        looks += 1
        if (looks === 2) clock.advance(-30 * day)
        return steadily(clock)()
      },
    )
    assert.deepEqual([(await deliveries.run()).did, looks], [{ waiting: 1 }, 2])
    assert.equal((await rowOf(id))?.content, '{"to":1}')
  })

  test('a late email is retried on request while in doubt, unless it names a person', async () => {
    const [letter, mine] = [await add('letter', minute), await add('private', minute)]
    const long = await add('letter', 7 * day)
    clock.advance(2 * minute)
    const { deliveries, given } = worker({ outcome: 'sent' }, {}, true, inDoubt)
    assert.equal(await deliveries.retryNow([mine], 3 * day), 0)
    assert.equal(await deliveries.retryNow([letter, mine], 3 * day), 1)
    assert.equal(await deliveries.retryNow([long], 3 * day), 1)
    await deliveries.run()
    assert.deepEqual(
      given.map(({ id, giveUpAt }) => [id, giveUpAt - clock()]).toSorted(),
      [
        [letter, 3 * day],
        [long, 7 * day - 2 * minute],
      ].toSorted(),
    )
    assert.deepEqual([(await rowOf(mine))?.state, (await rowOf(mine))?.content], ['waiting', '{"to":1}'])
  })

  test('a retry that a clock ahead has planned keeps no late email without a mail server', async () => {
    const id = await add()
    clock.advance(30 * day)
    const [claimed] = await store.claim(['letter'], clock() - 30 * day, clock(), 1)
    await store.retry(claimed ?? assert.fail(), clock(), '451 later')
    clock.advance(-26 * day)
    const { deliveries } = worker(later, {}, false)
    assert.deepEqual([await deliveries.run(), await rowOf(id)], [{ did: { dropped: 1 } }, undefined])
  })

  test('an email that cannot be sent while the clock is ahead is retried later', async () => {
    const { deliveries } = worker(later, {}, true, inDoubt)
    const id = await add('private', 30_000)
    assert.deepEqual((await deliveries.run()).did, { waiting: 1 })
    assert.deepEqual([(await rowOf(id))?.state, (await rowOf(id))?.content], ['waiting', '{"to":1}'])
    clock.advance(minute)
    await worker(later).deliveries.run()
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

  test('a slow recipient occupies one slot, and the others go on, also when more is announced', async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<DeliveryOutcome>()
    const slow = await add()
    clock.advance(1)
    const arrivals = new Map<string, () => void>()
    const { deliveries, given } = worker(
      async ({ id }) => {
        arrivals.get(id)?.()
        return id === slow ? answered : { outcome: 'sent' }
      },
      { deliveriesAtOnce: 2 },
    )
    const arrive = async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const id = newUuid()
      arrivals.set(id, resolve)
      await add('letter', day, id)
      return promise
    }
    const others = [arrive(), arrive(), arrive(), arrive(), arrive()]
    deliveries.wake()
    await Promise.all(others)
    const late = arrive()
    deliveries.wake()
    await late
    assert.deepEqual([given.length, (await rowOf(slow))?.state], [7, 'waiting'])
    // The server is there for the others.
    answer(away)
    deliveries.stop()
    await background.whenIdle()
    assert.equal((await rowOf(slow))?.fault, 'no route')
  })

  test('a recipient that is not reached in time does not end a round in which others were sent to', async () => {
    const slow = await add()
    clock.advance(1)
    const others = await Promise.all(Array.from({ length: 5 }, () => add()))
    const { promise: isSent, resolve } = Promise.withResolvers<void>()
    const { deliveries, given } = worker(
      async ({ id }) => {
        if (id === slow) await isSent
        // The second of the others begins when the first was sent.
        else if (given.length === 3) resolve()
        return id === slow ? away : { outcome: 'sent' }
      },
      { deliveriesAtOnce: 2 },
    )
    assert.deepEqual((await deliveries.run()).did, { waiting: 1, sent: others.length })
    assert.equal(given.length, 6)
  })

  test('a server that hangs neither keeps other work waiting nor the process from stopping', async () => {
    const id = await add()
    const { promise, resolve } = Promise.withResolvers<DeliveryOutcome>()
    const asked = Promise.withResolvers<void>()
    const hanging = () => {
      asked.resolve()
      return promise
    }
    const { deliveries, given } = worker(hanging, { deliveryWaitSeconds: 0.01 })
    assert.deepEqual(await deliveries.run(), { did: {} })
    await asked.promise
    // The same attempt, still under way.
    assert.deepEqual(await deliveries.run(), { did: {} })
    assert.equal(given.length, 1)
    deliveries.stop()
    assert.equal(await deliveries.deliver(id), 'waiting')
    resolve({ outcome: 'sent' })
    await background.whenIdle()
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

  test('kinds of other versions are left alone; without a mail server, emails are dropped at the end of their time', async () => {
    const strange = await add('webhook')
    const id = await add()
    const { deliveries, given } = worker({ outcome: 'sent' }, {}, false)
    assert.deepEqual(await deliveries.run(), { did: {} })
    // Another process may have a mail server, and retries for three days.
    clock.advance(3 * day)
    assert.deepEqual(await deliveries.run(), { did: {} })
    clock.advance(1)
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
    await background.whenIdle()
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
    await background.whenIdle()
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
    await background.whenIdle()
  })
})
