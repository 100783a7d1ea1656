import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formTo } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import {
  authorizePath,
  Browser,
  callbackOf,
  consentForm,
  isConsentPage,
  isSignInPage,
  localPath,
  mary,
  type Parameters,
  type TestClient,
  tom,
} from '../harness/oauth.ts'
import { registerClient } from './registering.ts'
import { secondMs } from './world.ts'
import { inDemoWorldInTurn } from './world-in-turn.ts'

inDemoWorldInTurn('what a client may require of the sign-in', world => {
  let count = 0
  const newClient = () => registerClient(world(), `prompt-${++count}`, { name: `Careers Site ${count}` })

  const signedIn = (email = mary) => Browser.signedIn(world().door, email)

  /** A client that Mary has agreed to. */
  async function remembered(browser: Browser): Promise<TestClient> {
    const client = await newClient()
    await browser.code({}, client)
    return client
  }

  function assertSentBack(answer: Answer, client: TestClient, error?: string): void {
    const callback = callbackOf(answer, client.redirectUri)
    assert.equal(callback.get('error'), error, callback.get('error_description'))
    assert.equal(callback.has('code'), error === undefined)
    assert.equal(callback.get('state'), 'state-1')
    assert.ok(callback.has('iss'))
  }

  const emailIn = (page: Answer) => /name="email"[^>]* value="([^"]*)"/.exec(page.text)?.[1]
  const continueOf = (page: Answer) =>
    (formTo('/sign-in', page.text).fields.find(([name]) => name === 'continue')?.[1] ?? '').replaceAll(
      '&amp;',
      '&',
    )

  for (const asked of [{ prompt: 'login' }, { max_age: '0' }] satisfies Parameters[]) {
    const what = new URLSearchParams(asked).toString()

    test(`${what} asks for the password once, although the candidate is signed in`, async () => {
      const browser = await signedIn()
      const client = await remembered(browser)
      world().clock.advance(1)
      const session = browser.session
      const page = await browser.authorize(asked, client)
      assert.equal(page.status, 200)
      assert.ok(isSignInPage(page))
      assert.equal(emailIn(page), mary)
      assert.match(page.text, /signed in as mary@example\.com\. Careers Site \d+ asks you to enter/)
      const wrong = await browser.submitSignIn(page, mary, 'wrong-password')
      assert.equal(wrong.status, 401)
      const right = await browser.submitSignIn(page)
      assert.equal(right.status, 303, right.text)
      assert.notEqual(browser.session, session)
      world().clock.advance(5 * secondMs)
      assertSentBack(await browser.get(localPath(right)), client)
      assert.ok(isSignInPage(await browser.authorize(asked, client)), 'the next request asks again')
    })

    test(`${what} cannot be skipped without the password`, async () => {
      const browser = await signedIn()
      const client = await remembered(browser)
      world().clock.advance(1)
      const page = await browser.authorize(asked, client)
      const unproved = continueOf(page)
      assert.ok(isSignInPage(await browser.get(unproved)), 'the target of the form, opened by hand')
      const mark = /&login_asked=[^&]*$/.exec(unproved)?.[0] ?? ''
      assert.notEqual(mark, '')
      const proved = localPath(await browser.submitSignIn(page))
      for (const [path, by] of [
        [proved, await signedIn()],
        [authorizePath({ ...asked, state: 'other' }, client) + mark, browser],
        [authorizePath(asked, client).concat('&login_asked=0.x'), browser],
      ] as const) {
        world().clock.advance(1)
        assert.ok(isSignInPage(await by.get(path)), path)
      }
      assertSentBack(await browser.get(proved), client)
      world().clock.advance(3600 * secondMs)
      assert.ok(isSignInPage(await browser.get(proved)), 'found in the history of the browser')
    })

    test(`${what} without a session asks for the password once, and for a consent after it`, async () => {
      const browser = new Browser(world().door)
      const client = await newClient()
      const page = await browser.authorize(asked, client)
      assert.ok(isSignInPage(page))
      assert.doesNotMatch(page.text, /signed in as/)
      const consent = await browser.get(localPath(await browser.submitSignIn(page)))
      assert.ok(isConsentPage(consent))
      world().clock.advance(10 * secondMs)
      assertSentBack(await browser.submit(consentForm(consent), { button: ['decision', 'allow'] }), client)
    })
  }

  test('prompt=login consent asks for both', async () => {
    const browser = await signedIn()
    const client = await remembered(browser)
    for (const prompt of ['login consent', 'consent login']) {
      const page = await browser.authorize({ prompt }, client)
      assert.ok(isSignInPage(page))
      assert.ok(isConsentPage(await browser.get(localPath(await browser.submitSignIn(page)))))
    }
  })

  test('prompt=login: the candidate may sign in to another account, and answers for that one', async () => {
    const browser = await signedIn()
    const client = await remembered(browser)
    const page = await browser.authorize({ prompt: 'login' }, client)
    const consent = await browser.get(localPath(await browser.submitSignIn(page, tom)))
    assert.ok(isConsentPage(consent), 'Tom has agreed to nothing')
    assert.match(consent.text, /tom@example\.com/)
  })

  test('prompt=none shows no page: login_required, consent_required, or the code', async () => {
    const none = { prompt: 'none' }
    const client = await newClient()
    assertSentBack(await new Browser(world().door).authorize(none, client), client, 'login_required')
    const browser = await signedIn()
    assertSentBack(await browser.authorize(none, client), client, 'consent_required')
    await browser.code({}, client)
    assertSentBack(await browser.authorize(none, client), client)
    world().clock.advance(11 * secondMs)
    assertSentBack(await browser.authorize({ ...none, max_age: '10' }, client), client, 'login_required')
    await browser.decide(authorizePath({ prompt: 'consent' }, client), 'allow', { ticked: ['phone'] })
    assertSentBack(await browser.authorize(none, client), client, 'consent_required')
  })

  test('prompt=none with another prompt is an invalid request', async () => {
    const browser = await signedIn()
    const client = await remembered(browser)
    for (const prompt of ['none login', 'consent none', 'none other']) {
      assertSentBack(await browser.authorize({ prompt }, client), client, 'invalid_request')
    }
  })

  test('max_age counts from the password, whatever the session was used for since', async () => {
    const browser = await signedIn()
    const client = await remembered(browser)
    const asked = { max_age: '600' }
    world().clock.advance(600 * secondMs)
    assertSentBack(await browser.authorize(asked, client), client)
    world().clock.advance(1)
    const page = await browser.authorize(asked, client)
    assert.ok(isSignInPage(page))
    assertSentBack(await browser.get(localPath(await browser.submitSignIn(page))), client)
    assertSentBack(await browser.authorize(asked, client), client)
    for (const max_age of ['-1', '1.5', 'x', '1e3', '9'.repeat(16)]) {
      assertSentBack(await browser.authorize({ max_age }, client), client, 'invalid_request')
    }
    assertSentBack(await browser.authorize({ max_age: '' }, client), client)
  })

  test('login_hint fills in the form, and nothing else', async () => {
    const client = await newClient()
    const hinted = await new Browser(world().door).authorize({ login_hint: tom }, client)
    assert.equal(emailIn(hinted), tom)
    const markup = await new Browser(world().door).authorize({ login_hint: '"><b>x' }, client)
    assert.equal(emailIn(markup), '&quot;&gt;&lt;b&gt;x')
    const marys = await signedIn()
    assert.ok(isConsentPage(await marys.authorize({ login_hint: tom }, client)))
    assert.equal(emailIn(await marys.authorize({ login_hint: tom, prompt: 'login' }, client)), tom)
  })

  test('codes are limited by session and client, until the next minute', async () => {
    world().clock.set(Math.ceil(world().clock() / 60_000) * 60_000)
    const browser = await signedIn()
    const client = await newClient()
    // The Allow is the first of them.
    await browser.code({}, client)
    for (let codes = 1; codes < 60; codes++) assertSentBack(await browser.authorize({}, client), client)
    const tooMany = await browser.authorize({}, client)
    assertSentBack(tooMany, client, 'temporarily_unavailable')
    assert.match(callbackOf(tooMany, client.redirectUri).get('error_description') ?? '', /in 60 seconds/)
    const page = consentForm(await browser.authorize({ prompt: 'consent' }, client))
    const allowed = await browser.submit(page, { button: ['decision', 'allow'] })
    assertSentBack(allowed, client, 'temporarily_unavailable')
    await remembered(browser)
    assertSentBack(await (await signedIn()).authorize({}, client), client)
    world().clock.advance(60 * secondMs)
    assertSentBack(await browser.authorize({}, client), client)
  })
})
