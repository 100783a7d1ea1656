import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Form, formBody, formsOf, formTo } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { Browser, doorOf, mary, tom } from '../harness/oauth.ts'
import { onOneEngine, type Service } from '../harness/service.ts'

const view = '/account'
const path = { about: '/account/profile/about', skills: '/account/profile/skills' }
const jobPath = '/account/profile/job'
const countryPath = '/account/profile/country'

const signedIn = (service: Service, email: string) => Browser.signedIn(doorOf(service), email)

async function shown(browser: Browser, url: string): Promise<Form> {
  const answer = await browser.get(url)
  assert.equal(answer.status, 200, answer.text)
  return formTo(url.split('?', 1)[0] ?? '', answer.text)
}

/** The fields that a browser would send, without the token, which changes each time. */
function valuesOf(form: Form): Record<string, string> {
  const ticked = form.boxes.filter(({ isTicked }) => isTicked).map(({ name, value }) => [name, value])
  const { form_token: _token, ...values } = Object.fromEntries([...form.fields, ...ticked])
  return values
}

function pairsOf(form: Form, changes: Record<string, string>): [string, string][] {
  const token = form.fields.find(([name]) => name === 'form_token')?.[1] ?? ''
  return [['form_token', token], ...Object.entries({ ...valuesOf(form), ...changes })]
}

/** Sends the form with these values instead of its own. */
const send = (browser: Browser, form: Form, changes: Record<string, string> = {}): Promise<Answer> =>
  browser.post(form.action, pairsOf(form, changes))

function assertDone(answer: Answer, done: string): void {
  assert.equal(answer.status, 303, answer.text)
  assert.equal(answer.headers.get('location'), `/account?done=${done}`)
}

/** The addresses of the forms of all jobs or countries, in their order. */
const entriesIn = (page: string, section: 'job' | 'country') =>
  [...page.matchAll(new RegExp(`href="(/account/profile/${section}\\?entry=[0-9a-f]{16})"`, 'g'))].map(
    ([, href = '']) => href,
  )

const removalsIn = (page: string, action: string) =>
  formsOf(page).filter(form => form.action === action && valuesOf(form)['action'] === 'remove')

