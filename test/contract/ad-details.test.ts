import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type Form, formsOf, wordsOf } from '../harness/html-form.ts'
import { Browser } from '../harness/oauth.ts'
import { assertSchemaOrg } from '../harness/schema-org.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import { fieldOf, summaryOf } from './apply-form.ts'
import { assertFields, type Board, board, boardToken } from './postings.ts'
import { harbourId } from './version2.ts'

const path = '/v1/intake/job-ads'
const plain = {
  advertiserId: harbourId,
  title: 'Roaster',
  location: 'Berlin',
  description: 'Coffee.',
}
const details = {
  country: 'DE',
  region: 'Berlin',
  locality: 'Berlin',
  workplace: 'hybrid',
  employmentTypes: ['FULL_TIME', 'PART_TIME'],
  pay: { min: 52_000, max: 60_000.5, currency: 'EUR', period: 'year', note: 'by <agreement>' },
  language: 'de-DE',
  openings: 2,
  vacancy: 'existing',
  aiScreening: false,
}
const fixedPay = { min: 24.5, max: 24.5, currency: 'EUR', period: 'hour' }

inDemoWorldInTurn('details of job ads', world => {
  let calls: Board
  before(async () => {
    calls = board(world().door, await boardToken(world().door))
  })
  const post = async (change: Record<string, unknown> = {}) => {
    const answer = await calls.post(path, { ...plain, ...change })
    assert.equal(answer.status, 201, answer.text)
    return answer.json()
  }
  const read = async (id: number) => (await calls.get(`${path}/${id}?advertiserId=${harbourId}`)).json()
  const page = async (url: string): Promise<string> => {
    const answer = await new Browser(world().door).get(url)
    assert.equal(answer.status, 200, answer.text)
    return answer.text
  }

  describe('through the intake API', () => {
    test('they are kept as sent, read, listed, replaced, and left out where nothing is said', async () => {
      const ad = await post({
        ...details,
        language: 'DE-de',
        employmentTypes: ['PART_TIME', 'FULL_TIME', 'PART_TIME'],
      })
      const { id, title, location, description, reference, screenId, closingDate, ...rest } = ad
      const { advertiserId, status, createdAt, updatedAt, ...kept } = rest
      assert.deepEqual(kept, details)
      assert.deepEqual(await read(id), ad)
      const { jobAds } = (await calls.get(`${path}?advertiserId=${harbourId}&afterId=${id - 1}`)).json()
      assert.deepEqual(jobAds, [ad])
      const replaced = await calls.put(`${path}/${id}`, { ...plain, country: null })
      assert.equal(replaced.status, 200, replaced.text)
      for (const field of Object.keys(details)) assert.ok(!(field in replaced.json()), field)
    })

    test('every fault is reported at its field', async () => {
      const wrong: [body: object, faults: Record<string, string>][] = [
        [{ country: 'de' }, { country: 'invalid' }],
        [{ country: 'UK' }, { country: 'invalid' }],
        [
          { country: 7, region: '', locality: 'a\nb' },
          { country: 'invalid', region: 'empty', locality: 'line-break' },
        ],
        [{ workplace: 'home' }, { workplace: 'wrong-type' }],
        [{ remoteCountries: ['DE'] }, { remoteCountries: 'not-remote' }],
        [{ workplace: 'remote', remoteCountries: [] }, { remoteCountries: 'too-few' }],
        [{ workplace: 'remote', remoteCountries: ['DE', 'XX'] }, { remoteCountries: 'invalid' }],
        [{ workplace: 'remote', remoteCountries: Array(61).fill('DE') }, { remoteCountries: 'too-many' }],
        [{ employmentTypes: 'FULL_TIME' }, { employmentTypes: 'wrong-type' }],
        [{ employmentTypes: ['fullTime'] }, { employmentTypes: 'invalid' }],
        [{ employmentTypes: [{}, ['FULL_TIME']] }, { employmentTypes: 'invalid' }],
        [{ pay: 7 }, { pay: 'wrong-type' }],
        [{ pay: {} }, { 'pay.currency': 'required', 'pay.period': 'required', 'pay.min': 'required' }],
        [{ pay: { ...fixedPay, min: 30 } }, { 'pay.max': 'invalid' }],
        [{ pay: { ...fixedPay, min: -1 } }, { 'pay.min': 'invalid' }],
        [{ pay: { ...fixedPay, max: 1e12 } }, { 'pay.max': 'invalid' }],
        [{ pay: { ...fixedPay, max: 24.555 } }, { 'pay.max': 'invalid' }],
        [{ pay: { ...fixedPay, min: '24.50' } }, { 'pay.min': 'invalid' }],
        [
          { pay: { ...fixedPay, currency: 'EURO', period: 'decade' } },
          { 'pay.currency': 'invalid', 'pay.period': 'wrong-type' },
        ],
        [
          { pay: { ...fixedPay, note: 'x'.repeat(201), bonus: 1 } },
          { 'pay.note': 'too-long', 'pay.bonus': 'unknown' },
        ],
        [{ language: 'deutsch!' }, { language: 'invalid' }],
        [{ language: 'en-u-ca-gregory' }, { language: 'invalid' }],
        [{ language: '' }, { language: 'invalid' }],
        [{ language: 'x'.repeat(3000) }, { language: 'invalid' }],
        [{ openings: 0 }, { openings: 'invalid' }],
        [{ openings: 1.5 }, { openings: 'invalid' }],
        [
          { vacancy: 'maybe', aiScreening: 'no' },
          { vacancy: 'wrong-type', aiScreening: 'wrong-type' },
        ],
      ]
      for (const [body, faults] of wrong) assertFields(await calls.post(path, { ...plain, ...body }), faults)
    })
  })

  describe('on the public pages', () => {
    test('the job page lists them in words, and says the language of the text', async () => {
      const { id } = await post(details)
      const shown = await page(`/jobs/${id}`)
      const words = wordsOf(shown)
      for (const fact of [
        /Pay EUR\s?52,000\s?–\s?(EUR\s?)?60,000\.50 a year, by &lt;agreement&gt;/,
        /Employment type Full-time, Part-time/,
        /Workplace Hybrid/,
        /Place Berlin, Berlin, Germany/,
        /Positions 2/,
        /Vacancy A position to fill now/,
        /Artificial intelligence Takes no part/,
        /Language of the ad German/,
      ])
        assert.match(words, fact)
      assert.match(shown, /<section class="prose" [^>]*lang="de-DE"/)
      assert.match(wordsOf(await page('/jobs')), /Roaster Harbour Coffee Roasters · Berlin EUR\s?52,000/)
      assert.doesNotMatch(await page(`/jobs/${(await post()).id}`), /dl class="values"/)
    })

    const shownBy = async (query: string) => {
      const text = await page(`/jobs?${query}`)
      return {
        text,
        titles: [...text.matchAll(/class="row-link"[^>]*><bdi>([^<]*)/g)].map(([, title]) => title),
      }
    }

    test('the list is filtered by workplace, type and pay, together with words, on every page', async () => {
      for (let i = 1; i <= 21; i++)
        await post({
          title: `Remote ${i}`,
          workplace: 'remote',
          employmentTypes: ['INTERN', 'PER_DIEM'],
          country: 'FR',
        })
      await post({ title: 'Paid remote', workplace: 'remote', employmentTypes: ['INTERN'], pay: fixedPay })
      await post({ title: 'Paid', pay: fixedPay, employmentTypes: ['VOLUNTEER'] })

      const both = await shownBy('workplace=remote&type=INTERN')
      assert.equal(both.titles.length, 20)
      assert.equal(both.titles[0], 'Paid remote')
      assert.match(both.text, /22 jobs matching your filters, newest first/)
      const [, older = ''] =
        /href="\/jobs\?(workplace=remote&amp;type=INTERN&amp;before=\d+)"/.exec(both.text) ?? []
      const rest = await shownBy(older.replaceAll('&amp;', '&'))
      assert.deepEqual(rest.titles, ['Remote 2', 'Remote 1'])
      assert.match(rest.text, /href="\/jobs\?workplace=remote&amp;type=INTERN">Newest/)
      assert.match(both.text, /<option value="remote" selected>/)

      assert.deepEqual((await shownBy('workplace=remote&pay=yes')).titles, ['Paid remote'])
      assert.deepEqual((await shownBy('type=VOLUNTEER')).titles, ['Paid'])
      assert.match((await shownBy('pay=yes&q=paid')).text, /2 jobs matching <strong>/)
      assert.match((await shownBy('pay=yes&type=PER_DIEM')).text, /No open jobs match your filters/)
      // What is no choice filters nothing.
      const all = await shownBy('')
      assert.deepEqual((await shownBy('workplace=%25&type=FULL&pay=1')).titles, all.titles)
      assert.ok((await shownBy('type=FULL_TIME')).titles.includes('Roaster'))
    })
  })

  describe('for search engines', () => {
    const described = async (change: Record<string, unknown>) => {
      const { id } = await post(change)
      const text = await page(`/jobs/${id}`)
      const [, json] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text) ?? []
      const isIndexed = !text.includes('<meta name="robots" content="noindex">')
      assert.equal(isIndexed, json !== undefined)
      assert.equal((await page('/sitemap.xml')).includes(`/jobs/${id}<`), isIndexed)
      const data = json === undefined ? undefined : JSON.parse(json)
      if (data !== undefined) assertSchemaOrg(data)
      return { ...data, id }
    }

    test('an ad is described as Google demands, in terms of schema.org', async () => {
      const data = await described({ ...details, reference: 'R-1', closingDate: '2099-12-24' })
      // https://developers.google.com/search/docs/appearance/structured-data/job-posting
      for (const name of ['title', 'description', 'datePosted', 'validThrough']) assert.ok(data[name], name)
      assert.deepEqual(data.jobLocation, {
        '@type': 'Place',
        name: 'Berlin',
        address: {
          '@type': 'PostalAddress',
          addressLocality: 'Berlin',
          addressRegion: 'Berlin',
          addressCountry: 'DE',
        },
      })
      assert.deepEqual(data.baseSalary, {
        '@type': 'MonetaryAmount',
        currency: 'EUR',
        value: { '@type': 'QuantitativeValue', minValue: 52_000, maxValue: 60_000.5, unitText: 'YEAR' },
      })
      assert.deepEqual(data.employmentType, ['FULL_TIME', 'PART_TIME'])
      assert.equal(data.totalJobOpenings, 2)
      assert.equal(data.directApply, true)
      assert.equal(data.hiringOrganization.name, 'Harbour Coffee Roasters')
      assert.deepEqual(data.identifier, {
        '@type': 'PropertyValue',
        name: 'Harbour Coffee Roasters',
        value: 'R-1',
      })
      assert.equal('jobLocationType' in data, false)
    })

    test('remote work names the countries that people may live in', async () => {
      const remote = { workplace: 'remote', remoteCountries: ['DE', 'AT'], pay: fixedPay }
      const data = await described(remote)
      assert.equal(data.jobLocationType, 'TELECOMMUTE')
      const countries = data.applicantLocationRequirements.map((each: { name: string }) => each.name)
      assert.deepEqual(countries, ['Austria', 'Germany'])
      assert.deepEqual(data.baseSalary.value, { '@type': 'QuantitativeValue', value: 24.5, unitText: 'HOUR' })
      assert.equal(data.identifier.value, String(data.id))
      const own = await described({ workplace: 'remote', country: 'FR' })
      assert.deepEqual(own.applicantLocationRequirements, [{ '@type': 'Country', name: 'France' }])
    })

    test('an ad without a country is neither described nor indexed', async () => {
      for (const change of [{}, { workplace: 'remote' }, { ...details, country: null }])
        assert.equal((await described(change)).title, undefined)
    })

    test('the ads of the demo are described', async () => {
      for (const id of [31, 32, 33, 41, 42]) {
        const [, json = ''] = /ld\+json">(.*?)<\/script>/s.exec(await page(`/jobs/${id}`)) ?? []
        const data = JSON.parse(json)
        assertSchemaOrg(data)
        assert.equal(data.jobLocation.address.addressCountry, 'AU')
      }
    })
  })
})

