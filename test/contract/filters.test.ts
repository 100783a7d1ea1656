import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, harbour } from '../harness/http.ts'
import { onBothEngines, type Service } from '../harness/service.ts'
import {
  type Application,
  everything,
  filterDate,
  ids,
  listPath,
  milliseconds,
  read,
  tree,
} from './reading.ts'

/** What each filter means, on a plain array. */
const meaning: Record<string, (application: Application, bound: number) => boolean> = {
  afterid: ({ ID }, bound) => ID > bound,
  beforeid: ({ ID }, bound) => ID < bound,
  afterdate: ({ DateSubmitted }, bound) => milliseconds(DateSubmitted) > bound,
  beforedate: ({ DateSubmitted }, bound) => milliseconds(DateSubmitted) < bound,
}

const aestTime = (text: string): number => Date.parse(`${text}+10:00`)
const jsonDate = (text: string): string => `/Date(${aestTime(text)}+1000)/`

async function assertFilters(service: Service, filters: Record<string, string>): Promise<number[]> {
  const expected = (await everything(service)).filter(application =>
    Object.entries(filters).every(([name, value]) =>
      meaning[name]?.(application, name.endsWith('date') ? aestTime(value) : Number(value)),
    ),
  )
  const result = await read(service, `?${new URLSearchParams(filters)}`)
  assert.deepEqual(ids(result.JobApplicationsList), ids(expected), JSON.stringify(filters))
  return ids(expected)
}

