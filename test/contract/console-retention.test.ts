import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maryId } from '../../src/demo/world/world.ts'
import { giveToCandidate, plainDraft } from '../harness/applications.ts'
import { formTo, wordsOf } from '../harness/html-form.ts'
import { Browser, localPath } from '../harness/oauth.ts'
import { dayMs } from '../oauth/world.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import { harbourId } from './apply-form.ts'

const path = `/console/${harbourId}/retention`

inDemoWorldInTurn(
  'how long a company keeps applications',
  { env: { RETENTION_MONTHS_MAX: '24' } },
  (world, { signedIn }) => {
    const rae = signedIn('rae@example.com')
    const mary = signedIn('mary@example.com')
    const choose = async (months: string) => {
      const { text } = await rae.get(`${path}?months=${months}`)
      return rae.submit(formTo(path, text))
    }
    const notices = () =>
      world()
        .services.database.reader.selectFrom('deliveries')
        .select('content')
        .where('kind', '=', 'retention-shortened')
        .execute()

    test('a shorter period is shown, announced to the admins, and can be taken back', async () => {
      assert.match(await rae.words(path), /No end date Default of this job board/)
      const shown = await rae.words(`${path}?months=1`)
      assert.match(shown, /If you keep applications for 1 month This takes effect on 28 November 2026/)
      assert.match(
        shown,
        /(\d+) applications sent before 28 October 2026 will be erased then, the oldest from 1 October 2026/,
      )
      assert.equal((await notices()).length, 0, 'a preview changes nothing')

      assert.equal(localPath(await choose('1')), `${path}?done=announced`)
      assert.match(
        await rae.words(path),
        /From 28 November 2026 at 10:00 am , your company keeps applications for 1 month/,
      )
      assert.ok((await notices()).length > 0)
      const { database, retention } = world().services
      const refuse = (mail_refused_at: number | null) =>
        database.writer.updateTable('candidates').set({ mail_refused_at }).execute()
      assert.deepEqual(await retention.untold(), [])
      await refuse(1)
      assert.match(await rae.words(path), /We couldn’t tell any admin of your company by email/)
      assert.deepEqual(await retention.untold(), [harbourId])
      await refuse(null)
      assert.match(await mary.words('/jobs/31/apply'), /keeps your application for 1 month\./)

      const { text } = await rae.get(path)
      const back = await rae.submit(formTo(path, text), { button: ['action', 'take-back'] })
      assert.equal(localPath(back), `${path}?done=taken-back`)
      const again = await rae.submit(formTo(path, text), { button: ['action', 'take-back'] })
      assert.deepEqual([again.status, /no change that could be taken back/.test(again.text)], [422, true])
      assert.match(await rae.words(path), /Current period No end date/)
      assert.match(await mary.words('/jobs/31/apply'), /hasn’t set how long it keeps applications/)
    })

    test('only periods within the bounds are accepted', async () => {
      for (const months of ['0', '25', '-1', '1.5', 'x', '999999']) {
        const { status, text } = await rae.get(`${path}?months=${encodeURIComponent(months)}`)
        assert.deepEqual([status, /Choose a period of 1 to 24 months/.test(text)], [422, true], months)
      }
    })

    test('the form, the receipt and the console name the same day; a hold keeps the application beyond it', async () => {
      const { services, clock } = world()
      await choose('12')
      const { id } = await services.submissions.add(harbourId, plainDraft())
      await giveToCandidate(services, maryId, { advertiser_id: harbourId, application_id: id })
      const own = `/account/applications/${id}`
      const application = `/console/${harbourId}/applications/${id}`
      assert.match(await mary.words(own), /The company keeps your application until 14 November 2027/)
      assert.match(await rae.words(application), /Kept until 14 November 2027 \. Hold for a dispute/)

      const form = () =>
        rae.get(`${application}/hold`).then(({ text }) => formTo(`${application}/hold`, text))
      const empty = await rae.submit(await form(), { fields: { reason: ' ' } })
      assert.deepEqual([empty.status, /The reason must not be empty/.test(empty.text)], [422, true])
      const reason = 'A <b>complaint</b>\r\nabout the interview'
      assert.equal(localPath(await rae.submit(await form(), { fields: { reason } })), application)
      const held = await rae.get(application)
      assert.match(held.text, /A &lt;b&gt;complaint&lt;\/b&gt;\nabout the interview/)
      assert.match(wordsOf(held.text), /On hold for a dispute by Rae \S+ since 14 November 2026/)
      const shown = await mary.words(own)
      assert.match(shown, /Your application is kept because of a dispute/)
      assert.doesNotMatch(shown, /complaint/)
      const again = await rae.submit(await form(), { fields: { reason: 'Another' } })
      assert.match(wordsOf(again.text), /already on hold/)

      const rex = await Browser.signedIn(world().door, 'rex@example.com')
      assert.match(await rex.words(application), /complaint/)
      assert.doesNotMatch(await rex.words(application), /Release application/)
      assert.equal((await rex.get(`${application}/hold`)).status, 403)
      assert.equal((await rex.get(path)).status, 403)

      clock.advance(400 * dayMs)
      for (const browser of [rae, mary])
        await browser.signIn(browser === rae ? 'rae@example.com' : 'mary@example.com')
      await services.retention.run()
      await services.erasure.run()
      assert.match(await rae.words(application), /On hold for a dispute/)
      await rae.submit(await rae.form(`${application}/hold`, application), {
        button: ['action', 'release'],
      })
      await services.retention.run()
      clock.advance(dayMs)
      await services.erasure.run()
      assert.match(await rae.words(application), /The personal details were removed from this application/)
      assert.doesNotMatch(await mary.words(own), /The company keeps it/)
      assert.equal((await rae.get(`${application}/hold`)).status, 404)
    })
  },
)
