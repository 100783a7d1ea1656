/** Who asks on version 1, and for which advertiser. */
export interface Principal {
  credentialId: string
  advertiserId: number
  /** The agent that acts for the advertiser, when one does. */
  agentId: number | null
  /** Recognised, but not to be served. */
  isOnHold: boolean
  /**
   * The advertiser's version when its credential was looked up: every new application, verdict and erasure makes it
   * larger. What is read after that is at least this new.
   */
  version: number
}

/** A client with what one candidate has granted it. */
export interface ProfileToken {
  /** SHA-256 of the token. */
  hash: string
  clientId: string
  candidateId: string
  grantId: string
  /** The only advertiser it may be used for, when the candidate was asked for one. */
  advertiserId: number | null
  /** Bits of the released categories. */
  released: number
}

/** A job board, for the advertisers that are listed on its client. */
export interface IntakeToken {
  clientId: string
}

/** A client that acts for itself. */
export interface ClientToken {
  clientId: string
}

/** A recruiter sees applications; an admin sees and changes everything of the advertiser. */
export const roles = ['recruiter', 'admin'] as const
export type Role = (typeof roles)[number]

/** Somebody who is signed in and works for the advertiser of the page. */
export interface Member {
  advertiserId: number
  advertiserName: string
  role: Role
}

/** With what the pages of the advertiser go by. */
export interface ConsoleMember extends Member {
  timeZone: string
}
