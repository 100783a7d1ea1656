import { isEmail } from '../../core/email.ts'
import type { FieldError } from '../../core/problems.ts'
import { hasLineBreak, isVisible, textFault } from '../../core/text.ts'

export interface AccountLimits {
  emailLength: number
  nameLength: number
  passwordLeast: number
  passwordLength: number
}

export function emailFault(field: string, email: string, limits: AccountLimits): FieldError[] {
  if (email === '') return [{ field, code: 'empty', message: 'Enter your e-mail address.' }]
  if (isEmail(email, limits)) return []
  return [{ field, code: 'not-an-email', message: 'Enter an e-mail address such as name@example.com.' }]
}

/** Length is what counts: no rule about digits and signs, which only make passwords alike. */
export function passwordFault(
  field: string,
  password: string,
  email: string,
  limits: AccountLimits,
): FieldError[] {
  const spelled = password.normalize('NFC')
  const { passwordLeast: least, passwordLength: most } = limits
  // Characters as people count them, not as UTF-16 does.
  const length = [...spelled].length
  if (length < least) {
    return [{ field, code: 'too-short', message: `Use at least ${least} characters. A few words do well.` }]
  }
  if (length > most) return [{ field, code: 'too-long', message: `Use at most ${most} characters.` }]
  if (!spelled.isWellFormed()) {
    return [{ field, code: 'unwritable-character', message: 'The password has a broken character in it.' }]
  }
  if (spelled.toLowerCase() === email) {
    return [{ field, code: 'is-email', message: 'The password must not be your e-mail address.' }]
  }
  return []
}

export function nameFault(
  field: string,
  label: string,
  name: string,
  { nameLength }: AccountLimits,
): FieldError[] {
  const fault = isVisible(name) ? textFault(name, { maxLength: nameLength, required: true }) : 'empty'
  if (fault === 'empty') return [{ field, code: fault, message: `Enter your ${label}.` }]
  if (fault !== undefined || hasLineBreak(name) || name.includes('\t')) {
    const message = `The ${label} must be one line of at most ${nameLength} characters.`
    return [{ field, code: fault ?? 'line-break', message }]
  }
  return []
}

const ownPath = /^\/((account|console)(\/[\w/-]*)?|jobs\/\d+\/apply)$/
const authorizePath = '/api/iam/oauth2/authorize'
const defaultTarget = '/account'

/**
 * Where to go after signing in: a page of the account or of the console, a form to apply, or the authorization
 * request. Whatever else a link may ask for, above all an address of somebody else's, leads to the
 * account.
 */
export function continueTarget(text: string | undefined): string {
  const fallback = defaultTarget
  // The start page, which is left to sign out and comes back.
  if (text === '/') return text
  // A Location is ASCII; what is not has been typed by nobody's browser. Longer URLs are answered with 414.
  if (text === undefined || text.length > 16_384 || !/^\/[\x20-\x7e]*$/.test(text)) return fallback
  const origin = 'https://here.invalid'
  if (!URL.canParse(text, origin)) return fallback
  const url = new URL(text, origin)
  const isOurs =
    url.origin === origin &&
    url.hash === '' &&
    // The parser resolves dots and strips what it does not like: only what it leaves alone is taken.
    text.startsWith(url.pathname) &&
    ((url.pathname === authorizePath && text.startsWith(`${authorizePath}?`)) || ownPath.test(url.pathname))
  return isOurs ? text : fallback
}

/** A page of ours on the way to there. */
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

/** For the list of sign-ins: enough to tell one's own devices apart, and no more of it is kept. */
export function browserName(userAgent = ''): string {
  const find = (known: [string, RegExp][]) => known.find(([, pattern]) => pattern.test(userAgent))?.[0]
  const browser = find(browsers)
  const system = find(systems)
  if (browser === undefined) return system === undefined ? 'Unknown browser' : `Browser on ${system}`
  return system === undefined ? browser : `${browser} on ${system}`
}
