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
  /** The address the link was sent to, which using it confirms. */
  email: string
}

/** The details typed at one sign-up; they become the account's when it is confirmed. */
export interface Registration {
  passwordHash: string
  firstName: string
  lastName: string
}

/** Where a person was when they asked for an email. */
export interface Departure {
  /** Where the person was going: see `continueTarget`. */
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
