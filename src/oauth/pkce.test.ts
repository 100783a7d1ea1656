import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { isChallenge, verifierFits } from './pkce.ts'

const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')
const verifiers = fc.stringMatching(/^[A-Za-z0-9._~-]{43,128}$/)

test('the example of RFC 7636, appendix B', () => {
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
  assert.ok(verifierFits('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', verifier))
})

test('a verifier fits its own challenge and no other', () => {
  fc.assert(
    fc.property(verifiers, verifiers, (mine, other) => {
      assert.ok(isChallenge(challengeOf(mine)))
      assert.ok(verifierFits(challengeOf(mine), mine))
      assert.equal(verifierFits(challengeOf(mine), other), mine === other)
    }),
  )
})

test('both or neither', () => {
  const verifier = 'v'.repeat(43)
  assert.ok(verifierFits(null, undefined))
  assert.ok(!verifierFits(null, verifier))
  assert.ok(!verifierFits(challengeOf(verifier), undefined))
})

test('a verifier of a wrong form fits nothing, even where the hash would', () => {
  for (const verifier of ['v'.repeat(42), 'v'.repeat(129), `${'v'.repeat(43)}+`, `${'v'.repeat(42)}é`, '']) {
    assert.ok(!verifierFits(challengeOf(verifier), verifier), verifier)
  }
})

test('a challenge is 43 characters of base64url', () => {
  for (const text of ['', 'a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)}=`, `${'a'.repeat(42)}+`]) {
    assert.ok(!isChallenge(text), text)
  }
})
