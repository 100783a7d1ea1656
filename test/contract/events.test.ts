import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, harbour, southern } from '../harness/http.ts'
import { mary } from '../harness/oauth.ts'
import { onOneEngine } from '../harness/service.ts'
import { parseXml } from '../harness/xml.ts'
import { apply, roasterAd, signedIn } from './apply-form.ts'

const path = '/v1/advertiser/events'

onOneEngine('the feed', service => {
  const get = (search: string, headers: Record<string, string> = harbour) =>
    call(service(), `${path}${search}`, { headers })
  const now = async () => (await get('')).json().cursor as string
  const applyOnce = async () =>
    apply(service(), await signedIn(service(), mary), roasterAd, { fields: { resume: 'none' } })

  test('begins with an empty list and the cursor of this moment', async () => {
    const answer = await get('')
    assert.equal(answer.status, 200)
    assert.deepEqual(Object.keys(answer.json()), ['events', 'cursor', 'more'])
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const again = await get(`?cursor=${answer.json().cursor}`)
    assert.deepEqual(again.json(), { events: [], cursor: answer.json().cursor, more: false })
  })

  test('tells of an application, with the application if asked, in JSON and XML', async () => {
    const cursor = await now()
    const id = await applyOnce()
    const { events } = (await get(`?cursor=${cursor}&include=application`)).json()
    assert.equal(events.length, 1)
    const path = `/v1/advertiser/applications/${id}?include=primaryjobseekinginfo`
    const one = await call(service(), path, { headers: harbour })
    assert.deepEqual(events[0].application, one.json())
    assert.equal(events[0].data.applicationId, id)
    const xml = parseXml(
      (await get(`?cursor=${cursor}&include=application`, { ...harbour, accept: 'application/xml' })).text,
    )
    assert.equal(xml.name, 'feed')
    assert.match(JSON.stringify(xml), /evt_10000001_\d+.*JobApplication/)
  })

  test('answers a request that waits as soon as there is an event', async () => {
    const cursor = await now()
    const waiting = get(`?cursor=${cursor}&wait=50&types=application.created`)
    const id = await applyOnce()
    const { events } = (await waiting).json()
    assert.deepEqual(
      events.map((event: { data: { applicationId: number } }) => event.data.applicationId),
      [id],
    )
  })

  test('refuses cursors of others, and parameters that it does not know', async () => {
    const cursor = await now()
    for (const [search, code, headers] of [
      [`?cursor=${cursor}`, 'bad-cursor', southern],
      ['?cursor=AAAA', 'bad-cursor', harbour],
      // Values keep their case, unlike the names of parameters.
      ['?cursor=NOW', 'bad-cursor', harbour],
      ['?Cursor=Start', 'bad-cursor', harbour],
      ['?limit=0', 'invalid-parameter', harbour],
      ['?limit=1001', 'invalid-parameter', harbour],
      ['?wait=51', 'invalid-parameter', harbour],
      ['?wait=-1', 'invalid-parameter', harbour],
      ['?types=application.created,application.seen', 'invalid-parameter', harbour],
      ['?include=resume', 'invalid-parameter', harbour],
      ['?wait=1&WAIT=2', 'repeated-parameter', harbour],
    ] as const) {
      const answer = await get(search, headers)
      assert.equal(answer.status, 400, search)
      assert.equal(answer.json().code, code, search)
    }
    assert.equal((await get('', { authorization: 'SWS nothing' })).status, 401)
  })

  test('takes every type that it has, also the one that always comes', async () => {
    const cursor = await now()
    const id = await applyOnce()
    const told = async (types: string) => {
      const answer = await get(`?cursor=${cursor}&types=${encodeURIComponent(types)}`)
      assert.equal(answer.status, 200, types)
      return answer
        .json()
        .events.map((event: { data: { applicationId: number } }) => event.data.applicationId)
    }
    assert.deepEqual(await told('application.created, stream.restored'), [id])
    assert.deepEqual(await told('stream.restored'), [])
  })

  test('lets a credential wait eight times at once', async () => {
    const cursor = await now()
    const asked = Array.from({ length: 9 }, () =>
      get(`?cursor=${cursor}&wait=50&types=agent.withdrawn,application.created`),
    )
    const refused = await Promise.race(asked)
    assert.equal(refused.json().code, 'too-many-waiting')
    assert.equal(refused.headers.get('retry-after'), '1')
    await applyOnce()
    const answers = await Promise.all(asked)
    for (const answer of answers.filter(each => each !== refused))
      assert.equal(answer.json().events.length, 1)
  })

  test('one application is read by its ID, as the list shows it', async () => {
    const id = await applyOnce()
    const one = `/v1/advertiser/applications/${id}`
    const answer = await call(service(), one, { headers: harbour })
    const list = await call(service(), `/v1/advertiser/applications?afterid=${id - 1}`, { headers: harbour })
    assert.deepEqual([answer.json()], list.json().JobApplications.JobApplicationsList)
    const etag = String(answer.headers.get('etag'))
    assert.equal((await call(service(), one, { headers: { ...harbour, 'if-none-match': etag } })).status, 304)
    const xml = await call(service(), one, { headers: { ...harbour, accept: 'text/xml' } })
    assert.equal(parseXml(xml.text).name, 'JobApplication')
    for (const other of ['999999', 'x', '0', '01', 'r%C3%A9sum%C3%A9', '-1']) {
      const nothing = await call(service(), `/v1/advertiser/applications/${other}`, { headers: harbour })
      assert.deepEqual([nothing.status, nothing.json().code], [404, 'not-found'], other)
    }
    assert.equal((await call(service(), '/v1/advertiser/applications/x')).status, 401)
    assert.equal((await call(service(), one, { headers: southern })).status, 404)
  })

  test('one application has its primary job-seeking info by the rule of the list', async () => {
    const one = (search: string, headers: Record<string, string> = {}) =>
      call(service(), `/v1/advertiser/applications/1${search}`, { headers: { ...harbour, ...headers } })
    const plain = await one('')
    for (const search of ['?include=', '?afterid=x&limit=0', '?other=1&other=2'])
      assert.deepEqual((await one(search)).json(), plain.json(), search)
    assert.ok(!('PrimaryJobSeekingInfo' in plain.json()))
    const list = '/v1/advertiser/applications?beforeid=2&include=primaryjobseekinginfo'
    const [expected] = (await call(service(), list, { headers: harbour })).json().JobApplications
      .JobApplicationsList
    assert.ok('PrimaryJobSeekingInfo' in expected)
    for (const search of ['?include=primaryjobseekinginfo', '?INCLUDE=PrimaryJobSeekingInfo'])
      assert.deepEqual((await one(search)).json(), expected, search)
    const xml = { accept: 'application/xml' }
    assert.ok(!(await one('', xml)).text.includes('<PrimaryJobSeekingInfo>'))
    assert.ok((await one('?include=primaryjobseekinginfo', xml)).text.includes('<PrimaryJobSeekingInfo>'))
    for (const [search, code] of [
      ['?include=application', 'invalid-parameter'],
      ['?include=primaryjobseekinginfo&Include=primaryjobseekinginfo', 'repeated-parameter'],
    ] as const) {
      const refused = await one(search)
      assert.deepEqual([refused.status, refused.json().code], [400, code], search)
    }
    const etag = String(plain.headers.get('etag'))
    assert.equal((await one('', { 'if-none-match': etag })).status, 304)
    assert.equal((await one('?include=primaryjobseekinginfo', { 'if-none-match': etag })).status, 200)
  })
})
