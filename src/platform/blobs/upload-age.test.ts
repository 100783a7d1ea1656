import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertNotSwept, cleanUpWindowSeconds } from './upload-age.ts'

const half = cleanUpWindowSeconds / 2
const ages = (...seconds: number[]) => seconds.map(age => ({ uploadedAt: 1_000_000 - age * 1000 }))

test('uploads may be referenced as long as the clean-up cannot have reached them, and no longer', () => {
  assertNotSwept([], 1_000_000)
  assertNotSwept(ages(0, half - 1, half), 1_000_000)
  assert.throws(() => assertNotSwept(ages(0, half + 1), 1_000_000), { code: 'unavailable' })
})
