import { hash } from 'node:crypto'

/** SHA-256 in base64url has 43 characters (RFC 7636, section 4.2). */
export function isChallenge(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text)
}

/**
 * Returns the challenge for a verifier. Without a verifier it is empty, which matches only a code requested without a
 * challenge; for a malformed verifier it is a value that no code has.
 */
export function challengeOf(verifier: string | undefined): string {
  if (verifier === undefined) return ''
  const isWellFormed = /^[A-Za-z0-9._~-]{43,128}$/.test(verifier)
  return isWellFormed ? hash('sha256', verifier, 'base64url') : 'none'
}
