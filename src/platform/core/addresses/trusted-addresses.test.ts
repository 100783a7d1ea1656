import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressMatcher } from './trusted-addresses.ts'

test('addresses match a list of addresses and networks, also in IPv4-mapped form', () => {
  const isKnown = addressMatcher(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32', '::1'])
  for (const address of ['10.1.2.3', '192.0.2.1', '::ffff:10.1.2.3', '2001:db8::7', '::1'])
    assert.equal(isKnown(address), true, address)
  for (const address of ['11.0.0.1', '192.0.2.2', '::ffff:192.0.2.2', '2001:db9::7', '::2', '', undefined])
    assert.equal(isKnown(address), false, address)
})
