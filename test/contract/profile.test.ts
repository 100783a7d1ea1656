import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Form, formBody, formTo } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { Browser, doorOf, mary, tom } from '../harness/oauth.ts'
import { onOneEngine, type Service } from '../harness/service.ts'

const path = '/account'

async function signedIn(service: Service, email: string): Promise<Browser> {
  const browser = new Browser(doorOf(service))
  await browser.signIn(email)
  return browser
}

const formOf = (answer: Answer): Form => formTo(path, answer.text)

async function formShown(browser: Browser): Promise<Form> {
  const answer = await browser.get(path)
  assert.equal(answer.status, 200, answer.text)
  return formOf(answer)
}

/** The fields that a browser would send, without the token, which is another each time. */
function valuesOf(form: Form): Record<string, string> {
  const ticked = form.boxes.filter(({ isTicked }) => isTicked).map(({ name, value }) => [name, value])
  const { form_token: _token, ...values } = Object.fromEntries([...form.fields, ...ticked])
  return values
}

/** Sends the form with these values instead of its own, and the button that was pressed. */
function send(
  browser: Browser,
  form: Form,
  changes: Record<string, string>,
  button?: [string, string],
): Promise<Answer> {
  return browser.post(path, [...pairsOf(form, changes), ...(button === undefined ? [] : [button])])
}

function pairsOf(form: Form, changes: Record<string, string>): [string, string][] {
  const token = form.fields.find(([name]) => name === 'form_token')?.[1] ?? ''
  return [['form_token', token], ...Object.entries({ ...valuesOf(form), ...changes })]
}

function assertSaved(answer: Answer): void {
  assert.equal(answer.status, 303, answer.text)
  assert.equal(answer.headers.get('location'), '/account?saved=1')
}

