import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addressLiteral,
  isListedHost,
  mayConnect,
  noAllowedHosts,
  readAllowedHosts,
} from './public-addresses.ts'

/** The host of a URL, as a caller may spell it: an address in any notation becomes its usual form. */
const hostOf = (spelling: string) => new URL(`https://${spelling}/`).hostname

const publicOnes = ['1.1.1.1', '93.184.216.34', '[2606:4700::1111]', '[::ffff:1.1.1.1]', '[64:ff9b::101:101]']

const privateOnes = [
  '127.0.0.1',
  '0x7f.1',
  '2130706433',
  '017700000001',
  '127。0。0。1',
  '①②⑦.0.0.1',
  '127.1',
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '192.168.0.1',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '203.0.113.9',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:0:7f00:1]',
  '[::5efe:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::169.254.169.254]',
  '[64:ff9b:1::1]',
  '[100::1]',
  '[2001::1]',
  '[2001:db8::1]',
  '[2002:7f00:1::]',
  '[3fff::1]',
  '[4000::1]',
  '[5f00::1]',
  '[e000::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
]

test('public addresses are allowed, and nothing else is, in every spelling', () => {
  for (const spelling of publicOnes) {
    const host = hostOf(spelling)
    const literal = addressLiteral(host) ?? assert.fail(spelling)
    assert.equal(mayConnect(host, literal, noAllowedHosts), true, spelling)
  }
  for (const spelling of privateOnes) {
    const host = hostOf(spelling)
    const literal = addressLiteral(host) ?? assert.fail(spelling)
    assert.equal(mayConnect(host, literal, noAllowedHosts), false, spelling)
    // A name that resolves to it.
    assert.equal(mayConnect('rebind.example.com', literal, noAllowedHosts), false, spelling)
  }
  for (const broken of ['', 'localhost', 'fe80::1%eth0x/', '1.1.1.1/24'])
    assert.equal(mayConnect('example.com', broken, noAllowedHosts), false, broken)
})

test('the operator may list names and networks, but never link-local addresses', () => {
  const allowed = readAllowedHosts('ats.internal, 10.1.0.0/16, 127.0.0.1, fd12::/16')
  const may = (host: string, address: string) => mayConnect(host, address, allowed)
  assert.equal(may('ats.internal', '192.168.7.7'), true)
  assert.equal(may('ATS.internal', '192.168.7.7'), true)
  assert.equal(may('other.internal', '192.168.7.7'), false)
  assert.equal(may('other.internal', '10.1.2.3'), true)
  assert.equal(may('other.internal', '::ffff:10.1.2.3'), true)
  assert.equal(may('other.internal', '10.2.2.3'), false)
  assert.equal(may('127.0.0.1', '127.0.0.1'), true)
  assert.equal(may('127.0.0.2', '127.0.0.2'), false)
  assert.equal(may('x', 'fd12::1'), true)
  const everything = readAllowedHosts('0.0.0.0/0,::/0,metadata.internal')
  for (const address of ['169.254.169.254', 'fe80::1', 'fd00:ec2::254', '::ffff:169.254.169.254'])
    assert.equal(mayConnect('metadata.internal', address, everything), false, address)
  assert.equal(isListedHost('ats.internal', allowed), true)
  assert.equal(isListedHost('10.1.0.9', allowed), true)
  assert.equal(isListedHost('1.1.1.1', allowed), false)
  assert.equal(isListedHost('[fd12::1]', allowed), true)
})

test('a list of anything else is rejected', () => {
  for (const text of [
    '',
    'a,,b',
    'https://ats.internal',
    '10.0.0.0/99',
    '*.internal',
    '-a',
    'ats.internal:8080',
  ])
    assert.throws(() => readAllowedHosts(text), /must be names or networks/, text)
})
