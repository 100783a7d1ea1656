import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { raw } from '../harness/http.ts'
import {
  assertOauthError,
  basic,
  demoClient,
  manyFailures,
  type Parameters,
  redeem,
  requestToken,
  type TestClient,
  tokenEndpoint,
  tokenOf,
} from '../harness/oauth.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import { registerClient } from './registering.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }

onOneEngineInTurn(
  'requests that the token endpoint rejects',
  { env: manyFailures },
  (service, { agreed, door }) => {
    const browser = agreed()
    let other: TestClient

    before(async () => {
      other = await registerClient(service(), 'other-client')
    })

    test('B36 an unknown grant: unsupported_grant_type', async () => {
      const grants = [
        'password',
        'refresh_token',
        'implicit',
        'Authorization_Code',
        'authorization_code ',
        '__proto__',
      ]
      for (const grant_type of [...grants, 'constructor', 'urn:ietf:params:oauth:grant-type:device_code']) {
        assertOauthError(await requestToken(door, { grant_type }), 400, 'unsupported_grant_type')
      }
    })

    test('B36 a missing grant type or code: invalid_request', async () => {
      const code = await browser.code()
      const redirect_uri = demoClient.redirectUri
      const grant_type = 'authorization_code'
      const incomplete: Parameters[] = [
        {},
        { grant_type: '' },
        { code, redirect_uri },
        { grant_type, redirect_uri },
      ]
      for (const fields of [...incomplete, { grant_type, redirect_uri, code: '' }]) {
        assertOauthError(await requestToken(door, fields), 400, 'invalid_request')
      }
      tokenOf(await redeem(door, code))
    })

    test('B36 a repeated parameter: invalid_request', async () => {
      const code = await browser.code()
      const uri = demoClient.redirectUri
      const repeated: Parameters[] = [
        { code: [code, code] },
        { grant_type: ['authorization_code', 'authorization_code'] },
        { redirect_uri: [uri, uri] },
        { redirect_uri: [uri, 'http://127.0.0.1:9090/other'] },
        { code_verifier: ['a', 'a'] },
        { client_id: [demoClient.id, demoClient.id] },
        { scope: ['a', 'a'] },
      ]
      for (const changes of repeated)
        assertOauthError(await redeem(door, code, changes), 400, 'invalid_request')
      tokenOf(await redeem(door, code))
    })

    const authorization = basic(demoClient)
    const unreadable: [what: string, method: string, headers: Record<string, string>, body?: string][] = [
      [
        'a JSON body',
        'POST',
        { authorization, 'content-type': 'application/json' },
        '{"grant_type":"client_credentials"}',
      ],
      ['JSON said to be a form', 'POST', { authorization, ...form }, '{"grant_type":"client_credentials"}'],
      [
        'a multipart body',
        'POST',
        { authorization, 'content-type': 'multipart/form-data; boundary=x' },
        '--x--',
      ],
      ['text', 'POST', { authorization, 'content-type': 'text/plain' }, 'grant_type=client_credentials'],
      ['no content type', 'POST', { authorization }, 'grant_type=client_credentials'],
      ['no body', 'POST', { authorization, ...form }, ''],
      ['no body and no type', 'POST', { authorization }],
      ['GET', 'GET', { authorization }],
      ['PUT', 'PUT', { authorization, ...form }, 'grant_type=client_credentials'],
      ['OPTIONS', 'OPTIONS', { authorization }],
      [
        '2 MB',
        'POST',
        { authorization, ...form },
        `grant_type=client_credentials&x=${'x'.repeat(2_000_000)}`,
      ],
      ['NUL in the grant type', 'POST', { authorization, ...form }, 'grant_type=client_credentials%00'],
      [
        'NUL in the code',
        'POST',
        { authorization, ...form },
        'grant_type=authorization_code&code=%00&redirect_uri=x',
      ],
      [
        'NUL in the redirect URI',
        'POST',
        { authorization, ...form },
        'grant_type=authorization_code&code=x&redirect_uri=%00',
      ],
      [
        'NUL in the verifier',
        'POST',
        { authorization, ...form },
        'grant_type=authorization_code&code=x&redirect_uri=x&code_verifier=%00',
      ],
      [
        'NUL in the advertiser',
        'POST',
        { authorization, ...form },
        'grant_type=client_credentials&scope=r_applications&advertiser_id=%00',
      ],
      [
        'a NUL byte',
        'POST',
        { authorization, ...form },
        'grant_type=authorization_code&code=\0&redirect_uri=x',
      ],
      [
        'a lone surrogate',
        'POST',
        { authorization, ...form },
        'grant_type=authorization_code&code=%ED%A0%80&redirect_uri=x',
      ],
      [
        'a lone surrogate in the scope',
        'POST',
        { authorization, ...form },
        'grant_type=client_credentials&scope=%ED%BF%BF',
      ],
      [
        'bytes that are no UTF-8',
        'POST',
        { authorization, ...form },
        'grant_type=authorization_code&code=%ff%fe&redirect_uri=x',
      ],
      ['half a percent sign', 'POST', { authorization, ...form }, 'grant_type=%&code=%4'],
      ['a bracketed name', 'POST', { authorization, ...form }, 'grant_type[]=client_credentials'],
    ]
    for (const [what, method, headers, body] of unreadable) {
      test(`B36 4xx with the OAuth error in JSON, whatever the Accept header: ${what}`, async () => {
        for (const accept of ['text/html', 'application/xml', 'application/json', '*/*;q=0', 'nonsense']) {
          const answer = await door.send(method, tokenEndpoint, {
            headers: { ...headers, accept },
            ...(body === undefined ? {} : { body }),
          })
          assert.ok(answer.status >= 400 && answer.status < 500, `${accept}: ${answer.status} ${answer.text}`)
          assert.match(answer.headers.get('content-type') ?? '', /^application\/json(;|$)/)
          const { error, error_description } = answer.json()
          assert.match(error, /^[a-z_]+$/)
          assert.match(error_description ?? '', /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/)
          assert.equal(answer.headers.get('cache-control'), 'no-store')
          if (answer.status === 405) assert.equal(answer.headers.get('allow'), 'POST')
        }
      })
    }

    test('B36 a form of 64 KiB is read, one byte more is a 413', async () => {
      const send = (bytes: number) =>
        door.send('POST', tokenEndpoint, {
          headers: { authorization, ...form },
          body: 'grant_type=client_credentials&x='.padEnd(bytes, 'x'),
        })
      tokenOf(await send(64 * 1024))
      assertOauthError(await send(64 * 1024 + 1), 413, 'invalid_request')
    })

    test('B36 raw bytes that are not UTF-8: 4xx with the OAuth error', async () => {
      for (const bytes of ['\xff\xfe', '\xed\xa0\x80', '\xc0\x80']) {
        const body = `grant_type=authorization_code&redirect_uri=x&code=${bytes}`
        const head = `POST ${tokenEndpoint} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: ${authorization}\r\n`
        const type = `Content-Type: ${form['content-type']}\r\nContent-Length: ${body.length}\r\n\r\n`
        const answer = await raw(service(), `${head}${type}${body}`)
        assert.match(answer, /^HTTP\/1\.1 400 /)
        assert.match(answer, /\r\ncontent-type: application\/json/i)
        assert.match(answer, /"error":"invalid_(request|grant)"/)
      }
    })

    test('B36 scopes and advertisers of client_credentials', async () => {
      const ask = (fields: Parameters, client: TestClient = demoClient) =>
        requestToken(door, { grant_type: 'client_credentials', ...fields }, { client })
      for (const scope of [
        'r_profile_apply',
        'w_applications',
        'x',
        'r_applications r_profile_apply',
        '__proto__',
      ]) {
        assertOauthError(await ask({ scope, advertiser_id: '10000001' }), 400, 'invalid_scope')
      }
      assertOauthError(await ask({ scope: 'r_applications' }), 400, 'invalid_request')
      assertOauthError(
        await ask({ scope: 'r_applications', advertiser_id: '10000001' }, other),
        400,
        /^(invalid_scope|unauthorized_client)$/,
      )
      const notOurs = ['10000002', '10000003', '99999999', '0', 'x', '-1', '9'.repeat(40), '__proto__']
      const bodies = new Set<string>()
      for (const advertiser_id of notOurs) {
        const answer = await ask({ scope: 'r_applications', advertiser_id })
        assertOauthError(answer, 400, 'unauthorized_client')
        bodies.add(answer.text)
      }
      assert.equal(bodies.size, 1, 'one and the same body')
      tokenOf(await ask({ scope: 'r_applications', advertiser_id: '10000001' }))
    })
  },
)
