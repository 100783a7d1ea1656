import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  boardLocale,
  dateText,
  dayText,
  numberText,
  readLocale,
  setBoardLocale,
  usualLocale,
} from './locale.ts'

const at = Date.parse('2026-11-14T09:05:00Z')
const texts = () => [
  dayText('2026-11-14'),
  dayText(at, 'medium'),
  dateText(at, { timeStyle: 'short', timeZone: 'Europe/Berlin' }),
  numberText(1_234_567),
]
after(() => setBoardLocale(usualLocale))

test('dates and numbers follow the locale, also after it has changed', () => {
  assert.deepEqual(texts(), ['14 November 2026', '14 Nov 2026', '10:05 am', '1,234,567'])
  setBoardLocale('de-DE')
  assert.equal(boardLocale(), 'de-DE')
  assert.deepEqual(texts(), ['14. November 2026', '14.11.2026', '10:05', '1.234.567'])
  setBoardLocale('en-AU-u-hc-h23')
  assert.equal(texts()[2], '10:05')
})

test('a locale is a tag that Node has data for', () => {
  assert.equal(readLocale('FR-ca'), 'fr-CA')
  for (const bad of ['', 'xx', 'de_DE', 'en,de', 'und', 'en-"><script>'])
    assert.equal(readLocale(bad), undefined)
})
