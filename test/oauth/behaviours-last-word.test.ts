import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../harness/http.ts'
import {
  authorizePath,
  Browser,
  callbackOf,
  codeOf,
  consentForm,
  isSignInPage,
  localPath,
  mary,
  prefill,
  redeem,
  tokenOf,
  tom,
} from '../harness/oauth.ts'
import { registerClient } from './registering.ts'
import { inDemoWorldInTurn } from './world-in-turn.ts'

const allButPhone = ['location', 'qualification', 'workHistory', 'salary', 'resume']
const allow: [string, string] = ['decision', 'allow']
/** As browsers describe a form on our own page; some say nothing. */
const senders = { 'a browser that says where the form stood': 'same-origin', 'one that does not': undefined }

/** A person with several tabs: they share the cookies, and each keeps its page. */
inDemoWorldInTurn('a decision counts only for the page it was made on', world => {
  let count = 0
  const newClient = () => registerClient(world(), `last-word-${++count}`, { name: `Careers Site ${count}` })

  /** The sign-in stays open in a tab of its own, to sign in with it again. */
  async function signedIn() {
    const browser = new Browser(world().door)
    const signInTab = await browser.get('/sign-in')
    const signIn = async (email: string) => {
      const answer = await browser.submitSignIn(signInTab, email)
      assert.equal(answer.status, 303, answer.text)
    }
    await signIn(mary)
    return { browser, signIn }
  }

  async function setPhone(email: string, phoneNumber: string | null): Promise<void> {
    const { writer } = world().services.database
    const profile = JSON.stringify({ phoneNumber })
    await writer.updateTable('candidates').set({ profile }).where('email', '=', email).execute()
  }

  /** No code, and the question for the person who is signed in now. */
  function assertAskedAgain(answer: Answer, person: string): void {
    assert.equal(answer.status, 403)
    assert.equal(answer.headers.get('location'), null)
    assert.ok(answer.text.includes(`signed in as <bdi>${person}</bdi>`), 'the page is for another person')
    assert.ok(!isSignInPage(answer))
    assert.match(answer.text, /Nothing was shared/)
  }

  const disclosedTo = async (client: Awaited<ReturnType<typeof newClient>>, answer: Answer) => {
    const token = tokenOf(await redeem(world().door, codeOf(answer), {}, client))
    return (await prefill(world().door, token)).json().applicantInfo
  }

  for (const [who, site] of Object.entries(senders)) {
    const headers: Record<string, string> = site === undefined ? {} : { 'sec-fetch-site': site }

    test(`Mary signs in again and agrees in another tab, then clears her phone in the first, with ${who}`, async () => {
      const client = await newClient()
      const { browser, signIn } = await signedIn()
      const first = consentForm(await browser.authorize({}, client))
      await signIn(mary)
      await browser.code({}, client)
      const answer = await browser.submit(first, { ticked: allButPhone, button: allow, headers })
      assertAskedAgain(answer, mary)
      const again = consentForm(answer)
      const isPhoneTicked = again.boxes.find(({ value }) => value === 'phone')?.isTicked
      // Boxes ticked on another site's page are ignored, and a browser that does not name the page may show one.
      assert.equal(isPhoneTicked, site === undefined)
      const info = await disclosedTo(
        client,
        await browser.submit(again, { ticked: allButPhone, button: allow }),
      )
      assert.equal(info.phoneNumber, null)
      assert.equal(info.firstName, 'Mary')
    })

    test(`Tom, who has agreed once, signs in while Mary's page is open, with ${who}`, async () => {
      const client = await newClient()
      const { browser, signIn } = await signedIn()
      await signIn(tom)
      await browser.code({}, client)
      await signIn(mary)
      const marys = consentForm(await browser.authorize({}, client))
      await signIn(tom)
      const answer = await browser.submit(marys, { button: allow, headers })
      assertAskedAgain(answer, tom)
      assert.doesNotMatch(answer.text, /0491 570 006|Dock Espresso/, "nothing of Mary's is on Tom's page")
      const info = await disclosedTo(client, await browser.submit(consentForm(answer), { button: allow }))
      assert.equal(info.firstName, 'Tom')
    })

    test(`what Tom has cleared stays clear on his page if Mary's is sent, with ${who}`, async () => {
      const client = await newClient()
      const { browser, signIn } = await signedIn()
      const marys = consentForm(await browser.authorize({}, client))
      await signIn(tom)
      await setPhone(tom, '0491 570 110')
      await browser.decide(authorizePath({}, client), 'allow', { ticked: [] })
      const answer = await browser.submit(marys, { button: allow, headers })
      assertAskedAgain(answer, tom)
      const phone = consentForm(answer).boxes.find(({ value }) => value === 'phone')
      assert.equal(phone?.isTicked, false)
      await setPhone(tom, null)
    })
  }

  test('a page sent without a session is asked again after the sign-in, even if the consent is remembered', async () => {
    const client = await newClient()
    const { browser } = await signedIn()
    const first = consentForm(await browser.authorize({}, client))
    await browser.code({}, client)
    await browser.submit(await browser.form('/sign-out', '/account'))
    const signIn = await browser.submit(first, { ticked: allButPhone, button: allow })
    assert.ok(isSignInPage(signIn))
    const back = localPath(await browser.submitSignIn(signIn))
    const page = await browser.get(back)
    assert.equal(page.status, 200)
    const answer = await browser.submit(consentForm(page), { ticked: allButPhone, button: allow })
    assert.equal(callbackOf(answer, client.redirectUri).get('state'), 'state-1')
    assert.equal((await disclosedTo(client, answer)).phoneNumber, null)
  })

  test('Decline on a page of an earlier session counts', async () => {
    const client = await newClient()
    const { browser, signIn } = await signedIn()
    const first = consentForm(await browser.get(authorizePath({}, client)))
    await signIn(mary)
    await browser.code({}, client)
    const headers = { 'sec-fetch-site': 'same-origin' }
    const answer = await browser.submit(first, { button: ['decision', 'decline'], headers })
    assert.equal(callbackOf(answer, client.redirectUri).get('error'), 'access_denied')
  })
})
