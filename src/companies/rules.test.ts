import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { hashCredential, isUsable, newCredentialValue } from './rules.ts'

test('a credential has the form of the contract, shows only its beginning, and is unique', () => {
  const made = Array.from({ length: 200 }, newCredentialValue)
  for (const { value, hint } of made) {
    assert.match(value, /^sws_[A-Za-z0-9]{8}_[\w-]{43}$/)
    assert.equal(hint, value.slice(0, 12))
    // Header, scheme and look-up all take it unchanged.
    assert.equal(value.length, 56)
  }
  assert.equal(new Set(made.map(({ hint }) => hint)).size, made.length)
})

test('it is stored as SHA-256', () => {
  assert.equal(
    hashCredential('sws_demo_harbour'),
    createHash('sha256').update('sws_demo_harbour').digest('hex'),
  )
})

test('it works until its expiry, not at it, and never once revoked', () => {
  assert.ok(isUsable({ expiresAt: null, revokedAt: null }, 1000))
  assert.ok(isUsable({ expiresAt: 1000, revokedAt: null }, 999))
  assert.ok(!isUsable({ expiresAt: 1000, revokedAt: null }, 1000))
  assert.ok(!isUsable({ expiresAt: null, revokedAt: 2000 }, 1000))
})
