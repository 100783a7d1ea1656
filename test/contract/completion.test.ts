import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { formsOf } from '../harness/html-form.ts'
import {
  Browser,
  bearer,
  manyFailures,
  requestToken,
  revokeEndpoint,
  type TestClient,
  tokenOf,
} from '../harness/oauth.ts'
import { registerClient } from '../oauth/registering.ts'
import { dayMs } from '../oauth/world.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import {
  assertProblem,
  complete,
  grantedToken,
  harbourId,
  ownToken,
  prefilled,
  unknownUuid,
  watched,
} from './version2.ts'

const date = '2026-11-14T00:00:00Z'

/** The clock of these tests is set to 2026-11-14T00:00:00Z. */
const goodDates: [sent: string, at: string][] = [
  [date, '2026-11-14T00:00:00.000Z'],
  ['2026-11-13T22:15:00.123Z', '2026-11-13T22:15:00.123Z'],
  ['2026-11-14T10:00:00+10:00', '2026-11-14T00:00:00.000Z'],
  ['2026-11-13T20:30:00-03:30', '2026-11-14T00:00:00.000Z'],
  ['2026-11-14T00:00Z', '2026-11-14T00:00:00.000Z'],
  ['2026-11-14t00:00:00z', '2026-11-14T00:00:00.000Z'],
  ['2026-11-14T00:00:00.1234567Z', '2026-11-14T00:00:00.123Z'],
  ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z'],
  ['2026-11-15T00:00:00Z', '2026-11-15T00:00:00.000Z'],
  ['2026-11-15T14:00:00+14:00', '2026-11-15T00:00:00.000Z'],
  ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
]

const badDates: [sent: unknown, code: string][] = [
  [undefined, 'required'],
  [null, 'required'],
  ['', 'required'],
  [1794614400000, 'wrong-type'],
  [0, 'wrong-type'],
  [true, 'wrong-type'],
  [[date], 'wrong-type'],
  [{ date }, 'wrong-type'],
  ['2026-11-14', 'invalid'],
  ['2026-11-14T00:00:00', 'invalid'],
  ['2026-11-14 00:00:00Z', 'invalid'],
  ['2026-11-14T00Z', 'invalid'],
  ['20261114T000000Z', 'invalid'],
  ['2026-11-14T00:00:00+10', 'invalid'],
  ['2026-11-14T00:00:00+1000', 'invalid'],
  ['2026-11-14T00:00:00+24:00', 'invalid'],
  ['2026-11-14T00:00:00+10:60', 'invalid'],
  ['2026-11-14T00:00:00 UTC', 'invalid'],
  ['2026-11-14T00:00:00Z[UTC]', 'invalid'],
  ['2026-02-31T00:00:00Z', 'invalid'],
  ['2026-02-29T00:00:00Z', 'invalid'],
  ['2026-04-31T12:00:00+10:00', 'invalid'],
  ['2026-13-01T00:00:00Z', 'invalid'],
  ['2026-00-01T00:00:00Z', 'invalid'],
  ['2026-11-00T00:00:00Z', 'invalid'],
  ['2026-11-14T24:00:00Z', 'invalid'],
  ['2026-11-14T00:60:00Z', 'invalid'],
  // A leap second: clocks that count milliseconds since the epoch have none.
  ['2016-12-31T23:59:60Z', 'invalid'],
  ['2026-11-14T00:00:00.Z', 'invalid'],
  ['2026-11-14T00:00:00,5Z', 'invalid'],
  ['+002026-11-14T00:00:00Z', 'invalid'],
  ['-2026-11-14T00:00:00Z', 'invalid'],
  ['0000-01-01T00:00:00Z', 'invalid'],
  ['1969-12-31T23:59:59Z', 'invalid'],
  [` ${date}`, 'invalid'],
  [`${date} `, 'invalid'],
  [`${date}\n`, 'invalid'],
  [`${date}\u0000`, 'invalid'],
  ['２０２６-11-14T00:00:00Z', 'invalid'],
  ['Sat, 14 Nov 2026 00:00:00 GMT', 'invalid'],
  ['/Date(1794614400000+1000)/', 'invalid'],
  ['now', 'invalid'],
  ['x'.repeat(3000), 'invalid'],
  ['2026-11-15T00:00:00.001Z', 'in-the-future'],
  ['2026-11-15T01:00:00Z', 'in-the-future'],
  ['2026-11-14T23:00:00-02:00', 'in-the-future'],
  ['9999-12-31T23:59:59Z', 'in-the-future'],
]

