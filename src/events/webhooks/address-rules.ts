import {
  type AllowedHosts,
  addressLiteral,
  isListedHost,
  mayConnect,
} from '../../platform/core/addresses/public-addresses.ts'

/** Why a URL cannot receive webhooks, with the code of the field error. */
export interface UrlFault {
  code: string
  message: string
}

/**
 * Checks an endpoint's URL before it is stored, and again before each request. Literal addresses are judged here,
 * because no name is looked up for them; names are judged when they are resolved for a connection.
 */
export function checkEndpointUrl(
  text: string,
  {
    allowed,
    ownOrigins,
    maxLength,
  }: { allowed: AllowedHosts; ownOrigins: readonly string[]; maxLength: number },
): UrlFault | undefined {
  if (text.length > maxLength)
    return { code: 'too-long', message: `The URL must have at most ${maxLength} characters.` }
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return { code: 'not-a-url', message: 'Enter a URL such as https://ats.example.com/hooks.' }
  const isListed = isListedHost(url.hostname, allowed)
  if (url.protocol === 'http:' && !isListed)
    return { code: 'not-https', message: 'The URL must begin with https://.' }
  if (url.username !== '' || url.password !== '')
    return { code: 'has-user', message: 'The URL must not contain a user name or password.' }
  if (text.includes('#')) return { code: 'has-fragment', message: 'The URL must not contain a fragment (#).' }
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  if (port !== 443 && port < 1024 && !(isListed && port === 80))
    return { code: 'port', message: 'The port must be 443, or 1024 or higher.' }
  if (ownOrigins.includes(url.origin))
    return { code: 'own-address', message: 'The URL must not be an address of this service.' }
  const literal = addressLiteral(url.hostname)
  if (literal !== undefined && !mayConnect(url.hostname, literal, allowed))
    return { code: 'not-public', message: 'The URL must lead to a public address.' }
  return undefined
}

/** The URL without parts that may be secret, for lists, logs and emails. */
export function urlHint(text: string): string {
  const { protocol, host, pathname, search } = new URL(text)
  return `${protocol}//${host}${pathname === '/' && search === '' ? '' : '/…'}`
}
