import { randomFillSync, timingSafeEqual } from 'node:crypto'
import { sha256Hex } from './hashing.ts'

/** What each kind of secret begins with: a scanner finds one that got somewhere, and a log can strike it out. */
export const secretPrefixes = {
  code: 'dac_',
  token: 'dat_',
  clientSecret: 'dcs_',
  session: 'dse_',
  link: 'dli_',
} as const

export type SecretKind = keyof typeof secretPrefixes

const secretBytes = 32
/** Asking the system costs as much for many as for one. What has been handed out is wiped. */
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

/** 256 random bits behind the prefix. */
export function newSecret(kind: SecretKind): string {
  return `${secretPrefixes[kind]}${takeRandomBytes()}`
}

/** 256 random bits need no slow hash: nobody can guess them, and every request looks one up. */
export function hashSecret(value: string): string {
  return sha256Hex(value)
}

/** In constant time: both are hashes, and so of equal length. */
export function isSameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
