import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { test } from 'node:test'
import { realCost } from '../../../test/harness/cheap-passwords.ts'
import { hashPassword, isPassword, passwordCost, simulatePasswordCheck } from './password.ts'

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/

test('a password hash is salted and contains everything needed to verify it', async () => {
  const hash = await hashPassword('demo-password')
  const [, memory, passes, parallelism, salt = '', tag = ''] = form.exec(hash) ?? []
  const again = argon2Sync('argon2id', {
    message: 'demo-password',
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: 32,
  })
  assert.equal(again.toString('base64').replace(/=+$/, ''), tag)
  assert.notEqual(await hashPassword('demo-password'), hash)
})

test('outside of tests it costs what OWASP recommends', () => {
  assert.deepEqual(realCost, { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 })
})

test('only the right password is accepted, also with other code points for the same characters', async () => {
  const stored = await hashPassword('caf\u00e9 au lait')
  assert.equal(await isPassword('cafe\u0301 au lait', stored), true)
  for (const other of ['cafe au lait', 'caf\u00e9 au lait ', ''])
    assert.equal(await isPassword(other, stored), false)
})

test('a hash with another cost is checked with that cost', async t => {
  const stored = await hashPassword('secret words')
  t.after(() => Object.assign(passwordCost, before))
  const before = { ...passwordCost }
  Object.assign(passwordCost, realCost)
  assert.equal(await isPassword('secret words', stored), true)
  assert.equal(await isPassword('other words', stored), false)
})

test('a malformed stored hash throws instead of counting as a wrong password', async () => {
  for (const stored of [
    '',
    'plain',
    '$argon2i$v=19$m=64,t=1,p=1$c2FsdA$aGFzaA',
    '$argon2id$v=19$m=64,t=1,p=1$c2FsdA$',
  ]) {
    await assert.rejects(isPassword('x', stored), /not in argon2id form/)
  }
})

test('a simulated check fails', async () => {
  assert.equal(await simulatePasswordCheck('anything'), false)
})

test('requests beyond the queue are rejected, and the queued ones get their turn', async () => {
  const stored = await hashPassword('x')
  const results = await Promise.allSettled(Array.from({ length: 210 }, () => isPassword('x', stored)))
  const refused = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
  assert.equal(refused.length, 210 - 202)
  assert.equal(results.filter(result => result.status === 'fulfilled' && result.value).length, 202)
  for (const problem of refused) assert.equal(problem.code, 'unavailable')
  assert.equal(await isPassword('x', await hashPassword('x')), true)
})
