import type { EpochMs } from '../../platform/core/clock.ts'

export interface Account {
  candidateId: string
  email: string
  emailConfirmedAt: EpochMs | null
  passwordHash: string
  firstName: string
  lastName: string
}

export interface NewAccount extends Omit<Account, 'emailConfirmedAt'> {
  /** JSON */
  profile: string
  createdAt: EpochMs
}

export type LinkPurpose = 'confirm' | 'change-email' | 'reset'

export interface Link {
  candidateId: string
  /** The address the link was sent to; using the link confirms it. */
  email: string
}

/** The details typed at one sign-up; they become the account's when it is confirmed. */
export interface Registration {
  passwordHash: string
  firstName: string
  lastName: string
}

/** The target and the browser of a person who asks for an email. */
export interface Departure {
  /** The target after sign-in: see `continueTarget`. */
  continueTo: string
  /** Identifies the browser of the sign-up, which may confirm without the password. */
  browserMark?: string | undefined
}

export interface NewLink extends Link {
  hash: string
  purpose: LinkPurpose
  expiresAt: EpochMs
  /** Only for `confirm`. */
  registration?: Registration
  continueTo?: string | undefined
  browserMark?: string | undefined
}

export interface OpenLink extends Link {
  registration: Registration | undefined
  continueTo: string | null
  browserMark: string | null
}