onOneEngine('the profile page', service => {
  test('is for who is signed in', async () => {
    const browser = new Browser(doorOf(service()))
    for (const answer of [await browser.get(path), await browser.post(path, [['firstName', 'x']])]) {
      assert.equal(answer.status, 303)
      assert.equal(answer.headers.get('location'), '/sign-in?continue=%2Faccount')
    }
  })

  test('shows everything that is stored, and stores everything that it shows', async () => {
    const browser = await signedIn(service(), mary)
    const form = await formShown(browser)
    const values = valuesOf(form)
    assert.equal(values['firstName'], 'Mary')
    assert.equal(values['phone'], '0491 570 006')
    assert.equal(values['location'], '1017')
    assert.equal(values['qualification'], '3')
    assert.match(values['skills'] ?? '', /^Espresso and dialling in\nBatch brew/)
    assert.equal(values['job-0-company'], 'Dock Espresso')
    assert.equal(values['job-0-isCurrent'], 'yes')
    assert.equal(values['job-1-to'], '2025-03')
    assert.equal(values['job-1-industry'], '12')
    assert.equal(values['job-3-title'], '', 'room for another')
    assert.equal(values['country-0-country'], 'AU')
    const { text } = await browser.get('/account')
    assert.match(text, /<legend>Australia</)
    assert.doesNotMatch(text, /Zimbabwe/, 'the list of all countries is for adding one')
    assert.equal(values['country-0-salary'], '68000')
    assert.equal(values['country-1-country'], undefined, 'a button adds another')
    assertSaved(await send(browser, form, {}))
    assert.deepEqual(valuesOf(await formShown(browser)), values)
  })

  test('saves what was changed, says so, and puts jobs in order', async () => {
    const browser = await signedIn(service(), tom)
    const form = await formShown(browser)
    const answer = await send(browser, form, {
      firstName: ' Tommy ',
      lastName: 'O\u2019Walker <b>',
      phone: '',
      location: '2008',
      skills: 'Forklift\r\nReo & rāwhiti\r\n',
      'job-0-title': 'Picker',
      'job-0-company': 'Depot',
      'job-0-from': '2020-01',
      'job-0-to': '2021-02',
      'job-0-achievements': 'First line\r\n\r\n"third" line',
      'job-1-title': 'Driver',
      'job-1-company': 'Haulage',
      'job-1-from': '2021-03',
      'job-1-isCurrent': 'yes',
      'country-0-country': 'NZ',
      'country-0-salary': '$35.50',
      'country-0-salaryType': 'Hourly',
      'country-0-hasWorkingVisa': 'yes',
    })
    assertSaved(answer)
    const saved = await browser.get('/account?saved=1')
    assert.match(saved.text, /role="status"><p>Profile saved/)
    assert.doesNotMatch(saved.text, /Walker <b>/)
    const values = valuesOf(formOf(saved))
    assert.equal(values['firstName'], 'Tommy')
    assert.equal(values['lastName'], 'O\u2019Walker <b>')
    assert.equal(values['skills'], 'Forklift\nReo & rāwhiti')
    assert.equal(values['job-0-title'], 'Driver')
    assert.equal(values['job-1-achievements'], 'First line\n\n"third" line')
    assert.equal(values['country-0-salary'], '35.5')
    assert.equal(values['country-0-salaryType'], 'Hourly')
    assert.equal(valuesOf(await formShown(await signedIn(service(), mary)))['firstName'], 'Mary')
  })

  test('removes what is ticked', async () => {
    const browser = await signedIn(service(), mary)
    const form = await formShown(browser)
    assertSaved(await send(browser, form, { 'job-1-isRemoved': 'yes', 'job-1-from': 'nonsense' }))
    const values = valuesOf(await formShown(browser))
    assert.equal(values['job-1-company'], 'Saltbush Bakery')
    assert.equal(values['job-2-company'], '')
  })

  test('tells everything wrong at once, leads to each field, keeps what was typed, and saves nothing', async () => {
    const browser = await signedIn(service(), mary)
    const form = await formShown(browser)
    const typed = {
      firstName: ' ',
      phone: '<script>alert(1)</script>',
      skills: '  kept as typed  \n',
      'job-0-from': 'March',
      'job-2-title': 'New "job"',
      'country-0-salary': 'lots',
      'country-1-country': 'AU',
      'country-1-salaryType': 'Annual',
    }
    const answer = await send(browser, form, typed)
    assert.equal(answer.status, 422)
    const [, summary = ''] = /<div class="problem" role="alert"[^>]*>(.*?)<\/div>/s.exec(answer.text) ?? []
    const leadsTo = [...summary.matchAll(/href="#([^"]+)"/g)].map(([, id = '']) => id)
    assert.deepEqual(leadsTo, [
      'firstName',
      'job-0-from',
      'job-2-company',
      'job-2-from',
      'job-2-to',
      'country-0-salary',
      'country-1-salary',
      'country-1-country',
    ])
    for (const id of leadsTo) {
      const [control = ''] = new RegExp(`<(?:input|select)[^>]*id="${id}"[^>]*>`).exec(answer.text) ?? []
      assert.match(control, /aria-invalid="true"/, id)
      assert.match(control, new RegExp(`aria-describedby="[^"]*${id}-fault"`))
      assert.match(answer.text, new RegExp(`class="fault" id="${id}-fault">[^<]`))
    }
    assert.match(summary, /New &quot;job&quot;: Enter the company/)
    assert.doesNotMatch(answer.text, /<script>/)
    const shown = valuesOf(formOf(answer))
    for (const [name, value] of Object.entries(typed)) assert.equal(shown[name], value, name)
    assert.equal(shown['job-3-title'], '', 'still room for another')
    assert.deepEqual(valuesOf(await formShown(browser)), valuesOf(form))
  })

  test('makes room for more without saving or losing anything', async () => {
    const browser = await signedIn(service(), mary)
    const form = await formShown(browser)
    const rows = (shown: Form, kind: string) => shown.fields.filter(([name]) => name.startsWith(kind)).length
    const typed = { firstName: '', 'job-0-title': 'Changed', 'job-0-isRemoved': 'yes' }
    for (const kind of ['job', 'country']) {
      const answer = await send(browser, form, typed, ['add', kind])
      assert.equal(answer.status, 200)
      const shown = formOf(answer)
      const values = valuesOf(shown)
      for (const [name, value] of Object.entries(typed)) assert.equal(values[name], value, name)
      const perRow = kind === 'job' ? 6 : 4
      assert.equal(rows(shown, `${kind}-`), rows(form, `${kind}-`) + perRow)
      assert.equal(answer.text.match(/autofocus/g)?.length, 1)
      // Each place for a country has the list of them all, so one is enough.
      const again = await send(browser, shown, {}, ['add', kind])
      assert.equal(rows(formOf(again), `${kind}-`), rows(shown, `${kind}-`) + (kind === 'job' ? perRow : 0))
    }
    assert.deepEqual(valuesOf(await formShown(browser)), valuesOf(form))
  })

  test('does not overwrite what another window has saved meanwhile, unless told again', async () => {
    const browser = await signedIn(service(), tom)
    const [here, there] = [await formShown(browser), await formShown(browser)]
    assertSaved(await send(browser, there, { phone: '0491 570 110' }))
    const stale = await send(browser, here, { skills: 'Typed here' })
    assert.equal(stale.status, 409)
    assert.match(stale.text, /changed in another window/)
    assert.equal(valuesOf(formOf(stale))['skills'], 'Typed here')
    assert.equal(valuesOf(await formShown(browser))['phone'], '0491 570 110', 'nothing was saved')

    // More room, or something wrong, is no answer to the question which of the two shall stay.
    const roomier = formOf(await send(browser, here, {}, ['add', 'job']))
    assert.equal((await send(browser, roomier, {})).status, 409)

    assertSaved(await send(browser, formOf(stale), {}))
    assert.equal(valuesOf(await formShown(browser))['skills'], 'Typed here')
  })

  test('tells what a prefill would leave empty, and leads there', async () => {
    const complete = (await (await signedIn(service(), mary)).get(path)).text
    assert.match(complete, /<meter id="completeness" min="0" max="7" value="7">/)
    const lacking = (await (await signedIn(service(), tom)).get(path)).text
    assert.match(lacking, /<a href="\/account\/resumes">Resume<\/a>/)
    const [, field = ''] = /<a href="#([\w-]+)">Highest qualification<\/a>/.exec(lacking) ?? []
    assert.match(lacking, new RegExp(`<select id="${field}"`))
  })

  test('presses Save, and not Add, for the Enter key', async () => {
    const form = await formShown(await signedIn(service(), mary))
    assert.deepEqual(form.buttons[0], { name: '', value: '', label: 'Save profile' })
  })

  test('has a longest profile that can be changed again, and says so when more is sent', async () => {
    const browser = await signedIn(service(), tom)
    const before = await formShown(browser)
    const jobs = (count: number, length: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, row) => [
          [`job-${row}-title`, `Job ${row}`],
          [`job-${row}-company`, 'Company'],
          [`job-${row}-from`, '2020-01'],
          [`job-${row}-to`, ''],
          [`job-${row}-isCurrent`, 'yes'],
          [`job-${row}-achievements`, '茶'.repeat(length)],
        ]).flat(),
      )
    // Just within the bound of a request, so that the page of what would be saved is beyond it.
    const room = 64 * 1024 - formBody(pairsOf(before, jobs(7, 950))).length
    const tooMuch = await send(browser, before, { ...jobs(7, 950), skills: 'x\n'.repeat(room) })
    assert.equal(tooMuch.status, 413)
    const padded = { ...jobs(7, 950), 'job-0-achievements': `${'茶'.repeat(950)}${'x'.repeat(room)}` }
    const barely = await send(browser, before, padded)
    assert.equal(barely.status, 422)
    assert.match(barely.text, /Your profile is too long to save/)
    assertSaved(await send(browser, before, jobs(7, 950)))
    const longest = await formShown(browser)
    assertSaved(await send(browser, longest, {}))
    assert.deepEqual(valuesOf(await formShown(browser)), valuesOf(longest))

    const answer = await send(browser, longest, { 'job-7-achievements': 'x'.repeat(9_000) })
    assert.equal(answer.status, 413)
    assert.match(answer.text, /<h1>Your profile is too long<\/h1>/)
    assert.match(answer.text, /about 64 kB/)
    assert.deepEqual(valuesOf(await formShown(browser)), valuesOf(longest))
    // For the tests that follow.
    const removed = Object.fromEntries(Array.from({ length: 7 }, (_, row) => [`job-${row}-isRemoved`, 'yes']))
    assertSaved(await send(browser, longest, removed))
  })

  test('takes no form but its own', async () => {
    const browser = await signedIn(service(), mary)
    const other = await signedIn(service(), tom)
    const form = await formShown(browser)
    const foreign = await send(other, form, { firstName: 'Mallory' })
    assert.equal(foreign.status, 403)
    assert.match(foreign.headers.get('content-type') ?? '', /^text\/html/)
    const without = await browser.post(path, [['firstName', 'Mallory']])
    assert.equal(without.status, 403)
    const [, signOut = ''] = /name="form_token" value="([^"]+)"/.exec((await browser.get(path)).text) ?? []
    const ofAnother = await browser.post(path, [
      ['form_token', signOut],
      ['firstName', 'Mallory'],
      ['lastName', 'M'],
    ])
    assert.equal(ofAnother.status, 403, 'the token of the sign-out button')
    const json = await browser.send('POST', path, {
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    assert.equal(json.status, 415)
    assert.equal(valuesOf(await formShown(browser))['firstName'], 'Mary')
  })

  test('is never kept by a cache', async () => {
    const answer = await (await signedIn(service(), mary)).get(path)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  })
})
