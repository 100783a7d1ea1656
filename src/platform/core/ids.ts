import { randomBytes, randomUUID } from 'node:crypto'

export function newUuid(): string {
  return randomUUID()
}

/** Accepts the lower-case form that `newUuid` returns. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}

/** A caller's own request ID is accepted only in this form, which is safe in headers and log lines. */
export function isAcceptableRequestId(value: string): boolean {
  // Credentials also have this form; they must not reach the log by mistake.
  return /^(?!sws_|d(ac|at|cs|se|li)_)[A-Za-z0-9._-]{1,64}$/i.test(value)
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Random letters and digits, without modulo bias. */
export function randomWord(length: number): string {
  let word = ''
  while (word.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && word.length < length) word += letters[byte % letters.length]
    }
  }
  return word
}

/** IDs that version 1 shows as numbers: positive, and exact in every JSON parser. */
export function parseNumericId(text: string): number | undefined {
  if (!/^[1-9][0-9]{0,15}$/.test(text)) return undefined
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : undefined
}
