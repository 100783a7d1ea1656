import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maryId, tomId } from '../../src/demo/world/world.ts'
import { formsOf, wordsOf } from '../harness/html-form.ts'
import {
  authorizePath,
  Browser,
  codeOf,
  consentForm,
  isConsentPage,
  mary,
  redeem,
  type TestClient,
  tokenOf,
  tom,
} from '../harness/oauth.ts'
import { registerClient } from '../oauth/registering.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import { getResume, prefilled, resumePath, unknownUuid } from './version2.ts'

const narrowPath = '/account/sharing/narrow'

inDemoWorldInTurn('choices of a candidate', world => {
  let count = 0
  const newClient = (...options: string[]) =>
    registerClient(world(), `client-${++count}`, { name: `Careers ${count}`, options })
  const signedIn = (email = mary) => Browser.signedIn(world().door, email)
  async function addResume(email: string, name: string): Promise<string> {
    const candidateId = email === mary ? maryId : tomId
    const content = (async function* () {
      yield Buffer.from(`The resume called ${name}, in plain words.`)
    })()
    await world().services.profiles.addResume(candidateId, { name, content }, (_received, add) => add())
    const resumes = await world().services.profiles.listResumes(candidateId)
    return resumes.find(({ fileName }) => fileName === name)?.id ?? assert.fail()
  }
  /** The candidate allows everything, with this resume; returns the token. */
  async function allowWith(browser: Browser, client: TestClient, resume?: string): Promise<string> {
    const page = await browser.authorize({ prompt: 'consent' }, client)
    const fields = resume === undefined ? {} : { fields: { resume } }
    const answer = await browser.submit(consentForm(page), { button: ['decision', 'allow'], ...fields })
    return tokenOf(await redeem(world().door, codeOf(answer), {}, client))
  }
  async function nameGiven(token: string): Promise<string> {
    const path = resumePath(await prefilled(world().door, token))
    const { headers } = await getResume(world().door, token, path)
    return /filename="?([^";]*)/.exec(headers.get('content-disposition') ?? '')?.[1] ?? ''
  }

  test('the page names the client, the end date, and each item once', async () => {
    const client = await newClient('--privacy-url', 'https://careers.example/privacy?a=1&b="')
    const { text } = await (await signedIn()).authorize({ advertiser_id: '10000001' }, client)
    const words = wordsOf(text)
    assert.match(
      text,
      /<a href="https:\/\/careers\.example\/privacy\?a=1&amp;b=%22" target="_blank" rel="noopener noreferrer">Their privacy notice<\/a>/,
    )
    const other = await (await signedIn()).authorize({}, await newClient())
    assert.ok(isConsentPage(other))
    assert.doesNotMatch(other.text, /Their privacy notice/)
    const end = new Date(world().clock() + 90 * 86_400_000)
    const day = new Intl.DateTimeFormat('en-AU', { dateStyle: 'long', timeZone: 'UTC' }).format(end)
    for (const said of [`ends on ${day}`, '127.0.0.1:9091', 'Phone number', 'Who has my data']) {
      assert.equal(words.split(said).length, 2, said)
    }
    assert.doesNotMatch(text, /href="\/jobs"/)
    assert.doesNotMatch(text, /type="radio"/)
  })

  test('the logo of a client is an image of ours, and a hostile one is never stored', async () => {
    const client = await newClient()
    const { clients } = world().services
    await assert.rejects(clients.setLogo(client.id, Buffer.from('<svg onload="alert(1)"/>')), {
      code: 'invalid-fields',
    })
    const browser = await signedIn()
    assert.doesNotMatch((await browser.authorize({}, client)).text, /<img class="avatar/)
    const { logoHash } = await clients.setLogo(
      client.id,
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    )
    const page = await browser.authorize({}, client)
    assert.ok(page.text.includes(`<img class="avatar large" src="/assets/logos/${logoHash}" alt=""`))
    assert.match(page.headers.get('content-security-policy') ?? '', /img-src 'self'/)
    await allowWith(browser, client)
    assert.ok((await browser.get('/account/sharing')).text.includes(`/assets/logos/${logoHash}`))
  })

  test('if another resume becomes the default while the page shows one, the page is shown again', async () => {
    const client = await newClient()
    const browser = await signedIn()
    const form = consentForm(await browser.authorize({}, client))
    const [first] = await world().services.profiles.listResumes(maryId)
    const draft = await addResume(mary, 'draft.txt')
    await world().services.profiles.chooseDefault(maryId, draft)
    const again = await browser.submit(form, { button: ['decision', 'allow'] })
    assert.equal(again.status, 403)
    assert.match(again.text, /Nothing was shared.*draft\.txt/s)
    await world().services.profiles.chooseDefault(maryId, first?.id ?? '')
    const allowed = await browser.submit(form, { button: ['decision', 'allow'] })
    assert.equal(
      await nameGiven(tokenOf(await redeem(world().door, codeOf(allowed), {}, client))),
      first?.fileName,
    )
    await world().services.profiles.removeResume(maryId, draft)
  })

  test('a new default asks again, also where the page showed the only resume there was', async () => {
    const client = await newClient()
    const browser = await signedIn()
    const token = await allowWith(browser, client)
    assert.equal((await browser.authorize({}, client)).status, 303)
    const [first] = await world().services.profiles.listResumes(maryId)
    const draft = await addResume(mary, 'private draft.txt')
    assert.equal((await browser.authorize({}, client)).status, 303, 'it is not the default yet')
    await world().services.profiles.chooseDefault(maryId, draft)
    assert.equal(await nameGiven(token), first?.fileName)
    const page = await browser.authorize({}, client)
    assert.ok(isConsentPage(page))
    assert.match(page.text, new RegExp(`value="${first?.id}" checked`))
    const refused = await browser.authorize({ prompt: 'none' }, client)
    assert.match(refused.headers.get('location') ?? '', /error=consent_required/)
    await world().services.profiles.chooseDefault(maryId, first?.id ?? '')
    assert.equal((await browser.authorize({}, client)).status, 303, 'the resume that was in view')
    await world().services.profiles.removeResume(maryId, draft)
  })

  test('the client gets the chosen resume, whatever becomes the default', async () => {
    const second = await addResume(mary, 'second.txt')
    const [one, two] = [await newClient(), await newClient()]
    const browser = await signedIn()
    const { text } = await browser.authorize({}, one)
    assert.equal(text.match(/type="radio"/g)?.length, 2)
    assert.match(wordsOf(text), /Resume\.pdf \([^)]*\), your default/)
    const ofDefault = await allowWith(browser, one)
    const ofSecond = await allowWith(browser, two, second)
    assert.equal(await nameGiven(ofDefault), 'Mary Nguyen - Resume.pdf')
    assert.equal(await nameGiven(ofSecond), 'second.txt')
    await world().services.profiles.chooseDefault(maryId, second)
    assert.equal(await nameGiven(ofDefault), 'Mary Nguyen - Resume.pdf')
    assert.ok(isConsentPage(await browser.authorize({}, one)), 'another default was not in view')
    assert.equal((await browser.authorize({}, two)).status, 303, 'this one was')
    const again = await browser.authorize({ prompt: 'consent' }, two)
    assert.match(again.text, new RegExp(`value="${second}" checked`))

    // Choosing another one takes the first back, for links given before as well.
    const link = resumePath(await prefilled(world().door, ofSecond))
    assert.equal((await getResume(world().door, ofSecond, link)).status, 200)
    const first = /id="resume-([^"]*)" name="resume" value="[^"]*" >/.exec(again.text)?.[1] ?? assert.fail()
    const ofFirst = await allowWith(browser, two, first)
    for (const token of [ofSecond, ofFirst]) {
      assert.equal((await getResume(world().door, token, link)).status, 404)
      assert.equal(await nameGiven(token), 'Mary Nguyen - Resume.pdf')
    }
    assert.equal(await nameGiven(await allowWith(browser, two, second)), 'second.txt')

    // No other resume takes the place of the one that was chosen.
    await world().services.profiles.removeResume(maryId, second)
    assert.equal((await prefilled(world().door, ofSecond)).resume, null)
    assert.ok(isConsentPage(await browser.authorize({}, two)))
    assert.equal(await nameGiven(await allowWith(browser, two)), 'Mary Nguyen - Resume.pdf')
  })

  test("another candidate's resume cannot be chosen", async () => {
    const toms = await addResume(tom, 'toms.txt')
    await addResume(mary, 'third.txt')
    const client = await newClient()
    const browser = await signedIn()
    for (const resume of [toms, unknownUuid, '']) {
      const form = consentForm(await browser.authorize({}, client))
      const answer = await browser.submit(form, { button: ['decision', 'allow'], fields: { resume } })
      assert.equal(answer.status, 403, resume)
      assert.match(answer.text, /Nothing was shared/)
      assert.ok(consentForm(answer))
    }
    assert.ok(isConsentPage(await browser.get(authorizePath({}, client))))
  })

  test('a permission is narrowed in place, and never widened', async () => {
    const client = await newClient()
    const browser = await signedIn()
    const token = await allowWith(browser, client)
    const path = resumePath(await prefilled(world().door, token))
    const formOf = async () => {
      const { text } = await browser.get('/account/sharing')
      const from = text.slice(text.indexOf(`Careers ${count}<`))
      return formsOf(from).find(({ action }) => action === narrowPath) ?? assert.fail(from)
    }
    const form = await formOf()
    assert.equal(form.boxes.length, 6)
    const kept = ['location', 'qualification', 'workHistory', 'salary']
    const saved = await browser.submit(form, { ticked: kept })
    assert.equal(saved.headers.get('location'), '/account/sharing?narrowed=1')
    const { applicantInfo, resume } = await prefilled(world().door, token)
    assert.deepEqual([applicantInfo['phoneNumber'], resume], [null, null])
    assert.equal((await getResume(world().door, token, path)).status, 404)
    assert.deepEqual(
      (await formOf()).boxes.map(({ value }) => value),
      kept,
    )

    // The previous page, sent again with everything ticked, and with more than there is.
    await browser.submit(form, { ticked: form.boxes.map(({ value }) => value) })
    await browser.submit(
      { ...form, fields: form.fields.map(([n, v]) => [n, n === 'shown' ? '-1' : v]) },
      { ticked: kept },
    )
    assert.deepEqual(
      (await formOf()).boxes.map(({ value }) => value),
      kept,
    )
    assert.equal((await prefilled(world().door, token)).resume, null)

    const stranger = await signedIn(tom)
    const theirs = formsOf((await browser.get('/account/sharing')).text).find(
      ({ action }) => action === narrowPath,
    )
    const fields = (theirs?.fields ?? []).filter(([name]) => name !== 'form_token')
    assert.equal((await stranger.post(narrowPath, [...fields, ['form_token', 'x']])).status, 403)
    const { consents } = world().services
    assert.equal(
      await consents.narrow(tomId, fields.find(([n]) => n === 'consent')?.[1] ?? '', 63, Date.now()),
      false,
    )
    assert.deepEqual(
      (await formOf()).boxes.map(({ value }) => value),
      kept,
    )
  })

  test('a permission shows when it ends, and that it has ended', async () => {
    const browser = await signedIn()
    assert.match(await browser.words('/account/sharing'), /ends on \d+ \w+ \d{4}/)
  })
})
