import { nameLength } from '../../model/text-lengths.ts'
import { isEmail } from '../../platform/core/email.ts'
import type { FieldError } from '../../platform/core/problems.ts'
import { lineBreakOrTab, textFault } from '../../platform/core/text.ts'
import { isCommonPassword } from '../passwords/common-passwords.ts'

/** Limit: A passphrase fits; hashing longer ones would let attackers cause work. */
export const passwordLength = 200
/** Limit: Minimum characters of a password. Length matters most. */
export const minPasswordLength = 10
/** Limit: Accounts that are not confirmed within a day are removed once no link to confirm them is valid. */
export const unconfirmedAccountSeconds = 86_400

export function emailFault(field: string, email: string): FieldError[] {
  if (email === '') return [{ field, code: 'empty', message: 'Enter your email address.' }]
  if (isEmail(email)) return []
  return [{ field, code: 'not-an-email', message: 'Enter an email address such as name@example.com.' }]
}

/**
 * Checks the length and rejects common passwords. Rules about digits and symbols make passwords more alike, not
 * stronger.
 */
export function passwordFault(field: string, password: string, email: string): FieldError[] {
  const spelled = password.normalize('NFC')
  // Characters as people count them, not as UTF-16 does.
  const length = [...spelled].length
  if (length < minPasswordLength) {
    return [
      {
        field,
        code: 'too-short',
        message: `Use at least ${minPasswordLength} characters. A few random words work well.`,
      },
    ]
  }
  if (length > passwordLength)
    return [{ field, code: 'too-long', message: `Use at most ${passwordLength} characters.` }]
  if (!spelled.isWellFormed()) {
    return [
      { field, code: 'unwritable-character', message: 'The password contains a character we can’t read.' },
    ]
  }
  if (spelled.toLowerCase() === email) {
    return [{ field, code: 'is-email', message: 'The password must not be your email address.' }]
  }
  if (isCommonPassword(spelled)) {
    const message =
      'Many people use this password, so it is among the first that attackers try. Use another one.'
    return [{ field, code: 'common', message }]
  }
  return []
}

export function nameFault(field: string, label: string, name: string): FieldError[] {
  const fault = textFault(name, { maxLength: nameLength, isRequired: true, notOnOneLine: lineBreakOrTab })
  if (fault === undefined) return []
  const message = `The ${label} must be one line of at most ${nameLength} characters.`
  return [{ field, code: fault, message: fault === 'empty' ? `Enter your ${label}.` : message }]
}

const ownPath =
  /^\/((account|console|operator|agent|docs)(\/[\w/.-]*)?|jobs(\/\d+(\/(apply|report))?)?|about\/(data|reports)|companies\/\d+\/privacy\/\d+)$/
const authorizePath = '/api/iam/oauth2/authorize'
const defaultTarget = '/account'

/**
 * Returns where to go after signing in: a page of the account or console, a public page whose header has the link, an
 * application form, or the authorization request. Every other target, above all another site, is replaced by the account.
 */
export function continueTarget(text: string | undefined): string {
  const fallback = defaultTarget
  // Signing out on the front page returns to it.
  if (text === '/') return text
  // A Location header is ASCII, so no browser sends anything else. Longer URLs get 414.
  if (text === undefined || text.length > 16_384 || !/^\/[\x20-\x7e]*$/.test(text)) return fallback
  const origin = 'https://here.invalid'
  if (!URL.canParse(text, origin)) return fallback
  const url = new URL(text, origin)
  const isOurs =
    url.origin === origin &&
    url.hash === '' &&
    // The parser resolves dot segments and strips characters: accept only a path that it leaves unchanged.
    text.startsWith(url.pathname) &&
    ((url.pathname === authorizePath && text.startsWith(`${authorizePath}?`)) || ownPath.test(url.pathname))
  return isOurs ? text : fallback
}

/** Adds the target after sign-in to one of our paths. */
export function pathTowards(path: string, continueTo: string): string {
  if (continueTo === defaultTarget) return path
  return `${path}${path.includes('?') ? '&' : '?'}continue=${encodeURIComponent(continueTo)}`
}

const browsers: [name: string, pattern: RegExp][] = [
  ['Edge', /\bEdgA?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
]
const systems: [name: string, pattern: RegExp][] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['Mac', /\bMacintosh\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
]

/** Names the browser in the list of sign-ins: enough for people to recognise their devices; nothing more is stored. */
export function browserName(userAgent = ''): string {
  const find = (known: [string, RegExp][]) => known.find(([, pattern]) => pattern.test(userAgent))?.[0]
  const browser = find(browsers)
  const system = find(systems)
  if (browser === undefined) return system === undefined ? 'Unknown browser' : `Browser on ${system}`
  return system === undefined ? browser : `${browser} on ${system}`
}
