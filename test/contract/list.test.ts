import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, drydock, harbour, southern } from '../harness/http.ts'
import { onBothEngines } from '../harness/service.ts'
import { parseXml } from '../harness/xml.ts'
import {
  type Application,
  asXml,
  everything,
  ids,
  listing,
  listPath,
  milliseconds,
  problem,
  read,
  tree,
} from './reading.ts'

const optional = new Set(['JobReference', 'PrimaryJobSeekingInfo'])
const applicationKeys = [
  'ID',
  'DateSubmitted',
  'Email',
  'FirstName',
  'LastName',
  'Phone',
  'JobSeekerID',
  'JobReference',
  'Attachments',
  'PrimaryJobSeekingInfo',
]
const infoKeys = ['JobTitle', 'CompanyName', 'TimeInRole', 'IsNewToWorkForce']

function assertApplication(application: Application): void {
  const expected = applicationKeys.filter(key => !optional.has(key) || key in application)
  assert.deepEqual(Object.keys(application), expected)
  assert.ok(Number.isSafeInteger(application.ID) && application.ID > 0)
  assert.ok(Number.isSafeInteger(milliseconds(application.DateSubmitted)))
  for (const key of ['Email', 'FirstName', 'LastName', 'JobSeekerID'] as const) {
    assert.equal(typeof application[key], 'string')
    assert.notEqual(application[key], '')
  }
  assert.equal(typeof application.Phone, 'string')
  if ('JobReference' in application) assert.match(String(application.JobReference), /\S/)
}

