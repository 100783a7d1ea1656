import type { SessionProof } from '../../src/model/candidate.ts'

/** Of a person who signed in with a password. */
export const proved: SessionProof = { provedAt: 0, provedBy: 'password', factors: ['password'] }

/** Of a new session, likewise. */
export const byPassword = { factors: ['password'], network: '127.0.0.1' } as const

export const inFirefox = { browser: 'Firefox on Linux', ...byPassword }
