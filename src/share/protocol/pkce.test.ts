import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { challengeOf, isChallenge } from './pkce.ts'

const sha256 = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')
const verifiers = fc.stringMatching(/^[A-Za-z0-9._~-]{43,128}$/)

test('the example of RFC 7636, appendix B', () => {
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
  assert.equal(challengeOf(verifier), 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')
})

test('a verifier matches its own challenge', () => {
  fc.assert(
    fc.property(verifiers, verifier => {
      assert.ok(isChallenge(challengeOf(verifier)))
      assert.equal(challengeOf(verifier), sha256(verifier))
    }),
  )
})

test('a missing verifier matches a missing challenge', () => {
  assert.equal(challengeOf(undefined), '')
})

test('a malformed verifier matches no challenge, and no missing one either', () => {
  for (const verifier of ['v'.repeat(42), 'v'.repeat(129), `${'v'.repeat(43)}+`, `${'v'.repeat(42)}é`, '']) {
    assert.ok(!isChallenge(challengeOf(verifier)), verifier)
    assert.notEqual(challengeOf(verifier), '')
  }
})

test('a challenge is 43 characters of base64url', () => {
  for (const text of ['', 'a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)}=`, `${'a'.repeat(42)}+`]) {
    assert.ok(!isChallenge(text), text)
  }
})
