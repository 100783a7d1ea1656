import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isoIn } from '../../src/platform/core/time/time-zone.ts'
import * as adDays from '../../src/schema/migrations/0048-ad-days.ts'
import { wordsOf } from '../harness/html-form.ts'
import { applicationOf, applicationPart, assertRefused, post } from '../harness/intake.ts'
import { Browser } from '../harness/oauth.ts'
import { inDemoWorld } from '../oauth/world.ts'
import { board, boardToken } from './postings.ts'
import { harbourId, southernId } from './version2.ts'

/** The closing days around both changes of the clock, and the moments at which they end, by hand. */
const walks: Record<string, readonly (readonly [closingDate: string, lastSecond: string])[]> = {
  'Pacific/Auckland': [
    ['2026-09-26', '2026-09-26T23:59:59.000+12:00'],
    ['2026-09-27', '2026-09-27T23:59:59.000+13:00'],
    ['2027-04-03', '2027-04-03T23:59:59.000+13:00'],
    ['2027-04-04', '2027-04-04T23:59:59.000+12:00'],
  ],
  'Europe/Berlin': [
    ['2026-10-24', '2026-10-24T23:59:59.000+02:00'],
    ['2026-10-25', '2026-10-25T23:59:59.000+01:00'],
    ['2027-03-27', '2027-03-27T23:59:59.000+01:00'],
    ['2027-03-28', '2027-03-28T23:59:59.000+02:00'],
  ],
  'America/St_Johns': [
    ['2026-10-31', '2026-10-31T23:59:59.000-02:30'],
    ['2026-11-01', '2026-11-01T23:59:59.000-03:30'],
    ['2027-03-13', '2027-03-13T23:59:59.000-03:30'],
    ['2027-03-14', '2027-03-14T23:59:59.000-02:30'],
  ],
}
const places: Record<string, string> = {
  'Pacific/Auckland': 'Auckland',
  'Europe/Berlin': 'Berlin',
  'America/St_Johns': 'St Johns',
}
const ad = {
  title: 'Lighthouse keeper',
  location: 'At sea',
  description: 'Light.',
  // Without a country there is no structured data.
  details: { country: 'NZ' },
  reference: null,
  screenId: null,
}