inDemoWorldInTurn('a completion', { env: manyFailures }, (world, { door }) => {
  const browser = new Browser(door)
  let own: string
  let granted: string
  let other: TestClient
  let serial = 0
  /** Each test has its own application. */
  const begun = async (token = granted) => {
    const applicationFormUrl = `https://ats.example.com/apply/${++serial}`
    return (await prefilled(door, token, { applicationFormUrl, positionTitle: `Job ${serial}` })).id
  }
  const completedAt = async (id: string) => {
    const row = await world()
      .services.database.reader.selectFrom('prefilled_applications')
      .select('completed_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return row.completed_at === null ? null : new Date(row.completed_at).toISOString()
  }

  before(async () => {
    granted = await grantedToken(door, { browser })
    own = await ownToken(door)
    other = await registerClient(world(), 'another-ats')
  })

  test('is a 204 without a body', async () => {
    const id = await begun()
    assert.equal(await completedAt(id), null)
    const answer = await complete(door, own, id, { completionDate: date })
    assert.equal(answer.status, 204)
    assert.equal(answer.bytes.length, 0)
    assert.equal(answer.headers.get('content-type'), null)
    assert.equal(await completedAt(id), '2026-11-14T00:00:00.000Z')
  })

  test('goes to the URL from the prefill', async () => {
    const { id, complete: address } = await prefilled(door, granted)
    assert.equal(address, `${door.origin}/v2/applications/${id}/complete`)
  })

  test('repeated is harmless: the first date stays', async () => {
    const id = await begun()
    for (const completionDate of [
      '2026-11-13T09:00:00Z',
      '2026-11-12T00:00:00Z',
      date,
      '2026-11-13T09:00:00Z',
    ]) {
      assert.equal((await complete(door, own, id, { completionDate })).status, 204)
      assert.equal(await completedAt(id), '2026-11-13T09:00:00.000Z')
    }
    const many = await Promise.all(
      Array.from({ length: 20 }, (_, day) =>
        complete(door, own, id, { completionDate: `2026-10-${10 + day}T00:00:00Z` }),
      ),
    )
    assert.deepEqual([...new Set(many.map(({ status }) => status))], [204])
    assert.equal(await completedAt(id), '2026-11-13T09:00:00.000Z')
  })

  test('is not undone by a later prefill', async () => {
    const applicationFormUrl = 'https://ats.example.com/apply/twice'
    const { id } = await prefilled(door, granted, { applicationFormUrl })
    await complete(door, own, id, { completionDate: date })
    assert.equal((await prefilled(door, granted, { applicationFormUrl })).id, id)
    assert.equal(await completedAt(id), '2026-11-14T00:00:00.000Z')
  })

  test('accepts every time with a zone, up to 24 hours ahead', async () => {
    for (const [completionDate, at] of goodDates) {
      const id = await begun()
      const answer = await complete(door, own, id, { completionDate })
      assert.equal(answer.status, 204, `${completionDate}: ${answer.text}`)
      assert.equal(await completedAt(id), at, completionDate)
    }
  })

  test('rejects every other time', async () => {
    const id = await begun()
    for (const [completionDate, code] of badDates) {
      const answer = await complete(door, own, id, { completionDate })
      assert.equal(answer.status, 422, `${JSON.stringify(completionDate)}: ${answer.status}`)
      assertProblem(door, answer, 422, 'invalid-fields', { completionDate: code })
    }
    assert.equal(await completedAt(id), null)
  })

  test('rejects an unreadable body', async () => {
    const id = await begun()
    for (const body of ['', '{', '[]', 'null', `"${date}"`, `[{"completionDate":"${date}"}]`]) {
      assertProblem(door, await complete(door, own, id, body), 400, 'bad-request')
    }
    const inProto = `{"__proto__":{"completionDate":"${date}"}}`
    assertProblem(door, await complete(door, own, id, inProto), 422, 'invalid-fields', {
      completionDate: 'required',
    })
    const large = { completionDate: date, note: 'x'.repeat(300_000) }
    assertProblem(door, await complete(door, own, id, large), 413, 'payload-too-large')
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', '']) {
      const answer = await complete(door, own, id, { completionDate: date }, { 'content-type': type })
      assertProblem(door, answer, 415, 'unsupported-media-type')
    }
    assert.equal(await completedAt(id), null)
    const last = `{"completionDate":"yesterday","completionDate":"${date}","more":1}`
    assert.equal((await complete(door, own, id, last)).status, 204, 'the last of a repeated key counts')
  })

  test('needs a token of the client itself: no other credential works', async () => {
    const id = await begun()
    const agent = tokenOf(
      await requestToken(door, {
        grant_type: 'client_credentials',
        scope: 'r_applications',
        advertiser_id: String(harbourId),
      }),
    )
    const headers = [
      bearer(granted),
      bearer(agent),
      bearer('sws_demo_harbour'),
      bearer(`${own}x`),
      bearer(''),
      { authorization: `SWS ${own}` },
      { authorization: own },
      { cookie: `dossier-session=${browser.session}` },
      {},
    ]
    for (const each of headers) {
      const answer = await complete(door, null, id, { completionDate: date }, each)
      assertProblem(door, answer, 401, 'invalid-token')
    }
    assert.equal(await completedAt(id), null)
  })

  test("another client's application is not found, like one that does not exist or cannot", async () => {
    const id = await begun()
    const theirs = await ownToken(door, other)
    const answers = [
      await complete(door, theirs, id, { completionDate: date }, { 'x-request-id': 'same' }),
      await complete(door, own, unknownUuid, { completionDate: date }, { 'x-request-id': 'same' }),
    ]
    for (const wrong of [
      id.toUpperCase(),
      `${id}x`,
      id.slice(1),
      'abc',
      '1',
      "'",
      '%00',
      `${id}%20`,
      '-'.repeat(36),
      'x'.repeat(3000),
    ]) {
      answers.push(await complete(door, own, wrong, { completionDate: date }, { 'x-request-id': 'same' }))
    }
    for (const answer of answers) {
      assertProblem(door, answer, 404, 'not-found')
      assert.deepEqual(answer.json(), answers[0]?.json())
    }
    assert.equal(await completedAt(id), null)

    const shared = await grantedToken(door, { browser, client: other })
    const theirId = await begun(shared)
    assert.equal((await complete(door, own, theirId, { completionDate: date })).status, 404)
    assert.equal((await complete(door, theirs, theirId, { completionDate: date })).status, 204)
  })

  test('another method gets a response that names the right one', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const answer = await watched(door).send(method, `/v2/applications/${unknownUuid}/complete`, {
        headers: bearer(own),
      })
      assert.equal(answer.status, 405)
      assert.equal(answer.headers.get('allow'), 'POST')
    }
  })

  test('shows to the candidate as submitted', async () => {
    const id = await begun()
    const item = async () => {
      const { text } = await browser.get('/account/applications')
      const found = text.split('<li').find(part => part.includes(`Job ${serial}<`)) ?? ''
      return found.replaceAll(/<\/?(bdi|strong)>/g, '')
    }
    assert.match(await item(), /at Harbour Coffee Roasters, on the website of Northwind ATS/)
    assert.match(await item(), /not submitted yet/)
    await complete(door, own, id, { completionDate: '2026-11-13T09:30:00Z' })
    assert.match(await item(), /submitted on <time datetime="2026-11-13T09:30:00.000Z"/)
  })

  test('works when the token of the candidate has expired, been revoked, or been withdrawn', async () => {
    const [revoked, withdrawn, expired] = [await begun(), await begun(), await begun()]
    await requestToken(door, { token: granted }, { path: revokeEndpoint })
    assert.equal((await complete(door, own, revoked, { completionDate: date })).status, 204)
    const page = await browser.get('/account/sharing')
    for (const form of formsOf(page.text).filter(({ action }) => action === '/account/sharing/withdraw')) {
      await browser.submit(form)
    }
    assert.equal((await complete(door, own, withdrawn, { completionDate: date })).status, 204)
    world().clock.advance(dayMs)
    assertProblem(door, await complete(door, own, expired, { completionDate: date }), 401, 'invalid-token')
    own = await ownToken(door)
    assert.equal((await complete(door, own, expired, { completionDate: date })).status, 204)
    assert.equal(await completedAt(expired), '2026-11-14T00:00:00.000Z')
  })

  test('a disabled client is refused at once, and others are not', async () => {
    const theirs = await ownToken(door, other)
    assert.equal((await complete(door, theirs, unknownUuid, { completionDate: date })).status, 404)
    await world().services.clients.disable(other.id)
    const answer = await complete(door, theirs, unknownUuid, { completionDate: date })
    assertProblem(door, answer, 401, 'invalid-token')
    const refused = await requestToken(door, { grant_type: 'client_credentials' }, { client: other })
    assert.equal(refused.status, 401)
    assert.equal((await complete(door, own, unknownUuid, { completionDate: date })).status, 404)
  })
})
