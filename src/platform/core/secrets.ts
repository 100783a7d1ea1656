import { randomFillSync, timingSafeEqual } from 'node:crypto'
import { sha256Hex } from './hashing.ts'

/** Limit: Only bearer tokens up to this length are looked up; ours have 47 characters. */
export const tokenLength = 200

/** The prefix of each kind of secret: secret scanners find leaked ones, and the log redacts them. */
export const secretPrefixes = {
  code: 'dac_',
  token: 'dat_',
  clientSecret: 'dcs_',
  session: 'dse_',
  link: 'dli_',
} as const

export type SecretKind = keyof typeof secretPrefixes

const secretBytes = 32
/** A stock of random bytes: one system call costs the same for many as for one. Used bytes are wiped. */
const pool = Buffer.alloc(64 * secretBytes)
let used = pool.length

function takeRandomBytes(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const bytes = pool.subarray(used, used + secretBytes)
  used += secretBytes
  const text = bytes.toString('base64url')
  bytes.fill(0)
  return text
}

/** Returns the prefix and 256 random bits. */
export function newSecret(kind: SecretKind): string {
  return `${secretPrefixes[kind]}${takeRandomBytes()}`
}

/** A fast hash suffices: 256 random bits cannot be guessed, and every request hashes one. */
export function hashSecret(value: string): string {
  return sha256Hex(value)
}

/** Compares in constant time; hashes have equal lengths. */
export function isSameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
