import { isIP } from 'node:net'
import { readClamdAddress } from '../addresses/clamd-address.ts'
import { isLoopbackHost } from '../addresses/loopback.ts'

/** Parsers of settings: undefined if a setting is unset. They throw a plain Error that states the expected form. */

export const port = (fallback: number) => (text: string | undefined) => {
  if (text === undefined) return fallback
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(value <= 65_535)) throw new Error('must be a port number from 0 to 65535 (0: any free port)')
  return value
}

export const days = (fallback: number) => (text: string | undefined) => {
  if (text === undefined) return fallback
  const value = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (!(value <= 3650)) throw new Error('must be a whole number of days from 0 (at once) to 3650')
  return value
}

export const months =
  <Fallback>(fallback: Fallback) =>
  (text: string | undefined): number | Fallback => {
    if (text === undefined) return fallback
    const value = /^\d{1,3}$/.test(text) ? Number(text) : 0
    if (value < 1 || value > 600) throw new Error('must be a whole number of months from 1 to 600')
    return value
  }

export const oneOf =
  <T extends string>(values: readonly T[], fallback: T) =>
  (text: string | undefined): T => {
    if (text === undefined) return fallback
    const value = values.find(candidate => candidate === text)
    if (value === undefined) throw new Error(`must be one of ${values.join(', ')}`)
    return value
  }

export const origin = (example: string) => (text: string | undefined) => {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlainOrigin =
    url !== undefined &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.href === `${url.origin}/` &&
    !/[?#]/.test(text)
  if (!isPlainOrigin) throw new Error(`must be an origin without a path, such as ${example}`)
  return url.origin
}

export function addressList(text: string | undefined): string[] {
  if (text === undefined) return []
  return text.split(',').map(part => {
    const [address = '', prefix, ...rest] = part.trim().split('/')
    const bits = isIP(address) === 4 ? 32 : 128
    const prefixFits = prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits)
    if (isIP(address) === 0 || !prefixFits || rest.length > 0) {
      throw new Error('must be addresses or networks separated by commas, such as 10.0.0.0/8, 127.0.0.1')
    }
    return part.trim()
  })
}

export function urlOf(protocols: readonly string[], example: string) {
  return (text: string | undefined): string | undefined => {
    if (text === undefined) return undefined
    if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol)) {
      throw new Error(`must be a URL such as ${example}`)
    }
    return text
  }
}

/** An address alone, or after a name and in angle brackets. */
export const sender = (example: string) => (text: string | undefined) => {
  if (text === undefined || /^([^<>\p{Cc}]*<[^\s@<>",]+@[^\s@<>",]+>|[^\s@<>",]+@[^\s@<>",]+)$/u.test(text))
    return text
  throw new Error(`must be an email address such as no-reply@example.com, or ${example}`)
}

export const pageUrl = urlOf(['https:', 'http:'], 'https://www.example.com/privacy')

export function contact(text: string | undefined): string | undefined {
  if (text === undefined || /^https?:\/\//i.test(text)) return pageUrl(text)
  if (!/^[^\s@<>"]+@[^\s@<>"]+$/.test(text)) throw new Error('must be an email address or a URL')
  return `mailto:${text}`
}

/** Short passphrases can be guessed. */
export function passphraseOf(text: string | undefined): string | undefined {
  if (text !== undefined && text.length < 12) throw new Error('must be 12 characters or longer')
  return text
}

export function clamdUrl(text: string | undefined): string | undefined {
  if (text === undefined || readClamdAddress(text) !== undefined) return text
  throw new Error('must be a URL such as unix:///run/clamav/clamd.ctl or tcp://127.0.0.1:3310')
}

export function boardName(text = 'Dossier'): string {
  if (text.length > 60 || /\p{Cc}/u.test(text)) {
    throw new Error('must be at most 60 characters long and without line breaks')
  }
  return text
}

/** Returns the URL in normalised form. Plain http is allowed for loopback hosts only. */
export function issuerOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname))
  if (url === undefined || !isSafe || /[?#@]/.test(text))
    throw new Error('must be an https URL without a query, such as https://login.example.com/realms/board')
  return url.href
}

export function listOf(text = ''): string[] {
  const values = text.split(',').map(value => value.trim())
  return values.filter(value => value !== '')
}
