import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countryInWords, monthInWords, periodInWords, salaryInWords } from './profile-words.ts'

test('codes are shown in words, and unknown codes as they are', () => {
  assert.equal(countryInWords('AU'), 'Australia')
  assert.equal(countryInWords('XX'), 'XX')
  assert.equal(periodInWords('2025-03', null), 'March 2025 to now')
  assert.equal(periodInWords('2019-12', '2025-01'), 'December 2019 to January 2025')
  assert.equal(monthInWords('long ago'), 'long ago')
  assert.equal(salaryInWords(80000, 'Annual'), 'at least 80,000 a year')
  assert.equal(salaryInWords(32.5, 'Hourly'), 'at least 32.5 an hour')
  assert.equal(salaryInWords(900, 'Weekly'), 'at least 900 (Weekly)')
  assert.equal(salaryInWords(900, null), 'at least 900')
  assert.equal(salaryInWords(0, 'Annual'), 'no minimum salary given')
})
