import { randomBytes } from 'node:crypto'
import type { EpochMs } from '../core/clock.ts'
import { sha256Hex } from '../core/hashing.ts'
import { randomWord } from '../core/ids.ts'

export type AdvertiserStatus = 'active' | 'hold'

/** The form in which we issue: `sws_<8 characters>_<43 characters>`, of which the first part may be shown again. */
export function newCredentialValue(): { value: string; hint: string } {
  const hint = `sws_${randomWord(8)}`
  return { value: `${hint}_${randomBytes(32).toString('base64url')}`, hint }
}

/** 256 random bits need no slow hash: nobody can guess them, and every request looks one up. */
export function hashCredential(value: string): string {
  return sha256Hex(value)
}

export function isUsable(
  credential: { expiresAt: EpochMs | null; revokedAt: EpochMs | null },
  now: EpochMs,
): boolean {
  return credential.revokedAt === null && (credential.expiresAt === null || now < credential.expiresAt)
}
