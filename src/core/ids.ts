import { randomBytes, randomUUID } from 'node:crypto'

export function newUuid(): string {
  return randomUUID()
}

/** In the form in which we write them. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}

/** A caller's own request id is kept only in this form, so that it can stand in a header and in a log line. */
export function isAcceptableRequestId(value: string): boolean {
  // A credential fits the form, and must not get into a log by mistake.
  return /^(?!sws_|d(ac|at|cs|se|li)_)[A-Za-z0-9._-]{1,64}$/i.test(value)
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Random letters and digits without the bias of a plain remainder. */
export function randomWord(length: number): string {
  let word = ''
  while (word.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && word.length < length) word += letters[byte % letters.length]
    }
  }
  return word
}

/** IDs of applications, advertisers and agents: positive, and exact in every JSON reader. */
export function parseNumericId(text: string): number | undefined {
  if (!/^[1-9][0-9]{0,15}$/.test(text)) return undefined
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : undefined
}
