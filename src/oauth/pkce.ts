import { createHash } from 'node:crypto'
import { isSameHash } from '../core/secrets.ts'

/** SHA-256 in base64url has 43 characters (RFC 7636, section 4.2). */
export function isChallenge(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text)
}

/** Both or neither: a verifier for a code that was asked for without a challenge is refused, too. */
export function verifierFits(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null || verifier === undefined) return challenge === null && verifier === undefined
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return false
  return isSameHash(createHash('sha256').update(verifier).digest('base64url'), challenge)
}
