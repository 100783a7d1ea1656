import type { RedirectTarget } from '../protocol/errors.ts'

/**
 * The redirect back to the client. What is registered stays byte for byte, its query included; ours follows.
 * `iss` tells the client who answers (RFC 9207).
 */
export function redirectTo(
  { redirectUri, state }: RedirectTarget,
  answer: Record<string, string>,
  issuer: string,
): string {
  const own = Object.entries({ ...answer, iss: issuer }).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  )
  if (state !== undefined) own.push(`state=${state}`)
  return `${redirectUri}${separator(redirectUri)}${own.join('&')}`
}

function separator(uri: string): string {
  if (!uri.includes('?')) return '?'
  return /[?&]$/.test(uri) ? '' : '&'
}
