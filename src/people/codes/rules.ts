import { createHmac, randomInt } from 'node:crypto'
import { isSameHash } from '../../platform/core/secrets.ts'
import type { SecretKeys } from '../factors/secret-rules.ts'

/** Limit: Lifetime of a code in an email: ten minutes. */
export const codeSeconds = 600
/** Limit: Tries for one code: each guess hits one of a million. */
export const codeTries = 5
/** Limit: Pause before a new code can be sent: the first email may still be on its way. */
export const newCodeSeconds = 30

const digits = 6

export const newCode = (): string => String(randomInt(10 ** digits)).padStart(digits, '0')

/** Extracts a code from typed or pasted text, even with spaces or full-width digits; undefined if there is none. */
export function codeIn(typed: string): string | undefined {
  const code = typed
    .slice(0, 100)
    .normalize('NFKC')
    .replace(/[\s\p{Cf}\p{Pd}]/gu, '')
  return /^[0-9]{6}$/.test(code) ? code : undefined
}

const macBy = (key: Buffer, challenge: string, code: string) =>
  createHmac('sha256', key)
    .update(JSON.stringify(['emailed code', challenge, code]))
    .digest('base64url')

/** A MAC with a key outside the database: a person who reads the table could otherwise try a million codes in a second. */
export const codeMac = ([key]: SecretKeys, challenge: string, code: string): string =>
  macBy(key, challenge, code)

/** Also accepts the keys that the current one replaces. */
export const isCode = (keys: SecretKeys, mac: string, challenge: string, code: string): boolean =>
  keys.some(key => isSameHash(mac, macBy(key, challenge, code)))
