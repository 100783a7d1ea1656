import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maryId } from '../../src/demo/world/world.ts'
import { keepUntil } from '../../src/model/retention.ts'
import { dayAfter } from '../../src/platform/core/time/time-zone.ts'
import { type Form, formTo, wordsOf } from '../harness/html-form.ts'
import { Browser, localPath, mary } from '../harness/oauth.ts'
import { dayMs } from '../oauth/world.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import { fieldOf, harbourId, openForm, partsOf, roasterAd, sentId } from './apply-form.ts'

const settings = `/console/${harbourId}/retention`

test('the consent ends with a month, in the time zone of the company', () => {
  const at = Date.parse('2026-12-31T14:00:00Z')
  assert.equal(keepUntil(at, 1, 'UTC'), '2027-01-31')
  assert.equal(keepUntil(at, 1, 'Australia/Sydney'), '2027-02-28')
  assert.equal(keepUntil(at, 24, 'UTC'), '2028-12-31')
})

inDemoWorldInTurn('keeping an application for other jobs', (world, { signedIn }) => {
  const rae = signedIn('rae@example.com')
  let candidate = signedIn(mary)
  const set = async (keepMonths: string) =>
    rae.submit(await rae.form(`${settings}/keep`, settings), { fields: { keepMonths } })
  const send = (form: Form, fields: Record<string, string> = {}) =>
    candidate.upload(form.action, partsOf(form, { fields: { resume: 'none', ...fields } }))
  const allow = { keepForOthers: 'yes' }
  const receipt = (id: number) => candidate.words(`/account/applications/${id}`)
  const inConsole = (id: number) => rae.words(`/console/${harbourId}/applications/${id}`)
  const database = () => world().services.database.reader
  const events = async () => {
    const rows = await database()
      .selectFrom('events')
      .select(['application_id', 'detail'])
      .where('advertiser_id', '=', harbourId)
      .where('type', '=', 12)
      .orderBy('number')
      .execute()
    return rows.map(({ application_id, detail }) => [application_id, JSON.parse(`{${detail}}`).until])
  }
  const plans = async (id: number) =>
    (await database().selectFrom('erasures').select('reason').where('application_id', '=', id).execute()).map(
      ({ reason }) => reason,
    )

  test('is asked only if the company wants it, and never ticked beforehand', async () => {
    assert.equal(fieldOf(await openForm(candidate, roasterAd), 'keep_until'), '')
    assert.doesNotMatch(await candidate.words(`/jobs/${roasterAd}/apply`), /for other jobs/)
    const unasked = sentId(await send(await openForm(candidate, roasterAd)))
    assert.doesNotMatch(await receipt(unasked), /for other jobs/)

    for (const months of ['0', '25', '-1', 'x']) assert.equal((await set(months)).status, 422, months)
    assert.equal(localPath(await set('3')), `${settings}?done=keep-saved`)
    const { text } = await candidate.get(`/jobs/${roasterAd}/apply`)
    assert.match(wordsOf(text), /may keep my application for other jobs until February 2027/)
    assert.doesNotMatch(text, /name="keepForOthers"[^>]*checked/)
    const silent = sentId(await send(await openForm(candidate, roasterAd)))
    assert.doesNotMatch(await inConsole(silent), /for other jobs/)
    assert.deepEqual(await events(), [])
  })

  test('is for the month that the form has named', async () => {
    const form = await openForm(candidate, roasterAd)
    await set('4')
    const late = await send(form, allow)
    assert.equal(late.status, 422)
    assert.match(wordsOf(late.text), /The month until which the company may keep your application/)
    assert.doesNotMatch(late.text, /name="keepForOthers"[^>]*checked/)
    await set('3')
    const forged = await send(await openForm(candidate, roasterAd), { ...allow, keep_until: '2099-12-31' })
    assert.equal(forged.status, 422)
    assert.deepEqual(await events(), [])
  })

  test('is shown, reminded of, and outlasts the period until it ends', async () => {
    const { services } = world()
    const kept = sentId(await send(await openForm(candidate, roasterAd), allow))
    const ended = sentId(await send(await openForm(candidate, roasterAd), allow))
    const withdrawn = sentId(await send(await openForm(candidate, roasterAd), allow))
    const plain = sentId(await send(await openForm(candidate, roasterAd)))
    const until = '2027-02-28'
    assert.deepEqual(
      await events(),
      [kept, ended, withdrawn].map(id => [id, until]),
    )
    assert.match(await receipt(kept), /may keep your application for other jobs until 28 February 2027/)
    assert.match(await inConsole(kept), /lets you keep it for other jobs until 28 February 2027/)
    let json = ''
    for await (const { path, content } of await services.ownData.pack(maryId, 'Board'))
      for await (const part of content) if (path === 'data.json') json += part
    const own = JSON.parse(json).applications.find((each: { id: number }) => each.id === kept)
    assert.equal(own.keptForOtherJobsUntil, until)

    await services.retention.choose(harbourId, 1)
    world().clock.advance(15 * dayMs)
    await services.retention.run()
    world().clock.advance(25 * dayMs)
    await services.steadyTimes.look()
    await services.retention.run()
    assert.deepEqual(await plans(plain), ['retention'])
    for (const id of [kept, ended, withdrawn]) assert.deepEqual(await plans(id), [])
    await Promise.all([rae.signIn('rae@example.com'), candidate.signIn(mary)])
    assert.match(await receipt(kept), /The company keeps your application until 28 February 2027/)

    const sharing = await candidate.get('/account/sharing')
    assert.match(wordsOf(sharing.text), /May keep for other jobs Your application for/)
    const page = await candidate.get(`/account/applications/${ended}`)
    const end = formTo('/account/sharing/end-keeping', page.text)
    assert.equal(localPath(await candidate.submit(end)), '/account/sharing?ended=1')
    assert.equal((await candidate.submit(end)).status, 404)
    await candidate.submit(
      await candidate.form(
        `/account/applications/${withdrawn}/withdraw`,
        `/account/applications/${withdrawn}`,
      ),
    )
    assert.deepEqual((await events()).slice(3), [[ended, null]])
    assert.doesNotMatch(await receipt(ended), /may keep your application for other jobs/)
    await services.retention.run()
    assert.deepEqual([await plans(ended), await plans(kept)], [['retention'], []])
    assert.deepEqual(await plans(withdrawn), ['withdrawn'])

    const reminders = () =>
      database().selectFrom('deliveries').select('content').where('kind', '=', 'keep-ending').execute()
    assert.equal((await reminders()).length, 0)
    world().clock.advance(36 * dayMs)
    for (const _ of [1, 2]) {
      await services.steadyTimes.look()
      await services.retention.run()
    }
    assert.deepEqual(
      (await reminders()).map(({ content }) => JSON.parse(content).applicationId),
      [kept],
    )
    world().clock.advance(29 * dayMs)
    await services.retention.run()
    assert.deepEqual(await plans(kept), [])
    world().clock.advance(3 * dayMs)
    await services.retention.run()
    assert.deepEqual(await plans(kept), ['retention'])
  })

  test('is listed until the last day is over where the company is', async () => {
    const { services, clock } = world()
    const refresh = async () => {
      candidate = new Browser(world().door)
      await candidate.signIn(mary)
    }
    await refresh()
    const id = sentId(await send(await openForm(candidate, roasterAd), allow))
    const until = fieldOf(await openForm(candidate, roasterAd), 'keep_until') ?? ''
    for (const [zone, lastDay, nextDay] of [
      ['Asia/Tokyo', `${until}T14:00Z`, `${until}T16:00Z`],
      ['America/St_Johns', `${dayAfter(until)}T02:00Z`, `${dayAfter(until)}T04:00Z`],
    ] as const) {
      await services.advertisers.setTimeZone(harbourId, zone)
      for (const [time, isListed] of [
        [lastDay, true],
        [nextDay, false],
      ] as const) {
        clock.set(Date.parse(time))
        await refresh()
        assert.equal(
          /May keep for other jobs/.test(await candidate.words('/account/sharing')),
          isListed,
          time,
        )
        assert.equal(/for other jobs until/.test(await receipt(id)), isListed, time)
      }
    }
  })
})
