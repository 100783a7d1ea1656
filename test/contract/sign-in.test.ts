import assert from 'node:assert/strict'
import { test } from 'node:test'
import { continueTarget } from '../../src/people/account/rules.ts'
import { formTo } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { authorizePath, Browser, demoPassword, doorOf, localPath, mary, tom } from '../harness/oauth.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import { publicRoutes } from '../harness/public-routes.ts'
import { behindTheScenes } from './apply-form.ts'

/** Without what is random on every page. */
const strangers = (page: Answer) =>
  page.text.replace(/name="(form_token|passkey_ticket)" value="[^"]*"|challenge&quot;:&quot;[\w-]+/g, '')

onOneEngineInTurn('signing in and out', service => {
  const browser = () => new Browser(doorOf(service()))

  test('returns to each public page whose header has the link', async () => {
    await behindTheScenes(service(), ({ privacyNotices }) =>
      privacyNotices.set(10000001, { url: '', content: 'We read your application.' }),
    )
    const values: Record<string, string> = { advertiserId: '10000001', version: '1', jobAdId: '31' }
    const offered = new Set<string>()
    for (const route of publicRoutes) {
      const path = route.replace(/:(\w+)/g, (_, name) => values[name] ?? 'x')
      if (!path.startsWith('GET /') || /^GET \/(api|assets|health)\//.test(path)) continue
      const page = await browser().get(path.replace('GET ', ''))
      const [, target] =
        /<a class="button second sign-in" href="\/sign-in\?continue=([^"]*)"/.exec(page.text) ?? []
      if (page.status === 200 && target !== undefined) offered.add(decodeURIComponent(target))
    }
    for (const known of ['/jobs/31/report', '/about/reports', '/companies/10000001/privacy/1', '/docs/share'])
      assert.ok(offered.has(known), `${known} has no link`)
    const lost = [...offered].filter(target => continueTarget(target) !== target)
    // Seen after an account was deleted.
    assert.deepEqual(lost, ['/goodbye'])
  })

  test('leads to the account, with cookies that no script can read', async () => {
    const visitor = browser()
    const page = await visitor.get('/sign-in')
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
    assert.equal([...page.text.matchAll(/type="password"/g)].length, 1)
    const answer = await visitor.submitSignIn(page, ' MARY@Example.com ')
    assert.equal(answer.status, 303)
    assert.equal(answer.headers.get('location'), '/account')
    const cookies = answer.headers.getSetCookie()
    assert.equal(cookies.length, 2)
    for (const cookie of cookies) assert.match(cookie, /; Path=\/; HttpOnly; SameSite=Lax$/)
    assert.equal((await visitor.get('/account/security')).status, 200)
    // A person who is already signed in is not asked again.
    assert.equal(
      (await visitor.get('/sign-in?continue=/account/security')).headers.get('location'),
      '/account/security',
    )
  })

  test('a page of the account asks to sign in first and is shown afterwards', async () => {
    const visitor = browser()
    const asked = await visitor.get('/account/security')
    assert.equal(asked.status, 303)
    const page = await visitor.get(localPath(asked))
    const answer = await visitor.submitSignIn(page)
    assert.equal(answer.headers.get('location'), '/account/security')
  })

  test('continues to our own paths only', async () => {
    const elsewhere = [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/account/../..//evil.example',
      '/health/live',
      'javascript:alert(1)',
      '/account@evil.example',
      '',
    ]
    const taken = ['/account', '/account/resumes', authorizePath()]
    for (const target of [...elsewhere, ...taken]) {
      const visitor = browser()
      const page = await visitor.get(`/sign-in?${new URLSearchParams({ continue: target })}`)
      const form = formTo('/sign-in', page.text)
      const fields = { email: mary, password: demoPassword, continue: target }
      const answer = await visitor.submit(form, { fields })
      assert.equal(answer.headers.get('location'), taken.includes(target) ? target : '/account', target)
    }
  })

  test('a wrong password and an unknown address look exactly alike', async () => {
    const answers = await Promise.all(
      (
        [
          [tom, 'not-the-password'],
          ['nobody@example.com', 'not-the-password'],
          ['no address', ''],
          [tom, 'x'.repeat(60_000)],
        ] as const
      ).map(async ([email, password]) => {
        const visitor = browser()
        const answer = await visitor.submitSignIn(await visitor.get('/sign-in'), email, password)
        assert.equal(answer.status, 401)
        assert.equal(visitor.session, undefined)
        return strangers(answer).replaceAll(email, '')
      }),
    )
    assert.match(answers[0] ?? '', /The email address or password is wrong/)
    for (const answer of answers) assert.equal(answer, answers[0])
  })

  test('is refused without the token of this browser', async () => {
    const [one, other] = [browser(), browser()]
    const form = await one.form('/sign-in')
    await other.get('/sign-in')
    assert.equal((await other.submit(form, { fields: { email: mary, password: demoPassword } })).status, 403)
    assert.equal(other.session, undefined)
  })

  test('gives a new ID each time and ends the one before', async () => {
    const visitor = browser()
    const page = await visitor.get('/sign-in')
    await visitor.submitSignIn(page)
    const former = browser()
    former.cookies.set('dossier-session', visitor.session ?? '')
    // A page opened before the sign-in, in another tab.
    const stale = await visitor.submitSignIn(page)
    assert.equal(stale.status, 303)
    const first = visitor.session ?? ''
    assert.equal((await former.get('/account/security')).status, 303)
    const again = browser()
    again.cookies.set('dossier-session', first)
    assert.equal((await again.get('/account/security')).status, 200)
    const signOut = await visitor.form('/sign-out', '/account/security')
    const left = await visitor.submit(signOut)
    assert.equal(left.status, 303)
    assert.match((await visitor.get(localPath(left))).text, /re signed out/)
    assert.equal(visitor.session, undefined)
    // The row is deleted, not only the cookie.
    assert.equal((await again.get('/account/security')).status, 303)
    const second = browser()
    second.cookies.set('dossier-session', first)
    await second.submitSignIn(await second.get('/sign-in'))
    assert.notEqual(second.session, first)
  })

  test('checks the typed credentials even if another tab has signed in since', async () => {
    const owner = async (visitor: Browser) =>
      /(mary|tom)@example\.com/.exec((await visitor.get('/account/security')).text)?.[0]
    const visitor = browser()
    const page = await visitor.get(authorizePath())
    await visitor.signIn(mary)
    const wrong = await visitor.submitSignIn(page, tom, 'any password')
    assert.equal(wrong.status, 401)
    assert.match(wrong.text, /<h1>Sign in to share your profile with [^<]+<\/h1>/)
    assert.equal(await owner(visitor), mary)
    assert.equal((await visitor.submitSignIn(page, mary, 'not-the-password')).status, 401)
    // A page made while Mary was signed in is accepted too.
    for (const each of [page, wrong]) {
      const right = await visitor.submitSignIn(each, tom)
      assert.deepEqual([right.status, right.headers.get('location')], [303, authorizePath()])
      assert.equal(await owner(visitor), tom)
    }
  })

  test('sending a form after the session has ended leads back to its page', async () => {
    for (const [action, page] of [
      ['/account/profile/about', '/account/profile/about'],
      ['/account/security', '/account/security'],
      ['/account/sharing/withdraw', '/account/sharing'],
    ] as const) {
      const answer = await browser().post(action, [['form_token', 'x']])
      assert.equal(answer.headers.get('location'), `/sign-in?continue=${encodeURIComponent(page)}`)
    }
  })

  test('names the client that asks, whose address stays allowed after a failed attempt', async () => {
    const visitor = browser()
    const page = await visitor.get(authorizePath())
    const policy = (answer: Answer) => answer.headers.get('content-security-policy') ?? ''
    assert.match(page.text, /<h1>Sign in to share your profile with [^<]+<\/h1>/)
    assert.match(policy(page), /form-action 'self' http:\/\/127\.0\.0\.1:9090 https: http:;/)
    const failed = await visitor.submitSignIn(page, mary, 'not-the-password')
    assert.equal(failed.status, 401)
    assert.match(failed.text, /<h1>Sign in to share your profile with [^<]+<\/h1>/)
    assert.equal(policy(failed), policy(page))
    const answer = await visitor.submitSignIn(failed)
    assert.equal(answer.headers.get('location'), authorizePath())
  })
})