inDemoWorldInTurn(
  'ads under the laws of Ontario and the European Union',
  { env: { AD_RULES: 'ontario,eu' } },
  world => {
    let calls: Board
    before(async () => {
      calls = board(world().door, await boardToken(world().door))
    })
    const lawful = { pay: fixedPay, vacancy: 'pool', aiScreening: true }

    test('the API refuses an ad without a required field, with the reason', async () => {
      const answer = await calls.post(path, { ...plain, aiScreening: false, pay: null })
      assertFields(answer, { pay: 'required', vacancy: 'required' })
      assert.match(
        answer.json().errors[0].message,
        /^pay must be sent\. An ad in Ontario must state the expected pay/,
      )
      // A field that is wrong has one fault.
      assertFields(await calls.post(path, { ...plain, ...lawful, pay: 7 }), { pay: 'wrong-type' })
      const good = await calls.post(path, { ...plain, ...lawful })
      assert.equal(good.status, 201, good.text)
      assert.equal('warnings' in good.json(), false)
      assertFields(await calls.put(`${path}/${good.json().id}`, plain), {
        pay: 'required',
        vacancy: 'required',
        aiScreening: 'required',
      })
    })

    test('an ad from before says what it lacks, and once closed opens only with it', async () => {
      const old = await world().services.jobAdStore.add(
        harbourId,
        {
          title: 'Old',
          location: 'Leeds',
          description: 'x',
          reference: null,
          screenId: null,
          closingDate: null,
        },
        world().clock(),
      )
      const at = (verb = '') => `${path}/${old.id}${verb}?advertiserId=${harbourId}`
      const { warnings } = (await calls.get(at())).json()
      assert.deepEqual(
        warnings.map(({ field }: { field: string }) => field),
        ['pay', 'vacancy', 'aiScreening', 'pay'],
      )
      assert.equal((await calls.post(at('/close'))).json().status, 'closed')
      const refused = await calls.post(at('/open'))
      assertFields(refused, { pay: 'required', vacancy: 'required', aiScreening: 'required' })
      assert.match(
        refused.json().errors[0].message,
        /^pay must be sent\. An ad in Ontario must state the expected pay .*[^.]\.$/,
      )
      const admin = await Browser.signedIn(world().door, 'rae@example.com')
      const page = `/console/${harbourId}/jobs/${old.id}`
      const open = await admin.form(page)
      const again = await admin.submit(open)
      assert.equal(again.status, 422)
      assert.deepEqual(
        summaryOf(again.text).map(([field]) => field),
        ['payMin', 'vacancy', 'aiScreening'],
      )
      assert.match(again.text, /value="Leeds"/, 'the form has what is saved')
      const stored = () => world().services.jobs.find(harbourId, old.id)
      assert.equal((await stored()).status, 'closed')
      assert.equal((await calls.put(`${path}/${old.id}`, { ...plain, ...lawful })).status, 200)
      assert.equal((await calls.post(at('/open'))).json().status, 'open')
      assert.equal((await calls.post(at('/open'))).json().status, 'open')
    })

    test('the form has the reasons beside the fields, and refuses an ad without one', async () => {
      const admin = await Browser.signedIn(world().door, 'rae@example.com')
      const at = `/console/${harbourId}/jobs/new`
      const form = await admin.form(at)
      const texts = { title: 'Roaster', location: 'Toronto', description: 'Coffee.' }
      const refused = await admin.submit(form, { fields: { ...texts, vacancy: 'pool' } })
      assert.equal(refused.status, 422)
      assert.deepEqual(
        summaryOf(refused.text).map(([field]) => field),
        ['payMin', 'aiScreening'],
      )
      const words = wordsOf(refused.text)
      assert.match(
        words,
        /Pay \* An? .*Ontario must state the expected pay.* Candidates must learn the initial pay/,
      )
      assert.match(words, /Vacancy \* An ad in Ontario must state whether there is an existing vacancy/)
      const old = await admin.words(`/console/${harbourId}/jobs/31`)
      assert.doesNotMatch(old, /does not say all that the law demands/)
    })

    test('the builder warns of a question about earlier pay', async () => {
      const admin = await Browser.signedIn(world().door, 'rae@example.com')
      const at = `/console/${harbourId}/screens/new`
      const form = await admin.form(at)
      const shown = async (text: string) =>
        (await admin.submit(form, { fields: { name: 'Pay', 'q-0-text': text }, button: ['do', 'preview'] }))
          .text
      assert.match(await shown('What is your current salary?'), /seems to be about earlier pay/)
      assert.doesNotMatch(await shown('What salary do you expect?'), /about earlier pay/)
    })
  },
)

