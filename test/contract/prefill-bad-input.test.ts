import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { Browser, bearer, manyFailures, tom } from '../harness/oauth.ts'
import type { World } from '../oauth/world.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import {
  assertProblem,
  formUrl,
  grantedToken,
  harbourId,
  onHoldId,
  postJson,
  prefillPath,
  southernId,
} from './version2.ts'

const good = { advertiserId: String(harbourId), applicationFormUrl: formUrl }

const urlFaults: Record<string, string> = {
  'a relative path': '/apply/1',
  'a relative name': 'apply/1',
  'no scheme': 'ats.example.com/apply',
  'no scheme but slashes': '//ats.example.com/apply',
  'a script': 'javascript:alert(1)',
  'a script in disguise': 'JavaScript://ats.example.com/%0aalert(1)',
  'a script behind a blank': ' javascript:alert(1)',
  'a data URL': 'data:text/html,hello',
  'another protocol': 'ftp://ats.example.com/apply',
  'a file': 'file:///etc/passwd',
  'a scheme without slashes': 'https:ats.example.com',
  'a scheme with backslashes': 'https:\\\\ats.example.com',
  'a scheme with one slash': 'https:/ats.example.com',
  'no host': 'https:///apply',
  'a host that is none': 'https://a b/',
  'a port that is none': 'https://ats.example.com:99999/',
  'a leading blank': ` ${formUrl}`,
  'a trailing blank': `${formUrl} `,
  'a blank inside': 'https://ats.example.com/apply now',
  'a line break': `${formUrl}\n`,
  'a tab': 'https://ats.example.com/\tapply',
  'a word': 'true',
}

const notText: [what: string, value: unknown][] = [
  ['a number', 5],
  ['zero', 0],
  ['true', true],
  ['false', false],
  ['a list', ['x']],
  ['an empty list', []],
  ['an object', { x: 1 }],
  ['an empty object', {}],
]

const unwritable: [what: string, value: string][] = [
  ['NUL', 'a\u0000b'],
  ['a bell', '\u0007'],
  ['an escape', '\u001b[0m'],
  ['a lone high surrogate', '\ud800'],
  ['a lone low surrogate', 'x\udfffy'],
  ['a surrogate pair the wrong way round', '\udc00\ud800'],
  ['a non-character', '\uffff'],
]

const optional = ['positionTitle', 'positionUri', 'positionReference', 'countryCode', 'postalCode'] as const
const texts = ['applicationFormUrl', ...optional] as const
const longest = {
  applicationFormUrl: 2000,
  positionTitle: 200,
  positionUri: 2000,
  positionReference: 200,
  countryCode: 2,
  postalCode: 20,
}