onOneEngineInTurn('guessing', service => {
  const browser = () => new Browser(doorOf(service()))
  const guess = async (visitor: Browser, email: string) =>
    visitor.submitSignIn(await visitor.get('/sign-in'), email, 'not-the-password')

  test('is slowed down after five attempts, also for an address without an account, and not for a known browser', async () => {
    const owner = browser()
    await owner.signIn(tom)
    const signOut = await owner.form('/sign-out', '/account/security')
    await owner.submit(signOut)

    for (const email of [tom, 'nobody@example.com']) {
      const guesser = browser()
      for (let i = 0; i < 5; i++) assert.equal((await guess(guesser, email)).status, 401)
      // A slow machine may let the first waits pass, and each further attempt doubles them. That the right password has
      // to wait as well is tested with the service, whose clock the test moves.
      let waiting = await guess(guesser, email)
      for (let i = 0; i < 8 && waiting.status === 401; i++) waiting = await guess(guesser, email)
      assert.equal(waiting.status, 429)
      assert.match(waiting.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
      assert.match(waiting.text, /Try again in/)
    }
    await owner.signIn(tom)
  })

  test('however many run at once, no more are checked than in sequence', async () => {
    const visitors = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const visitor = browser()
        return { visitor, page: await visitor.get('/sign-in') }
      }),
    )
    const answers = await Promise.all(
      visitors.map(({ visitor, page }) => visitor.submitSignIn(page, mary, 'not-the-password')),
    )
    const looked = answers.filter(({ status }) => status === 401).length
    // The waits of one and two seconds may have passed in between on a slow machine.
    assert.ok(looked >= 5 && looked <= 8, `${looked} were looked at`)
    assert.equal(answers.filter(({ status }) => status === 429).length, 30 - looked)
  })
})