onBothEngines('filters of the list', service => {
  test('afterid and beforeid are exclusive, alone and together', async () => {
    const all = ids(await everything(service()))
    for (const id of all) {
      await assertFilters(service(), { afterid: `${id}` })
      await assertFilters(service(), { beforeid: `${id}` })
      await assertFilters(service(), { afterid: `${id - 1}`, beforeid: `${id + 1}` })
    }
    const between = await assertFilters(service(), { afterid: `${all[0]}`, beforeid: `${all.at(-1)}` })
    assert.deepEqual(between, all.slice(1, -1))
  })

  test('afterdate and beforedate are exclusive and read as UTC+10:00', async () => {
    const times = (await everything(service())).map(({ DateSubmitted }) => milliseconds(DateSubmitted))
    assert.ok(
      times.some(time => time % 1000 === 0),
      'a date on the second, to stand on the bound',
    )
    for (const time of times) {
      for (const bound of [time - 1000, time, time + 1000].map(filterDate)) {
        await assertFilters(service(), { afterdate: bound })
        await assertFilters(service(), { beforedate: bound })
      }
      const around = { afterdate: filterDate(time - 1000), beforedate: filterDate(time + 1000) }
      assert.ok((await assertFilters(service(), around)).length > 0)
    }
  })

  test('all four combine with AND', async () => {
    const all = await everything(service())
    const [second, third] = [all[1], all[2]]
    assert.ok(second && third)
    const found = await assertFilters(service(), {
      afterid: `${all[0]?.ID}`,
      beforeid: `${all.at(-1)?.ID}`,
      afterdate: filterDate(milliseconds(second.DateSubmitted) - 1000),
      beforedate: filterDate(milliseconds(third.DateSubmitted)),
    })
    assert.ok(found.includes(second.ID) && !found.includes(third.ID))
  })

  test('nothing matches, or the bounds cross: 200 with an empty list', async () => {
    const queries = [
      'beforeid=1',
      'afterid=9999999999999999999',
      'afterid=5&beforeid=5',
      'afterid=6&beforeid=2',
      'afterdate=2026-12-31T00:00:00',
      'beforedate=2026-01-01T00:00:00',
      'afterdate=2026-11-01T00:00:00&beforedate=2026-10-01T00:00:00',
    ]
    for (const query of queries) {
      assert.deepEqual((await read(service(), `?${query}`)).JobApplicationsList, [], query)
    }
  })

  test('IDs are compared as numbers; beyond the largest they count as infinite', async () => {
    const all = ids(await everything(service()))
    const beyond = [
      '9007199254740991',
      '9007199254740992',
      '9007199254740993',
      '9223372036854775807',
      '9223372036854775808',
      '9999999999999999999',
      `1${'0'.repeat(18)}`,
    ]
    for (const bound of beyond) {
      assert.deepEqual((await read(service(), `?afterid=${bound}`)).JobApplicationsList, [], bound)
      assert.deepEqual(ids((await read(service(), `?beforeid=${bound}`)).JobApplicationsList), all, bound)
    }
    const padded = `${all[2]}`.padStart(19, '0')
    assert.deepEqual(ids((await read(service(), `?afterid=${padded}`)).JobApplicationsList), all.slice(3))
    assert.deepEqual(ids((await read(service(), '?afterid=0')).JobApplicationsList), all)
  })

  test('IDs are echoed as the text that was sent, dates as dates', async () => {
    const sent = { afterid: '0000000000000000001', beforeid: '9999999999999999999' }
    const dates = { afterdate: '2026-10-04T02:30:00', beforedate: '2026-11-14T10:00:00' }
    const result = await read(service(), `?${new URLSearchParams({ ...sent, ...dates })}`)
    assert.equal(result.AfterID, sent.afterid)
    assert.equal(result.BeforeID, sent.beforeid)
    assert.equal(result.AfterDate, '/Date(1791045000000+1000)/')
    assert.equal(result.BeforeDate, '/Date(1794614400000+1000)/')
    const xml = await call(service(), `${listPath}?${new URLSearchParams({ ...sent, ...dates })}`, {
      headers: { ...harbour, accept: 'application/xml' },
    })
    const echoed = tree(xml.text).children.slice(1, 5)
    assert.deepEqual(
      echoed.map(({ name, text }) => `${name} ${text}`),
      [
        'AfterDate 2026-10-04T02:30:00.000+10:00',
        'AfterID 0000000000000000001',
        'BeforeDate 2026-11-14T10:00:00.000+10:00',
        'BeforeID 9999999999999999999',
      ],
    )
  })

  const edges = ['0001-01-01T00:00:00', '1969-12-31T23:59:59', '2024-02-29T23:59:59', '9999-12-31T23:59:59']
  for (const date of edges) {
    test(`${date} is a real time`, async () => {
      assert.equal((await read(service(), `?afterdate=${date}`)).AfterDate, jsonDate(date))
      await assertFilters(service(), { afterdate: date })
      await assertFilters(service(), { beforedate: date })
    })
  }

  test('parameter names match in any letter case', async () => {
    const all = ids(await everything(service()))
    const result = await read(service(), `?AfterID=${all[0]}&BEFOREDATE=9999-01-01T00:00:00&Limit=2`)
    assert.deepEqual(ids(result.JobApplicationsList), all.slice(1, 3))
    assert.equal(result.AfterID, `${all[0]}`)
    assert.equal(result.BeforeDate, jsonDate('9999-01-01T00:00:00'))
    const encoded = await read(service(), `?%61fter%49d=${all[0]}`)
    assert.deepEqual(ids(encoded.JobApplicationsList), all.slice(1))
  })

  test('an empty value counts as not sent', async () => {
    const query = '?afterid=&beforeid=&afterdate=&beforedate=&include=&limit'
    assert.deepEqual(await read(service(), query), await read(service()))
  })

  test('unknown parameters are ignored, repeated or not', async () => {
    const queries = [
      '?foo=1&foo=2&page=abc',
      '?__proto__=1&constructor=2&toString=3&hasOwnProperty=x',
      '?afterid[]=abc&after_id=abc&=x&&',
      `?x=${'y'.repeat(4000)}`,
    ]
    for (const query of queries) assert.deepEqual(await read(service(), query), await read(service()), query)
  })

  test('include matches in any letter case', async () => {
    const full = await everything(service())
    assert.ok(full.some(application => application.PrimaryJobSeekingInfo))
    for (const value of ['PrimaryJobSeekingInfo', 'PRIMARYJOBSEEKINGINFO']) {
      assert.deepEqual((await read(service(), `?include=${value}`)).JobApplicationsList, full)
    }
  })
})
