import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { createSigner, keyFingerprint, readWebhookKeys, receiverKey, signedHeaders } from './signing-rules.ts'

const [key, otherKey] = ['a', 'b'].map(letter => Buffer.alloc(32, letter)) as [Buffer, Buffer]
const body = '{"id":"evt_1_2","type":"application.created"}'
const endpoint = { id: 'e1', scheme: 'v1' as const, generation: 1, overlapUntil: null }

const headersOf = (signing: Parameters<typeof createSigner>[1], keys = [key] as [Buffer, ...Buffer[]]) => {
  const now = Date.now()
  return signedHeaders(createSigner(keys, signing, now), 'evt_1_2', body, now)
}
const isTaken = (secret: string, headers: Record<string, string>, content = body) => {
  try {
    new Webhook(secret).verify(content, headers)
    return true
  } catch {
    return false
  }
}

test('an independent library verifies v1, and rejects a changed byte, ID, time or key', () => {
  const headers = headersOf(endpoint)
  const secret = receiverKey([key], endpoint)
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal(isTaken(secret, headers), true)
  assert.equal(isTaken(secret, headers, body.replace('created', 'creates')), false)
  assert.equal(isTaken(secret, { ...headers, 'webhook-id': 'evt_1_3' }), false)
  const seconds = Number(headers['webhook-timestamp'])
  assert.equal(isTaken(secret, { ...headers, 'webhook-timestamp': String(seconds + 1) }), false)
  assert.equal(isTaken(receiverKey([key], { ...endpoint, id: 'e2' }), headers), false)
  assert.equal(isTaken(receiverKey([otherKey], endpoint), headers), false)
})

test('during an overlap, receivers with the old and with the new secret verify; afterwards, the old one does not', () => {
  const before = receiverKey([key], endpoint)
  const rotated = { ...endpoint, generation: 2, overlapUntil: Date.now() + 60_000 }
  const after = receiverKey([key], rotated)
  assert.notEqual(before, after)
  const headers = headersOf(rotated)
  assert.deepEqual([isTaken(before, headers), isTaken(after, headers)], [true, true])
  const later = headersOf({ ...rotated, overlapUntil: Date.now() - 1 })
  assert.deepEqual([isTaken(before, later), isTaken(after, later)], [false, true])
})

test('while the operator changes the key, secrets of both keys verify', () => {
  const headers = headersOf(endpoint, [otherKey, key])
  assert.equal(isTaken(receiverKey([key], endpoint), headers), true)
  assert.equal(isTaken(receiverKey([otherKey], endpoint), headers), true)
})

test('v1a is verified by the public key alone', () => {
  const signing = { ...endpoint, scheme: 'v1a' as const }
  const shown = receiverKey([key], signing)
  assert.match(shown, /^whpk_[A-Za-z0-9+/]{43}=$/)
  const x = Buffer.from(shown.slice(5), 'base64').toString('base64url')
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  const headers = headersOf(signing)
  const [scheme, signature = ''] = headers['webhook-signature']?.split(',') ?? []
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  assert.equal(scheme, 'v1a')
  assert.equal(verify(null, Buffer.from(signed), publicKey, Buffer.from(signature, 'base64')), true)
  assert.equal(verify(null, Buffer.from(`${signed} `), publicKey, Buffer.from(signature, 'base64')), false)
})

test('keys are 32 bytes in base64, one or two', () => {
  const [one, two] = [key, otherKey].map(each => each.toString('base64'))
  assert.deepEqual(readWebhookKeys(`${one}, ${two}`), [key, otherKey])
  assert.notEqual(keyFingerprint(key), keyFingerprint(otherKey))
  for (const text of ['', 'secret', `${one}${one}`, `${one},${two},${one}`, key.toString('hex')])
    assert.throws(() => readWebhookKeys(text), /must be/, text)
})
