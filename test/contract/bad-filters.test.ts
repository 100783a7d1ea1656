import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, harbour } from '../harness/http.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import { parseXml } from '../harness/xml.ts'
import { listPath, problem } from './reading.ts'

const badIds = [
  '-1',
  'abc',
  '1'.repeat(20),
  '0'.repeat(20),
  '9'.repeat(40),
  '1.0',
  '1e3',
  '0x10',
  '+1',
  ' 1',
  '1 ',
  '1,2',
  '١٢',
  '１',
  '1\0',
  "1' OR '1'='1",
  'null',
]
const badDates = [
  '2026-02-30T00:00:00',
  '2025-02-29T00:00:00',
  '2026-11-31T00:00:00',
  '2026-00-10T00:00:00',
  '2026-13-01T00:00:00',
  '2026-11-00T00:00:00',
  '2026-11-14',
  '2026-11-14T10:00',
  '2026-11-14t10:00:00',
  '2026-11-14 10:00:00',
  '2026-11-14T10:00:00Z',
  '2026-11-14T10:00:00z',
  '2026-11-14T10:00:00.000',
  '2026-11-14T10:00:00+10:00',
  '2026-11-14T24:00:00',
  '2026-11-14T10:60:00',
  '2026-11-14T23:59:60',
  '2026-11-14T1:00:00',
  '26-11-14T10:00:00',
  '+002026-11-14T10:00:00',
  '-2026-11-14T10:00:00',
  ' 2026-11-14T10:00:00',
  '2026-11-14T10:00:00\n',
  '２０２６-11-14T10:00:00',
  'T10:00:00',
  '1794614400000',
  '/Date(1794614400000+1000)/',
  'yesterday',
]
const badValues: Record<string, string[]> = {
  afterid: badIds,
  beforeid: badIds,
  afterdate: badDates,
  beforedate: badDates,
  include: ['x', 'screen', 'primaryjobseekinginfo,x', 'primaryjobseekinginfo ', 'primary', 'true'],
  limit: ['0', '1001', 'abc', '-1', '1.5', '1e2', '+5', ' 5', '9'.repeat(40), '0x5', '٥'],
}
const goodValues: Record<string, string> = {
  afterid: '1',
  beforeid: '9',
  afterdate: '2026-10-01T00:00:00',
  beforedate: '2026-11-01T00:00:00',
  include: 'primaryjobseekinginfo',
  limit: '5',
}
/** The part of the detail that describes the expected form. */
const expectedForm: Record<string, RegExp> = {
  afterid: /digits/i,
  beforeid: /digits/i,
  afterdate: /YYYY-MM-DDTHH:MM:SS/,
  beforedate: /YYYY-MM-DDTHH:MM:SS/,
  include: /primaryjobseekinginfo/,
  limit: /1000/,
}

onOneEngineInTurn('invalid filters of the list', service => {
  for (const [name, values] of Object.entries(badValues)) {
    for (const value of values) {
      test(`${name}=${JSON.stringify(value)} is a 400 that names it and the expected form`, async () => {
        const query = `?${name}=${encodeURIComponent(value)}`
        const answer = await call(service(), listPath + query, { headers: harbour })
        const { detail } = problem(service(), answer, 400, 'invalid-parameter')
        assert.ok(detail.includes(name), detail)
        assert.match(detail, expectedForm[name] ?? /never/)
      })
    }
  }

  for (const [name, value] of Object.entries(goodValues)) {
    test(`${name} sent twice is a 400 that names it`, async () => {
      const encoded = encodeURIComponent(value)
      const queries = [
        `?${name}=${encoded}&${name}=${encoded}`,
        `?${name}=${encoded}&foo=1&${name.toUpperCase()}=${encoded}`,
        `?${name}=${encoded}&%${name.charCodeAt(0).toString(16)}${name.slice(1)}=${encoded}`,
      ]
      for (const query of queries) {
        const answer = await call(service(), listPath + query, { headers: harbour })
        const { detail } = problem(service(), answer, 400, 'repeated-parameter')
        assert.ok(detail.includes(name), detail)
      }
    })
  }

  test('a filter that cannot be decoded is a 400', async () => {
    for (const value of ['%zz', '%', '%c3%28', '1%']) {
      const answer = await call(service(), `${listPath}?afterid=${value}`, { headers: harbour })
      assert.equal(answer.status, 400, value)
    }
  })

  test('one invalid filter among valid ones is still a 400', async () => {
    const query = `?${new URLSearchParams({ ...goodValues, beforedate: 'soon' })}`
    const answer = await call(service(), listPath + query, { headers: harbour })
    assert.ok(problem(service(), answer, 400, 'invalid-parameter').detail.includes('beforedate'))
  })

  test('an invalid filter is reported in well-formed XML, whatever was sent', async () => {
    for (const value of ['<a>&"\']]>', '\u0001', '\uffff', '😀', '\0'.repeat(30)]) {
      const answer = await call(service(), `${listPath}?afterid=${encodeURIComponent(value)}`, {
        headers: { ...harbour, accept: 'application/xml' },
      })
      assert.equal(answer.status, 400)
      assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+xml(;|$)/)
      const code = parseXml(answer.text).children.find(child => child.name === 'code')
      assert.equal(code?.text, 'invalid-parameter')
    }
  })
})
