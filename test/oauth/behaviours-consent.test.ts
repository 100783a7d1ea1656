import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Answer } from '../harness/http.ts'
import {
  authorizeEndpoint,
  authorizePath,
  Browser,
  callbackOf,
  consentForm,
  demoClient,
  isConsentPage,
  isSignInPage,
  manyFailures,
  tom,
} from '../harness/oauth.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'

/** Neither a code nor any other way back to the client. */
function assertNothingGranted(answer: Answer, what = ''): void {
  const location = answer.headers.get('location') ?? ''
  assert.doesNotMatch(location, /[?&]code=/, what)
  assert.ok(!location.startsWith(demoClient.redirectUri), `${what}: ${location}`)
}

const allow: [string, string] = ['decision', 'allow']

onOneEngineInTurn('sessions and the consent form', { env: manyFailures }, (_, { agreed, door }) => {
  const asked = authorizePath({ prompt: 'consent' })
  const signedIn = agreed()
  let toms: Browser

  before(async () => {
    toms = new Browser(door)
    await toms.signIn(tom)
  })

  const freshForm = async (browser: Browser, path = asked) => consentForm(await browser.get(path))

  test('B14 without a session: the sign-in, no code', async () => {
    const answer = await new Browser(door).authorize()
    assert.ok(isSignInPage(answer))
    assertNothingGranted(answer)
  })

  test('B14 with a session and no consent: the question, no code', async () => {
    const answer = await toms.authorize()
    assert.ok(isConsentPage(answer))
    assertNothingGranted(answer)
    // Viewing the page is not consent.
    assert.ok(isConsentPage(await toms.authorize()))
  })

  test('B14 only Allow counts as consent', async () => {
    const form = await freshForm(signedIn)
    for (const button of [
      undefined,
      ['decision', ''],
      ['decision', 'ALLOW'],
      ['decision', 'yes'],
      ['allow', ''],
    ]) {
      const answer = await signedIn.submit(
        form,
        button === undefined ? {} : { button: button as [string, string] },
      )
      assertNothingGranted(answer, String(button))
      assert.ok(answer.status >= 400 && answer.status < 500, `${button}: ${answer.status}`)
    }
  })

  test('B14 the decision is not taken from the URL', async () => {
    const answer = await toms.get(`${authorizePath()}&decision=allow&release=phone`)
    assertNothingGranted(answer)
    const form = await freshForm(toms)
    const posted = await toms.submit({ ...form, action: `${form.action}?decision=allow` })
    assertNothingGranted(posted)
    assert.ok(isConsentPage(await toms.authorize()))
  })

  test('B14 a made-up, a foreign and an ended session do not count', async () => {
    const session = signedIn.session ?? ''
    const last = session.endsWith('A') ? 'B' : 'A'
    const madeUp = [
      '',
      'x',
      'dse_',
      session.slice(0, -1),
      `${session.slice(0, -1)}${last}`,
      session.toUpperCase(),
    ]
    for (const value of [...madeUp, '__proto__', '%00', "' or 1=1 --", 'x'.repeat(300)]) {
      const browser = new Browser(door)
      browser.cookies.set('dossier-session', value)
      const answer = await browser.authorize()
      assert.ok(isSignInPage(answer), value)
      assertNothingGranted(answer, value)
    }
  })

  test('B14 after signing out the old session opens nothing', async () => {
    const browser = new Browser(door)
    await browser.code()
    const session = browser.session ?? ''
    await signOut(browser)
    browser.cookies.set('dossier-session', session)
    const answer = await browser.authorize()
    assert.ok(isSignInPage(answer))
    assertNothingGranted(answer)
  })

  test('B22 a form without its token, or with a wrong one, does nothing', async () => {
    const form = await freshForm(signedIn)
    const withoutToken = { ...form, fields: form.fields.filter(([name]) => name !== 'form_token') }
    const token = form.fields.find(([name]) => name === 'form_token')?.[1] ?? ''
    const wrong = ['', 'x', token.slice(1), `${token}x`, token.toUpperCase(), 'A'.repeat(token.length)]
    const answers = [await signedIn.submit(withoutToken, { button: allow })]
    for (const each of wrong) {
      answers.push(await signedIn.submit(form, { fields: { form_token: each }, button: allow }))
    }
    for (const answer of answers) {
      assert.equal(answer.status, 403)
      assertNothingGranted(answer)
    }
  })

  test('B22 a token is for one form only', async () => {
    const consent = await signedIn.get(asked)
    const otherToken = [...consent.text.matchAll(/name="form_token" value="([^"]*)"/g)].map(
      ([, value]) => value,
    )
    const own = consentForm(consent).fields.find(([name]) => name === 'form_token')?.[1]
    for (const token of otherToken.filter(value => value !== own)) {
      const answer = await signedIn.submit(consentForm(consent), {
        fields: { form_token: token ?? '' },
        button: allow,
      })
      assert.equal(answer.status, 403)
    }
  })

  test('B22 the form is bound to the exact pending request', async () => {
    const form = await freshForm(signedIn)
    const others = [
      authorizePath({ prompt: 'consent', state: 'state-2' }),
      authorizePath({ prompt: 'consent', advertiser_id: '10000001' }),
      authorizePath({ prompt: 'consent', code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' }),
      authorizePath({ prompt: 'consent', redirect_uri: 'http://127.0.0.1:9090/other' }),
      authorizePath(),
    ]
    for (const other of others) {
      const request = await requestFieldOf(signedIn, form, other)
      const answer = await signedIn.submit(form, { fields: { request }, button: allow })
      // Another client's redirect URI gets only an error page.
      assert.equal(answer.status, other.includes('other') ? 400 : 403, other)
      assertNothingGranted(answer)
    }
  })

  test('B22 what the candidate saw is part of what is bound', async () => {
    const form = await freshForm(signedIn)
    for (const filled of ['0', '63', '1', '', 'x', '-1', '1e3']) {
      if (filled === form.fields.find(([name]) => name === 'filled')?.[1]) continue
      const answer = await signedIn.submit(form, { fields: { filled }, button: allow })
      assertNothingGranted(answer, filled)
      assert.equal(answer.status, 403, filled)
    }
  })

  test('B22 another browser cannot finish the interaction', async () => {
    const form = await freshForm(signedIn)
    const sameCandidate = await Browser.signedIn(door)
    for (const browser of [toms, sameCandidate, new Browser(door)]) {
      const answer = await browser.submit(form, { button: allow })
      assertNothingGranted(answer)
      assert.equal(answer.status >= 400 || isSignInPage(answer), true, String(answer.status))
    }
    assert.ok(isConsentPage(await toms.authorize()), 'nothing was recorded for the other')
    assert.ok(callbackOf(await signedIn.submit(form, { button: allow })).has('code'), 'its own still can')
  })

  test('B22 a form of the previous session is rejected', async () => {
    const browser = await Browser.signedIn(door)
    const form = await freshForm(browser)
    await signOut(browser)
    const signedOut = await browser.submit(form, { button: allow })
    assertNothingGranted(signedOut)
    assert.ok(isSignInPage(signedOut))
    await browser.signIn()
    const answer = await browser.submit(form, { button: allow })
    assert.equal(answer.status, 403)
    assertNothingGranted(answer)
  })

  test('B22 the session id changes at sign-in', async () => {
    const chosen = 'dse_chosen-by-somebody-else'
    const browser = new Browser(door)
    browser.cookies.set('dossier-session', chosen)
    await browser.signIn()
    const first = browser.session
    await signOut(browser)
    await browser.signIn()
    const second = browser.session
    assert.equal(new Set([chosen, first, second]).size, 3)
    for (const old of [chosen, first ?? '']) {
      const other = new Browser(door)
      other.cookies.set('dossier-session', old)
      assert.ok(isSignInPage(await other.authorize()))
    }
  })

  test('B22 the sign-in form is protected too', async () => {
    const victim = new Browser(door)
    const page = await victim.authorize()
    const attacker = new Browser(door)
    await attacker.authorize()
    const answers = [
      await new Browser(door).submitSignIn(page),
      await attacker.submitSignIn(page),
      await victim.post('/sign-in', [
        ['email', 'mary@example.com'],
        ['password', 'demo-password'],
      ]),
    ]
    for (const answer of answers) {
      assert.equal(answer.status, 403)
      assert.equal(answer.headers.get('set-cookie')?.includes('dossier-session=dse') ?? false, false)
    }
    assert.equal(victim.session, undefined)
  })

  test('B22 cookies are for this site and hidden from scripts', async () => {
    const browser = new Browser(door)
    const page = await browser.authorize()
    const signIn = await browser.submitSignIn(page)
    const lines = [...page.headers.getSetCookie(), ...signIn.headers.getSetCookie()]
    assert.ok(lines.length >= 2)
    for (const line of lines) {
      assert.match(line, /; HttpOnly/i)
      assert.match(line, /; SameSite=(Lax|Strict)/i)
      assert.match(line, /; Path=\//i)
      assert.doesNotMatch(line, /; Domain=/i)
    }
  })

  test('B22 a wrong method or type of body grants nothing', async () => {
    const form = await freshForm(signedIn)
    const fields = Object.fromEntries([...form.fields, allow])
    const json = await signedIn.send('POST', authorizeEndpoint, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    })
    assertNothingGranted(json)
    assert.equal(json.status, 415)
    const query = new URLSearchParams(fields).toString()
    assertNothingGranted(await signedIn.get(`${authorizeEndpoint}?${query}`))
    assertNothingGranted(await signedIn.send('POST', `${authorizeEndpoint}?${query}`))
  })
})

async function signOut(browser: Browser): Promise<void> {
  const page = await browser.get('/account')
  const token = /action="\/sign-out">\s*<input type="hidden" name="form_token" value="([^"]*)"/.exec(
    page.text,
  )?.[1]
  const answer = await browser.post('/sign-out', [['form_token', token ?? '']])
  assert.equal(answer.status, 303, answer.text)
}

/** The fields of the form for that request; if it gets no form, the query in its place. */
async function requestFieldOf(
  browser: Browser,
  form: { fields: [string, string][] },
  path: string,
): Promise<string> {
  const page = await browser.get(path)
  const [, own = ''] = form.fields.find(([name]) => name === 'request') ?? []
  if (!isConsentPage(page)) return path.slice(path.indexOf('?') + 1)
  const [, other = ''] = consentForm(page).fields.find(([name]) => name === 'request') ?? []
  assert.notEqual(other, own)
  return other
}
