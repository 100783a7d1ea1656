import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { addCandidate, plainDraft } from '../../../test/harness/applications.ts'
import { movableClock } from '../../../test/harness/clock.ts'
import { withServices } from '../../../test/harness/database.ts'
import { newAd, newSubmission } from '../../../test/store/scene.ts'
import { type Stores, storesOver } from '../../../test/store/stores.ts'
import type { Rhythm } from '../../model/notice-topics.ts'
import { newUuid } from '../../platform/core/ids.ts'
import { createDigests } from './digest-service.ts'
import { createDigestStore } from './digest-store.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const clock = movableClock()
const at = (text: string) => clock.set(Date.parse(text))
const applicant = { jobSeekerId: 'x', contact: plainDraft().contact, files: [] }
const goesOn = async () => true

withServices('emails about new applications', { clock }, services => {
  let stores: Stores
  let advertiserId: number
  let names = 0

  /** Of a process of its own, in batches so small that every run takes several. */
  const newDigests = () =>
    createDigests({
      store: createDigestStore(services().database),
      clock,
      timeZone: 'Australia/Sydney',
      batch: 2,
    })

  before(() => {
    stores = storesOver(services().database)
  })

  beforeEach(async () => {
    await services().database.writer.deleteFrom('memberships').execute()
    await services().database.writer.deleteFrom('deliveries').execute()
    at('2026-11-14T00:00:00Z')
    advertiserId = (await services().advertisers.add('Harbour')).id
  })

  const setZone = (timeZone: string) => services().advertisers.setTimeZone(advertiserId, timeZone)

  async function addMember(rhythm: Rhythm, ofAdvertiser = advertiserId): Promise<string> {
    names += 1
    const candidateId = `member-${names}`
    const email = `${candidateId}@example.net`
    await addCandidate(services(), candidateId)
    const times = { createdAt: clock(), expiresAt: clock() + 1 }
    const invitation = { id: candidateId, hash: candidateId, email, role: 'recruiter' as const, ...times }
    await stores.members.invite(ofAdvertiser, invitation, 99)
    await stores.members.join(candidateId, { candidateId, email }, clock())
    await stores.notifications.setRhythm(ofAdvertiser, candidateId, rhythm, clock())
    return candidateId
  }

  const apply = async (ofAdvertiser = advertiserId) =>
    (await stores.submissions.add(ofAdvertiser, applicant, clock())).id

  /** Runs all processes at once; returns the emails queued, as who and the last application. */
  async function run(processes = 1): Promise<string[]> {
    await Promise.all(Array.from({ length: processes }, () => newDigests().run(goesOn)))
    return takeQueued()
  }

  async function takeQueued(): Promise<string[]> {
    const rows = await services()
      .database.writer.deleteFrom('deliveries')
      .returning(['kind', 'content'])
      .execute()
    return rows
      .map(({ kind, content }) => {
        assert.equal(kind, 'new-applications')
        const { candidateId, firstId, lastId, withdrawnIds, withdrawals } = JSON.parse(content)
        assert.equal(withdrawnIds.length, Math.min(10, withdrawals))
        assert.ok(firstId <= lastId || withdrawals > 0)
        return `${candidateId} ${lastId}${withdrawals === 0 ? '' : ` and ${withdrawals} withdrawn`}`
      })
      .toSorted()
  }

  /** Runs at each of these minutes; returns when emails were queued. */
  async function runAt(moments: readonly number[]): Promise<string[]> {
    const sent: string[] = []
    for (const moment of moments) {
      clock.set(moment)
      await newDigests().run(goesOn)
      for (const _ of await takeQueued()) sent.push(new Date(moment).toISOString().slice(0, 16))
      // So that there is always something new.
      await apply()
    }
    return sent
  }

  test('come soon, one in 15 minutes at most, and nothing twice', async () => {
    const [soon, off] = [await addMember('soon'), await addMember('off')]
    clock.advance(hour)
    assert.deepEqual(await run(), [])
    const first = await apply()
    assert.deepEqual(await run(), [`${soon} ${first}`])
    assert.deepEqual(await run(), [])
    await apply()
    const third = await apply()
    clock.advance(15 * minute - 1)
    assert.deepEqual(await run(), [])
    clock.advance(1)
    assert.deepEqual(await run(), [`${soon} ${third}`])
    clock.advance(day)
    assert.deepEqual(await run(), [])
    assert.equal(await stores.notifications.rhythm(advertiserId, off), 'off')
  })

  test('tell a new member, and one who had them off, of later applications only', async () => {
    await apply()
    const fresh = await addMember('soon')
    const late = await addMember('off')
    const between = await apply()
    clock.advance(hour)
    await stores.notifications.setRhythm(advertiserId, late, 'soon', clock())
    assert.deepEqual(await run(), [`${fresh} ${between}`])
    clock.advance(hour)
    const last = await apply()
    assert.deepEqual(await run(), [`${fresh} ${last}`, `${late} ${last}`])
  })

  test('skip applications that were withdrawn or erased, companies on hold, and former members', async () => {
    const staying = await addMember('soon')
    const leaving = await addMember('soon')
    clock.advance(hour)
    const [withdrawn, erased] = [await apply(), await apply()]
    await services()
      .database.writer.updateTable('applications')
      .set({ status: 'withdrawn' })
      .where('id', '=', withdrawn)
      .execute()
    await stores.erasures.erase(advertiserId, erased, clock())
    assert.deepEqual(await run(), [])
    const newest = await apply()
    await services().advertisers.setStatus(advertiserId, 'hold')
    assert.deepEqual(await run(), [])
    await services().advertisers.setStatus(advertiserId, 'active')
    await stores.members.remove(advertiserId, leaving, { mayBeLast: true })
    assert.deepEqual(await run(), [`${staying} ${newest}`])
  })

  test('tell of nothing that the member has seen on a visit', async () => {
    const [here, away] = [await addMember('soon'), await addMember('soon')]
    const visit = () =>
      stores.progress.visit(advertiserId, here, { now: clock(), visitMs: hour, repeatMs: minute })
    clock.advance(hour)
    const seen = await apply()
    await visit()
    assert.deepEqual(await run(), [`${away} ${seen}`])
    // New again within the same visit, and seen again.
    await apply()
    await visit()
    assert.deepEqual(await run(), [])
    clock.advance(15 * minute)
    const next = await apply()
    const due = await stores.digests.dueSoon({ before: clock(), after: clock() }, 9)
    await visit()
    assert.equal(await stores.digests.tell(due, clock()), 1, 'one of the two is here while the task runs')
    assert.deepEqual(await takeQueued(), [`${away} ${next}`])
    const last = await apply()
    clock.advance(15 * minute)
    assert.deepEqual(await run(), [`${away} ${last}`, `${here} ${last}`].toSorted())
  })

  test('come again at once after a clock that was ahead has been corrected', async () => {
    const [soon, daily] = [await addMember('soon'), await addMember('daily')]
    at('2031-11-14T00:00:00Z')
    await apply()
    assert.equal((await run()).length, 2)
    at('2026-11-16T00:00:00Z')
    const id = await apply()
    assert.deepEqual(await run(), [`${daily} ${id}`, `${soon} ${id}`].toSorted())
    assert.deepEqual(await run(), [])
  })

  /** Sends an application as a candidate and returns how to withdraw it. */
  async function applyAsPerson(): Promise<{ id: number; withdraw(): Promise<unknown> }> {
    names += 1
    const candidateId = `applicant-${names}`
    await addCandidate(services(), candidateId)
    const { id: jobAdId } = await stores.jobAds.add(advertiserId, newAd, clock())
    const submission = newSubmission({ advertiserId, jobAdId }, newUuid())
    const sent = await stores.ownApplications.send(candidateId, submission, clock())
    assert.ok(sent.kind === 'sent')
    await services().database.writer.deleteFrom('deliveries').execute()
    const id = sent.applicationId
    const withdraw = async () => {
      const times = { now: clock(), eraseAt: clock() + day }
      assert.equal(await stores.ownApplications.withdraw(candidateId, id, times), 'withdrawn')
      // The candidate's own email.
      await services()
        .database.writer.deleteFrom('deliveries')
        .where('kind', '=', 'application-withdrawn')
        .execute()
    }
    return { id, withdraw }
  }

  test('gather withdrawals, with the rhythm of new applications', async () => {
    await setZone('Etc/UTC')
    const [soon, daily, off] = [await addMember('soon'), await addMember('daily'), await addMember('off')]
    at('2026-11-15T08:00:00Z')
    const sent = []
    for (let count = 0; count < 12; count++) sent.push(await applyAsPerson())
    const newest = sent.at(-1)?.id
    assert.deepEqual(await run(), [`${daily} ${newest}`, `${soon} ${newest}`].toSorted())
    for (const { withdraw } of sent) await withdraw()
    assert.deepEqual(await takeQueued(), [], 'no email for each of them')
    clock.advance(15 * minute - 1)
    assert.deepEqual(await run(), [])
    clock.advance(1)
    assert.deepEqual(await run(4), [`${soon} ${newest} and 12 withdrawn`])
    assert.deepEqual(await run(), [])
    at('2026-11-16T08:00:00Z')
    const next = await apply()
    const all = [`${daily} ${next} and 12 withdrawn`, `${soon} ${next}`]
    assert.deepEqual(await run(), all.toSorted())
    at('2026-11-17T08:00:00Z')
    assert.deepEqual(await run(), [])
    assert.equal(await stores.notifications.rhythm(advertiserId, off), 'off')
  })

  test('are not caused by applications that were withdrawn before the member was notified of them', async () => {
    await addMember('soon')
    clock.advance(hour)
    for (let count = 0; count < 3; count++) await (await applyAsPerson()).withdraw()
    assert.deepEqual(await run(), [])
  })

  test('tell of no withdrawal from before they were switched on again', async () => {
    const member = await addMember('soon')
    clock.advance(hour)
    const [first, second] = [await applyAsPerson(), await applyAsPerson()]
    assert.equal((await run()).length, 1)
    await first.withdraw()
    await stores.notifications.setRhythm(advertiserId, member, 'off', clock())
    await second.withdraw()
    clock.advance(hour)
    await stores.notifications.setRhythm(advertiserId, member, 'soon', clock())
    assert.deepEqual(await run(), [])
  })

  test('are queued once by several processes at once', async () => {
    const expected: string[] = []
    for (let company = 0; company < 3; company++) {
      const id = (await services().advertisers.add('Southern')).id
      const members = [await addMember('soon', id), await addMember('daily', id)]
      const newest = await apply(id)
      expected.push(...members.map(member => `${member} ${newest}`))
    }
    clock.advance(2 * day)
    assert.deepEqual(await run(4), expected.toSorted())
  })

  test('are neither lost nor recorded when the process ends in between', async () => {
    const { writer } = services().database
    const soon = await addMember('soon')
    clock.advance(hour)
    const id = await apply()
    // The second statement of the transaction fails.
    await sql`alter table deliveries rename to deliveries_away`.execute(writer)
    await assert.rejects(newDigests().run(goesOn))
    await sql`alter table deliveries_away rename to deliveries`.execute(writer)
    assert.deepEqual(await run(), [`${soon} ${id}`])
  })

  test('go on in the next run when the worker stops', async () => {
    const members = [await addMember('soon'), await addMember('soon'), await addMember('soon')]
    clock.advance(hour)
    await apply()
    await newDigests().run(async () => false)
    assert.equal((await takeQueued()).length, 2, 'one batch')
    assert.equal((await run()).length, members.length - 2)
  })

  for (const [zone, days] of [
    // Forward and back by an hour.
    ['Europe/Berlin', ['2026-03-28T07:00', '2026-03-29T06:00', '2026-03-30T06:00']],
    ['Europe/Berlin', ['2026-10-24T06:00', '2026-10-25T07:00', '2026-10-26T07:00']],
    // By half an hour.
    ['Australia/Lord_Howe', ['2026-10-02T21:30', '2026-10-03T21:00', '2026-10-04T21:00']],
    ['Australia/Lord_Howe', ['2026-04-03T21:00', '2026-04-04T21:30', '2026-04-05T21:30']],
  ] as const) {
    test(`come at eight each day in ${zone} around ${days[1].slice(0, 10)}`, async () => {
      const [first, middle, last] = days.map(text => Date.parse(`${text}Z`)) as [number, number, number]
      clock.set(first - hour)
      await setZone(zone)
      await addMember('daily')
      await apply()
      // An hour around eight on each day, and every three hours in between.
      const moments = [first - hour, first - 30 * minute]
      for (let moment = first; moment < last + 12 * hour; moment += 3 * hour) moments.push(moment)
      for (const eight of [first, middle, last])
        for (const minutes of [-60, -30, -1, 0, 1, 30, 60]) moments.push(eight + minutes * minute)
      moments.sort((one, other) => one - other)
      const sent = await runAt(moments)
      assert.deepEqual(sent, days)
    })
  }

  test('come once a day, later that day if no process ran at eight, and not at all without news', async () => {
    // The company has chosen no zone: eight in Sydney is 21:00 UTC here.
    const daily = await addMember('daily')
    at('2026-11-14T12:00:00Z')
    const first = await apply()
    at('2026-11-15T05:00:00Z')
    assert.deepEqual(await run(), [`${daily} ${first}`], 'no process ran at eight')
    await apply()
    at('2026-11-15T13:30:00Z')
    assert.deepEqual(await run(), [], 'half past midnight: not yet eight')
    const eight = Date.parse('2026-11-15T21:00:00Z')
    const sent = await runAt([-2, -1, 0, 1, 2].map(minutes => eight + minutes * minute))
    assert.deepEqual(sent, ['2026-11-15T21:00'])
    at('2026-11-16T22:00:00Z')
    assert.equal((await run()).length, 1)
    at('2026-11-17T21:00:00Z')
    assert.deepEqual(await run(), [], 'nothing new at eight')
    at('2026-11-17T23:00:00Z')
    const late = await apply()
    assert.deepEqual(await run(), [], 'what arrives later waits for the next morning')
    at('2026-11-18T21:00:00Z')
    assert.deepEqual(await run(), [`${daily} ${late}`])
  })

  test('wait for the morning when a member changes to daily, and come soon after a change to soon', async () => {
    const member = await addMember('soon')
    at('2026-11-15T01:00:00Z')
    const id = await apply()
    await stores.notifications.setRhythm(advertiserId, member, 'daily', clock())
    assert.deepEqual(await run(), [])
    await stores.notifications.setRhythm(advertiserId, member, 'soon', clock())
    clock.advance(15 * minute)
    assert.deepEqual(await run(), [`${member} ${id}`])
  })
})
