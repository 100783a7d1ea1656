import { isLoopbackHost } from '../../core/addresses/loopback.ts'

/** What a client can be registered for. */
export const clientScopes = ['r_profile_apply', 'r_applications', 'w_applications'] as const
export type ClientScope = (typeof clientScopes)[number]

export function isClientScope(text: string): text is ClientScope {
  return (clientScopes as readonly string[]).includes(text)
}

/** Letters that stand unencoded in a URL, in a form and in Basic credentials: libraries disagree on the others. */
export function isClientId(text: string, maxLength: number): boolean {
  return text.length <= maxLength && /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(text)
}

/** What RFC 3986 allows, but for the fragment and the wildcard. */
const uriText = /^(?:[A-Za-z0-9\-._~:/?[\]@!$&'()+,;=]|%[0-9A-Fa-f]{2})+$/

/** Names that the answer adds: a client could not tell its own from ours. */
const answerParameters = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri']

/** Why this cannot be registered as a redirect URI; undefined when it can. It is kept and compared as it stands. */
export function redirectUriFault(uri: string, maxLength: number): string | undefined {
  if (uri.length > maxLength) return `It may have ${maxLength} characters at most.`
  if (uri.includes('#')) return 'It must not have a fragment (#).'
  if (uri.includes('*')) return 'There are no wildcards: register each URI as it is sent.'
  if (!uriText.test(uri)) return 'It has characters that a URI cannot have: encode them.'
  // The parser of browsers mends much that is wrong; what is registered must need no mending.
  const authority = /^https?:\/\/([^/?]+)/i.exec(uri)?.[1]
  if (authority === undefined || !URL.canParse(uri)) return 'It must be an absolute https URL.'
  if (authority.includes('@')) return 'It must not have a user name or a password.'
  const { protocol, hostname, searchParams } = new URL(uri)
  if (protocol === 'http:' && !isLoopbackHost(hostname)) {
    return 'It must be https; http is for this machine only (127.0.0.1, [::1], localhost).'
  }
  // The host stands in a policy of the consent page, where anything else could mean something.
  if (!/^([a-z0-9.-]+|\[[0-9a-f:.]+\])$/.test(hostname)) return 'Its host must be a plain name or address.'
  const taken = answerParameters.find(name => searchParams.has(name))
  return taken === undefined ? undefined : `Its query must not have "${taken}", which the answer adds.`
}
