import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type DelayRule, delaySeconds, type Failures, waitMs, withAnother } from './sign-in-delay.ts'

const rule: DelayRule = { free: 5, maxSeconds: 900, forgottenAfterSeconds: 86_400 }

const rules = fc.record({
  free: fc.integer({ min: 1, max: 50 }),
  maxSeconds: fc.integer({ min: 1, max: 86_400 }),
  forgottenAfterSeconds: fc.integer({ min: 1, max: 1_000_000 }),
})
const times = fc.integer({ min: 0, max: 2 ** 45 })
const counts = fc.record({ failures: fc.integer({ min: 0, max: 2 ** 40 }), lastFailedAt: times })

test('five failures are free, then the delay doubles up to a quarter of an hour', () => {
  const waits = Array.from({ length: 20 }, (_, failures) => delaySeconds(failures, rule))
  const expected = [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900, 900, 900]
  assert.deepEqual(waits, expected)
})

test('no delay is longer than the rule says, even if the clock jumped', () => {
  fc.assert(
    fc.property(counts, times, rules, (found, now, any) => {
      const wait = waitMs(found, now, any)
      assert.ok(wait >= 0 && wait <= any.maxSeconds * 1000)
    }),
  )
})

test('an attempt is allowed exactly when the delay ends', () => {
  fc.assert(
    fc.property(counts, rules, (found, any) => {
      const wait = waitMs(found, found.lastFailedAt, any)
      assert.equal(waitMs(found, found.lastFailedAt + wait, any), 0)
      fc.pre(wait > 0 && wait <= any.forgottenAfterSeconds * 1000)
      assert.equal(waitMs(found, found.lastFailedAt + wait - 1, any), 1)
    }),
  )
})

test('more failures never shorten the delay', () => {
  fc.assert(
    fc.property(counts, rules, (found, any) => {
      const more = { ...found, failures: found.failures + 1 }
      assert.ok(waitMs(more, found.lastFailedAt, any) >= waitMs(found, found.lastFailedAt, any))
    }),
  )
})

test('counting adds one, or starts at one after the failures were reset', () => {
  fc.assert(
    fc.property(fc.option(counts, { nil: undefined }), times, rules, (found, now, any) => {
      const isForgotten = found === undefined || now - found.lastFailedAt > any.forgottenAfterSeconds * 1000
      const expected: Failures = { failures: isForgotten ? 1 : found.failures + 1, lastFailedAt: now }
      assert.deepEqual(withAnother(found, now, any), expected)
    }),
  )
})

test('continuous guessing allows about a hundred attempts a day', () => {
  let now = 0
  let found: Failures | undefined
  let attempts = 0
  while (now < 86_400_000) {
    now += waitMs(found, now, rule)
    found = withAnother(found, now, rule)
    attempts++
  }
  assert.ok(attempts < 120, `${attempts} in a day`)
})
