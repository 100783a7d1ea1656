import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formTo, textOf } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { authorizePath, Browser, isConsentPage, localPath, mary, tom } from '../harness/oauth.ts'
import { mailTo } from '../harness/outbox.ts'
import { onOneEngine } from '../harness/service.ts'

const password = 'a few words that fit'
let people = 0

onOneEngine('the path of a new candidate', (_, { door }) => {
  const visitor = () => new Browser(door)
  const newAddress = () => `newcomer-${++people}@example.net`

  /** The link of the page with this text, as a person follows it. */
  async function follow(browser: Browser, page: Answer, label: string): Promise<Answer> {
    const [, href] = new RegExp(`<a href="([^"]*)">${label}`).exec(page.text) ?? []
    assert.ok(href !== undefined, `no link "${label}": ${page.text}`)
    return browser.get(textOf(href))
  }

  /** As far as the sign-in page. */
  async function depart(browser: Browser, target: string): Promise<Answer> {
    const asked = await browser.get(target)
    return asked.status === 303 ? browser.get(localPath(asked)) : asked
  }

  async function signUp(browser: Browser, signInPage: Answer, email: string): Promise<Answer> {
    const form = formTo('/sign-up', (await follow(browser, signInPage, 'Sign up')).text)
    const sent = await browser.submit(form, {
      fields: { firstName: 'Ana', lastName: 'Silva', email, password },
    })
    assert.equal(sent.status, 200, sent.text)
    return sent
  }

  const state = `with "quotes" & ümlauts ${'x'.repeat(500)}`
  const targets = { 'the form of a job': '/jobs/31/apply', 'a consent page': authorizePath({ state }) }

  for (const [name, target] of Object.entries(targets)) {
    async function assertArrives(browser: Browser, answer: Answer): Promise<void> {
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, target], answer.text)
      const page = await browser.get(target)
      assert.equal(page.status, 200)
      if (target.startsWith('/jobs')) assert.match(page.text, /Send application/)
      else assert.ok(isConsentPage(page), page.text)
    }

    test(`a sign-up ends at ${name}, without asking for the password again`, async () => {
      const email = newAddress()
      const browser = visitor()
      await signUp(browser, await depart(browser, target), email)
      await assertArrives(browser, await browser.get((await mailTo(door, email)).path))
    })

    test(`a resent link ends at ${name}`, async () => {
      const email = newAddress()
      const browser = visitor()
      const mailed = await signUp(browser, await depart(browser, target), email)
      await mailTo(door, email)
      const form = formTo('/confirm/again', (await follow(browser, mailed, 'resend the email')).text)
      await browser.submit(form, { fields: { email } })
      await assertArrives(browser, await browser.get((await mailTo(door, email, 2)).path))
    })

    test(`in another browser the password is asked for, and both continue to ${name}`, async () => {
      const email = newAddress()
      const [browser, other] = [visitor(), visitor()]
      const mailed = await signUp(browser, await depart(browser, target), email)
      const { path } = await mailTo(door, email)
      const asked = await other.get(path)
      assert.equal(asked.status, 200)
      assert.equal(other.session, undefined)
      const form = formTo('/confirm', asked.text)
      assert.equal((await other.submit(form, { fields: { password: 'not this one' } })).status, 401)
      // Pressed twice without a script, the browser shows the response to the second press.
      const pressed = visitor()
      for (const [name, value] of other.cookies) pressed.cookies.set(name, value)
      await assertArrives(other, await other.submit(form, { fields: { password } }))
      await assertArrives(pressed, await pressed.submit(form, { fields: { password } }))
      assert.equal((await visitor().get(path)).status, 404)
      const signIn = await follow(browser, mailed, 'Sign in here')
      await assertArrives(browser, await browser.submitSignIn(signIn, email, password))
    })

    test(`a new password leads to ${name}`, async () => {
      const email = newAddress()
      const first = visitor()
      await signUp(first, await first.get('/sign-in'), email)
      await mailTo(door, email)
      const browser = visitor()
      const signIn = await depart(browser, target)
      const form = formTo('/forgotten', (await follow(browser, signIn, 'Forgot your password')).text)
      await browser.submit(form, { fields: { email } })
      const { path } = await mailTo(door, email, 2)
      // Opened elsewhere, or in this browser.
      for (const each of [visitor(), browser]) assert.match((await each.get(path)).text, /Set password/)
      const reset = await browser.form('/reset', path)
      const done = await browser.submit(reset, { fields: { password: `${password} again` } })
      const again = await browser.get(localPath(done))
      assert.match(again.text, /Your new password is set/)
      await assertArrives(browser, await browser.submitSignIn(again, email, `${password} again`))
    })
  }

  test('people who have forgotten that they have an account reach it from the email too', async () => {
    const target = targets['a consent page']
    const browser = visitor()
    await signUp(browser, await depart(browser, target), tom)
    const { path } = await mailTo(door, tom)
    const reset = await browser.form('/reset', path)
    const done = await browser.submit(reset, { fields: { password } })
    const arrived = await browser.submitSignIn(await browser.get(localPath(done)), tom, password)
    assert.equal(arrived.headers.get('location'), target)
  })

  test('leads only to our own paths', async () => {
    for (const target of ['https://evil.example', '//evil.example', '/\\evil.example', '/sign-out']) {
      const email = newAddress()
      const browser = visitor()
      const page = await browser.get(`/sign-up?continue=${encodeURIComponent(target)}`)
      assert.doesNotMatch(page.text, /evil|sign-out/)
      await browser.submit(formTo('/sign-up', page.text), {
        fields: { firstName: 'Ana', lastName: 'Silva', email, password, continue: target },
      })
      const { path } = await mailTo(door, email)
      assert.equal((await browser.get(path)).headers.get('location'), '/account')
    }
  })

  test('the secret of a link is in its fragment, which no log and no other site sees', async () => {
    const email = newAddress()
    const browser = visitor()
    await signUp(browser, await browser.get('/sign-in'), email)
    const { path } = await mailTo(door, email)
    assert.match(path, /^\/confirm#dli_[\w-]{43}$/)
    // Without a script, the whole link is pasted.
    const page = await browser.get('/confirm')
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
    const token = ` https://auth.example${path} `
    const done = await browser.submit(formTo('/confirm', page.text), { fields: { token } })
    assert.deepEqual([done.status, done.headers.get('location')], [303, '/account'])
  })

  test('a link does not sign in a browser in which another person has signed up', async () => {
    const [email, others] = [newAddress(), newAddress()]
    const [browser, attacker] = [visitor(), visitor()]
    await signUp(browser, await browser.get('/sign-in'), email)
    await signUp(attacker, await attacker.get('/sign-in'), others)
    const { path } = await mailTo(door, others)
    const page = await browser.get(path)
    assert.equal(page.status, 200)
    assert.match(page.text, /enter the password you chose/)
    assert.equal(browser.session, undefined)
    // The same goes for a browser that is signed in: it stays so.
    const signedIn = visitor()
    await signedIn.signIn(mary)
    const { session } = signedIn
    assert.equal((await signedIn.get(path)).status, 200)
    assert.equal(signedIn.session, session)
  })
})
