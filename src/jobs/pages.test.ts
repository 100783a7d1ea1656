import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { movableClock } from '../../test/harness/clock.ts'
import { withServices } from '../../test/harness/database.ts'
import { createTestServer } from '../../test/harness/server.ts'
import type { JobAdFields } from '../model/job-ad.ts'
import { aestDayOf } from '../platform/core/time/ms-date.ts'

const clock = movableClock()
const dayMs = 86_400_000
const plain: JobAdFields = {
  title: 'Baker',
  location: 'Newcastle',
  description: 'Bread.',
  reference: null,
  screenId: null,
  closingDate: null,
}

withServices('the pages of the job board', { clock }, (services, settings) => {
  let app: FastifyInstance
  let advertiserId: number
  before(async () => {
    app = (await createTestServer(services(), settings())).app
    advertiserId = (await services().advertisers.add('Harbour & Sons')).id
  })
  after(() => app.close())
  const post = (change: Partial<JobAdFields> = {}, owner = advertiserId) =>
    services().jobs.add(owner, { ...plain, ...change })
  const get = (url: string) => app.inject({ url, headers: { host: 'localhost:8080', accept: 'text/html' } })
  const titles = (page: string) =>
    [...page.matchAll(/<a class="row-link" href="\/jobs\/\d+"><bdi>([^<]*)<\/bdi>/g)].map(
      ([, title]) => title,
    )

  // Must come first: the list is empty only until a test posts an ad.
  describe('the list', () => {
    test('shows a message if there are no jobs', async () => {
      const { statusCode, body } = await get('/jobs')
      assert.equal(statusCode, 200)
      assert.match(body, /No jobs are open at the moment/)
      assert.match((await get('/jobs?before=5')).body, /no older jobs/)
    })

    test('shows open ads, newest first, and links to older ones', async () => {
      for (let i = 1; i <= 21; i++) await post({ title: `Job ${i}` })
      const { body } = await get('/jobs')
      assert.deepEqual(
        titles(body),
        Array.from({ length: 20 }, (_, i) => `Job ${21 - i}`),
      )
      assert.match(body, /<bdi>Harbour &amp; Sons<\/bdi> · <bdi>Newcastle<\/bdi>/)
      const [, older = ''] = /href="(\/jobs\?before=\d+)"/.exec(body) ?? []
      const last = (await get(older)).body
      assert.deepEqual(titles(last), ['Job 1'])
      assert.doesNotMatch(last, /rel="next"/)
      assert.match(last, /href="\/jobs">Newest<\/a>/)
      assert.deepEqual(titles((await get('/jobs?before=x')).body), titles(body))
    })

    test('leaves out ads that are closed, past their closing date, or of an advertiser on hold', async () => {
      const today = aestDayOf(clock())
      const [closed] = [await post({ title: 'Closed' })]
      await services().jobs.setStatus(advertiserId, closed.id, 'closed')
      await post({ title: 'Past', closingDate: aestDayOf(clock() - dayMs) })
      await post({ title: 'Last day', closingDate: today })
      const held = await services().advertisers.add('Held')
      await post({ title: 'Held' }, held.id)
      await services().advertisers.setStatus(held.id, 'hold')
      assert.deepEqual(titles((await get('/jobs')).body).slice(0, 2), ['Last day', 'Job 21'])
      await services().advertisers.setStatus(held.id, 'active')
      await services().jobs.setStatus(advertiserId, closed.id, 'open')
      assert.deepEqual(titles((await get('/jobs')).body).slice(0, 3), ['Held', 'Last day', 'Closed'])
    })
  })

  describe('a search', () => {
    test('leads back to all jobs once, whether it finds some or not', async () => {
      await post({ title: 'Lighthouse keeper' })
      for (const query of ['lighthouse', 'submarine']) {
        const { body } = await get(`/jobs?q=${query}`)
        assert.equal(body.match(/<a [^>]*href="\/jobs">Show all jobs</g)?.length, 1, query)
      }
    })

    const found = async (query: string) => titles((await get(`/jobs?q=${encodeURIComponent(query)}`)).body)
    before(async () => {
      const cafe = await services().advertisers.add('Café Zoë 100%')
      await post({ title: 'Pâtissier', location: 'Orléans Park' }, cafe.id)
      await post({ title: 'Sous_chef', location: 'Perth' }, cafe.id)
    })

    test('finds every word in title, place or company, ignoring case and accents', async () => {
      assert.deepEqual(await found('PATISSIER'), ['Pâtissier'])
      assert.deepEqual(await found('orleans  pâtiss'), ['Pâtissier'])
      assert.deepEqual(await found('zoe perth'), ['Sous_chef'])
      assert.deepEqual(await found('cafe'), ['Sous_chef', 'Pâtissier'])
      assert.deepEqual(await found('cafe newcastle'), [])
    })

    test('treats SQL wildcards as text', async () => {
      assert.deepEqual(await found('100%'), ['Sous_chef', 'Pâtissier'])
      assert.deepEqual(await found('s_chef'), ['Sous_chef'])
      for (const none of ['p_rth', '%', "'; --", '!', '\\']) {
        assert.deepEqual(await found(none), none === '%' ? ['Sous_chef', 'Pâtissier'] : [], none)
      }
    })

    test('finds an ad by its changed text', async () => {
      const { id } = await post({ title: 'Wharfinger' })
      assert.deepEqual(await found('wharfinger'), ['Wharfinger'])
      await services().jobs.replace(advertiserId, id, { ...plain, title: 'Stevedore', location: 'Broome' })
      assert.deepEqual(await found('wharfinger'), [])
      assert.deepEqual(await found('stevedore broome harbour'), ['Stevedore'])
    })

    test('keeps the search words, also across its pages', async () => {
      const first = (await get('/jobs?q=JOB+Harbour')).body
      assert.match(first, /name="q" value="JOB Harbour"/)
      const [, older = ''] = /href="(\/jobs\?q=JOB\+Harbour&amp;before=\d+)"/.exec(first) ?? []
      const second = (await get(older.replace('&amp;', '&'))).body
      assert.deepEqual([...titles(first), ...titles(second)].toSorted(), await everyJob())
      assert.match(second, /href="\/jobs\?q=JOB\+Harbour">Newest/)
    })
    const everyJob = async () =>
      (await services().jobs.list(advertiserId, 0, 100)).entries
        .map(({ title }) => title)
        .filter(title => title.startsWith('Job '))
        .toSorted()

    test('reports an empty result, and shows the search words as text', async () => {
      const { body } = await get('/jobs?q=%3Cb%3Enothing')
      assert.match(body, /No open jobs match <strong><bdi>&lt;b&gt;nothing<\/bdi>/)
      const blank = (await get('/jobs?q=+%20')).body
      assert.match(blank, /newest first/)
      assert.equal((await get(`/jobs?q=${'x'.repeat(3000)}`)).statusCode, 200)
    })
  })

  test('filters by workplace, type and pay, alone and together, and counts what it finds', async () => {
    const pay = { min: 1, currency: 'EUR', period: 'hour' } as const
    await post({ title: 'A', details: { workplace: 'remote', employmentTypes: ['PER_DIEM', 'INTERN'] } })
    await post({ title: 'B', details: { workplace: 'remote', employmentTypes: ['INTERN'], pay } })
    const { id } = await post({ title: 'C', details: { workplace: 'hybrid', pay } })
    const shown = async (query: string) => {
      const { body } = await get(`/jobs?${query}`)
      return [/role="status">(\d+)/.exec(body)?.[1], ...titles(body)]
    }
    assert.deepEqual(await shown('workplace=remote'), ['2', 'B', 'A'])
    assert.deepEqual(await shown('type=PER_DIEM'), ['1', 'A'])
    assert.deepEqual(await shown('type=INTERN'), ['2', 'B', 'A'])
    assert.deepEqual(await shown('pay=yes'), ['2', 'C', 'B'])
    assert.deepEqual(await shown('pay=yes&workplace=remote&type=INTERN&q=b+newcastle'), ['1', 'B'])
    await services().jobs.replace(advertiserId, id, { ...plain, title: 'C' })
    assert.deepEqual(await shown('pay=yes'), ['1', 'B'])
    assert.deepEqual(await shown('workplace=hybrid'), [undefined])
  })

  describe('an ad', () => {
    test('is shown as text, with a link to apply', async () => {
      const description = 'First <b>line</b>\n\nSecond & last'
      const { id } = await post({ title: 'Cook "A"', description, closingDate: '2099-12-24' })
      const { statusCode, body, headers } = await get(`/jobs/${id}`)
      assert.equal(statusCode, 200)
      assert.match(body, /<h1>Cook &quot;A&quot;<\/h1>/)
      assert.match(body, /<p>First &lt;b&gt;line&lt;\/b&gt;<\/p><p>Second &amp; last<\/p>/)
      assert.match(body, /Closes <time datetime="2099-12-24">24 December 2099<\/time> \(Brisbane time\)/)
      assert.match(body, new RegExp(`<a class="button" href="/jobs/${id}/apply">Apply</a>`))
      assert.match(String(headers['content-security-policy']), /default-src 'none'/)
    })

    test('cannot change the direction of the text around it', async () => {
      // The second would end the isolation that the page puts around it.
      const location = 'Perth\u202E \u2069\u202E'
      const { id } = await post({ title: 'Cook\u202E', location, closingDate: '2099-12-24' })
      const list = (await get('/jobs')).body
      assert.equal(titles(list)[0], 'Cook')
      assert.match(list, /· <bdi>Perth <\/bdi><\/p>/)
      assert.match((await get(`/jobs/${id}`)).body, /<title>Cook · Dossier<\/title>/)
    })

    test('says that it is closed, and offers no link to apply', async () => {
      const { id: closed } = await post()
      await services().jobs.setStatus(advertiserId, closed, 'closed')
      const { id: past } = await post({ closingDate: aestDayOf(clock() - dayMs) })
      for (const id of [closed, past]) {
        const { statusCode, body } = await get(`/jobs/${id}`)
        assert.equal(statusCode, 200)
        assert.match(body, /Applications for this job have closed/)
        assert.doesNotMatch(body, /\/apply"/)
      }
    })

    test('is not found while its advertiser is on hold', async () => {
      const held = await services().advertisers.add('Held again')
      const { id } = await post({}, held.id)
      await services().advertisers.setStatus(held.id, 'hold')
      for (const path of [`/jobs/${id}`, '/jobs/999999', '/jobs/x', '/jobs/0', `/jobs/${'9'.repeat(300)}`]) {
        const { statusCode, body } = await get(path)
        assert.equal(statusCode, 404, path)
        assert.match(body, /<h1>Job not found<\/h1>/)
        assert.match(body, /<a class="button[^"]*" href="\/jobs">/)
      }
      await services().advertisers.setStatus(held.id, 'active')
      assert.equal((await get(`/jobs/${id}`)).statusCode, 200)
    })
  })

  test('the board finds the current questionnaire of an ad, closed or not', async () => {
    const questions = [
      {
        id: '1',
        type: 'Text',
        text: 'Why?',
        isRequired: true,
        options: [],
        passingTexts: ['é <&>'],
      } as const,
    ].map(question => ({ ...question, options: [], passingTexts: [...question.passingTexts] }))
    const screen = await services().questionnaires.add(advertiserId, { name: 'Screen', questions })
    const { id } = await post({ screenId: screen.id })
    const other = await post()
    await services().questionnaires.setStatus(advertiserId, screen.id, 'closed')
    await services().questionnaires.replace(advertiserId, screen.id, { name: 'Renamed', questions })
    const found = await services().jobBoard.find(id)
    assert.deepEqual(found?.screen, { id: screen.id, name: 'Renamed', questions })
    assert.equal(found?.advertiserName, 'Harbour & Sons')
    assert.equal((await services().jobBoard.find(other.id))?.screen, null)
  })
})
