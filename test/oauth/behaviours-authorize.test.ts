import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  authorizePath,
  Browser,
  callbackOf,
  codeOf,
  consentForm,
  demoClient,
  doorOf,
  encode,
  isConsentPage,
  localPath,
  manyFailures,
  metadataPath,
  type Parameters,
  redeem,
} from '../harness/oauth.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import { assertRefusedByRedirect } from './refusing.ts'

const states: [what: string, state: string][] = [
  ['reserved characters', "!*'();:@&=+$,/?#[]%"],
  ['what looks encoded', '%20%2B%00%zz%'],
  ['a plus and a blank', 'a+b c'],
  ['blanks around', '  padded  '],
  ['accents and other scripts', 'Zoë Брэннан 田中美咲 مرحبا'],
  ['characters beyond the first plane', '🦘💼'],
  ['combining marks, composed and not', 'é e\u0301'],
  ['JSON', JSON.stringify({ job: 'HCR-7', next: 'https://ats.example.com/?a=1&b=2', n: [1, null, '"'] })],
  ['3 kB', 'state-'.repeat(512)],
  ['markup', '"><script>alert(1)</script><!--'],
  ['quotes', `'"\`&quot;&amp;&#39;`],
  ['CR LF', 'a\r\nSet-Cookie: x=1\r\n\r\nbody'],
  ['a line feed alone', 'a\nb'],
  ['a carriage return alone', 'a\rb'],
  ['a tab', 'a\tb'],
  ['NUL', 'a\0b'],
  ['base64', 'eyJhIjoxfQ=='],
  ['what the answer is made of', 'code=stolen&iss=https://evil.example&state=other'],
]

