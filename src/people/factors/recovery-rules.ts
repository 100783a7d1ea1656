import { randomBytes } from 'node:crypto'
import { hashSecret } from '../../core/secrets.ts'

/** Without letters and digits that look alike: 32 of them, so a byte modulo 32 has no bias. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789'
const groups = /.{4}/g

/** 80 random bits, as four groups. */
export function newRecoveryCode(): string {
  const letters = [...randomBytes(16)].map(byte => alphabet[byte % 32]).join('')
  return letters.match(groups)?.join('-') ?? ''
}

/** Spaces, hyphens and capitals do not matter. A fast hash is enough for 80 random bits. */
export function hashRecoveryCode(candidateId: string, typed: string): string {
  return hashSecret(`recovery code ${candidateId} ${plainCode(typed)}`)
}

/** What was typed, without what people add for reading. */
export const plainCode = (typed: string) => typed.toLowerCase().replace(/[^a-z0-9]/g, '')

export const looksLikeRecoveryCode = (typed: string) => plainCode(typed).length === 16
