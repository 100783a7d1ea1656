import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { formTo } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import {
  authorizeEndpoint,
  authorizePath,
  Browser,
  consentForm,
  isConsentPage,
  isSignInPage,
  manyFailures,
} from '../harness/oauth.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import { assertErrorPage } from './refusing.ts'
import { registerClient } from './registering.ts'

const markup = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><svg/onload=alert(1)>",
  '</title><b>',
]

/** The directives of a policy by name. */
function policyOf({ headers }: Answer): Map<string, string> {
  const directives = (headers.get('content-security-policy') ?? '').split(';').map(part => part.trim())
  return new Map(directives.map(part => [part.split(' ', 1)[0] ?? '', part.replace(/^\S+ ?/, '')]))
}

onOneEngineInTurn('the pages of the authorization endpoint', { env: manyFailures }, (service, { door }) => {
  let pages: Record<'signIn' | 'wrongPassword' | 'consent' | 'error' | 'forged', Answer>
  let redirects: Answer[]

  before(async () => {
    const browser = new Browser(door)
    const path = authorizePath({ prompt: 'consent', advertiser_id: '10000001' })
    const signIn = await browser.get(path)
    const wrongPassword = await browser.submitSignIn(signIn, 'nobody@example.com', 'wrong')
    const signedIn = await browser.submitSignIn(signIn)
    const consent = await browser.get(path)
    const form = consentForm(consent)
    const forged = await browser.submit(form, {
      fields: { form_token: 'x' },
      button: ['decision', 'allow'],
    })
    const allowed = await browser.submit(form, { button: ['decision', 'allow'] })
    const declined = await browser.submit(form, { button: ['decision', 'decline'] })
    const error = await browser.authorize({ client_id: 'nobody' })
    pages = { signIn, wrongPassword, consent, error, forged }
    redirects = [signedIn, allowed, declined, await browser.authorize({ scope: 'x' })]
  })

  test('the pages meet the requirements', () => {
    assert.ok(isSignInPage(pages.signIn))
    assert.ok(isSignInPage(pages.wrongPassword))
    assert.ok(isConsentPage(pages.consent))
    assertErrorPage(pages.error)
    assert.equal(pages.forged.status, 403)
    for (const { status } of redirects) assert.equal(status, 303)
  })

  test('B17 no-store and a Referrer-Policy on every response', async () => {
    const wrongMethod = await door.send('PUT', authorizeEndpoint)
    const tooLong = await door.send('GET', `${authorizeEndpoint}?${'x'.repeat(17_000)}`)
    const wrongType = await door.send('POST', authorizeEndpoint, {
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    assert.equal(wrongMethod.status, 405)
    assert.equal(tooLong.status, 414)
    assert.equal(wrongType.status, 415)
    for (const answer of [...Object.values(pages), ...redirects, wrongMethod, tooLong, wrongType]) {
      assert.match(answer.headers.get('cache-control') ?? '', /\bno-store\b/, answer.text)
      assert.match(
        answer.headers.get('referrer-policy') ?? '',
        /^no-referrer$/,
        `${answer.status} ${answer.text}`,
      )
    }
  })

  test('B17 no third-party resource, no script of another origin, no inline script or style', () => {
    for (const { text } of Object.values(pages)) {
      for (const [, target = ''] of text.matchAll(/\b(?:src|href|action|data|poster|srcset)="([^"]*)"/g)) {
        assert.match(target, /^(\/(?!\/)|#)/, target)
      }
      assert.doesNotMatch(
        text,
        /<(script(?! src="\/assets\/)|style|iframe|object|embed|base|meta http-equiv)\b|\son\w+=|\sstyle=/i,
      )
    }
  })

  test('B17 the policy of the pages names no other origin, except for the target of Allow', () => {
    for (const [name, answer] of Object.entries(pages)) {
      const policy = policyOf(answer)
      assert.equal(policy.get('default-src'), "'none'")
      for (const [directive, sources] of policy) {
        if (directive !== 'form-action') assert.match(sources, /^'(self|none)'$/, `${name}: ${directive}`)
        assert.doesNotMatch(sources, /unsafe|\*/)
      }
      assert.equal(policy.get('script-src'), "'self'")
    }
    const formAction = policyOf(pages.consent).get('form-action')
    // The policy also applies to the redirect of the callback; only https for a client that uses https.
    assert.equal(formAction, "'self' http://127.0.0.1:9090 https: http:")
    assert.equal(policyOf(pages.error).get('form-action'), "'self'")
  })

  test("B18 frame-ancestors 'none' on sign-in, consent and error pages", () => {
    for (const answer of Object.values(pages)) {
      assert.equal(policyOf(answer).get('frame-ancestors'), "'none'")
      assert.equal(answer.headers.get('x-frame-options'), 'DENY')
    }
  })

  test('B19 no CORS on this endpoint', async () => {
    const headers = { origin: 'http://127.0.0.1:9090', 'access-control-request-method': 'POST' }
    const browser = new Browser(door)
    const answers = [
      await browser.get(authorizePath(), headers),
      await browser.get(authorizePath({ client_id: 'nobody' }), headers),
      await browser.get(authorizePath({ scope: 'x' }), headers),
      await browser.send('OPTIONS', authorizePath(), { headers }),
      await browser.send('POST', authorizeEndpoint, { headers }),
    ]
    for (const answer of answers) {
      const names = [...answer.headers.keys()].filter(name => name.startsWith('access-control-'))
      assert.deepEqual(names, [])
    }
  })

  test('B20 error pages reflect no markup', async () => {
    const browser = new Browser(door)
    for (const text of markup) {
      const answers = [
        await browser.authorize({ client_id: text }),
        await browser.authorize({ redirect_uri: `http://127.0.0.1:9090/callback${text}` }),
        await browser.authorize({ redirect_uri: undefined, state: text, scope: text, [text]: text }),
        await browser.get(`${authorizeEndpoint}?${text.replaceAll(' ', '%20')}`),
      ]
      for (const answer of answers) {
        assertErrorPage(answer)
        assert.ok(!answer.text.includes(text), text)
      }
    }
  })

  test('B20 no page reflects markup, whatever the request contains', async () => {
    for (const text of markup) {
      const browser = new Browser(door)
      const signIn = await browser.authorize({ state: text, [text]: text, nonce: text, prompt: 'consent' })
      assert.ok(isSignInPage(signIn))
      assert.ok(!signIn.text.includes(text), text)
      const wrong = await browser.submitSignIn(signIn, `${text}@example.com`, text)
      assert.ok(!wrong.text.includes(text), text)
      const other = await browser.get(`/sign-in?continue=${encodeURIComponent(text)}`)
      assert.ok(!other.text.includes(text), text)
      await browser.signIn()
      const consent = await browser.authorize({ state: text, [text]: text, nonce: text, prompt: 'consent' })
      assert.ok(isConsentPage(consent))
      assert.ok(!consent.text.includes(text), text)
    }
  })

  test('B20 the name of a client is text', async () => {
    const browser = await Browser.signedIn(door)
    for (const [index, text] of markup.entries()) {
      const client = await registerClient(service(), `markup-${index}`, { name: `${text} & Co` })
      const consent = await browser.authorize({}, client)
      assert.ok(isConsentPage(consent))
      assert.ok(!consent.text.includes(text), text)
      assert.ok(consent.text.includes('&amp; Co'))
    }
  })

  test('the sign-in leads only back to this service', async () => {
    for (const target of [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example',
      'javascript:alert(1)',
      '/%09/evil.example',
      '/\t/evil.example',
    ]) {
      const browser = new Browser(door)
      const page = await browser.get(`/sign-in?continue=${encodeURIComponent(target)}`)
      const form = await browser.submitSignIn(page)
      assert.equal(form.status, 303, form.text)
      const { origin, protocol } = new URL(form.headers.get('location') ?? '', service().baseUrl)
      assert.equal(origin, service().baseUrl, target)
      assert.match(protocol, /^https?:$/)
    }
  })

  test('the sign-in form accepts no other target than the one it was made with', async () => {
    for (const target of ['https://evil.example/', '//evil.example/', '/\\evil.example']) {
      const browser = new Browser(door)
      const page = await browser.authorize()
      const fields = { email: 'mary@example.com', password: 'demo-password', continue: target }
      const answer = await browser.submit(formTo('/sign-in', page.text), { fields })
      const location = answer.headers.get('location')
      if (location !== null) assert.equal(new URL(location, service().baseUrl).origin, service().baseUrl)
    }
  })
})
