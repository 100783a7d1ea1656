import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { addCandidate } from '../../../test/harness/applications.ts'
import { movableClock } from '../../../test/harness/clock.ts'
import { withServices } from '../../../test/harness/database.ts'
import { countWaiting } from '../../../test/harness/waiting-locks.ts'
import { newSubmission } from '../../../test/store/scene.ts'
import { type Stores, storesOver } from '../../../test/store/stores.ts'
import { newUuid } from '../../platform/core/ids.ts'
import { createErasure } from '../erasure/service.ts'
import { createRetention } from './service.ts'

const dayMs = 86_400_000
const limits = { erasureBatch: 3, clockSteadyMs: dayMs }
const clock = movableClock(Date.parse('2026-01-20T08:30:00Z'))

// Whole histories are played against a model in test/store/retention-model.test.ts. Here: between plan and erasure.
withServices('applications that a period has made due, before they are erased', { clock }, services => {
  let stores: Stores
  let advertiserId: number
  let candidateId: string
  let applicationId: number

  const retention = (store = stores.retention) =>
    createRetention({
      store,
      clock,
      timeZone: 'UTC',
      limits,
      lookAtTime,
      bounds: { standard: null, min: 1, max: 12 },
    })
  const lookAtTime = () => services().steadyTimes.look()
  const isErased = async () => {
    await services().erasure.run()
    const { erased_at } = await services()
      .database.reader.selectFrom('applications')
      .select('erased_at')
      .where('id', '=', applicationId)
      .executeTakeFirstOrThrow()
    return erased_at !== null
  }

  beforeEach(async () => {
    stores = storesOver(services().database)
    advertiserId = (await services().advertisers.add('Harbour')).id
    await retention().choose(advertiserId, 1)
    candidateId = newUuid()
    await addCandidate(services(), candidateId)
    const submission = newSubmission({ advertiserId, jobAdId: 1 }, newUuid())
    const sent = await stores.ownApplications.send(candidateId, submission, clock())
    assert.ok(sent.kind === 'sent')
    applicationId = sent.applicationId
    clock.advance(40 * dayMs)
    await lookAtTime()
  })

  /** A hold and its end, with a longer period meanwhile. */
  async function disputeAndKeep(): Promise<void> {
    const hold = { reason: 'A dispute', placedAt: clock(), placedBy: null }
    assert.equal(await stores.holds.place(advertiserId, applicationId, hold), 'placed')
    await retention().choose(advertiserId, 12)
    assert.ok(await stores.holds.release(advertiserId, applicationId, { actorId: null, at: clock() }))
  }

  const allow = () =>
    services()
      .database.writer.insertInto('kept_applications')
      .values({
        advertiser_id: advertiserId,
        application_id: applicationId,
        until: '2026-03-31',
        reminded_at: null,
      })
      .execute()

  test('a consent that ends while the task plans is planned by this run or the next, after its day', async () => {
    await allow()
    await Promise.all([
      retention().run(),
      stores.ownApplications.endKeeping(candidateId, applicationId, clock()),
      retention().run(),
    ])
    await retention().run()
    assert.ok(!(await isErased()))
    clock.advance(dayMs - 1)
    assert.ok(!(await isErased()))
    clock.advance(1)
    assert.ok(await isErased())
  })

  const withdraw = () => stores.ownApplications.withdraw(candidateId, applicationId, in30Days())
  const leave = () => stores.accountRemoval.remove(candidateId, '', in30Days())
  const in30Days = () => ({ now: clock(), eraseAt: clock() + 30 * dayMs })

  for (const [what, act] of [
    ['withdrawn', withdraw],
    ['of a deleted account', leave],
  ] as const)
    for (const order of ['before', 'after'] as const)
      test(`those ${what} ${order} the plan go in spite of a hold in between`, async () => {
        if (order === 'before') await act()
        await retention().run()
        if (order === 'after') await act()
        await disputeAndKeep()
        clock.advance(31 * dayMs)
        assert.ok(await isErased())
      })

  test('go when the shorter period is taken back too late, which the admin is told', async () => {
    await retention().choose(advertiserId, 12)
    await retention().choose(advertiserId, 1)
    clock.advance(14 * dayMs)
    await assert.rejects(retention().takeBack(advertiserId), /it has taken effect/)
    await retention().run()
    clock.advance(dayMs)
    assert.ok(await isErased())
  })

  test('wait for a day of running time, however often the company saves the same period', async () => {
    for (const ms of [0, dayMs - 1]) {
      clock.advance(ms)
      await retention().choose(advertiserId, 1)
      await retention().run()
      assert.ok(!(await isErased()))
    }
    clock.advance(1)
    await retention().choose(advertiserId, 1)
    assert.ok(await isErased())
  })

  test('wait for that day also if release 0.1.0 has planned them', async () => {
    await services()
      .database.writer.insertInto('erasures')
      .values({
        advertiser_id: advertiserId,
        application_id: applicationId,
        due_at: clock(),
        reason: 'retention',
      })
      .execute()
    assert.ok(!(await isErased()))
    await retention().run()
    assert.ok(!(await isErased()))
    clock.advance(dayMs)
    assert.ok(await isErased())
  })

  test('stay when the company chooses a longer period', async () => {
    await retention().run()
    clock.advance(dayMs)
    await retention().choose(advertiserId, 12)
    assert.ok(!(await isErased()))
  })

  test('stay when the company chooses a longer period while the task runs', async () => {
    const interrupted: typeof stores.retention = {
      ...stores.retention,
      async companies(...asked) {
        const found = await stores.retention.companies(...asked)
        if (found.some(company => company.advertiserId === advertiserId))
          await retention().choose(advertiserId, 12)
        return found
      },
    }
    await retention(interrupted).run()
    clock.advance(dayMs)
    assert.ok(!(await isErased()))
  })

  test('stay when the company chooses a longer period while others of the same batch are erased', async () => {
    await retention().run()
    clock.advance(dayMs)
    const erasure = createErasure({
      store: {
        ...stores.erasures,
        async due(...asked) {
          const found = await stores.erasures.due(...asked)
          if (found.some(plan => plan.applicationId === applicationId))
            await retention().choose(advertiserId, 12)
          return found
        },
      },
      forget: async () => {},
      clock,
      lookAtTime,
      limits,
    })
    await erasure.run()
    assert.ok(!(await isErased()))
  })

  test('stay when the company chooses a longer period while they are planned', async () => {
    const { database } = services()
    // SQLite has one writer: no plan is half-way.
    if (database.dialect === 'sqlite') return
    const waiting: Promise<unknown>[] = []
    const halfWay = database.writer.transaction().execute(async trx => {
      const plan = { advertiser_id: advertiserId, application_id: applicationId, due_at: clock() }
      await trx.insertInto('erasures').values(plan).execute()
      waiting.push(retention().run())
      while ((await countWaiting(database)) < 1) await setImmediate()
      let isChosen = false
      waiting.push(
        retention()
          .choose(advertiserId, 12)
          .then(() => (isChosen = true)),
      )
      while (!isChosen && (await countWaiting(database)) < 2) await setImmediate()
      throw new Error('undone')
    })
    await assert.rejects(halfWay, /undone/)
    await Promise.all(waiting)
    clock.advance(dayMs)
    assert.ok(!(await isErased()))
  })
})