onOneEngine('the profile', service => {
  test('requires a sign-in', async () => {
    const browser = new Browser(doorOf(service()))
    for (const url of [view, path.about, path.skills, jobPath, countryPath]) {
      const answer = await browser.get(url)
      assert.equal(answer.status, 303)
      assert.equal(answer.headers.get('location'), `/sign-in?continue=${encodeURIComponent(url)}`)
    }
  })

  test('shows everything that is stored, and every form stores what it shows', async () => {
    const browser = await signedIn(service(), mary)
    const { text } = await browser.get(view)
    const stored = [
      'Mary Nguyen',
      '0491 570 006',
      'Newcastle',
      'Certificate III',
      'Batch brew',
      'Dock Espresso',
      'April 2025 to now',
      'Saltbush Bakery',
      'Australia',
      'At least 68,000 a year',
      'Mary Nguyen - Resume.pdf',
    ]
    for (const value of stored) assert.ok(text.includes(value), value)
    assert.doesNotMatch(text, /Zimbabwe/, 'the list of all countries is for adding one')
    const [jobs, countries] = [entriesIn(text, 'job'), entriesIn(text, 'country')]
    assert.deepEqual([jobs.length, countries.length], [3, 1])
    for (const url of [path.about, path.skills, ...jobs, ...countries]) {
      const form = await shown(browser, url)
      assertDone(await send(browser, form), form.action.split('/').at(-1) ?? '')
      assert.deepEqual(valuesOf(await shown(browser, url)), valuesOf(form), 'the same, at the same address')
    }
    const job = valuesOf(await shown(browser, jobs[0] ?? ''))
    assert.deepEqual([job['company'], job['isCurrent']], ['Dock Espresso', 'yes'])
    assert.equal(valuesOf(await shown(browser, countries[0] ?? ''))['country'], 'AU')
    assert.equal(valuesOf(await shown(browser, path.about))['location'], '1017')
  })

  test('says what an empty section is for, and how to add to it', async () => {
    const browser = await signedIn(service(), tom)
    const { text } = await browser.get(view)
    assert.match(text, /It’s the longest part of most forms/)
    assert.match(text, /<meter id="completeness" min="0" max="7" value="0">/)
    for (const href of [jobPath, countryPath, `${path.about}#phone`, '#skill', '/account/resumes']) {
      assert.ok(text.includes(`href="${href}"`), href)
    }
    const complete = (await (await signedIn(service(), mary)).get(view)).text
    assert.match(complete, /<meter id="completeness" min="0" max="7" value="7">/)
  })

  test('saves a section, says so, and leaves the others alone', async () => {
    const browser = await signedIn(service(), tom)
    const about = { firstName: ' Tommy ', lastName: 'O’Walker <b>', phone: '', location: '2008' }
    assertDone(await send(browser, await shown(browser, path.about), about), 'about')
    const { text } = await browser.get('/account?done=about')
    assert.match(text, /role="status"><p>Saved/)
    assert.ok(text.includes('O’Walker &lt;b&gt;'))
    assert.doesNotMatch(text, /Walker <b>/)
    const skills = { skills: 'Forklift\r\nReo & rāwhiti\r\n' }
    assertDone(await send(browser, await shown(browser, path.skills), skills), 'skills')
    assert.equal(valuesOf(await shown(browser, path.skills))['skills'], 'Forklift\nReo & rāwhiti')
    assert.equal(valuesOf(await shown(browser, path.about))['firstName'], 'Tommy')
    const others = await shown(await signedIn(service(), mary), path.about)
    assert.equal(valuesOf(others)['firstName'], 'Mary')
  })

  test('adds, changes and removes one job, in order', async () => {
    const browser = await signedIn(service(), tom)
    const titles = async () =>
      [...(await browser.get(view)).text.matchAll(/<h3><bdi>(.*?)<\/bdi><\/h3>/g)].map(([, title]) => title)
    const add = async (job: Record<string, string>) =>
      assertDone(await send(browser, await shown(browser, jobPath), job), 'job')
    await add({
      title: 'Picker',
      company: 'Depot',
      from: '2020-01',
      to: '2021-02',
      achievements: 'A\r\n\r\n"B"',
    })
    await add({ title: 'Driver', company: 'Haulage', from: '2021-03', isCurrent: 'yes' })
    assert.deepEqual(await titles(), ['Driver', 'Picker'])
    const [, picker = ''] = entriesIn((await browser.get(view)).text, 'job')
    const form = await shown(browser, picker)
    assert.equal(valuesOf(form)['achievements'], 'A\n\n"B"')
    assertDone(await send(browser, form, { title: 'Packer' }), 'job')
    assertDone(await send(browser, form, { title: 'Packer' }), 'job')
    assert.deepEqual(await titles(), ['Driver', 'Packer'], 'sent twice, changed once')
    const removals = removalsIn((await browser.get(view)).text, jobPath)
    assert.equal(removals.length, 2)
    const removal = removals[0] ?? assert.fail()
    assertDone(await send(browser, removal), 'job-removed')
    assertDone(await send(browser, removal), 'gone')
    assert.deepEqual(await titles(), ['Packer'])
    assertDone(await browser.get(`${jobPath}?entry=0123456789abcdef`), 'gone')
  })

  test('adds, changes and removes one country', async () => {
    const browser = await signedIn(service(), tom)
    const entry = { country: 'NZ', salary: '$35.50', salaryType: 'Hourly', hasWorkingVisa: 'yes' }
    assertDone(await send(browser, await shown(browser, countryPath), entry), 'country')
    const { text } = await browser.get(view)
    assert.match(text, /New Zealand/)
    assert.match(text, /At least 35.5 an hour/)
    const form = await shown(browser, entriesIn(text, 'country')[0] ?? '')
    assert.equal(valuesOf(form)['salary'], '35.5')
    const repeated = await send(browser, await shown(browser, countryPath), { ...entry, salary: '1' })
    assert.equal(repeated.status, 422)
    assert.match(repeated.text, /This country is in your profile already/)
    const removal = removalsIn(text, countryPath)[0] ?? assert.fail()
    assertDone(await send(browser, removal), 'country-removed')
    assert.doesNotMatch((await browser.get(view)).text, /New Zealand/)
  })

  test('adds one skill, removes one, and restores it to its place', async () => {
    const browser = await signedIn(service(), mary)
    const page = await browser.get(view)
    const [removal, adding] = formsOf(page.text).filter(({ action }) => action === path.skills)
    assert.ok(removal !== undefined && adding !== undefined)
    const before = valuesOf(await shown(browser, path.skills))['skills'] ?? ''
    const after = async () => valuesOf(await shown(browser, path.skills))['skills']
    assertDone(await send(browser, adding, { skill: ' Tea "<b>" ' }), 'skill')
    assert.equal(await after(), `${before}\nTea "<b>"`)
    assert.match((await browser.get('/account?done=skill')).text, /id="skill"[^>]*autofocus/)
    const empty = await send(browser, adding, { skill: ' ' })
    assert.equal(empty.status, 422)
    assert.match(empty.text, /<a href="#skill">Enter a skill/)

    const button = removal.buttons.find(({ value }) => value === 'Latte art') ?? assert.fail()
    const removed = await send(browser, removal, { [button.name]: button.value })
    assert.equal(removed.status, 200)
    assert.doesNotMatch((await after()) ?? '', /Latte art/)
    assert.match(removed.text, /role="status">Removed: <bdi>Latte art/)
    const undo = formsOf(removed.text).find(form => valuesOf(form)['at'] !== undefined) ?? assert.fail()
    assertDone(await send(browser, undo), 'skill')
    assert.equal(await after(), `${before}\nTea "<b>"`)
    assert.equal((await send(browser, removal, { skill: 'Tea "<b>"' })).status, 200)
    assert.equal((await send(browser, removal, { skill: 'never there' })).headers.get('location'), view)
    assert.equal(await after(), before)
  })

  test('reports every fault at once, links to each field, keeps the typed text, and saves nothing', async () => {
    const browser = await signedIn(service(), mary)
    const job = entriesIn((await browser.get(view)).text, 'job')[0] ?? ''
    const country = entriesIn((await browser.get(view)).text, 'country')[0] ?? ''
    for (const [url, typed, wrong] of [
      [
        path.about,
        { firstName: ' ', phone: '<script>alert(1)</script>', location: 'x' },
        ['firstName', 'location'],
      ],
      [job, { title: '', from: 'March', achievements: '  "kept" as typed  ' }, ['title', 'from']],
      [country, { salary: 'lots', salaryType: '' }, ['salary', 'salaryType']],
      // Without its comma it would be a hundred times as much.
      [country, { salary: '17,80 €' }, ['salary']],
      [countryPath, { salary: '' }, ['country', 'salary']],
    ] as const) {
      const form = await shown(browser, url)
      const answer = await send(browser, form, typed)
      assert.equal(answer.status, 422)
      const [, summary = ''] =
        /<div class="problem" role="alert"[^>]*autofocus>(.*?)<\/div>/s.exec(answer.text) ?? []
      const leadsTo = [...summary.matchAll(/href="#([^"]+)"/g)].map(([, id = '']) => id)
      assert.deepEqual(leadsTo, wrong)
      for (const id of leadsTo) {
        const [control = ''] = new RegExp(`<(?:input|select)[^>]*id="${id}"[^>]*>`).exec(answer.text) ?? []
        assert.match(control, /aria-invalid="true"/, id)
        assert.match(answer.text, new RegExp(`class="fault" id="${id}-fault">[^<]`))
      }
      assert.doesNotMatch(answer.text, /<script>alert/)
      const again = valuesOf(formTo(form.action, answer.text))
      for (const [name, value] of Object.entries(typed)) {
        if (name !== 'location' && name !== 'salaryType') assert.equal(again[name], value, name)
      }
      assert.equal(again['version'], valuesOf(form)['version'])
      assert.deepEqual(valuesOf(await shown(browser, url)), valuesOf(form))
    }
  })

  test('does not overwrite what another window has saved meanwhile, unless it is sent again', async () => {
    const browser = await signedIn(service(), tom)
    const [here, there] = [await shown(browser, path.about), await shown(browser, path.about)]
    const skills = await shown(browser, path.skills)
    assertDone(await send(browser, there, { phone: '0491 570 110' }), 'about')
    const stale = await send(browser, here, { firstName: 'Typed here' })
    assert.equal(stale.status, 409)
    assert.match(stale.text, /changed in another window/)
    const kept = formTo(path.about, stale.text)
    assert.equal(valuesOf(kept)['firstName'], 'Typed here')
    assert.equal(valuesOf(await shown(browser, path.about))['phone'], '0491 570 110', 'nothing was saved')
    assertDone(await send(browser, skills, { skills: 'Another section' }), 'skills')
    assertDone(await send(browser, kept), 'about')
    assert.equal(valuesOf(await shown(browser, path.about))['firstName'], 'Typed here')

    const job = entriesIn((await browser.get(view)).text, 'job')[0] ?? ''
    const jobForm = await shown(browser, job)
    assertDone(await send(browser, jobForm, { company: 'Changed there' }), 'job')
    const late = await send(browser, jobForm, { company: 'Changed here' })
    assert.equal(late.status, 409)
    assertDone(await send(browser, formTo(jobPath, late.text)), 'job')
    const { text } = await browser.get(view)
    assert.ok(text.includes('Changed there') && text.includes('Changed here'), 'nothing is lost')

    const country = { country: 'AU', salary: '1' }
    assertDone(await send(browser, await shown(browser, countryPath), country), 'country')
    const entry = await shown(browser, entriesIn((await browser.get(view)).text, 'country')[0] ?? '')
    assertDone(await send(browser, entry, { salary: '2' }), 'country')
    const again = await send(browser, entry, { salary: '3' })
    assert.equal(again.status, 409)
    assertDone(await send(browser, formTo(countryPath, again.text)), 'country')
    assert.match((await browser.get(view)).text, /At least 3 a year/)
  })

  test('has a maximum length, and says so when more is sent', async () => {
    const browser = await signedIn(service(), tom)
    const job = { title: 'Long', company: 'Company', from: '2020-01', isCurrent: 'yes' }
    const form = await shown(browser, jobPath)
    const barely = await send(browser, form, { ...job, achievements: '茶'.repeat(7_200) })
    assert.equal(barely.status, 422)
    assert.match(barely.text, /Your profile is too long to save/)
    assert.ok(formBody(pairsOf(form, { ...job, achievements: '茶'.repeat(7_300) })).length > 64 * 1024)
    const answer = await send(browser, form, { ...job, achievements: '茶'.repeat(7_300) })
    assert.equal(answer.status, 413)
    assert.match(answer.text, /<h1>Your profile is too long<\/h1>/)
    assert.match(answer.text, /about 64 kB/)
    assertDone(await send(browser, form, { ...job, achievements: '茶'.repeat(6_000) }), 'job')
    const url = entriesIn((await browser.get(view)).text, 'job')[0] ?? ''
    const longest = await shown(browser, url)
    assert.equal(valuesOf(longest)['achievements']?.length, 6_000)
    assertDone(await send(browser, longest, { title: 'Longer' }), 'job')
  })

  test('accepts only its own form', async () => {
    const browser = await signedIn(service(), mary)
    const other = await signedIn(service(), tom)
    const form = await shown(browser, path.about)
    const foreign = await send(other, form, { firstName: 'Mallory' })
    assert.equal(foreign.status, 403)
    assert.match(foreign.headers.get('content-type') ?? '', /^text\/html/)
    assert.equal((await browser.post(path.about, [['firstName', 'Mallory']])).status, 403)
    const skills = await shown(browser, path.skills)
    assert.equal((await send(browser, { ...skills, action: path.about })).status, 403, 'of another section')
    const json = await browser.send('POST', path.about, {
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    assert.equal(json.status, 415)
    assert.equal(valuesOf(await shown(browser, path.about))['firstName'], 'Mary')
    // Another person's job is not found.
    const job = entriesIn((await browser.get(view)).text, 'job')[0] ?? ''
    assertDone(await other.get(job), 'gone')
  })

  test('is never cached', async () => {
    const answer = await (await signedIn(service(), mary)).get(view)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  })
})
