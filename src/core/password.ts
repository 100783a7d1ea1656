import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { Problem } from './problems.ts'

/** The second choice of OWASP's list: 19 MiB and two passes, some 30 ms. */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }

/** Each takes a core and its memory: two at once leave the thread pool, and the machine, to everybody else. */
const atOnce = 2
/** Some three seconds of work; whoever comes after that is better told so than kept waiting. */
const waitingMost = 200

const derive = promisify(argon2)
type Cost = typeof cost & { message: string; nonce: Buffer }

let running = 0
const waiting: (() => void)[] = []

async function deriveInTurn(parameters: Cost): Promise<Buffer> {
  if (running >= atOnce) {
    if (waiting.length >= waitingMost) {
      throw new Problem('unavailable', 'Too many people are signing in just now.', { retryAfterSeconds: 5 })
    }
    // Whoever ends hands its place on, so that the count stays as it is.
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

/** One spelling: the same characters may be typed as other code points on another keyboard. */
const spell = (password: string) => password.normalize('NFC')

/** argon2id in the usual text form, `$argon2id$v=19$m=...,t=...,p=...$salt$hash`, so that any library can check it. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await deriveInTurn({ message: spell(password), nonce, ...cost })
  const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(nonce)}$${base64(tag)}`
}

const textForm = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** With the cost that the stored form names, so that raising ours does not lock anybody out. */
export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', hash = ''] = textForm.exec(stored) ?? []
  if (hash === '') throw new Error('a stored password is not in the form of argon2id')
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

/** Takes as long as a check that fails: for accounts that do not exist, so that nobody can tell by the time. */
export async function checkNobodysPassword(password: string): Promise<false> {
  await deriveInTurn({ message: spell(password), nonce: randomBytes(16), ...cost })
  return false
}
