import { hash } from 'node:crypto'

/** SHA-256 in base64url has 43 characters (RFC 7636, section 4.2). */
export function isChallenge(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text)
}

/**
 * The challenge that this verifier belongs to: empty without a verifier, which fits a code that was asked for
 * without a challenge and no other, and one that nothing has where the verifier has a wrong form.
 */
export function challengeOf(verifier: string | undefined): string {
  if (verifier === undefined) return ''
  const isWellFormed = /^[A-Za-z0-9._~-]{43,128}$/.test(verifier)
  return isWellFormed ? hash('sha256', verifier, 'base64url') : 'none'
}
