import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeded } from '../../../../test/harness/random.ts'
import { isoTimeOf, parseIsoTime } from './iso-time.ts'

const random = seeded()

test('real times with a zone are parsed', () => {
  for (const text of ['2026-11-14T10:00:00+10:00', '2026-11-14T00:00Z', '2026-11-14t00:00:00.000000z']) {
    assert.equal(parseIsoTime(text), Date.parse('2026-11-14T00:00:00Z'), text)
  }
  assert.equal(parseIsoTime('2024-02-29T23:59:59.999-23:59'), Date.parse('2024-03-01T23:58:59.999Z'))
})

test('anything else is rejected', () => {
  const others = [
    '',
    'today',
    '2026-11-14',
    '2026-11-14T10:00:00',
    '2026-02-29T10:00:00Z',
    '2026-11-31T10:00:00Z',
  ]
  const out = [
    '2026-11-14T24:00:00Z',
    '2026-11-14T10:60:00Z',
    '1969-12-31T23:59:59Z',
    '+02026-11-14T10:00:00Z',
  ]
  for (const text of [...others, ...out, '2026-11-14T10:00:00+24:00', ' 2026-11-14T10:00:00Z']) {
    assert.equal(parseIsoTime(text), undefined, text)
  }
})

test('times are written as Date does', () => {
  const ends = [0, 999, 59_999, 86_399_999, 86_400_000, Date.UTC(9999, 11, 31, 23, 59, 59, 999)]
  const drawn = Array.from({ length: 1000 }, () => Math.floor(random() * 4e12))
  for (const at of [...ends, ...ends.map(end => -1 - end), 8.64e15, -8.64e15, ...drawn])
    assert.equal(isoTimeOf(at), new Date(at).toISOString())
})
