import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { formTo } from '../harness/html-form.ts'
import { type Answer, call } from '../harness/http.ts'
import {
  Browser,
  consentForm,
  doorOf,
  isConsentPage,
  isSignInPage,
  localPath,
  mary,
  tom,
} from '../harness/oauth.ts'
import { onOneEngine, type Service } from '../harness/service.ts'

/** Where the browser was sent, on the host of the service. */
const whereTo = (answer: Answer) => {
  assert.equal(answer.status, 303, answer.text)
  return localPath(answer)
}

onOneEngine('the careers page of the demo', service => {
  const newBrowser = () => new Browser(doorOf(service()))

  /** Presses the button of the first ad; returns the address of the authorization request. */
  async function apply(browser: Browser): Promise<string> {
    const page = await browser.get('/demo')
    assert.equal(page.status, 200)
    return whereTo(await browser.submit(formTo('/demo/apply', page.text)))
  }

  /** Decides at the service; returns the address of the callback. */
  async function decide(
    browser: Browser,
    address: string,
    options: { email?: string; decision?: 'allow' | 'decline'; ticked?: string[] } = {},
  ): Promise<string> {
    // Always asked, whatever an earlier test decided.
    const { decision = 'allow', ...rest } = options
    return whereTo(await browser.decide(`${address}&prompt=consent`, decision, rest))
  }

  async function arrive(browser: Browser, callback: string): Promise<Answer> {
    const page = await browser.get(whereTo(await browser.get(callback)))
    return page
  }

  test('runs the whole flow, and shows each request and response of it', async () => {
    const browser = newBrowser()
    const address = await apply(browser)
    const query = new URL(address, service().baseUrl).searchParams
    assert.equal(query.get('client_id'), 'demo-ats')
    assert.equal(query.get('advertiser_id'), '10000001')
    assert.equal(query.get('redirect_uri'), `${service().baseUrl}/demo/callback`)
    assert.equal(query.get('code_challenge_method'), 'S256')
    const signIn = await browser.get(address)
    assert.ok(isSignInPage(signIn))
    const consent = await browser.get(whereTo(await browser.submitSignIn(signIn)))
    assert.ok(isConsentPage(consent))
    const decided = await browser.submit(consentForm(consent), { button: ['decision', 'allow'] })

    const form = await arrive(browser, whereTo(decided))
    assert.equal(form.status, 200)
    for (const text of [
      'value="Mary"',
      'value="Nguyen"',
      `value="${mary}"`,
      'value="0491 570 006"',
      'Latte art',
      '<bdi>Dock Espresso</bdi> (April 2025 to now)',
      'Certificate III',
      'Mary Nguyen - Resume.pdf',
      'detected as a PDF document',
      'What just happened',
      'POST http://',
      '/api/iam/oauth2/token',
      '/v2/applications/prefilled',
      '/v2/resumes/',
      'authorization: Basic &lt;base64(client_id:client_secret)&gt;',
    ]) {
      assert.ok(form.text.includes(text), text)
    }

    const sent = await browser.submit(formTo('/demo/submit', form.text))
    const thanks = await browser.get(whereTo(sent))
    assert.match(thanks.text, /<h1>Thanks, your application was sent<\/h1>/)
    assert.match(thanks.text, /grant_type=client_credentials/)
    assert.match(thanks.text, /\/complete\n/)
    assert.match(thanks.text, /204 No Content/)
    assert.match(thanks.text, /href="[^"]*\/account\/sharing"/)
    // Sent twice, from a second tab: the same page again.
    const again = await browser.get(whereTo(await browser.submit(formTo('/demo/submit', form.text))))
    assert.equal(again.text, thanks.text)

    for (const { text } of [form, thanks]) {
      assert.doesNotMatch(text, /(dac|dat|dcs|dse)_[\w-]{5}/, 'a secret in full')
      assert.ok(!text.includes('demo-ats-secret'))
      assert.doesNotMatch(text, /<script(?! src="\/assets\/)|\sstyle=|\son\w+=/)
    }
  })

  test('data that was not released does not arrive', async () => {
    const browser = newBrowser()
    const form = await arrive(browser, await decide(browser, await apply(browser), { ticked: [] }))
    assert.ok(form.text.includes(`value="${mary}"`))
    for (const text of [
      '0491',
      'Latte',
      'Dock Espresso',
      'Certificate',
      'Resume.pdf',
      '/v2/resumes/',
      '68,000',
    ]) {
      assert.ok(!form.text.includes(text), text)
    }
  })

  test('an empty profile gives an empty form', async () => {
    const browser = newBrowser()
    const form = await arrive(browser, await decide(browser, await apply(browser), { email: tom }))
    assert.equal(form.status, 200)
    assert.ok(form.text.includes(`value="${tom}"`))
    assert.equal(form.text.match(/Not shared, or not in the profile\./g)?.length, 4)
  })

  test('a refusal is shown, and nothing was shared', async () => {
    const browser = newBrowser()
    const page = await arrive(browser, await decide(browser, await apply(browser), { decision: 'decline' }))
    assert.equal(page.status, 200)
    assert.match(page.text, /<h1>You declined. Nothing was shared<\/h1>/)
    assert.match(page.text, /error=access_denied/)
    assert.doesNotMatch(page.text, /oauth2\/token|prefilled|Nguyen/)
  })

  test('other errors of the authorization server are shown', async () => {
    const browser = newBrowser()
    const address = new URL(await apply(browser), service().baseUrl)
    address.searchParams.set('response_type', 'token')
    const page = await arrive(browser, whereTo(await browser.get(address.pathname + address.search)))
    assert.equal(page.status, 502)
    assert.match(page.text, /refused the request: unsupported_response_type/)
  })

  test('a code that the service rejects is shown with the response', async () => {
    const browser = newBrowser()
    const callback = await decide(browser, await apply(browser))
    const page = await arrive(browser, callback.replace(/code=[^&]+/, 'code=dac_not-a-code'))
    assert.equal(page.status, 502)
    assert.match(page.text, /the service answered 400, invalid_grant/)
    assert.match(page.text, /&quot;error&quot;: &quot;invalid_grant&quot;/)
  })

  test('a response to another visitor’s request, or from elsewhere, is rejected', async () => {
    const browser = newBrowser()
    const callback = await decide(browser, await apply(browser))
    const isRefused = async (asking: Browser, address: string) => {
      const page = await asking.get(address)
      assert.equal(page.status, 400, address)
      assert.match(page.text, /not for this browser/)
    }
    // The link in another browser, with and without its own flow.
    await isRefused(newBrowser(), callback)
    const other = newBrowser()
    await apply(other)
    await isRefused(other, callback)

    const query = new URLSearchParams(callback.split('?')[1])
    const without = (name: string) => {
      const rest = new URLSearchParams(query)
      rest.delete(name)
      return `/demo/callback?${rest}`
    }
    const withOther = (name: string, value: string) =>
      without(name).concat('&', new URLSearchParams([[name, value]]).toString())
    for (const address of [
      '/demo/callback',
      without('state'),
      withOther('state', ''),
      withOther('state', `${query.get('state')}x`),
      without('iss'),
      withOther('iss', 'https://evil.example'),
      `${callback}&state=${query.get('state')}`,
    ]) {
      await isRefused(browser, address)
    }
    // None of these has used up the code.
    assert.match((await arrive(browser, callback)).text, /value="Mary"/)
  })

  test('a callback loaded again, or twice at once, redeems its code once', async () => {
    const browser = newBrowser()
    const callback = await decide(browser, await apply(browser))
    const answers = await Promise.all([browser.get(callback), browser.get(callback), browser.get(callback)])
    for (const answer of answers) assert.equal(whereTo(answer), '/demo/application')
    const page = await browser.get(whereTo(await browser.get(callback)))
    assert.match(page.text, /value="Mary"/)
    assert.equal(page.text.match(/Redeem the code for a token/g)?.length, 1)
  })

  test('the form is checked, and typed text stays', async () => {
    const browser = newBrowser()
    const form = await arrive(browser, await decide(browser, await apply(browser)))
    const fields = { firstName: ' ', email: 'nonsense', lastName: '"><b>' }
    const page = await browser.submit(formTo('/demo/submit', form.text), { fields })
    assert.equal(page.status, 422)
    assert.match(page.text, /role="alert"/)
    assert.match(page.text, /<a href="#firstName">Enter your first name\.<\/a>/)
    assert.match(
      page.text,
      /id="email"[^>]*value="nonsense"[^>]*aria-invalid="true" aria-describedby="email-fault"/,
    )
    assert.ok(page.text.includes('value="&quot;&gt;&lt;b&gt;"'))
    const sent = await browser.submit(formTo('/demo/submit', page.text), {
      fields: { firstName: 'Mary', email: mary },
    })
    assert.match((await browser.get(whereTo(sent))).text, /Thanks, your/)
  })

  test('a form made for another browser is rejected', async () => {
    const browser = newBrowser()
    const page = await browser.get('/demo')
    const stranger = newBrowser()
    await stranger.get('/demo')
    assert.equal((await stranger.submit(formTo('/demo/apply', page.text))).status, 403)
    assert.equal((await browser.post('/demo/apply', [['reference', 'HCR-7']])).status, 403)
    assert.equal((await browser.post('/demo/submit', [])).status, 403)
    const other = await browser.submit(formTo('/demo/apply', page.text), {
      fields: { reference: '__proto__' },
    })
    assert.equal(other.status, 404)
  })

  test('without an application in progress there is a link to begin one', async () => {
    const page = await newBrowser().get('/demo/application')
    assert.equal(page.status, 404)
    assert.match(page.text, /href="\/demo">See jobs/)
    const browser = newBrowser()
    await apply(browser)
    assert.match((await browser.get('/demo/application')).text, /Waiting for Dossier/)
  })

  test('it has one address, because its cookies do', async () => {
    const { port, baseUrl } = service() as Service
    const byAddress = new Browser(doorOf({ baseUrl: `http://127.0.0.1:${port}` }))
    for (const path of ['/demo', '/demo/application']) {
      const answer = await byAddress.get(path)
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, `${baseUrl}${path}`])
    }
  })

  test('the policy of the page allows its form to lead to the authorization server, and only our scripts', async () => {
    const policy = (await newBrowser().get('/demo')).headers.get('content-security-policy') ?? ''
    assert.match(policy, new RegExp(`form-action 'self' ${service().baseUrl} https: http:;`))
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /script-src 'self';/)
    assert.doesNotMatch(policy, /unsafe/)
  })

  test('Northwind receives webhooks, and shows them', async () => {
    const browser = newBrowser()
    // The endpoints get a test when the demo starts.
    while (!(await browser.get('/demo/events')).text.includes('<h2>test.ping</h2>')) await setImmediate()
    const forged = await call(service(), '/demo/hooks', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1', 'webhook-signature': 'v1,AAAA' },
      body: '{"type":"application.created"}',
    })
    assert.equal(forged.status, 401)
  })
})
