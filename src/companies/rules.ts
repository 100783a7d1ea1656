import { randomBytes } from 'node:crypto'
import type { EpochMs } from '../platform/core/clock.ts'
import { sha256Hex } from '../platform/core/hashing.ts'
import { randomWord } from '../platform/core/ids.ts'

/** Limit: The largest ID that an operator may choose, so that there is always a next free one. */
export const maxAdvertiserId = 9_999_999_999

/** Limit: Days for which the calls of agents by day, company and problem are kept. */
export const agentCallDays = 90

export type AdvertiserStatus = 'active' | 'hold'

/** Creates a credential of the form `sws_<8 characters>_<43 characters>`; the first part, the hint, may be shown later. */
export function newCredentialValue(): { value: string; hint: string } {
  const hint = `sws_${randomWord(8)}`
  return { value: `${hint}_${randomBytes(32).toString('base64url')}`, hint }
}

/** A fast hash is enough: 256 random bits cannot be guessed, and every request needs a lookup. */
export function hashCredential(value: string): string {
  return sha256Hex(value)
}

export function isUsable(
  credential: { expiresAt: EpochMs | null; revokedAt: EpochMs | null },
  now: EpochMs,
): boolean {
  return credential.revokedAt === null && (credential.expiresAt === null || now < credential.expiresAt)
}
