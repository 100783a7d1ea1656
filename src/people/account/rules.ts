import { isEmail } from '../../core/email.ts'
import type { FieldError } from '../../core/problems.ts'
import { lineBreakOrTab, textFault } from '../../core/text.ts'
import type { Limits } from '../../limits.ts'

export type AccountLimits = Pick<Limits, 'emailLength' | 'nameLength' | 'passwordLeast' | 'passwordLength'>

export function emailFault(field: string, email: string, limits: AccountLimits): FieldError[] {
  if (email === '') return [{ field, code: 'empty', message: 'Enter your email address.' }]
  if (isEmail(email, limits)) return []
  return [{ field, code: 'not-an-email', message: 'Enter an email address such as name@example.com.' }]
}

/** Only length counts. Rules about digits and symbols make passwords more alike, not stronger. */
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
    return [
      {
        field,
        code: 'too-short',
        message: `Use at least ${least} characters. A few random words work well.`,
      },
    ]
  }
  if (length > most) return [{ field, code: 'too-long', message: `Use at most ${most} characters.` }]
  if (!spelled.isWellFormed()) {
    return [
      { field, code: 'unwritable-character', message: 'The password contains a character we can’t read.' },
    ]
  }
  if (spelled.toLowerCase() === email) {
    return [{ field, code: 'is-email', message: 'The password must not be your email address.' }]
  }
  return []
}

export function nameFault(
  field: string,
  label: string,
  name: string,
  { nameLength }: AccountLimits,
): FieldError[] {
  const fault = textFault(name, { maxLength: nameLength, isRequired: true, notOnOneLine: lineBreakOrTab })
  if (fault === undefined) return []
  const message = `The ${label} must be one line of at most ${nameLength} characters.`
  return [{ field, code: fault, message: fault === 'empty' ? `Enter your ${label}.` : message }]
}

const ownPath = /^\/((account|console|operator|agent)(\/[\w/.-]*)?|jobs\/\d+\/apply)$/
const authorizePath = '/api/iam/oauth2/authorize'
const defaultTarget = '/account'

/**
 * Returns where to go after signing in: a page of the account or console, an application form, or the
 * authorization request. Every other target, above all another site, is replaced by the account.
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

/** Adds the target after sign-in to a path of ours. */
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
