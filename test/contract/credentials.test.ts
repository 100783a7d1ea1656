import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, call, drydock, harbour } from '../harness/http.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import { everything, kinds, listPath, plainRequest, problem, type RequestHeaders, send } from './reading.ts'

const wrong: [what: string, authorization: string][] = [
  ['empty', ''],
  ['scheme alone', 'SWS'],
  ['no scheme', 'sws_demo_harbour'],
  ['no blank after the scheme', 'SWSsws_demo_harbour'],
  ['another scheme', 'Bearer sws_demo_harbour'],
  ['Basic', `Basic ${Buffer.from('sws_demo_harbour:').toString('base64')}`],
  ['unknown', 'SWS sws_demo_nobody'],
  ['cut short', 'SWS sws_demo_harbou'],
  ['one character more', 'SWS sws_demo_harbourr'],
  ['upper case value', 'SWS SWS_DEMO_HARBOUR'],
  ['a second word', 'SWS sws_demo_harbour x'],
  ['a second credential', 'SWS sws_demo_harbour, SWS sws_demo_southern'],
  ['scheme twice', 'SWS SWS sws_demo_harbour'],
  ['quoted', 'SWS "sws_demo_harbour"'],
  ['a blank that is no space', 'SWS sws_demo_harbour\u00a0x'],
  ['a tab after the scheme', 'SWS\tx\tsws_demo_harbour'],
  ['not ASCII', 'SWS sws_démo'],
  ['SQL', "SWS ' OR '1'='1"],
  ['a name every object has', 'SWS constructor'],
  ['200 characters', `SWS ${'x'.repeat(200)}`],
  ['201 characters', `SWS ${'x'.repeat(201)}`],
  ['12,000 characters', `SWS ${'x'.repeat(12_000)}`],
]

const protectedPaths = [
  listPath,
  ...kinds.flatMap(kind => [`${listPath}/${kind}/1`, `/advertiser/applications/${kind}/1`]),
]

onOneEngineInTurn(
  'SWS credentials',
  // This suite fails to authenticate more often than the default limit allows.
  { env: { RATE_LIMIT_AUTH_FAILURES_PER_ADDRESS_PER_MINUTE: '1000' } },
  service => {
    function assertUnauthorized(answer: Answer): void {
      problem(service(), answer, 401, 'invalid-credential')
      assert.match(answer.headers.get('www-authenticate') ?? '', /^SWS\b/)
    }

    const list = (headers: RequestHeaders) => call(service(), listPath, { headers })

    test('no credential is a 401 that names the scheme, on every path of version 1', async () => {
      for (const path of protectedPaths) assertUnauthorized(await call(service(), path))
    })

    for (const [what, authorization] of wrong) {
      test(`${what}: 401`, async () => assertUnauthorized(await list({ authorization })))
    }

    test('every invalid credential gets the same response', async () => {
      const bodies = new Set<string>()
      for (const [, authorization] of wrong) {
        bodies.add((await list({ authorization, 'x-request-id': 'same' })).text)
      }
      assert.equal(bodies.size, 1)
    })

    test('without a credential nothing else is revealed', async () => {
      const [first] = await everything(service())
      for (const path of [
        `${listPath}?afterid=abc`,
        `${listPath}/resume/${first?.ID}`,
        `${listPath}/resume/abc`,
      ]) {
        assertUnauthorized(await call(service(), path))
      }
    })

    test('the scheme matches in any letter case', async () => {
      for (const scheme of ['SWS', 'sws', 'Sws']) {
        assert.equal((await list({ authorization: `${scheme} sws_demo_harbour` })).status, 200, scheme)
      }
    })

    test('spaces around the value are not part of it', async () => {
      for (const value of [
        'SWS sws_demo_harbour   ',
        '   SWS sws_demo_harbour\t',
        'SWS   sws_demo_harbour',
      ]) {
        const answer = await send(service(), plainRequest(service(), listPath, { Authorization: value }))
        assert.equal(answer.status, 200, JSON.stringify(value))
      }
    })

    test('a credential is read from the header only', async () => {
      for (const name of ['authorization', 'access_token', 'credential', 'SWS']) {
        assertUnauthorized(await call(service(), `${listPath}?${name}=sws_demo_harbour`))
      }
      assertUnauthorized(await list({ cookie: 'SWS=sws_demo_harbour' }))
      assertUnauthorized(await list({ 'x-authorization': harbour.authorization }))
    })

    test('an advertiser on hold is a 403 on every path of version 1, and no 401', async () => {
      for (const path of protectedPaths) {
        const answer = await call(service(), path, { headers: drydock })
        problem(service(), answer, 403, 'advertiser-on-hold')
        assert.equal(answer.headers.get('www-authenticate'), null)
      }
    })
  },
)