inDemoWorldInTurn('details in the form of an ad', (world, { signedIn }) => {
  const at = `/console/${harbourId}/jobs/new`
  const texts = { title: 'Roaster', location: 'Berlin', description: 'Coffee.' }
  const fields = {
    country: 'DE',
    region: 'Berlin',
    locality: 'Berlin',
    workplace: 'remote',
    remoteCountries: 'at,  DE',
    payMin: '24.50',
    payCurrency: 'eur',
    payPeriod: 'hour',
    payNote: 'plus tips',
    language: 'de',
    openings: '3',
    vacancy: 'pool',
    aiScreening: 'no',
  }
  const admin = signedIn('rae@example.com')
  const submit = async (sent: Record<string, string>, button?: [string, string]) => {
    const form = await admin.form(at)
    if (sent === fields) form.fields.push(['type-PART_TIME', 'yes'])
    return admin.submit(form, { fields: { ...texts, ...sent }, ...(button && { button }) })
  }

  test('they are saved, shown again and previewed', async () => {
    const made = await submit(fields)
    assert.equal(made.status, 303, made.text)
    const path = (made.headers.get('location') ?? '').replace(/\?.*/, '')
    const { details } = await world().services.jobs.find(harbourId, Number(path.split('/').at(-1)))
    assert.deepEqual(details, {
      country: 'DE',
      region: 'Berlin',
      locality: 'Berlin',
      workplace: 'remote',
      remoteCountries: ['AT', 'DE'],
      employmentTypes: ['PART_TIME'],
      pay: { min: 24.5, currency: 'EUR', period: 'hour', note: 'plus tips' },
      language: 'de',
      openings: 3,
      vacancy: 'pool',
      aiScreening: false,
    })
    const form = formsOf((await admin.get(path)).text).find(each => fieldOf(each, 'title') !== undefined)
    const normal = { remoteCountries: 'AT, DE', payMin: '24.5', payCurrency: 'EUR' }
    for (const [name, value] of Object.entries({ ...fields, ...normal }))
      assert.equal(fieldOf(form as Form, name), value, name)
    const ticked = form?.boxes.filter(({ isTicked }) => isTicked).map(({ name }) => name)
    assert.deepEqual(ticked, ['type-PART_TIME'])
    assert.match(
      wordsOf((await submit(fields, ['do', 'preview'])).text),
      /Preview .*From EUR\s?24\.50 an hour, plus tips/,
    )
  })

  test('an ad without any stays without', async () => {
    const made = await submit({ country: '' })
    const id = Number(/jobs\/(\d+)/.exec(made.headers.get('location') ?? '')?.[1])
    assert.deepEqual((await world().services.jobs.find(harbourId, id)).details, {})
  })

  test('faults are reported at their fields', async () => {
    const wrong = {
      country: 'XX',
      remoteCountries: 'Germany',
      payMin: '50',
      payMax: '4o',
      payCurrency: 'euros',
      language: '??',
      openings: '2.5',
      aiScreening: 'maybe',
    }
    const answer = await submit(wrong)
    assert.equal(answer.status, 422)
    const faults = summaryOf(answer.text)
    assert.deepEqual(
      faults.map(([field]) => field).toSorted(),
      [...Object.keys(wrong).filter(name => name !== 'payMin'), 'payPeriod'].toSorted(),
    )
    const grouped = await submit({
      payMin: '52.000',
      payCurrency: 'EUR',
      payPeriod: 'year',
      openings: '1.000',
    })
    assert.deepEqual(
      summaryOf(grouped.text)
        .map(([field]) => field)
        .toSorted(),
      ['openings', 'payMin'],
    )
    for (const [field, message] of faults) assert.doesNotMatch(message, /undefined/, field)
    for (const name of ['payMax', 'remoteCountries'] as const)
      assert.match(answer.text, new RegExp(`name="${name}" value="${wrong[name]}"`))
  })
})