inDemoWorld(
  'the closing day of an ad, in the time zone of its company',
  { env: { TIME_ZONE: 'Europe/Berlin' } },
  world => {
    const jobs = () => world().services.jobs
    const get = async (path: string) => {
      const answer = await world().door.send('GET', path, { headers: { accept: 'text/html' } })
      assert.equal(answer.status, 200, answer.text)
      return answer.text
    }
    const isListed = async (id: number, path = '/jobs?q=lighthouse') =>
      (await get(path)).includes(`/jobs/${id}"`)

    /** Every door to the ad, at this moment. */
    async function look(at: number, jobAdId: number) {
      world().clock.set(at)
      const token = await boardToken(world().door)
      const { services, door } = world()
      const mary = await services.accountStore.findByEmail('mary@example.com')
      const page = await get(`/jobs/${jobAdId}`)
      const sent = await post(door, token, [applicationPart(applicationOf({ jobAdId }))])
      const read = await board(door, token).get(`/v1/intake/job-ads/${jobAdId}?advertiserId=${harbourId}`)
      const { entries } = await services.postingLists.jobAds(
        harbourId,
        { limit: 50, status: 'open' },
        isoIn(at, zoneNow).slice(0, 10),
      )
      if (sent.status !== 201) assertRefused(sent, 422, 'invalid-fields', { jobAdId: 'closed' })
      return {
        page,
        doors: {
          list: await isListed(jobAdId),
          home: await isListed(jobAdId, '/'),
          sitemap: (await get('/sitemap.xml')).includes(`/jobs/${jobAdId}<`),
          companies: (await services.jobBoard.companies(9, { now: at, words: ['lighthouse'] })).length > 1,
          count: (await services.jobBoard.countOpen(9, { now: at, words: ['lighthouse'] })) > 1,
          page: page.includes(`/jobs/${jobAdId}/apply"`),
          structuredData: page.includes('validThrough'),
          form: (await services.applyForm.offer(mary?.candidateId ?? '', jobAdId))?.isOpen,
          intake: sent.status === 201,
          intakeStatus: read.json().status === 'open',
          console: entries.some(({ id }) => id === jobAdId),
        },
      }
    }
    let zoneNow = ''

    for (const [timeZone, days] of Object.entries(walks)) {
      for (const [closingDate, lastSecond] of days) {
        test(`${closingDate} ends in ${timeZone} at ${lastSecond}`, async () => {
          zoneNow = timeZone
          const { advertisers } = world().services
          await advertisers.setTimeZone(harbourId, timeZone)
          // Open throughout, and a day behind: the days of one company decide nothing about another.
          await advertisers.setTimeZone(southernId, 'Pacific/Pago_Pago')
          world().clock.set(Date.parse(lastSecond) - 86_400_000)
          const { id } = await jobs().add(harbourId, { ...ad, closingDate })
          const other = await jobs().add(southernId, { ...ad, closingDate })
          const last = Date.parse(lastSecond) + 999

          const open = await look(last, id)
          assert.ok(open.page.includes(`"validThrough":"${lastSecond}"`), open.page)
          assert.match(
            wordsOf(open.page),
            new RegExp(`Closes \\d+ \\w+ \\d{4} \\(${places[timeZone]} time\\)`),
          )
          assert.deepEqual(new Set(Object.values(open.doors)), new Set([true]), JSON.stringify(open.doors))
          const past = await look(last + 1, id)
          assert.deepEqual(new Set(Object.values(past.doors)), new Set([false]), JSON.stringify(past.doors))
          assert.equal(await isListed(other.id), true)
          for (const [owner, made] of [
            [harbourId, id],
            [southernId, other.id],
          ] as const)
            await jobs().setStatus(owner, made, 'closed')
        })
      }
    }

    describe('without its own time zone', () => {
      test('a company has the zone of the board', async () => {
        await world().services.advertisers.setTimeZone(harbourId, null)
        world().clock.set(Date.parse('2027-05-01T00:00:00Z'))
        const { id } = await jobs().add(harbourId, { ...ad, closingDate: '2027-05-01' })
        const page = await get(`/jobs/${id}`)
        assert.ok(page.includes('"validThrough":"2027-05-01T23:59:59.000+02:00"'), page)
        assert.ok(page.includes('"datePosted":"2027-05-01T02:00:00.000+02:00"'), page)
        world().clock.set(Date.parse('2027-05-01T21:59:59.999Z'))
        assert.equal(await isListed(id), true)
        world().clock.advance(1)
        assert.equal(await isListed(id), false)
      })
    })

    test('a company whose ads from before the change close earlier is told, until it saves them', async () => {
      const { advertisers, database } = world().services
      const rae = new Browser(world().door)
      world().clock.set(Date.parse('2028-11-14T00:00:00Z'))
      await rae.signIn('rae@example.com')
      const list = async () => await rae.words(`/console/${harbourId}/jobs`)
      const before = await jobs().add(harbourId, { ...ad, title: 'Old lamp', closingDate: '2028-11-14' })
      await jobs().add(harbourId, { ...ad, title: 'No day', closingDate: null })
      const closed = await jobs().add(harbourId, { ...ad, title: 'Closed', closingDate: '2028-11-20' })
      await jobs().setStatus(harbourId, closed.id, 'closed')
      await adDays.up(database.writer)
      world().clock.advance(1000)
      await jobs().add(harbourId, { ...ad, title: 'New lamp', closingDate: '2028-11-14' })

      await advertisers.setTimeZone(harbourId, 'Pacific/Auckland')
      assert.match(
        await list(),
        /close some hours earlier than before\. A closing date used to end at midnight in UTC\+10\. It now ends at midnight Auckland time\. .*? save it\. Old lamp , 14 Nov 2028 (?!New lamp)/,
      )
      for (const timeZone of ['Europe/Berlin', 'America/St_Johns', 'Australia/Brisbane', null]) {
        await advertisers.setTimeZone(harbourId, timeZone)
        assert.doesNotMatch(await list(), /earlier than before/)
      }
      await advertisers.setTimeZone(harbourId, 'Pacific/Auckland')
      await jobs().replace(harbourId, before.id, { ...ad, title: 'Old lamp', closingDate: '2028-11-14' })
      assert.doesNotMatch(await list(), /earlier than before/)
    })

    test('a zone that this Node does not know counts as none', async () => {
      const { database, advertisers } = world().services
      world().clock.set(Date.parse('2029-05-01T00:00:00Z'))
      const { id } = await jobs().add(harbourId, { ...ad, closingDate: '2029-05-01' })
      await database.writer
        .updateTable('advertisers')
        .set({ time_zone: 'Mars/Olympus' })
        .where('id', '=', harbourId)
        .execute()
      assert.match(await get(`/jobs/${id}`), /"validThrough":"2029-05-01T23:59:59\.000[+-]/)
      assert.equal(await isListed(id), true)
      await advertisers.setTimeZone(harbourId, null)
    })

    test('days since an ad was posted are those of its company', async () => {
      const { advertisers } = world().services
      await advertisers.setTimeZone(harbourId, 'Pacific/Auckland')
      world().clock.set(Date.parse('2027-04-03T10:59:00Z'))
      const { id } = await jobs().add(harbourId, { ...ad, closingDate: null })
      const posted = async (at: string) => {
        world().clock.set(Date.parse(at))
        return /Posted [^.·]*?(?=\s*(?:About|Light|Closes|Place))/.exec(
          wordsOf(await get(`/jobs/${id}`)),
        )?.[0]
      }
      assert.equal(await posted('2027-04-03T10:59:59Z'), 'Posted today')
      assert.equal(await posted('2027-04-03T11:00:00Z'), 'Posted yesterday')
      // The day in between has 25 hours.
      assert.equal(await posted('2027-04-04T11:59:59Z'), 'Posted yesterday')
      assert.equal(await posted('2027-04-04T12:00:00Z'), 'Posted 2 days ago')
      assert.equal(await posted('2027-06-04T12:00:00Z'), 'Posted 3 April 2027 (Auckland time)')
    })
  },
)
