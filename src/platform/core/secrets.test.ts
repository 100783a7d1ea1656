import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashSecret, isSameHash, newSecret, type SecretKind, secretPrefixes } from './secrets.ts'

test('a secret begins with its prefix and is unique', () => {
  const made = new Set<string>()
  for (const kind of Object.keys(secretPrefixes) as SecretKind[]) {
    for (let i = 0; i < 1000; i++) {
      const secret = newSecret(kind)
      assert.match(secret, new RegExp(`^${secretPrefixes[kind]}[A-Za-z0-9_-]{43}$`))
      made.add(secret.slice(4))
    }
  }
  assert.equal(made.size, Object.keys(secretPrefixes).length * 1000)
})

test('every bit of a secret is random', () => {
  const ones = new Array<number>(256).fill(0)
  const rounds = 4000
  for (let i = 0; i < rounds; i++) {
    const bytes = Buffer.from(newSecret('code').slice(4), 'base64url')
    ones.forEach((count, bit) => {
      ones[bit] = count + (((bytes[bit >> 3] as number) >> (bit & 7)) & 1)
    })
  }
  // Ten standard deviations: chance does not reach that.
  for (const count of ones) assert.ok(Math.abs(count - rounds / 2) < 10 * Math.sqrt(rounds) * 0.5)
})

test('hashes are compared in full', () => {
  const [one, other] = [hashSecret('one'), hashSecret('other')]
  assert.ok(isSameHash(one, one))
  assert.ok(!isSameHash(one, other))
  assert.ok(!isSameHash(one, one.slice(1)))
})