inDemoWorldInTurn('an invalid prefill', { env: manyFailures }, (world, { door }) => {
  let token: string
  const post = (body: unknown, headers?: Record<string, string>) =>
    postJson(door, prefillPath, token, body, headers)
  const refused = async (body: unknown, fields: Record<string, string>, what = '') => {
    const answer = await post(body)
    assert.equal(answer.status, 422, `${what}: ${answer.text}`)
    assertProblem(door, answer, 422, 'invalid-fields', fields)
  }
  const accepted = async (body: unknown, what = '') => {
    const answer = await post(body)
    assert.equal(answer.status, 200, `${what}: ${answer.text}`)
    return answer
  }

  before(async () => {
    token = await grantedToken(door)
  })

  test('an empty body: both required fields are named', async () => {
    const missing = { advertiserId: 'required', applicationFormUrl: 'required' }
    await refused({}, missing)
    await refused({ somethingElse: 1 }, missing)
    await refused({ advertiserId: harbourId }, { applicationFormUrl: 'required' })
    await refused({ applicationFormUrl: formUrl }, { advertiserId: 'required' })
  })

  test('null and an empty text count as not sent', async () => {
    for (const nothing of [null, '']) {
      await refused({ ...good, advertiserId: nothing }, { advertiserId: 'required' })
      await refused({ ...good, applicationFormUrl: nothing }, { applicationFormUrl: 'required' })
      const { id } = (await accepted(good)).json()
      const empty = Object.fromEntries(optional.map(field => [field, nothing]))
      assert.equal((await accepted({ ...good, ...empty })).json().id, id)
    }
  })

  test('every wrong field is named at once', async () => {
    await refused(
      {
        advertiserId: 'abc',
        applicationFormUrl: '/apply',
        positionTitle: 1,
        positionUri: 'javascript:alert(1)',
        positionReference: 'x'.repeat(3000),
        countryCode: '12',
        postalCode: '\u0000',
      },
      {
        advertiserId: 'invalid',
        applicationFormUrl: 'invalid-url',
        positionTitle: 'wrong-type',
        positionUri: 'invalid-url',
        positionReference: 'too-long',
        countryCode: 'invalid',
        postalCode: 'unwritable-character',
      },
    )
  })

  for (const field of ['applicationFormUrl', 'positionUri'] as const) {
    test(`${field} must be an absolute http or https URL`, async () => {
      for (const [what, value] of Object.entries(urlFaults)) {
        await refused({ ...good, [field]: value }, { [field]: 'invalid-url' }, what)
      }
      for (const value of ['http://a', 'HTTPS://ATS.EXAMPLE.COM/Apply?a=b&c=%20#d', 'http://[::1]:8080/x']) {
        await accepted({ ...good, [field]: value }, value)
      }
      await accepted({ ...good, [field]: 'https://jobs.example.com/straße/東京?q=é' }, 'beyond ASCII')
    })
  }

  test('a value that is not a text', async () => {
    for (const field of texts) {
      for (const [what, value] of notText) {
        await refused({ ...good, [field]: value }, { [field]: 'wrong-type' }, `${field}: ${what}`)
      }
    }
  })

  test('characters that cannot be stored, however they are encoded', async () => {
    for (const field of texts) {
      // A country is too short for more than its two letters.
      if (field === 'countryCode') continue
      const prefix = field === 'applicationFormUrl' || field === 'positionUri' ? `${formUrl}?` : ''
      for (const [what, value] of unwritable) {
        const fields = { [field]: 'unwritable-character' }
        await refused({ ...good, [field]: prefix + value }, fields, `${field}: ${what}`)
      }
    }
    const escaped = `{"advertiserId":"${harbourId}","applicationFormUrl":"${formUrl}","positionTitle":"\\u0000"}`
    await refused(escaped, { positionTitle: 'unwritable-character' })
  })

  test('values that are too long, and the longest valid ones', async () => {
    for (const field of texts) {
      await refused({ ...good, [field]: 'x'.repeat(3000) }, { [field]: 'too-long' }, field)
      if (field === 'countryCode') continue
      const prefix = field === 'applicationFormUrl' || field === 'positionUri' ? `${formUrl}?` : ''
      const long = prefix.padEnd(longest[field], 'x')
      await accepted({ ...good, [field]: long }, field)
      await refused({ ...good, [field]: `${long}x` }, { [field]: 'too-long' }, field)
    }
  })

  test('a country is two letters', async () => {
    for (const value of ['A', 'A1', '12', 'A ', '--', 'Ä!', 'ÄÖ', '\u0000A', 'AUS', 'A\u0000B']) {
      const answer = await post({ ...good, countryCode: value })
      assert.equal(answer.status, 422, JSON.stringify(value))
      assert.deepEqual(
        answer.json().errors.map(({ field }: { field: string }) => field),
        ['countryCode'],
      )
    }
    for (const value of ['AU', 'nz', 'Gb']) await accepted({ ...good, countryCode: value }, value)
  })

  test('an advertiser ID is a string of digits or a number', async () => {
    const invalid = ['abc', '1.5', '-1', '+1', '0', '00', '1e7', ' 10000001', '10000001 ', '010000001']
    const notNumbers = [0, -1, 1.5, -10000001, 1e21, 10000001.5, 2 ** 53]
    for (const advertiserId of [
      ...invalid,
      '９',
      '٣',
      '9'.repeat(17),
      'x'.repeat(3000),
      '\u0000',
      ...notNumbers,
    ]) {
      await refused({ ...good, advertiserId }, { advertiserId: 'invalid' }, JSON.stringify(advertiserId))
    }
    for (const advertiserId of [true, false, [], [10000001], {}, { id: 1 }]) {
      await refused({ ...good, advertiserId }, { advertiserId: 'wrong-type' }, JSON.stringify(advertiserId))
    }
    const { id } = (await accepted(good)).json()
    assert.equal((await accepted({ ...good, advertiserId: harbourId })).json().id, id, 'the same as a text')
    const written = `{"advertiserId":1.0000001e7,"applicationFormUrl":"${formUrl}"}`
    assert.equal((await accepted(written)).json().id, id, 'however the number is written')
  })

  test('an unknown advertiser and one on hold get the same response', async () => {
    const bodies: unknown[] = []
    for (const advertiserId of ['99999999', String(onHoldId), Number.MAX_SAFE_INTEGER]) {
      const answer = await post({ ...good, advertiserId }, { 'x-request-id': 'same' })
      assertProblem(door, answer, 422, 'invalid-fields', { advertiserId: 'unknown' })
      bodies.push(answer.json())
    }
    for (const body of bodies) assert.deepEqual(body, bodies[0])
    await world().services.advertisers.setStatus(southernId, 'hold')
    await refused({ ...good, advertiserId: southernId }, { advertiserId: 'unknown' })
    await world().services.advertisers.setStatus(southernId, 'active')
    await world().services.agents.authorise(southernId, 20000001)
    await accepted({ ...good, advertiserId: southernId })
  })

  test('a body that is not JSON, or not an object', async () => {
    const broken = [
      '',
      ' ',
      '{',
      '{"advertiserId":',
      '{}}',
      "{'a':1}",
      '{"a":1,}',
      'advertiserId=1',
      '\u0000',
      '{"a":"\n"}',
      'NaN',
      '{"a":01}',
    ]
    for (const body of broken) assertProblem(door, await post(body), 400, 'bad-request')
    for (const body of ['[]', `[${JSON.stringify(good)}]`, 'null', 'true', '5', `"${formUrl}"`]) {
      const answer = await post(body)
      assertProblem(door, answer, 400, 'bad-request')
      assert.match(answer.json().detail, /object/)
    }
    assertProblem(door, await post('['.repeat(200_000)), 400, 'bad-request')
    const deep = `{"positionTitle":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    assert.equal((await post(deep)).status, 422)
  })

  test('a body that is not UTF-8', async () => {
    const headers = { ...bearer(token), 'content-type': 'application/json' }
    const payload = Buffer.from(JSON.stringify({ ...good, positionTitle: 'Café' }), 'latin1')
    const response = await world().app.inject({ method: 'POST', url: prefillPath, headers, payload })
    assert.equal(response.statusCode, 400)
    assert.equal(response.json().code, 'bad-request')
  })

  test('keys with a meaning in JavaScript are keys like any other', async () => {
    const { id } = (await accepted(good)).json()
    for (const key of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '']) {
      const body = `{"${key}":{"positionTitle":5,"advertiserId":"x"},${JSON.stringify(good).slice(1)}`
      assert.equal((await accepted(body, key)).json().id, id)
    }
    await refused(`{"__proto__":${JSON.stringify(good)}}`, {
      advertiserId: 'required',
      applicationFormUrl: 'required',
    })
  })

  test('of a repeated key the last counts, valid or not', async () => {
    const body = JSON.stringify(good)
    await accepted(`{"advertiserId":"abc",${body.slice(1)}`)
    await refused(`${body.slice(0, -1)},"advertiserId":"abc"}`, { advertiserId: 'invalid' })
  })

  test('unknown keys are ignored, and names keep their case', async () => {
    await accepted({ ...good, jobId: 7, PositionTitle: 5 })
    await refused({ AdvertiserId: '10000001', applicationFormUrl: formUrl }, { advertiserId: 'required' })
  })

  test('300 kB are too much; the limit itself is not', async () => {
    const bodyOf = (bytes: number) => {
      const start = JSON.stringify({ ...good, note: '' }).slice(0, -2)
      return `${start}${'x'.repeat(bytes - start.length - 2)}"}`
    }
    for (const bytes of [300_000, 262_145]) {
      assertProblem(door, await post(bodyOf(bytes)), 413, 'payload-too-large')
    }
    await accepted(bodyOf(262_144))
  })

  test('another content type, or none', async () => {
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
      'multipart/form-data; boundary=x',
      'text/json',
      'application/json5',
      'application/vnd.api+json',
      'json',
      '*/*',
      '',
    ]
    for (const type of types) {
      const answer = await post(good, { 'content-type': type })
      assertProblem(door, answer, 415, 'unsupported-media-type')
      assert.match(answer.json().detail, /application\/json/)
    }
    const without = await world().door.send('POST', prefillPath, { headers: bearer(token) })
    assertProblem(door, without, 415, 'unsupported-media-type')
    for (const type of [
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/json;charset=UTF-8',
    ]) {
      assert.equal((await post(good, { 'content-type': type })).status, 200, type)
    }
  })

  test('the caller is checked before the request', async () => {
    for (const body of [{}, '{', 'x'.repeat(300_000)]) {
      const answer = await postJson(door, prefillPath, 'dat_wrong', body)
      assertProblem(door, answer, 401, 'invalid-token')
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer realm="dossier", error="invalid_token"')
    }
    const answer = await postJson(door, prefillPath, null, good, { 'content-type': 'text/plain' })
    assertProblem(door, answer, 401, 'invalid-token')
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer realm="dossier"')
  })

  test('a problem in XML for callers who prefer it', async () => {
    const answer = await post({ advertiserId: '<&>' }, { accept: 'application/xml' })
    assert.equal(answer.status, 422)
    assert.equal(answer.headers.get('content-type'), 'application/problem+xml; charset=utf-8')
    assert.match(answer.text, /<field>applicationFormUrl<\/field><code>required<\/code>/)
  })

  test('another method gets a response that names the right one', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await world().door.send(method, prefillPath, { headers: bearer(token) })
      assert.equal(answer.status, 405, method)
      assert.equal(answer.headers.get('allow'), 'POST')
    }
  })

  test('a token bound to one advertiser cannot prefill for another', async () => {
    const bound = await grantedToken(door, {
      browser: new Browser(door),
      email: tom,
      advertiserId: harbourId,
    })
    const ask = (changes: object) => postJson(door, prefillPath, bound, { ...good, ...changes })
    assert.equal((await ask({})).status, 200)
    for (const advertiserId of [southernId, onHoldId, 99999999]) {
      assertProblem(door, await ask({ advertiserId }), 403, 'token-of-another-advertiser')
    }
    const wrong = await ask({ advertiserId: southernId, applicationFormUrl: 'x' })
    assertProblem(door, wrong, 422, 'invalid-fields', { applicationFormUrl: 'invalid-url' })
  })

  test('none of all that was recorded', async () => {
    const { services } = world() as World
    const rows = await services.database.reader
      .selectFrom('prefilled_applications')
      .select(['form_url', 'position_title', 'position_uri', 'advertiser_id'])
      .execute()
    assert.ok(rows.length > 0)
    for (const row of rows) {
      assert.match(row.form_url, /^https?:\/\//i)
      assert.match(row.position_uri ?? 'http://none', /^https?:\/\//i)
      assert.notEqual(row.advertiser_id, onHoldId)
    }
  })
})
