import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTyped } from './held-form.ts'

test('what a page sends along is not shown as typed', () => {
  const key = '0b7f0a0e-6c5e-4d43-9d4a-0f5a1c1f2e3d'
  for (const field of [
    ['form_key', key],
    ['kept_months', '6'],
    ['privacy_notice', '2'],
    ['ad', '3f9c0b7f0a0e6c5e'],
    ['keep_until', '2027-02-28'],
    ['seen', '1700000000000'],
    ['reports', `${key} ${key}`],
  ] as const)
    assert.equal(isTyped(field), false, field[0])
  assert.equal(isTyped(['firstName', 'Ann']), true)
})
