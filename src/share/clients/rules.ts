import { isLoopbackHost } from '../../platform/core/addresses/loopback.ts'

/** Limit: People choose and type the IDs of clients. */
export const clientIdLength = 64
/** Limit: The longest URL that every browser accepts. */
export const redirectUriLength = 2_000
/** Limit: Redirect URIs of one client. */
export const maxRedirectUris = 50

/** The scopes a client can be registered for. */
export const clientScopes = [
  'r_profile_apply',
  'r_applications',
  'w_progress',
  'w_applications',
  'm_webhooks',
] as const
export type ClientScope = (typeof clientScopes)[number]

export function isClientScope(text: string): text is ClientScope {
  return (clientScopes as readonly string[]).includes(text)
}

/** Allows only characters that need no encoding in a URL, a form or Basic credentials; libraries disagree on the others. */
export function isClientId(text: string): boolean {
  return text.length <= clientIdLength && /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(text)
}

/** The characters of RFC 3986, without fragment and wildcard. */
const uriText = /^(?:[A-Za-z0-9\-._~:/?[\]@!$&'()+,;=]|%[0-9A-Fa-f]{2})+$/

/** Parameters that the redirect adds: a client could not distinguish its own from ours. */
const answerParameters = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri']

/** Returns why a redirect URI cannot be registered, or undefined. It is stored and compared unchanged. */
export function redirectUriFault(uri: string): string | undefined {
  if (uri.length > redirectUriLength) return `It must have at most ${redirectUriLength} characters.`
  if (uri.includes('#')) return 'It must not have a fragment (#).'
  if (uri.includes('*')) return 'Wildcards are not supported. Register each URI exactly as you send it.'
  if (!uriText.test(uri)) return 'It contains characters that are not allowed in a URI. Percent-encode them.'
  // URL parsers repair many mistakes; a registered URI must need no repair.
  const authority = /^https?:\/\/([^/?]+)/i.exec(uri)?.[1]
  if (authority === undefined || !URL.canParse(uri)) return 'It must be an absolute https URL.'
  if (authority.includes('@')) return 'It must not have a user name or a password.'
  const { protocol, hostname, searchParams } = new URL(uri)
  if (protocol === 'http:' && !isLoopbackHost(hostname)) {
    return 'It must use https; http is allowed for this machine only (127.0.0.1, [::1], localhost).'
  }
  // The host goes into the consent page's content security policy, where other characters could have a meaning.
  if (!/^([a-z0-9.-]+|\[[0-9a-f:.]+\])$/.test(hostname))
    return 'Its host must be a plain host name or IP address.'
  const taken = answerParameters.find(name => searchParams.has(name))
  return taken === undefined ? undefined : `Its query must not contain "${taken}", which the redirect adds.`
}
