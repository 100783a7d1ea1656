import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { test } from 'node:test'
import { hashPassword } from './password.ts'

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/

test('a password hash holds all that is needed to check the password, and is salted', async () => {
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
