import type { RedirectTarget } from '../protocol/errors.ts'

/**
 * Builds the redirect back to the client. The registered URI, its query included, stays byte for byte; our
 * parameters follow. `iss` names the issuer (RFC 9207).
 */
export function redirectTo(
  { redirectUri, state }: Omit<RedirectTarget, 'clientId'>,
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
