import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { movableClock } from '../../../test/harness/clock.ts'
import { withServices } from '../../../test/harness/database.ts'
import { usePostBox } from '../../../test/harness/post-box.ts'
import { newSubmission } from '../../../test/store/scene.ts'
import { createOwnApplicationStore } from '../../apply/form/own-application-store.ts'
import type { Notice } from '../../model/notice.ts'
import { newUuid } from '../../platform/core/ids.ts'
import { queueDeliveries } from '../../platform/work/queue-deliveries-store.ts'
import { queueNotices } from '../../schema/writing/queue-notice.ts'

const clock = movableClock()

withServices('emails about applications', { clock }, services => {
  let advertiserId = 0
  let jobAdId = 0
  before(async () => {
    services().stopWaking()
    advertiserId = (await services().advertisers.add('Harbour Coffee')).id
    const ad = { title: 'Barista', location: 'Newcastle', description: 'Coffee.' }
    jobAdId = (
      await services()
        .database.writer.insertInto('job_ads')
        .values({
          ...ad,
          id: 4711,
          advertiser_id: advertiserId,
          status: 'open',
          search_text: '',
          created_at: 0,
          updated_at: 0,
        })
        .returning('id')
        .executeTakeFirstOrThrow()
    ).id
  })

  async function addPerson(confirmedAt: number | null = 0) {
    const id = newUuid()
    const email = `${id}@example.net`
    const person = {
      password_hash: '',
      first_name: 'Zoltan',
      last_name: 'Quux',
      profile: '{}',
      created_at: 0,
    }
    await services()
      .database.writer.insertInto('candidates')
      .values({ id, email, email_confirmed_at: confirmedAt, ...person })
      .execute()
    return { candidateId: id, email }
  }

  async function addMember() {
    const person = await addPerson()
    const member = { advertiser_id: advertiserId, candidate_id: person.candidateId, created_at: 0 }
    await services()
      .database.writer.insertInto('memberships')
      .values({ ...member, role: 'admin' })
      .execute()
    return person
  }

  async function apply(candidateId: string): Promise<number> {
    const store = createOwnApplicationStore(services().database)
    const sent = await store.send(candidateId, newSubmission({ advertiserId, jobAdId }, newUuid()), clock())
    assert.ok(sent.kind === 'sent')
    // Only what a test queues itself: the receipt may be under way.
    await services().deliveries.run()
    await services().database.writer.deleteFrom('deliveries').execute()
    return sent.applicationId
  }

  /** Queues a notice in a transaction and returns the emails that come of it. */
  async function tell(...notices: Notice[]) {
    const box = usePostBox(services())
    await services()
      .database.writer.transaction()
      .execute(trx => queueNotices(trx, notices, clock()))
    const { did } = await services().deliveries.run()
    return { did, mails: box.mails, box }
  }

  test('a receipt lists what was sent, to the confirmed address of the account', async () => {
    const { candidateId, email } = await addPerson()
    const applicationId = await apply(candidateId)
    const { mails } = await tell({ kind: 'application-sent', candidateId, advertiserId, applicationId })
    const [mail] = mails
    assert.deepEqual([mails.length, mail?.to, mail?.subject], [1, email, 'Application sent: Baker'])
    for (const words of [/Company: Owner/, /Cover letter: resume\.pdf/, /Questions: Answered/, / am AEST/]) {
      assert.match(mail?.text ?? '', words)
    }
    assert.ok(mail?.text.includes(`\nhttps://auth.example/account/applications/${applicationId}\n`))
  })

  test('a transaction that fails sends nothing', async () => {
    const { candidateId } = await addPerson()
    const applicationId = await apply(candidateId)
    const box = usePostBox(services())
    const failing = services()
      .database.writer.transaction()
      .execute(async trx => {
        await queueNotices(
          trx,
          [{ kind: 'application-sent', candidateId, advertiserId, applicationId }],
          clock(),
        )
        throw new Error('no')
      })
    await assert.rejects(failing)
    assert.deepEqual((await services().deliveries.run()).did, {})
    assert.equal(box.mails.length, 0)
  })

  test('what is gone by the time of sending is dropped', async () => {
    const own = await addPerson()
    const applicationId = await apply(own.candidateId)
    const sent = { kind: 'application-sent' as const, advertiserId, applicationId }
    const stranger = await addPerson()
    const unconfirmed = await addPerson(null)
    const { did, mails } = await tell(
      { ...sent, candidateId: newUuid() },
      { ...sent, candidateId: stranger.candidateId },
      { ...sent, candidateId: unconfirmed.candidateId },
      // Members of other companies, or of none any longer.
      { kind: 'new-applications', candidateId: own.candidateId, advertiserId, firstId: 1, lastId: 99 },
      { kind: 'retention-shortened', candidateId: own.candidateId, advertiserId },
    )
    assert.deepEqual([did, mails.length], [{ dropped: 5 }, 0])
    await services().erasure.erase(advertiserId, applicationId)
    assert.deepEqual((await tell({ ...sent, candidateId: own.candidateId })).did, { dropped: 1 })
  })

  test('the end of a consent to keep an application is not told once it has been withdrawn', async () => {
    const { candidateId } = await addPerson()
    const applicationId = await apply(candidateId)
    const kept = { advertiser_id: advertiserId, application_id: applicationId, until: '2026-12-31' }
    await services()
      .database.writer.insertInto('kept_applications')
      .values({ ...kept, reminded_at: null })
      .execute()
    const notice = { kind: 'keep-ending' as const, candidateId, advertiserId, applicationId }
    assert.deepEqual((await tell(notice)).did, { sent: 1 })
    const store = createOwnApplicationStore(services().database)
    assert.ok(await store.endKeeping(candidateId, applicationId, clock()))
    const { did, mails } = await tell(notice)
    assert.deepEqual([did, mails.length], [{ dropped: 1 }, 0])
  })

  test('new applications are told until the member visits the company', async () => {
    const applicationId = await apply((await addPerson()).candidateId)
    const { candidateId } = await addMember()
    const range = { firstId: applicationId, lastId: applicationId }
    const news = { kind: 'new-applications' as const, candidateId, advertiserId, ...range }
    await services().progress.visit(advertiserId, candidateId, true)
    clock.advance(1)
    assert.deepEqual((await tell(news)).did, { sent: 1 })
    await services()
      .database.writer.transaction()
      .execute(trx => queueNotices(trx, [news], clock()))
    clock.advance(60_000)
    await services().progress.visit(advertiserId, candidateId, true)
    assert.deepEqual((await services().deliveries.run()).did, { dropped: 1 })
  })

  test('members read of new applications per ad, and of withdrawals, without the name of a candidate', async () => {
    const candidate = await addPerson()
    const { candidateId, email } = await addMember()
    const withdrawnId = await apply(candidate.candidateId)
    const [firstId, lastId] = [await apply(candidate.candidateId), await apply(candidate.candidateId)]
    const news = { kind: 'new-applications' as const, candidateId, advertiserId, firstId, lastId }
    const [mail, ...others] = (await tell({ ...news, withdrawnIds: [withdrawnId], withdrawals: 3 })).mails
    assert.deepEqual([mail?.to, others], [email, []])
    const all = `${mail?.subject}\n${mail?.text}`
    assert.match(all, /^2 new applications for Harbour Coffee$/m)
    assert.match(all, /^2: Barista$/m)
    assert.match(all, /withdrawn 3 applications to Harbour Coffee/)
    assert.match(all, new RegExp(`^Application ${withdrawnId}: Barista\nOthers: 2$`, 'm'))
    assert.ok(all.includes(`https://auth.example/console/${advertiserId}/applications\n`))
    assert.doesNotMatch(all, /Zoltan|Quux|Mary|Nguyen/)
    assert.ok(!all.includes(candidate.email))
  })

  test('withdrawals alone are told too, also to a member who has visited the company since', async () => {
    const { candidateId } = await addMember()
    const applicationId = await apply((await addPerson()).candidateId)
    const none = { firstId: applicationId + 1, lastId: applicationId }
    const news = { kind: 'new-applications' as const, candidateId, advertiserId, ...none }
    clock.advance(60_000)
    await services().progress.visit(advertiserId, candidateId, true)
    clock.advance(-1)
    const [one, ...others] = (await tell({ ...news, withdrawnIds: [applicationId], withdrawals: 1 })).mails
    assert.deepEqual([one?.subject, others], [`Application ${applicationId} was withdrawn`, []])
    assert.ok(one?.text.includes(`/console/${advertiserId}/applications/${applicationId}\n`))
    const [two] = (await tell({ ...news, withdrawnIds: [applicationId], withdrawals: 2 })).mails
    assert.equal(two?.subject, '2 applications to Harbour Coffee were withdrawn')
    assert.deepEqual((await tell(news)).did, { dropped: 1 })
  })

  test('a withdrawal that release 0.1.0 has queued is told', async () => {
    const { candidateId } = await addMember()
    const applicationId = await apply((await addPerson()).candidateId)
    const box = usePostBox(services())
    const content = JSON.stringify({ candidateId, advertiserId, applicationId })
    const queued = { id: newUuid(), kind: 'candidate-withdrew', content, giveUpAt: clock() + 60_000 }
    await queueDeliveries(services().database.writer, [queued], clock())
    await services().deliveries.run()
    assert.deepEqual(
      box.mails.map(({ subject }) => subject),
      [`Application ${applicationId} was withdrawn`],
    )
  })

  test('a status that the company has changed again is not told, so that the last email is right', async () => {
    const { candidateId } = await addPerson()
    const applicationId = await apply(candidateId)
    const update = { by: candidateId, shown: 'new', to: 'shortlisted', note: '', tells: false } as const
    await services().progress.update(advertiserId, applicationId, update)
    const notice = { kind: 'status-changed' as const, candidateId, advertiserId, applicationId }
    const { mails } = await tell({ ...notice, status: 'not-suitable' }, { ...notice, status: 'shortlisted' })
    assert.deepEqual(
      mails.map(({ subject }) => subject),
      ['Shortlisted: Baker'],
    )
  })

  test('a candidate learns of a withdrawal even if the application was erased at once', async () => {
    const { candidateId } = await addPerson()
    const applicationId = await apply(candidateId)
    await services().erasure.erase(advertiserId, applicationId)
    const notice = { kind: 'application-withdrawn' as const, candidateId, advertiserId, applicationId }
    const [mail] = (await tell(notice)).mails
    assert.equal(mail?.subject, 'Application withdrawn: Baker')
  })

  test('members of a company on hold hear of nothing that its pages would show', async () => {
    const { candidateId } = await addMember()
    const applicationId = await apply((await addPerson()).candidateId)
    await services().advertisers.setStatus(advertiserId, 'hold')
    const { did } = await tell({
      kind: 'new-applications',
      candidateId,
      advertiserId,
      firstId: 1,
      lastId: applicationId,
      withdrawnIds: [applicationId],
      withdrawals: 1,
    })
    await services().advertisers.setStatus(advertiserId, 'active')
    assert.deepEqual(did, { dropped: 1 })
  })

  test('a shortened retention is told while it can be taken back', async () => {
    const { candidateId } = await addMember()
    const notice = { kind: 'retention-shortened' as const, candidateId, advertiserId }
    assert.deepEqual((await tell(notice)).did, { dropped: 1 })
    const change = { next_retention_months: 6, retention_changes_at: Date.parse('2026-11-30T00:00:00Z') }
    await services()
      .database.writer.updateTable('advertisers')
      .set(change)
      .where('id', '=', advertiserId)
      .execute()
    const [mail] = (await tell(notice)).mails
    assert.match(mail?.text ?? '', /to 6 months after they were sent.*takes effect on 30 November 2026/s)
  })

  test('an address that the server refuses gets no notifications until its owner says so, but security emails', async () => {
    const { candidateId, email } = await addPerson()
    const applicationId = await apply(candidateId)
    const notice = { kind: 'application-sent' as const, candidateId, advertiserId, applicationId }
    const box = usePostBox(services())
    box.results.push({ outcome: 'refused', words: '550 no such user' })
    const send = async () => {
      await services()
        .database.writer.transaction()
        .execute(trx => queueNotices(trx, [notice], clock()))
      return (await services().deliveries.run()).did
    }
    assert.deepEqual(await send(), { dead: 1 })
    assert.deepEqual(await services().noticeStore.findRefusal(candidateId), {
      at: clock(),
      words: '550 no such user',
    })
    assert.deepEqual(await send(), { dropped: 1 })
    await services().accountLinks(services().mailer()).askToReset(email, { continueTo: '/account' })
    await services().background.whenIdle()
    assert.equal(box.mails.at(-1)?.subject, 'Choose a new password')
    await services().noticeStore.clearRefusal(candidateId)
    assert.deepEqual(await send(), { sent: 1 })
  })

  test('no address, name, link or text is in the outbox once an email has been sent or has failed', async () => {
    const box = usePostBox(services())
    const links = services().accountLinks(services().mailer())
    const departure = { continueTo: '/account', browserMark: 'mark' }
    box.results.push({ outcome: 'sent' }, { outcome: 'dead', words: '554 spam' })
    const person = { firstName: 'Zoltan', lastName: 'Quux', password: 'a few words that fit' }
    await links.signUp({ ...person, email: 'zoltan@example.net' }, departure)
    await services().background.whenIdle()
    await links.askToReset('zoltan@example.net', departure)
    await services().background.whenIdle()
    await services().deliveries.run()
    const rows = await services().database.reader.selectFrom('deliveries').selectAll().execute()
    assert.doesNotMatch(JSON.stringify(rows), /zoltan|quux|dli_|https?:|Confirm/i)
  })
})
