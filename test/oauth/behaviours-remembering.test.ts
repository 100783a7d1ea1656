import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formsOf, textOf } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import {
  assertOauthError,
  authorizePath,
  Browser,
  callbackOf,
  codeOf,
  consentForm,
  isAlive,
  isConsentPage,
  mary,
  type Parameters,
  prefill,
  redeem,
  tokenOf,
  tom,
} from '../harness/oauth.ts'
import { registerClient } from './registering.ts'
import { dayMs, secondMs, type World } from './world.ts'
import { inDemoWorldInTurn } from './world-in-turn.ts'

const all = ['phone', 'location', 'qualification', 'workHistory', 'salary', 'resume']
const ticksOf = (page: Answer) =>
  consentForm(page)
    .boxes.filter(({ isTicked }) => isTicked)
    .map(({ value }) => value)

inDemoWorldInTurn('consent', world => {
  /** Of its own client, so that no other test has consented to it. */
  let count = 0
  const newClient = () => registerClient(world(), `client-${++count}`, { name: `Careers Site ${count}` })

  const signedIn = (email = mary) => Browser.signedIn(world().door, email)

  const sharing = (browser: Browser) => browser.get('/account/sharing')

  /** Presses the button that withdraws the consent for this client. */
  async function withdraw(browser: Browser, clientName: string): Promise<void> {
    const page = await sharing(browser)
    assert.equal(page.status, 200)
    const at = page.text.indexOf(clientName)
    assert.notEqual(at, -1, `${clientName} is not listed`)
    const form = formsOf(page.text.slice(at)).find(({ buttons }) =>
      buttons.some(({ label }) => /withdraw|stop/i.test(label)),
    )
    assert.ok(form !== undefined, 'there is a button')
    const answer = await browser.submit(form)
    assert.equal(answer.status, 303, answer.text)
  }

  test('B23 the page names the client, the advertiser and the data', async () => {
    const browser = await signedIn()
    const client = await newClient()
    await world().services.clients.allow(client.id, 10000002)
    const page = await browser.authorize({ advertiser_id: '10000002' }, client)
    const text = textOf(page.text.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ')
    assert.match(text, /Careers Site \d+ on behalf of Southern Cross Logistics/)
    for (const value of [
      'Mary Nguyen',
      'mary@example.com',
      '0491 570 006',
      'Newcastle, Maitland and Hunter NSW',
      'Certificate III',
      'Latte art',
      'Food safety supervision',
      'Dock Espresso',
      'Saltbush Bakery',
      'Opened the shop four mornings a week.',
      'Australian citizen',
      '68,000',
      'Mary Nguyen - Resume.pdf',
    ]) {
      assert.ok(text.includes(value), value)
    }
    assert.deepEqual(
      consentForm(page).boxes.map(({ name, value }) => `${name}=${value}`),
      all.map(value => `release=${value}`),
    )
    assert.deepEqual(ticksOf(page), all)
    assert.deepEqual(
      consentForm(page).buttons.map(({ label }) => label),
      ['Allow', 'Decline'],
    )
  })

  test('B23 without an advertiser, and for a pair that no one allowed, the page names none', async () => {
    const browser = await signedIn()
    const client = await newClient()
    for (const asked of [{}, { advertiser_id: '10000002' }]) {
      const page = await browser.authorize(asked, client)
      assert.ok(isConsentPage(page))
      assert.doesNotMatch(page.text, /on behalf of|Southern Cross/)
    }
  })

  test('B23 forbidding a pair ends its consents, codes and tokens, and no others', async () => {
    const browser = await signedIn()
    const client = await newClient()
    await world().services.clients.allow(client.id, 10000002)
    const asked = { advertiser_id: '10000002' }
    const token = tokenOf(await redeem(world().door, await browser.code(asked, client), {}, client))
    const other = tokenOf(await redeem(world().door, await browser.code({}, client), {}, client))
    const code = await browser.code(asked, client)
    await world().services.clients.forbid(client.id, 10000002)
    assert.equal(await isAlive(world().door, token), false)
    assert.equal(await isAlive(world().door, other), true)
    assertOauthError(await redeem(world().door, code, {}, client), 400, 'invalid_grant')
    assert.ok(isConsentPage(await browser.authorize(asked, client)))
  })

  test('B23 a consent is remembered in every browser of the candidate', async () => {
    const browser = await signedIn()
    const client = await newClient()
    assert.ok(isConsentPage(await browser.authorize({}, client)))
    await browser.code({}, client)
    for (const each of [browser, await signedIn()]) {
      const token = tokenOf(await redeem(world().door, codeOf(await each.authorize({}, client)), {}, client))
      assert.equal((await prefill(world().door, token)).json().applicantInfo.phoneNumber, '0491 570 006')
    }
  })

  test('B23 it is asked for each candidate and client', async () => {
    const [one, two] = [await newClient(), await newClient()]
    const browser = await signedIn()
    await browser.code({}, one)
    assert.ok(isConsentPage(await browser.authorize({}, two)))
    assert.ok(isConsentPage(await (await signedIn(tom)).authorize({}, one)))
  })

  test('B23 asked again for another advertiser', async () => {
    const browser = await signedIn()
    const client = await newClient()
    const withAdvertiser = { advertiser_id: '10000001' }
    await browser.code(withAdvertiser, client)
    assert.ok(callbackOf(await browser.authorize(withAdvertiser, client), client.redirectUri).has('code'))
    assert.ok(isConsentPage(await browser.authorize({ advertiser_id: '10000002' }, client)))
    assert.ok(isConsentPage(await browser.authorize({}, client)), 'for all advertisers is another one, too')
    await browser.code({}, client)
    assert.ok(isConsentPage(await browser.authorize({ advertiser_id: '10000002' }, client)))
  })

  test('B23 asked again when something was cleared, with the same ticks', async () => {
    const browser = await signedIn()
    const client = await newClient()
    const ticked = ['location', 'resume']
    const answer = await browser.decide(authorizePath({}, client), 'allow', { ticked })
    const token = tokenOf(await redeem(world().door, codeOf(answer), {}, client))
    const { applicantInfo, resume } = (await prefill(world().door, token)).json()
    assert.equal(applicantInfo.phoneNumber, null)
    assert.equal(applicantInfo.highestQualification, null)
    assert.deepEqual(applicantInfo.skills, [])
    assert.deepEqual(applicantInfo.workHistory, [])
    assert.deepEqual(applicantInfo.salaryAndVisaByCountry, {})
    assert.equal(applicantInfo.currentLocation.description, 'Newcastle, Maitland and Hunter NSW')
    assert.match(resume.link, /\/v2\/resumes\//)
    const page = await browser.authorize({}, client)
    assert.ok(isConsentPage(page))
    assert.deepEqual(ticksOf(page), ticked)
  })

  test('B23 a box cleared later is removed from existing codes and tokens', async () => {
    const browser = await signedIn()
    const client = await newClient()
    const token = tokenOf(await redeem(world().door, await browser.code({}, client), {}, client))
    const code = await browser.code({}, client)
    const resume = (await prefill(world().door, token)).json().resume.link as string
    const cleared = await browser.decide(authorizePath({ prompt: 'consent' }, client), 'allow', {
      ticked: [],
    })
    const later = tokenOf(await redeem(world().door, code, {}, client))
    const newest = tokenOf(await redeem(world().door, codeOf(cleared), {}, client))
    for (const each of [token, later, newest]) {
      const body = (await prefill(world().door, each)).json()
      assert.equal(body.applicantInfo.phoneNumber, null)
      assert.equal(body.resume, null)
      const { pathname } = new URL(resume)
      const download = await world().door.send('GET', pathname, {
        headers: { authorization: `Bearer ${each}` },
      })
      assert.equal(download.status, 404)
    }
  })

  test('B23 an unknown box releases nothing', async () => {
    const browser = await signedIn()
    const client = await newClient()
    const form = consentForm(await browser.authorize({}, client))
    const boxes = ['__proto__', 'everything', 'PHONE', '63', ''].map(value => ({
      name: 'release',
      value,
      isTicked: true,
    }))
    const answer = await browser.submit({ ...form, boxes }, { button: ['decision', 'allow'] })
    const token = tokenOf(await redeem(world().door, codeOf(answer), {}, client))
    assert.equal((await prefill(world().door, token)).json().applicantInfo.phoneNumber, null)
  })

  test('B23 a category missing from the profile has no box, and the page says so once', async () => {
    const client = await newClient()
    const browser = await signedIn(tom)
    const empty = await browser.authorize({}, client)
    assert.deepEqual(consentForm(empty).boxes, [])
    assert.match(empty.text, /Your profile has nothing else to share yet\./)
    await changeProfile(world(), tom, { phoneNumber: '0491 570 110' })
    const page = await browser.authorize({}, client)
    assert.deepEqual(ticksOf(page), ['phone'])
    assert.match(page.text, /What you add to your profile later isn’t shared until you allow it\./)
    await changeProfile(world(), tom, { phoneNumber: null })
    assert.doesNotMatch((await (await signedIn()).authorize({}, client)).text, /add to your profile later/)
  })

  test('B23 a cleared box stays clear after its category was missing in between', async () => {
    const client = await newClient()
    const browser = await signedIn(tom)
    const phoneNumber = '0491 570 110'
    await changeProfile(world(), tom, { phoneNumber })
    await browser.decide(authorizePath({}, client), 'allow', { ticked: [] })
    await changeProfile(world(), tom, { phoneNumber: null })
    await browser.decide(authorizePath({}, client))
    await changeProfile(world(), tom, { phoneNumber })
    assert.deepEqual(ticksOf(await browser.authorize({}, client)), [])
    await changeProfile(world(), tom, { phoneNumber: null })
  })

  test('B23 asked again when something is newly filled, but not when something is emptied', async () => {
    const browser = await signedIn(tom)
    const client = await newClient()
    await browser.code({}, client)
    assert.ok(callbackOf(await browser.authorize({}, client), client.redirectUri).has('code'))
    await changeProfile(world(), tom, { phoneNumber: '0491 570 110' })
    const page = await browser.authorize({}, client)
    assert.ok(isConsentPage(page))
    assert.ok(page.text.includes('0491 570 110'))
    await browser.code({}, client)
    assert.ok(callbackOf(await browser.authorize({}, client), client.redirectUri).has('code'))
    await changeProfile(world(), tom, { phoneNumber: null })
    assert.ok(callbackOf(await browser.authorize({}, client), client.redirectUri).has('code'))
  })

  test('B23 a category filled while the page was open does not count as seen', async () => {
    const browser = await signedIn(tom)
    const client = await newClient()
    const form = consentForm(await browser.authorize({}, client))
    await changeProfile(world(), tom, { skills: ['Forklift'] })
    await browser.submit(form, { button: ['decision', 'allow'] })
    assert.ok(isConsentPage(await browser.authorize({}, client)))
    await changeProfile(world(), tom, { skills: [] })
  })

  test('B23 asked again when it is 90 days old', async () => {
    const client = await newClient()
    await (await signedIn()).code({}, client)
    const start = world().clock()
    world().clock.set(start + 90 * dayMs - secondMs)
    const browser = await signedIn()
    assert.ok(callbackOf(await browser.authorize({}, client), client.redirectUri).has('code'))
    world().clock.advance(secondMs)
    assert.ok(isConsentPage(await browser.authorize({}, client)), 'being used does not renew it')
    await browser.code({}, client)
    world().clock.advance(dayMs)
    assert.ok(callbackOf(await browser.authorize({}, client), client.redirectUri).has('code'))
  })

  test('B23 prompt=consent always asks', async () => {
    const browser = await signedIn()
    const client = await newClient()
    await browser.code({}, client)
    for (const prompt of ['consent', 'other consent']) {
      assert.ok(isConsentPage(await browser.authorize({ prompt }, client)), prompt)
    }
    assert.ok(
      callbackOf(await browser.authorize({ prompt: 'other' }, client), client.redirectUri).has('code'),
    )
  })

  test('B23 the candidate lists and withdraws consents, which revokes codes and tokens', async () => {
    const browser = await signedIn()
    const [client, kept] = [await newClient(), await newClient()]
    const token = tokenOf(await redeem(world().door, await browser.code({}, client), {}, client))
    const other = tokenOf(await redeem(world().door, await browser.code({}, kept), {}, kept))
    const code = await browser.code({}, client)
    const resume = new URL((await prefill(world().door, token)).json().resume.link).pathname
    const name = `Careers Site ${client.id.slice('client-'.length)}`
    const toms = await sharing(await signedIn(tom))
    assert.ok(!toms.text.includes(name), "not among another candidate's")
    await withdraw(browser, name)
    assert.equal(await isAlive(world().door, token), false)
    const download = await world().door.send('GET', resume, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(download.status, 401)
    assertOauthError(await redeem(world().door, code, {}, client), 400, 'invalid_grant')
    assert.equal(await isAlive(world().door, other), true)
    assert.ok(isConsentPage(await browser.authorize({}, client)), 'it is asked for again')
    const anew = tokenOf(await redeem(world().door, await browser.code({}, client), {}, client))
    assert.equal(await isAlive(world().door, anew), true)
    assert.equal(await isAlive(world().door, token), false, 'the old one stays dead')
  })

  test("B23 a candidate cannot withdraw another candidate's consent", async () => {
    const marys = await signedIn()
    const client = await newClient()
    const token = tokenOf(await redeem(world().door, await marys.code({}, client), {}, client))
    const page = await sharing(marys)
    const at = page.text.indexOf(`Careers Site ${client.id.slice('client-'.length)}`)
    const form = formsOf(page.text.slice(at)).find(({ buttons }) =>
      buttons.some(({ label }) => /withdraw|stop/i.test(label)),
    )
    assert.ok(form !== undefined)
    const toms = await signedIn(tom)
    const answer = await toms.submit(form)
    assert.ok(answer.status === 403 || answer.status === 404, String(answer.status))
    assert.equal(await isAlive(world().door, token), true)
  })
})

inDemoWorldInTurn('consent where boxes start clear', { env: { CONSENT_PRETICKED: 'false' } }, world => {
  test('B23 CONSENT_PRETICKED=false starts them clear', async () => {
    const browser = await Browser.signedIn(world().door)
    const asked: Parameters = {}
    assert.deepEqual(ticksOf(await browser.authorize(asked)), [])
    await browser.decide(authorizePath(asked), 'allow', { ticked: all })
    assert.ok(callbackOf(await browser.authorize(asked)).has('code'))
  })

  test('B23 and a box added later starts clear too', async () => {
    const browser = await Browser.signedIn(world().door, tom)
    await browser.decide(authorizePath())
    assert.ok(callbackOf(await browser.authorize()).has('code'), 'there was nothing to clear')
    await changeProfile(world(), tom, { phoneNumber: '0491 570 110' })
    const page = await browser.authorize()
    assert.deepEqual(
      consentForm(page).boxes.map(({ value }) => value),
      ['phone'],
    )
    assert.deepEqual(ticksOf(page), [])
  })
})

async function changeProfile({ services }: World, email: string, changes: object): Promise<void> {
  const { writer } = services.database
  const { profile } = await writer
    .selectFrom('candidates')
    .select('profile')
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  await writer
    .updateTable('candidates')
    .set({ profile: JSON.stringify({ ...JSON.parse(profile), ...changes }) })
    .where('email', '=', email)
    .execute()
}
