import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  authorizeEndpoint,
  authorizePath,
  Browser,
  callbackOf,
  codeOf,
  demoClient,
  doorOf,
  encode,
  isSignInPage,
  manyFailures,
  redeem,
  type TestClient,
} from '../harness/oauth.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import { assertErrorPage, assertRefusedByRedirect } from './refusing.ts'
import { mustOperate, operate, registerClient } from './registering.ts'

const registered = demoClient.redirectUri

/** Each differs from the registered one in a way that some comparison ignores. */
const variants: [what: string, uri: string][] = [
  ['a slash at the end', `${registered}/`],
  ['two slashes', 'http://127.0.0.1:9090//callback'],
  ['a backslash', 'http://127.0.0.1:9090\\callback'],
  ['the case of the path', 'http://127.0.0.1:9090/Callback'],
  ['the case of the scheme', 'HTTP://127.0.0.1:9090/callback'],
  ['another scheme', 'https://127.0.0.1:9090/callback'],
  ['no scheme', '//127.0.0.1:9090/callback'],
  ['one slash after the scheme', 'http:/127.0.0.1:9090/callback'],
  ['another port', 'http://127.0.0.1:9091/callback'],
  ['no port', 'http://127.0.0.1/callback'],
  ['a port with a zero in front', 'http://127.0.0.1:09090/callback'],
  ['another name of this host', 'http://localhost:9090/callback'],
  ['another spelling of this host', 'http://127.1:9090/callback'],
  ['a number for this host', 'http://2130706433:9090/callback'],
  ['the host with a dot', 'http://127.0.0.1.:9090/callback'],
  ['a host that begins with it', 'http://127.0.0.1:9090.evil.example/callback'],
  ['a query', `${registered}?next=1`],
  ['an empty query', `${registered}?`],
  ['a fragment', `${registered}#there`],
  ['an empty fragment', `${registered}#`],
  ['a dot segment', 'http://127.0.0.1:9090/./callback'],
  ['two dots', 'http://127.0.0.1:9090/elsewhere/../callback'],
  ['dots at the end', `${registered}/..`],
  ['encoded dots', 'http://127.0.0.1:9090/%2e%2e/callback'],
  ['a user', 'http://mary@127.0.0.1:9090/callback'],
  ['a user and a password', 'http://mary:secret@127.0.0.1:9090/callback'],
  ['the host as a user', 'http://127.0.0.1:9090@evil.example/callback'],
  ['an encoded letter', 'http://127.0.0.1:9090/c%61llback'],
  ['an encoded slash', 'http://127.0.0.1:9090%2Fcallback'],
  ['encoded twice', encodeURIComponent(registered)],
  ['a blank in front', ` ${registered}`],
  ['a blank behind', `${registered} `],
  ['a tab within', 'http://127.0.0.1:9090/call\tback'],
  ['a line end behind', `${registered}\n`],
  ['NUL behind', `${registered}\0`],
  ['something after it', `${registered}.evil.example`],
  ['only its beginning', 'http://127.0.0.1:9090/callbac'],
  ['only its origin', 'http://127.0.0.1:9090'],
  ['a script', 'javascript:alert(1)'],
  ['a word', 'callback'],
  ['a path', '/callback'],
  ['a wildcard', 'http://127.0.0.1:9090/*'],
  ['a letter that looks alike', 'http://127.0.0.1:9090/сallback'],
  ['3 kB more', `${registered}?${'x'.repeat(3000)}`],
]

