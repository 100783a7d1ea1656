import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFilter } from '../../src/collect/search/filter.ts'
import { plainDraft } from '../harness/applications.ts'
import { wordsOf } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { Browser, localPath } from '../harness/oauth.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import { harbourId, summaryOf } from './apply-form.ts'

const list = `/console/${harbourId}/applications`
const zonePath = `${list}/time-zone`

/** The times of the table, exactly; on it they are short. */
const exactIn = ({ text }: Answer) =>
  [...text.matchAll(/<time[^>]*title="([^"]*)"/g)].map(([, exact = '']) => exact)

/** The times of a page, in words. */
const timesIn = ({ text }: Answer) =>
  [...text.matchAll(/<time[^>]*>(.*?)<\/time>/g)].map(([, words = '']) => words)

inDemoWorldInTurn('the time zone of a company', (world, { signedIn }) => {
  const rae = signedIn('rae@example.com')

  const choose = async (timeZone: string) => rae.submit(await rae.form(zonePath), { fields: { timeZone } })

  test('is that of the filter, the table, the application and the export alike', async () => {
    const day = `${list}?from=2026-11-10&to=2026-11-10`
    const found = await rae.page(day)
    assert.deepEqual(exactIn(found), ['2026-11-10T09:00:00.000+10:00'])
    assert.match(timesIn(found)[0] ?? '', /^10 Nov( 2026)?$/)
    assert.match(wordsOf(found.text), /Days and times are in Australia\/Brisbane time\. Change time zone/)
    assert.doesNotMatch(found.text, /data-local/)
    const [, application = ''] = new RegExp(`href="(${list}/\\d+)`).exec(found.text) ?? []
    const detail = await rae.page(application)
    assert.equal(timesIn(detail)[0], '10 November 2026 at 9:00 am')
    assert.match(wordsOf(detail.text), /at 9:00 am Australia\/Brisbane time/)
    const csv = await rae.page(`${list}.csv?from=2026-11-10&to=2026-11-10`)
    assert.deepEqual(csv.text.match(/"2026-[^"]*"/g), ['"2026-11-10T09:00:00.000+10:00"'])

    assert.equal(localPath(await choose('Europe/London')), list)
    assert.deepEqual(timesIn(await rae.page(day)), [])
    const there = await rae.page(`${list}?from=2026-11-09&to=2026-11-09`)
    assert.deepEqual(exactIn(there), ['2026-11-09T23:00:00.000+00:00'])
    assert.match(timesIn(there)[0] ?? '', /^9 Nov( 2026)?$/)
    assert.match(wordsOf(there.text), /Days and times are in Europe\/London time\./)
    assert.match((await rae.page(zonePath)).text, /<option value="Europe\/London" selected>/)
    const there2 = await rae.page(`${list}.csv?from=2026-11-09&to=2026-11-09`)
    assert.match(there2.headers.get('content-disposition') ?? '', /applications-10000001-2026-11-\d\d\.csv/)
    assert.deepEqual(there2.text.match(/"2026-[^"]*"/g), ['"2026-11-09T23:00:00.000+00:00"'])
    assert.equal(localPath(await choose('')), list)
    assert.deepEqual(exactIn(await rae.page(day)), ['2026-11-10T09:00:00.000+10:00'])
  })

  test('has a day of 25 hours when clocks go back, and finds all of it', async () => {
    await choose('Europe/London')
    const before = world().clock()
    // London's clocks go back on 25 October 2026; the newest applications of the demo are later, so this advertiser has
    // none yet.
    const services = world().services
    const { id } = await services.advertisers.add('Night Shift', undefined, 'Europe/London')
    const times = [
      '2026-10-24T22:59:59Z',
      '2026-10-24T23:00:00Z',
      '2026-10-25T23:59:59Z',
      '2026-10-26T00:00:00Z',
    ]
    for (const time of times) {
      world().clock.set(Date.parse(time))
      await services.submissions.add(id, plainDraft())
    }
    world().clock.set(before)
    const startOfDays = async (day: string) => {
      const { filter } = readFilter(name => ({ from: day, to: day })[name as 'from'], {
        timeZone: 'Europe/London',
        answerDueBefore: 0,
      })
      const found = await services.applicationSearch.page(id, filter, undefined)
      return found.applications.map(({ submittedAt }) => new Date(submittedAt).toISOString())
    }
    assert.deepEqual(await startOfDays('2026-10-24'), ['2026-10-24T22:59:59.000Z'])
    assert.deepEqual(await startOfDays('2026-10-25'), [
      '2026-10-25T23:59:59.000Z',
      '2026-10-24T23:00:00.000Z',
    ])
    assert.deepEqual(await startOfDays('2026-10-26'), ['2026-10-26T00:00:00.000Z'])
    await choose('')
  })

  test('is a known zone, chosen by an admin', async () => {
    for (const wrong of ['Mars/Olympus', '+10:00', ' ']) {
      const answer = await choose(wrong)
      assert.equal(answer.status, 422)
      assert.deepEqual(summaryOf(answer.text), [
        ['timeZone', 'Choose a time zone by its name, such as Australia/Sydney.'],
      ])
    }
    const services = world().services
    await assert.rejects(services.advertisers.add('Nowhere', undefined, 'Mars'), { code: 'invalid-fields' })
    await assert.rejects(services.advertisers.setTimeZone(99, 'UTC'), { code: 'not-found' })
    const rex = await Browser.signedIn(world().door, 'rex@example.com')
    assert.equal((await rex.get(zonePath)).status, 403)
    assert.doesNotMatch((await rex.page(list)).text, /Change time zone/)
  })
})
