import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Form, formsOf, wordsOf } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import { baristaAd, fieldOf, harbourId, summaryOf } from './apply-form.ts'

const list = `/console/${harbourId}/jobs`
const southern = '/console/10000002/jobs'

const plain = {
  title: 'Baker',
  location: 'Newcastle',
  description: 'Bread.\nAnd rolls.',
  reference: 'HCR-99',
  closingDate: '2099-12-24',
}

onOneEngineInTurn('the job ads of an advertiser', (_, { signedIn }) => {
  const admin = signedIn('rae@example.com')
  const recruiter = signedIn('rex@example.com')

  const newForm = () => admin.form(`${list}/new`)
  /** The form with the fields; the page's other form closes the ad. */
  const formOf = (answer: Answer) =>
    formsOf(answer.text).find(form => fieldOf(form, 'title') !== undefined) as Form

  function placeOf(answer: Answer): string {
    assert.equal(answer.status, 303, answer.text)
    const location = answer.headers.get('location') ?? ''
    assert.match(location, /^\/console\/10000001\/jobs\/\d+\?done=\w+$/)
    return location.replace(/\?.*/, '')
  }

  const make = async (fields: Record<string, string> = {}) =>
    placeOf(await admin.submit(await newForm(), { fields: { ...plain, ...fields } }))

  test('an ad is written, listed, and shown to candidates', async () => {
    const path = await make()
    const made = await admin.page(`${path}?done=made`)
    assert.match(made.text, /Ad published/)
    for (const [name, value] of Object.entries(plain)) assert.equal(fieldOf(formOf(made), name), value)
    const id = path.split('/').at(-1)
    const words = await admin.words(list)
    assert.match(words, /Baker Newcastle HCR-99 Open – 24 Dec 2099 0 for Baker/)
    assert.match(
      (await admin.page(list)).text,
      new RegExp(`href="/console/${harbourId}/applications\\?ad=${id}"`),
    )
    assert.match(await admin.words(`/jobs/${id}`), /Baker .*Bread\. And rolls\./)
  })

  test('faults are reported at their fields, and no typed text is lost', async () => {
    const fields = { ...plain, title: ' ', location: 'x'.repeat(201), closingDate: '2026-02-30' }
    const answer = await admin.submit(await newForm(), { fields })
    assert.equal(answer.status, 422)
    assert.deepEqual(summaryOf(answer.text), [
      ['title', 'Enter a job title.'],
      ['location', 'Location: use at most 200 characters.'],
      ['closingDate', 'Enter a date such as 2027-03-31, or leave it empty.'],
    ])
    for (const [name, value] of Object.entries(fields)) assert.equal(fieldOf(formOf(answer), name), value)
    assert.match(answer.text, /<span class="fault" id="title-fault">Enter a job title\./)
    const unknown = await admin.post(`${list}/new`, [
      ...formOf(answer).fields.filter(([name]) => name.startsWith('form_')),
      ...Object.entries({ ...plain, screenId: '999999' }),
    ])
    assert.equal(unknown.status, 422)
    assert.deepEqual(summaryOf(unknown.text), [['screenId', 'Choose one of your questionnaires, or "None".']])
  })

  test('the longest description fits, in any script; a longer form gets a page', async () => {
    const description = '美'.repeat(20_000)
    const path = await make({ description })
    assert.equal(fieldOf(formOf(await admin.page(path)), 'description'), description)
    const tooLong = await admin.submit(await newForm(), {
      fields: { ...plain, description: description.repeat(2) },
    })
    assert.equal(tooLong.status, 413)
    assert.match(tooLong.text, /This ad is too long/)
  })

  test('the form sent twice makes one ad', async () => {
    const form = await newForm()
    const fields = { ...plain, title: 'Only once' }
    const first = placeOf(await admin.submit(form, { fields }))
    assert.equal(placeOf(await admin.submit(form, { fields })), first)
    assert.equal((await admin.page(list)).text.match(/<bdi>Only once<\/bdi><\/strong>/g)?.length, 1)
    // Reopened with the back button, and filled in differently.
    assert.notEqual(placeOf(await admin.submit(form, { fields: { ...fields, title: 'Another' } })), first)
  })

  test('a preview saves nothing', async () => {
    const fields = { ...plain, title: 'Not yet' }
    const shown = await admin.submit(await newForm(), { fields, button: ['do', 'preview'] })
    assert.equal(shown.status, 200)
    assert.match(wordsOf(shown.text), /Preview .*Not yet .*Harbour Coffee Roasters .*And rolls\./)
    assert.equal(fieldOf(formOf(shown), 'title'), 'Not yet')
    assert.doesNotMatch((await admin.page(list)).text, /Not yet/)
  })

  test('it is closed and reopened', async () => {
    const path = await make({ title: 'To and fro' })
    const press = async () => {
      const form = formsOf((await admin.page(path)).text).find(each =>
        each.fields.some(([name]) => name === 'do'),
      ) as Form
      return admin.submit(form)
    }
    assert.equal(placeOf(await press()), path)
    assert.match(
      (await admin.page(`${path}?done=closed`)).text,
      /Reopen job<.*Job closed\. Candidates can’t apply/s,
    )
    assert.doesNotMatch((await admin.page(`${list}?state=open`)).text, /To and fro/)
    assert.match((await admin.page(`${list}?state=closed`)).text, /To and fro/)
    assert.equal(placeOf(await press()), path)
    assert.match((await admin.page(`${path}?done=open`)).text, /Job reopened\. Candidates can apply/)
    assert.match((await admin.page(`${list}?state=open`)).text, /To and fro/)
  })

  test('an ad past its closing date says so, and counts as closed', async () => {
    await make({ title: 'Long ago', closingDate: '2020-01-31' })
    assert.match(await admin.words(`${list}?state=closed`), /Long ago .*Past closing date/)
    assert.doesNotMatch((await admin.page(`${list}?state=open`)).text, /Long ago/)
  })

  test('a copy starts with everything but the closing date and the status', async () => {
    const copy = formOf(await admin.page(`${list}/new?copy=${baristaAd}`))
    const original = formOf(await admin.page(`${list}/${baristaAd}`))
    for (const name of ['title', 'location', 'description', 'reference', 'screenId']) {
      assert.equal(fieldOf(copy, name), fieldOf(original, name), name)
    }
    assert.equal(fieldOf(copy, 'closingDate'), '')
    assert.equal(copy.action, `${list}/new`)
  })

  test('a person whose version is outdated sees the newer one and may send again', async () => {
    const path = await make({ title: 'Ours' })
    const mine = formOf(await admin.page(path))
    placeOf(
      await admin.submit(formOf(await admin.page(path)), { fields: { title: 'Theirs', reference: '' } }),
    )
    const answer = await admin.submit(mine, { fields: { title: 'Mine' } })
    assert.equal(answer.status, 409)
    const words = wordsOf(answer.text)
    assert.match(words, /This ad has changed .*Job title Theirs Your reference empty/)
    assert.equal(fieldOf(formOf(answer), 'title'), 'Mine')
    assert.match((await admin.page(path)).text, /Theirs/)
    placeOf(await admin.submit(formOf(answer)))
    assert.equal(fieldOf(formOf(await admin.page(path)), 'title'), 'Mine')
  })

  test('other callers are refused: a recruiter, another advertiser, a forged form', async () => {
    assert.equal((await recruiter.get(list)).status, 403)
    assert.equal((await recruiter.get(`${list}/${baristaAd}`)).status, 403)
    assert.equal((await admin.get(`${southern}/${baristaAd}`)).status, 404)
    assert.equal((await admin.get(`${southern}/new?copy=${baristaAd}`)).status, 404)
    assert.equal((await admin.get(`${list}/x`)).status, 404)
    assert.equal((await admin.get('/console/10000003/jobs')).status, 404)
    const form = formOf(await admin.page(`${list}/${baristaAd}`))
    // Its token is for the advertiser's own entry.
    assert.equal((await admin.submit({ ...form, action: `${southern}/${baristaAd}` })).status, 403)
    const forged = form.fields.map(([name, value]): [string, string] => [
      name,
      name === 'form_token' ? 'x' : value,
    ])
    assert.equal((await admin.submit({ ...form, fields: forged })).status, 403)
  })

  test('the list has pages in both directions, and says where it ends', async () => {
    for (let i = 1; i <= 21; i++) await make({ title: `Number ${i}` })
    const titles = (answer: Answer) =>
      [...answer.text.matchAll(/<strong><bdi>([^<]*)<\/bdi><\/strong>/g)].map(([, title]) => title)
    const link = (answer: Answer, rel: string) =>
      new RegExp(`href="([^"]*)" rel="${rel}"`).exec(answer.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const top = await admin.page(`${list}?state=open`)
    assert.equal(titles(top).length, 20)
    assert.equal(titles(top)[0], 'Number 21')
    const older = await admin.page(link(top, 'next'))
    assert.equal(titles(older)[0], 'Number 1')
    assert.deepEqual(titles(await admin.page(link(older, 'prev'))), titles(top))
    assert.match((await admin.page(`${list}?before=1`)).text, /End of list/)
    assert.deepEqual(titles(await admin.page(`${list}?before=x`)).slice(0, 1), ['Number 21'])
  })
})