onOneEngineInTurn('redirect URIs', { env: manyFailures }, service => {
  let signedIn: Browser
  let stranger: Browser
  let other: TestClient

  before(async () => {
    signedIn = new Browser(doorOf(service()))
    stranger = new Browser(doorOf(service()))
    other = await registerClient(service(), 'other-client')
    // From here on, a valid request is granted without asking: any other outcome is a refusal.
    await signedIn.code()
    await signedIn.code({}, other)
  })

  test('B01 the exact string is accepted', async () => {
    assert.match(codeOf(await signedIn.authorize()), /./)
    assert.ok(isSignInPage(await stranger.authorize()))
  })

  for (const [what, uri] of variants) {
    test(`B01 a redirect URI with a difference gets a page: ${what}`, async () => {
      for (const browser of [signedIn, stranger]) {
        assertErrorPage(await browser.authorize({ redirect_uri: uri }), what)
      }
    })
  }

  test("B01 another client's redirect URI gets a page", async () => {
    assertErrorPage(await signedIn.authorize({ redirect_uri: other.redirectUri }))
    assertErrorPage(await signedIn.authorize({ redirect_uri: registered }, other))
  })

  test('B01 with a wrong redirect URI no other fault is redirected', async () => {
    for (const fault of [
      { response_type: 'token' },
      { scope: 'openid' },
      { request: 'x' },
      { state: ['a', 'b'] },
    ]) {
      assertErrorPage(await signedIn.authorize({ redirect_uri: `${registered}/`, ...fault }))
    }
  })

  for (const name of ['redirect_uri', 'client_id']) {
    test(`B02 ${name} missing, empty or repeated: page`, async () => {
      const value = name === 'client_id' ? demoClient.id : registered
      const repeated = [
        [value, value],
        [value, 'other'],
        ['other', value],
        [value, ''],
        ['', value],
      ]
      for (const values of [undefined, '', ...repeated]) {
        for (const browser of [signedIn, stranger]) {
          assertErrorPage(await browser.authorize({ [name]: values }), JSON.stringify(values))
        }
      }
    })
  }

  test('B02 without any parameter: page', async () => {
    for (const path of [authorizeEndpoint, `${authorizeEndpoint}?`, `${authorizeEndpoint}?&&=`]) {
      assertErrorPage(await signedIn.get(path), path)
    }
  })

  test('B02 parameter names are case-sensitive', async () => {
    const query = encode({ Client_Id: demoClient.id, redirect_uri: registered, response_type: 'code' })
    assertErrorPage(await signedIn.get(`${authorizeEndpoint}?${query}`))
  })

  test('B03 an unknown client: page', async () => {
    const unknown = ['nobody', 'DEMO-ATS', ' demo-ats', 'demo-ats ', 'demo-ats\0', '\0', 'x'.repeat(3000)]
    const odd = ['%', '*', "' or 1=1 --", 'demo_ats', 'demo%', '💼', '<b>demo-ats</b>']
    const prototypes = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype']
    for (const id of [...unknown, ...odd, ...prototypes]) {
      assertErrorPage(await signedIn.authorize({ client_id: id }), id)
    }
  })

  test('B03 bytes that are not UTF-8: page', async () => {
    for (const bytes of ['%ff', '%ED%A0%80', 'demo-ats%C0%80', '%E0%A4%A', '%zz']) {
      const rest = encode({ redirect_uri: registered, response_type: 'code', scope: 'r_profile_apply' })
      assertErrorPage(await signedIn.get(`${authorizeEndpoint}?client_id=${bytes}&${rest}`), bytes)
    }
  })

  test('B03 a disabled client: page, even after consent', async () => {
    const gone = await registerClient(service(), 'gone-client')
    await signedIn.code({}, gone)
    await mustOperate(service(), 'client', 'disable', gone.id)
    for (const browser of [signedIn, stranger]) assertErrorPage(await browser.authorize({}, gone))
  })

  const acceptable = [
    'https://ats.example.com/callback',
    'https://ats.example.com:8443/a/b?tenant=1',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:8000/callback',
    'http://localhost:8000/callback',
    'http://[::1]:8000/callback',
  ]
  const unacceptable = [
    'http://ats.example.com/callback',
    'HTTP://ats.example.com/callback',
    'http://10.0.0.1/callback',
    'http://localhost.evil.example/callback',
    'http://127.0.0.1.evil.example/callback',
    'http://evil.example/127.0.0.1',
    'http://127.0.0.1@evil.example/',
    'http://0.0.0.0/callback',
    'https://ats.example.com/callback#there',
    'https://ats.example.com/callback#',
    'https://',
    '//ats.example.com/callback',
    '/callback',
    'callback',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://ats.example.com/callback',
    'com.example.app:/callback',
    'https://ats.example.com/call back',
    'https://ats.example.com/call\nback',
    'https://*.example.com/callback',
  ]

  test('B04 https, and http on a loopback host, can be registered', async () => {
    for (const [index, redirectUri] of acceptable.entries()) {
      const client = await registerClient(service(), `acceptable-${index}`, { redirectUri })
      const answer = await signedIn.authorize({ scope: 'nonsense' }, client)
      assertRefusedByRedirect(answer, 'invalid_scope', { redirectUri })
    }
  })

  for (const [index, redirectUri] of unacceptable.entries()) {
    test(`B04 cannot be registered: ${JSON.stringify(redirectUri)}`, async () => {
      const id = `unacceptable-${index}`
      const args = ['client', 'add', id, '--name', 'X', `--redirect-uri=${redirectUri}`]
      const { code, stdout, stderr } = await operate(service(), ...args)
      assert.notEqual(code, 0)
      assert.equal(stdout, '')
      assert.match(stderr, /redirect URI/i)
      assertErrorPage(await signedIn.authorize({ client_id: id, redirect_uri: redirectUri }))
    })
  }

  test('B10 the query of a registered redirect URI is kept byte for byte', async () => {
    const queries = ['tenant=a%20b&x=%7e%7E+&empty=&flag', 'a=1&a=2', '', 'x=', 'q=%C3%A9&r=%26']
    for (const [index, query] of queries.entries()) {
      const redirectUri = `http://127.0.0.1:9092/back?${query}`
      const client = await registerClient(service(), `query-${index}`, { redirectUri })
      const location = (await signedIn.decide(authorizePath({}, client))).headers.get('location') ?? ''
      assert.ok(location.startsWith(redirectUri), location)
      const added = new URLSearchParams(location.slice(redirectUri.length))
      assert.deepEqual([...added.keys()].filter(Boolean).sort(), ['code', 'iss', 'state'])
      const asRead = new URL(location).searchParams
      assert.equal(asRead.get('state'), 'state-1')
      const code = asRead.get('code') ?? ''
      assert.equal((await redeem(doorOf(service()), code, {}, client)).status, 200)
      const refused = await signedIn.authorize({ scope: 'nonsense' }, client)
      assert.ok(refused.headers.get('location')?.startsWith(redirectUri))
    }
  })

  test('B10 a redirect URI without a path gets its parameters too', async () => {
    const redirectUri = 'http://127.0.0.1:9093'
    const client = await registerClient(service(), 'no-path', { redirectUri })
    const callback = callbackOf(await signedIn.decide(authorizePath({}, client)), redirectUri)
    assert.ok(callback.has('code'))
  })
})
