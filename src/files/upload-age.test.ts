import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertNotSwept } from './upload-age.ts'

const limits = { cleanUpWindowSeconds: 100 }
const ages = (...seconds: number[]) => seconds.map(age => ({ uploadedAt: 1_000_000 - age * 1000 }))

test('uploads may be referenced as long as the clean-up cannot have reached them, and no longer', () => {
  assertNotSwept([], 1_000_000, limits)
  assertNotSwept(ages(0, 49, 50), 1_000_000, limits)
  assert.throws(() => assertNotSwept(ages(0, 51), 1_000_000, limits), { code: 'unavailable' })
})
