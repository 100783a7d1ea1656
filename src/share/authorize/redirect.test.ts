import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redirectTo } from './service.ts'

const issuer = 'https://id.example.com'
const iss = 'iss=https%3A%2F%2Fid.example.com'

test('the registered URI stays byte for byte', () => {
  const expected: [registered: string, location: string][] = [
    ['https://a.example/cb', `https://a.example/cb?code=c&${iss}`],
    ['https://a.example/cb?', `https://a.example/cb?code=c&${iss}`],
    ['https://a.example/cb?x=%2f&y', `https://a.example/cb?x=%2f&y&code=c&${iss}`],
    ['https://a.example/cb?x=1&', `https://a.example/cb?x=1&code=c&${iss}`],
    ['HTTPS://A.example/CB?q=a+b', `HTTPS://A.example/CB?q=a+b&code=c&${iss}`],
  ]
  for (const [redirectUri, location] of expected) {
    assert.equal(redirectTo({ redirectUri, state: undefined }, { code: 'c' }, issuer), location)
  }
})

test('state is returned if it was sent, even empty', () => {
  const target = { redirectUri: 'https://a.example/cb' }
  assert.ok(redirectTo({ ...target, state: '' }, {}, issuer).endsWith('&state='))
  assert.ok(redirectTo({ ...target, state: '%20' }, {}, issuer).endsWith('&state=%20'))
  assert.ok(!redirectTo({ ...target, state: undefined }, {}, issuer).includes('state'))
})
