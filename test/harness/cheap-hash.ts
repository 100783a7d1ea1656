import { argon2Sync, randomBytes } from 'node:crypto'

/**
 * Hash of a password, in the form that the service stores, at the lowest cost of argon2. A stored hash is checked with
 * the cost that it names, so that signing in with this one takes next to no time.
 */
export function cheapHash(password: string): string {
  const nonce = randomBytes(16)
  const cost = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 }
  const tag = argon2Sync('argon2id', { message: password.normalize('NFC'), nonce, ...cost })
  const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=8,t=1,p=1$${base64(nonce)}$${base64(tag)}`
}