onBothEngines('the list', service => {
  test('is one object JobApplications with the keys of the spec in its order', async () => {
    const answer = await call(service(), listPath, { headers: harbour })
    assert.deepEqual(Object.keys(answer.json()), ['JobApplications'])
    assert.deepEqual(Object.keys(listing(answer)), [
      'AdvertiserID',
      'AfterDate',
      'AfterID',
      'BeforeDate',
      'BeforeID',
      'AgentID',
      'JobApplicationsList',
    ])
  })

  test('echoes null for omitted filters, and AgentID is null for an issued credential', async () => {
    const { JobApplicationsList: applications, ...rest } = await read(service())
    assert.ok(applications.length > 0)
    assert.deepEqual(rest, {
      AdvertiserID: 10000001,
      AfterDate: null,
      AfterID: null,
      BeforeDate: null,
      BeforeID: null,
      AgentID: null,
    })
  })

  test("belongs to the credential's advertiser", async () => {
    const [ours, theirs] = [await read(service()), await read(service(), '', southern)]
    assert.equal(ours.AdvertiserID, 10000001)
    assert.equal(theirs.AdvertiserID, 10000002)
    const own = new Set(ids(ours.JobApplicationsList))
    assert.deepEqual(
      ids(theirs.JobApplicationsList).filter(id => own.has(id)),
      [],
    )
  })

  test('is refused to an advertiser on hold', async () => {
    problem(service(), await call(service(), listPath, { headers: drydock }), 403, 'advertiser-on-hold')
  })

  test('is in ascending order of ID, and DateSubmitted never decreases', async () => {
    for (const advertiser of [harbour, southern]) {
      const applications = await everything(service(), advertiser)
      for (const [index, application] of applications.entries()) {
        const before = applications[index - 1]
        if (before === undefined) continue
        assert.ok(application.ID > before.ID)
        assert.ok(milliseconds(application.DateSubmitted) >= milliseconds(before.DateSubmitted))
      }
    }
  })

  test('has applications with the keys of the spec in its order', async () => {
    for (const advertiser of [harbour, southern]) {
      for (const application of await everything(service(), advertiser)) assertApplication(application)
    }
  })

  test('has attachments with the keys of the spec in its order', async () => {
    for (const application of await everything(service())) {
      for (const attachment of application.Attachments) {
        assert.deepEqual(Object.keys(attachment), [
          'DateUploaded',
          'HasVirus',
          'Hash',
          'Href',
          'Size',
          'Type',
        ])
        assert.ok(Number.isSafeInteger(milliseconds(attachment.DateUploaded)))
        assert.ok([true, false, null].includes(attachment.HasVirus))
        assert.match(attachment.Hash, /^[0-9a-f]{64}$/)
        assert.ok(Number.isSafeInteger(attachment.Size) && attachment.Size >= 0)
        assert.match(attachment.Type, /^(resume|coverLetter|selectionCriteria|screen)$/)
        assert.equal(
          attachment.Href,
          `advertiser/applications/${attachment.Type.toLowerCase()}/${application.ID}`,
        )
      }
      const types = application.Attachments.map(attachment => attachment.Type)
      assert.equal(new Set(types).size, types.length, 'each type at most once')
    }
  })

  test('lists a screen with the date of the application and no virus', async () => {
    for (const application of await everything(service())) {
      for (const screen of application.Attachments.filter(({ Type }) => Type === 'screen')) {
        assert.equal(screen.DateUploaded, application.DateSubmitted)
        assert.equal(screen.HasVirus, false)
        assert.ok(screen.Size > 0)
      }
    }
  })

  test('carries PrimaryJobSeekingInfo only on request, and only with the given fields', async () => {
    const plain = (await read(service())).JobApplicationsList
    assert.ok(plain.every(application => !('PrimaryJobSeekingInfo' in application)))
    const full = await everything(service())
    for (const { PrimaryJobSeekingInfo: info } of full) {
      if (info === undefined) continue
      const present = infoKeys.filter(key => key === 'IsNewToWorkForce' || key in info)
      assert.deepEqual(Object.keys(info), present)
      assert.equal(typeof info['IsNewToWorkForce'], 'boolean')
      if ('JobTitle' in info) assert.equal(typeof info['JobTitle'], 'string')
      if ('CompanyName' in info) assert.equal(typeof info['CompanyName'], 'string')
      if ('TimeInRole' in info) assert.ok(Number.isSafeInteger(info['TimeInRole']))
    }
    const without = full.map(({ PrimaryJobSeekingInfo: _, ...application }) => application)
    assert.deepEqual(without, plain, 'include adds and changes nothing else')
  })

  test('may be cached by the caller only', async () => {
    const answer = await call(service(), listPath, { headers: harbour })
    assert.match(answer.headers.get('cache-control') ?? '', /\b(private|no-store)\b/)
  })

  test('has no Link without a limit', async () => {
    const answer = await call(service(), listPath, { headers: harbour })
    assert.equal(answer.headers.get('link'), null)
  })

  const queries = [
    '?include=primaryjobseekinginfo',
    '?afterid=1&beforeid=00000000000000009&afterdate=2026-10-05T08:00:00&beforedate=2026-11-10T23:59:59',
    '?afterid=9999999999999999999',
  ]
  for (const query of queries) {
    test(`is the same tree in XML, in the same order: ${query}`, async () => {
      for (const advertiser of [harbour, southern]) {
        const json = await call(service(), listPath + query, { headers: advertiser })
        const xml = await call(service(), listPath + query, {
          headers: { ...advertiser, accept: 'application/xml' },
        })
        assert.equal(xml.status, 200)
        assert.equal(xml.headers.get('content-type'), 'application/xml; charset=utf-8')
        assert.deepEqual(tree(xml.text), asXml('JobApplications', listing(json)))
      }
    })
  }

  test('declares the xsi prefix on the root of the XML', async () => {
    const answer = await call(service(), listPath, { headers: { ...harbour, accept: 'application/xml' } })
    assert.equal(parseXml(answer.text).attributes['xmlns:xsi'], 'http://www.w3.org/2001/XMLSchema-instance')
  })

  test('answers HEAD with the headers of GET and no body', async () => {
    for (const query of ['', '?limit=1']) {
      for (const accept of ['application/json', 'application/xml']) {
        const headers = { ...harbour, accept }
        const get = await call(service(), listPath + query, { headers })
        const head = await call(service(), listPath + query, { method: 'HEAD', headers })
        assert.equal(head.status, 200)
        assert.equal(head.bytes.length, 0)
        for (const name of ['content-type', 'cache-control', 'link']) {
          assert.equal(head.headers.get(name), get.headers.get(name), name)
        }
      }
    }
  })

  test('HEAD of a wrong filter is a 400 without a body', async () => {
    const head = await call(service(), `${listPath}?afterid=abc`, { method: 'HEAD', headers: harbour })
    assert.equal(head.status, 400)
    assert.equal(head.bytes.length, 0)
  })

  test('can be read whole four times at once with one credential', async () => {
    const expected = ids(await everything(service()))
    const lists = await Promise.all([1, 2, 3, 4].map(() => read(service())))
    for (const list of lists) assert.deepEqual(ids(list.JobApplicationsList), expected)
  })

  test('read with a limit does not count as a whole list', async () => {
    const pages = await Promise.all(Array.from({ length: 12 }, () => read(service(), '?limit=2')))
    for (const page of pages) assert.equal(page.JobApplicationsList.length, 2)
  })
})
