import { argon2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'

/** The second choice of OWASP's list: 19 MiB and two passes, some 30 ms. */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }

const derive = promisify(argon2)

/** argon2id in the usual text form, `$argon2id$v=19$m=...,t=...,p=...$salt$hash`, so that any library can check it. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await derive('argon2id', { message: password, nonce, ...cost })
  const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(nonce)}$${base64(tag)}`
}