onOneEngineInTurn('the authorization request', { env: manyFailures }, (service, { agreed }) => {
  const signedIn = agreed()

  test('B05 response_type missing or empty: invalid_request with state', async () => {
    for (const value of [undefined, '']) {
      assertRefusedByRedirect(await signedIn.authorize({ response_type: value }), 'invalid_request')
    }
  })

  test('B05 any other response_type: unsupported_response_type', async () => {
    const others = ['token', 'id_token', 'code token', 'code id_token', 'none', 'CODE', 'code code', ' code']
    for (const value of [...others, 'code ', 'code,token', 'constructor', '__proto__']) {
      const answer = await signedIn.authorize({ response_type: value })
      assertRefusedByRedirect(answer, 'unsupported_response_type', { what: value })
    }
  })

  test('B05 faults are reported before the sign-in', async () => {
    const stranger = new Browser(doorOf(service()))
    assertRefusedByRedirect(await stranger.authorize({ response_type: 'token' }), 'unsupported_response_type')
    assertRefusedByRedirect(await stranger.authorize({ scope: 'openid' }), 'invalid_scope')
  })

  test('B06 a scope that is unknown, missing or wider: invalid_scope', async () => {
    const wider = [
      'r_profile_apply r_applications',
      'r_profile_apply openid',
      'r_applications r_profile_apply',
    ]
    const unknown = [
      'openid',
      'R_PROFILE_APPLY',
      'r_profile_apply,openid',
      'r_profile_applyx',
      '*',
      '__proto__',
    ]
    for (const scope of [undefined, '', ' ', 'r_applications', 'w_applications', ...wider, ...unknown]) {
      assertRefusedByRedirect(await signedIn.authorize({ scope }), 'invalid_scope', { what: String(scope) })
    }
  })

  const repeatable: [name: string, values: string[]][] = [
    ['response_type', ['code', 'code']],
    ['response_type', ['code', 'token']],
    ['scope', ['r_profile_apply', 'r_profile_apply']],
    ['advertiser_id', ['10000001', '10000001']],
    ['advertiser_id', ['10000001', '10000002']],
    ['prompt', ['consent', 'consent']],
    ['response_mode', ['query', 'query']],
    ['code_challenge', ['a'.repeat(43), 'a'.repeat(43)]],
    ['code_challenge_method', ['S256', 'S256']],
    ['scope', ['r_profile_apply', '']],
    ['scope', ['', 'r_profile_apply']],
  ]
  for (const [name, values] of repeatable) {
    test(`B07 a repeated ${name} (${values.join(', ')}): invalid_request, no code`, async () => {
      const pkce = { code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' }
      const base: Parameters = name.startsWith('code_challenge') ? pkce : {}
      assertRefusedByRedirect(await signedIn.authorize({ ...base, [name]: values }), 'invalid_request')
    })
  }

  test('B07 a repeated state: invalid_request, no code, and neither state comes back', async () => {
    for (const state of [
      ['one', 'two'],
      ['one', 'one'],
      ['', 'one'],
    ]) {
      const callback = callbackOf(await signedIn.authorize({ state }))
      assert.equal(callback.get('error'), 'invalid_request')
      assert.equal(callback.has('code'), false)
      assert.equal(callback.has('state'), false)
    }
  })

  test('B08 unknown parameters are ignored', async () => {
    const unknown = {
      nonce: 'n',
      display: 'page',
      __proto__x: '1',
      constructor: 'x',
      'a[b]': 'c',
      'state.x': 'y',
    }
    const callback = callbackOf(await signedIn.authorize(unknown))
    assert.ok(callback.has('code'))
    assert.equal(callback.get('state'), 'state-1')
    const path = `${authorizePath()}&__proto__=1&__proto__[isAdmin]=1&=x&&%`
    assert.ok(callbackOf(await signedIn.get(path)).has('code'))
  })

  test('B08 an empty parameter counts as omitted', async () => {
    const optional = ['advertiser_id', 'prompt', 'response_mode', 'request', 'request_uri']
    const empty = Object.fromEntries(
      [...optional, 'code_challenge', 'code_challenge_method'].map(name => [name, '']),
    )
    const code = codeOf(await signedIn.authorize(empty))
    // Without a verifier: the empty challenge counted as none.
    assert.equal((await redeem(doorOf(service()), code)).status, 200)
  })

  test('B08 an empty state comes back empty', async () => {
    const granted = await signedIn.authorize({ state: '' })
    assert.equal(callbackOf(granted).get('state'), '')
    assert.ok(callbackOf(granted).has('code'))
    assertRefusedByRedirect(await signedIn.authorize({ state: '', scope: 'x' }), 'invalid_scope', {
      state: '',
    })
    const declined = await signedIn.decide(authorizePath({ state: '', prompt: 'consent' }), 'decline')
    assertRefusedByRedirect(declined, 'access_denied', { state: '' })
  })

  test('B09 without a state none comes back', async () => {
    assert.equal(callbackOf(await signedIn.authorize({ state: undefined })).has('state'), false)
    const refused = await signedIn.authorize({ state: undefined, scope: 'x' })
    assertRefusedByRedirect(refused, 'invalid_scope', { state: undefined })
    const allowed = await signedIn.decide(authorizePath({ state: undefined, prompt: 'consent' }))
    assert.equal(callbackOf(allowed).has('state'), false)
  })

  for (const [what, state] of states) {
    test(`B09 state comes back as it was sent: ${what}`, async () => {
      const locations = [
        await signedIn.authorize({ state }),
        await signedIn.authorize({ state, scope: 'x' }),
        // Through the form, which a browser must not alter either.
        await signedIn.decide(authorizePath({ state, prompt: 'consent' }), 'allow'),
        await signedIn.decide(authorizePath({ state, prompt: 'consent' }), 'decline'),
      ]
      for (const answer of locations) {
        assert.equal(callbackOf(answer).get('state'), state)
        assert.match(answer.headers.get('location') ?? '', /^[\x21-\x7e]+$/)
        assert.equal(answer.headers.get('set-cookie'), null)
      }
      assert.deepEqual(
        locations.map(answer => callbackOf(answer).get('error')),
        [undefined, 'invalid_scope', undefined, 'access_denied'],
      )
    })
  }

  for (const [what, state] of states) {
    test(`B09 state survives the sign-in: ${what}`, async () => {
      const browser = new Browser(doorOf(service()))
      assert.equal(callbackOf(await browser.decide(authorizePath({ state }))).get('state'), state)
    })
  }

  test('B09 bytes that are not UTF-8 come back unchanged', async () => {
    const path = authorizePath({ state: undefined, prompt: 'consent' })
    for (const state of ['%FF%FE', '%ED%A0%80', '%C0%80', 'a%E4b']) {
      const answers = [
        await signedIn.get(`${authorizePath({ state: undefined })}&state=${state}`),
        await signedIn.decide(`${path}&state=${state}`, 'allow'),
        await signedIn.decide(`${path}&state=${state}`, 'decline'),
      ]
      for (const { headers } of answers) {
        const sent = /[?&]state=([^&]*)/.exec(headers.get('location') ?? '')?.[1] ?? ''
        assert.equal(sent.toUpperCase(), state.toUpperCase())
      }
    }
  })

  test('B11 every redirect is a 303', async () => {
    const browser = new Browser(doorOf(service()))
    const path = authorizePath({ prompt: 'consent' })
    const signIn = await browser.submitSignIn(await browser.get(path))
    assert.equal(signIn.status, 303)
    assert.equal(localPath(signIn), path)
    const form = consentForm(await browser.get(path))
    const allowed = await browser.submit(form, { button: ['decision', 'allow'] })
    const declined = await browser.submit(form, { button: ['decision', 'decline'] })
    const remembered = await browser.authorize()
    const refused = await browser.authorize({ scope: 'x' })
    for (const answer of [allowed, declined, remembered, refused]) {
      assert.equal(answer.status, 303)
      assert.ok(answer.headers.get('location')?.startsWith(demoClient.redirectUri))
    }
  })

  test("B12 iss is the metadata's issuer, on success and on errors", async () => {
    const { issuer, ...metadata } = (await doorOf(service()).send('GET', metadataPath)).json()
    assert.equal(metadata.authorization_response_iss_parameter_supported, true)
    const answers = [
      await signedIn.authorize(),
      await signedIn.authorize({ scope: 'x' }),
      await signedIn.authorize({ response_type: 'token' }),
      await signedIn.decide(authorizePath({ prompt: 'consent' }), 'allow'),
      await signedIn.decide(authorizePath({ prompt: 'consent' }), 'decline'),
    ]
    for (const answer of answers) assert.equal(callbackOf(answer).get('iss'), issuer)
  })

  test('B13 refusal: access_denied with state, and nothing is remembered', async () => {
    const browser = await Browser.signedIn(doorOf(service()), 'tom@example.com')
    for (let round = 0; round < 2; round++) {
      assert.ok(isConsentPage(await browser.authorize()))
      assertRefusedByRedirect(await browser.decide(authorizePath(), 'decline'), 'access_denied')
    }
  })

  test('B13 refusing once leaves an earlier consent as it was', async () => {
    await signedIn.decide(authorizePath({ prompt: 'consent' }), 'decline')
    assert.ok(callbackOf(await signedIn.authorize()).has('code'))
  })

  test('B15 codes are unique and have at least 160 random bits', async () => {
    const codes: string[] = []
    for (let count = 0; count < 200; count++) codes.push(codeOf(await signedIn.authorize()))
    assert.equal(new Set(codes).size, codes.length)
    const length = Math.min(...codes.map(code => code.length))
    // With 200 draws from 64 letters about 61 occur at each position; at a fixed position, one.
    const lettersAt = (place: number) => new Set(codes.map(code => code[place])).size
    const random = Array.from({ length }, (_, place) => lettersAt(place)).filter(letters => letters > 40)
    assert.ok(random.length * 6 >= 160, `${random.length} places of 64 letters`)
    for (const code of codes) assert.match(code, /^[\w-]+$/)
  })

  test('B21 request and request_uri are refused by redirect, not ignored', async () => {
    const jwt = 'eyJhbGciOiJub25lIn0.eyJzY29wZSI6Im9wZW5pZCJ9.'
    assertRefusedByRedirect(await signedIn.authorize({ request: jwt }), 'request_not_supported')
    for (const uri of ['https://ats.example.com/request.jwt', 'urn:ietf:params:oauth:request_uri:x']) {
      assertRefusedByRedirect(await signedIn.authorize({ request_uri: uri }), 'request_uri_not_supported')
    }
  })

  test('B21 a response_mode other than query: invalid_request', async () => {
    for (const mode of ['fragment', 'form_post', 'query.jwt', 'jwt', 'web_message', 'QUERY', 'x']) {
      assertRefusedByRedirect(await signedIn.authorize({ response_mode: mode }), 'invalid_request', {
        what: mode,
      })
    }
    assert.ok(callbackOf(await signedIn.authorize({ response_mode: 'query' })).has('code'))
  })

  test('an advertiser_id without an active advertiser: invalid_request by redirect', async () => {
    const wrong = [
      '10000003',
      '99999999',
      '0',
      '-1',
      '1.5',
      '10000001x',
      ' 10000001',
      '１',
      '1e7',
      '__proto__',
    ]
    for (const id of [...wrong, '9'.repeat(30), '10000001\0', "1' or '1'='1"]) {
      assertRefusedByRedirect(await signedIn.authorize({ advertiser_id: id }), 'invalid_request', {
        what: id,
      })
    }
  })

  test('parameters may come in any order', async () => {
    const query = encode({
      state: 'state-1',
      scope: 'r_profile_apply',
      response_type: 'code',
      redirect_uri: demoClient.redirectUri,
      client_id: demoClient.id,
    })
    assert.ok(callbackOf(await signedIn.get(`/api/iam/oauth2/authorize?${query}`)).has('code'))
    assert.ok(callbackOf(await signedIn.get(`/API/iam/OAuth2/Authorize?${query}`)).has('code'))
  })
})
