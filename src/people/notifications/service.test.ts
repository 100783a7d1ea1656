import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { addCandidate, plainDraft } from '../../../test/harness/applications.ts'
import { movableClock } from '../../../test/harness/clock.ts'
import { withServices } from '../../../test/harness/database.ts'
import { usePostBox } from '../../../test/harness/post-box.ts'
import { newSubmission } from '../../../test/store/scene.ts'
import { type Stores, storesOver } from '../../../test/store/stores.ts'
import type { Notice } from '../../model/notice.ts'
import { queueNotices } from '../../schema/writing/queue-notice.ts'

const clock = movableClock()
let people = 0

withServices('emails that can be switched off', { clock }, services => {
  let stores: Stores
  let advertiserId: number
  let jobAdId: number
  let box: ReturnType<typeof usePostBox>

  before(async () => {
    stores = storesOver(services().database)
    advertiserId = (await services().advertisers.add('Harbour')).id
    const description = 'Bread.'
    const ad = { title: 'Baker', location: 'Newcastle', description, reference: null, screenId: null }
    jobAdId = (await stores.jobAds.add(advertiserId, { ...ad, closingDate: null }, clock())).id
  })
  beforeEach(() => {
    box = usePostBox(services())
  })

  async function newPerson({ isConfirmed = true, isMember = false } = {}): Promise<string> {
    const id = `person-${++people}`
    await addCandidate(services(), id)
    const { writer } = services().database
    const email_confirmed_at = isConfirmed ? clock() : null
    await writer.updateTable('candidates').set({ email_confirmed_at }).where('id', '=', id).execute()
    const membership = { advertiser_id: advertiserId, candidate_id: id, role: 'recruiter' as const }
    if (isMember)
      await writer
        .insertInto('memberships')
        .values({ ...membership, created_at: 0 })
        .execute()
    return id
  }

  const apply = async (candidateId: string): Promise<number> => {
    const form = newSubmission({ advertiserId, jobAdId }, `form-${++people}`)
    const sent = await stores.ownApplications.send(candidateId, form, clock())
    return sent.kind === 'sent' ? sent.applicationId : assert.fail()
  }

  const queue = (notice: Notice) => queueNotices(services().database.writer, [notice], clock())

  const waiting = async () => (await services().deliveries.counts()).waiting

  /** Works off the outbox, together with the process, which does so by itself; returns the emails. */
  async function sent() {
    do await services().deliveries.run()
    while ((await waiting()) > 0)
    return box.mails.splice(0)
  }

  test('a receipt goes to the confirmed address of the account, once for each form', async () => {
    const [id, unconfirmed] = [await newPerson(), await newPerson({ isConfirmed: false })]
    const form = newSubmission({ advertiserId, jobAdId }, `form-${++people}`)
    for (const expected of ['sent', 'repeated'])
      assert.equal((await stores.ownApplications.send(id, form, clock())).kind, expected)
    await apply(unconfirmed)
    const [receipt, ...others] = await sent()
    assert.deepEqual(others, [])
    assert.equal(receipt?.to, `${id}@example.net`)
    assert.notEqual(form.application.contact.email, receipt.to)
    assert.match(receipt.text, /Baker/)
  })

  test('applications from job boards and imports have no receipt from us', async () => {
    await stores.submissions.add(
      advertiserId,
      { ...newSubmission({ advertiserId, jobAdId }, '').application },
      clock(),
    )
    assert.equal(await waiting(), 0)
  })

  test('what is switched off between the event and the email is not sent', async () => {
    const id = await newPerson()
    await apply(id)
    await services().notifications.chooseTopics(id, ['progress', 'disclosures'])
    assert.deepEqual(await sent(), [])
    const applicationId = await apply(id)
    assert.deepEqual(await sent(), [])
    const about = { candidateId: id, advertiserId, applicationId }
    await queue({ kind: 'status-changed', status: 'new', ...about })
    assert.equal((await sent()).length, 1, 'another topic')
    await services().notifications.chooseTopics(id, ['receipts'])
    await queue({ kind: 'status-changed', status: 'hired', ...about })
    await queue({ kind: 'application-withdrawn', ...about })
    assert.deepEqual(await sent(), [])
  })

  test('the link in the email and its header switch off that kind alone, without a redirect', async () => {
    const id = await newPerson()
    await apply(id)
    const [receipt] = await sent()
    const url = /^<(https:\/\/auth\.example\/unsubscribe\/\S+)>$/.exec(
      receipt?.headers?.['List-Unsubscribe'] ?? '',
    )?.[1]
    assert.ok(url !== undefined)
    assert.equal(receipt?.headers?.['List-Unsubscribe-Post'], 'List-Unsubscribe=One-Click')
    assert.ok(receipt.text.includes(url) && receipt.html.includes(`href="${url}"`))
    const token = new URL(url).pathname.split('/').at(-1) ?? ''
    assert.deepEqual(await services().notifications.findSubscription(token), {
      candidateId: id,
      topic: 'receipts',
    })
    assert.equal(
      await services().notifications.findSubscription(token.replace('receipts', 'progress')),
      undefined,
    )
  })

  test('emails to a company have no name of a candidate, and end with the role or the rhythm', async () => {
    const [member, off, former] = [
      await newPerson({ isMember: true }),
      await newPerson({ isMember: true }),
      await newPerson({ isMember: true }),
    ]
    const id = await apply(await newPerson())
    await sent()
    await services().notifications.setRhythm(advertiserId, off, 'off')
    await stores.members.remove(advertiserId, former, { mayBeLast: true })
    for (const candidateId of [member, off, former]) {
      const news = { kind: 'new-applications' as const, candidateId, advertiserId, firstId: id, lastId: id }
      await queue(news)
      await queue({ ...news, lastId: 0, withdrawnIds: [id], withdrawals: 1 })
    }
    const mails = await sent()
    assert.deepEqual(
      mails.map(({ to }) => to),
      [`${member}@example.net`, `${member}@example.net`],
    )
    for (const { headers, ...mail } of mails) {
      assert.doesNotMatch(JSON.stringify(mail), /Mary|Nguyen|mary@/)
      assert.match(headers?.['List-Unsubscribe'] ?? '', new RegExp(`${member}\\.${advertiserId}\\.`))
    }
    assert.equal(plainDraft().contact.lastName, 'Nguyen', 'the name that applied')
  })

  test('an email about new applications counts none that were withdrawn or erased since', async () => {
    const member = await newPerson({ isMember: true })
    const [first, second, third] = [
      await apply(await newPerson()),
      await apply(await newPerson()),
      await apply(await newPerson()),
    ]
    await sent()
    const { writer } = services().database
    const tell = () =>
      queue({ kind: 'new-applications', candidateId: member, advertiserId, firstId: first, lastId: third })
    await writer.updateTable('applications').set({ status: 'withdrawn' }).where('id', '=', first).execute()
    await stores.erasures.erase(advertiserId, second, clock())
    await tell()
    assert.match((await sent())[0]?.subject ?? '', /^1 new application for/)
    await stores.erasures.erase(advertiserId, third, clock())
    await tell()
    assert.deepEqual(await sent(), [])
  })

  test('emails that cannot be switched off have no such link', async () => {
    const member = await newPerson({ isMember: true })
    const { writer } = services().database
    const planned = { next_retention_months: 6, retention_changes_at: clock() + 1 }
    await writer.updateTable('advertisers').set(planned).where('id', '=', advertiserId).execute()
    await services().notifications.setRhythm(advertiserId, member, 'off')
    await queue({ kind: 'retention-shortened', candidateId: member, advertiserId })
    await services()
      .accountLinks(services().mailer())
      .askToReset(`${member}@example.net`, { continueTo: '/account' })
    const mails = [await box.next(), await box.next()]
    for (const { headers = {}, text } of mails) {
      assert.deepEqual(Object.keys(headers), [])
      assert.doesNotMatch(text, /unsubscribe/i)
    }
  })
})
