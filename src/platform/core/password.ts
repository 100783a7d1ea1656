import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { Problem } from './problems.ts'

/**
 * OWASP's second recommendation: 19 MiB and two passes, about 30 ms. Tests that store hundreds of passwords lower it.
 */
export const passwordCost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }

/** Each hash occupies a core: two concurrent ones leave the rest of the thread pool to other work. */
const maxRunning = 2
/** About three seconds of work; further callers get an error immediately instead of waiting longer. */
const maxWaiting = 200

const derive = promisify(argon2)
type Cost = typeof passwordCost & { message: string; nonce: Buffer }

let running = 0
const waiting: (() => void)[] = []

async function deriveInTurn(parameters: Cost): Promise<Buffer> {
  if (running >= maxRunning) {
    if (waiting.length >= maxWaiting) {
      throw new Problem('unavailable', 'Too many people are signing in. Try again in a few seconds.', {
        retryAfterSeconds: 5,
      })
    }
    // A finishing hash passes on its slot, so `running` does not change.
    await new Promise<void>(resolve => waiting.push(resolve))
  } else running++
  try {
    return await derive('argon2id', parameters)
  } finally {
    const next = waiting.shift()
    if (next === undefined) running--
    else next()
  }
}

/** Normalises, because keyboards may enter the same characters as different code points. */
const spell = (password: string) => password.normalize('NFC')

/** argon2id in the standard PHC form, `$argon2id$v=19$m=...,t=...,p=...$salt$hash`, which any library can verify. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await deriveInTurn({ message: spell(password), nonce, ...passwordCost })
  const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  return phcOf(base64(nonce), base64(tag))
}

const phcOf = (salt: string, hash: string) =>
  `$argon2id$v=19$m=${passwordCost.memory},t=${passwordCost.passes},p=${passwordCost.parallelism}$${salt}$${hash}`

const textForm = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** Uses the cost in the stored form, so that old passwords continue to work when ours is raised. */
export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', hash = ''] = textForm.exec(stored) ?? []
  if (hash === '') throw new Error('a stored password hash is not in argon2id form')
  const expected = Buffer.from(hash, 'base64')
  const tag = await deriveInTurn({
    message: spell(password),
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  })
  return timingSafeEqual(tag, expected)
}

const noSalt = Buffer.from('has no password.').toString('base64').replace(/=+$/, '')

/** The hash of an account without a password: no password matches it, and a check takes as long as any other. */
export const withoutPassword = (): string =>
  phcOf(noSalt, randomBytes(passwordCost.tagLength).toString('base64').replace(/=+$/, ''))

export const hasPassword = (stored: string): boolean => textForm.exec(stored)?.[4] !== noSalt

/** Takes as long as a failed check, so that timing does not reveal whether an account exists. */
export async function simulatePasswordCheck(password: string): Promise<false> {
  await deriveInTurn({ message: spell(password), nonce: randomBytes(16), ...passwordCost })
  return false
}
