import type { EpochMs } from '../platform/core/clock.ts'

/** The caller of version 1, and the advertiser for which it acts. */
export interface Principal {
  credentialId: string
  advertiserId: number
  /** The agent that acts for the advertiser, if any. */
  agentId: number | null
  /** Authenticated, but must not be served. */
  isOnHold: boolean
  /** Whether an admin has allowed the credential to manage webhook endpoints. */
  managesWebhooks?: boolean
  /** When the agent was allowed to report progress; null if it may only read, or if there is no agent. */
  progressGrantedAt?: EpochMs | null
  /**
   * The advertiser's version when the credential was looked up; every new application, verdict and erasure increases
   * it. Data read later is at least this new.
   */
  version: number
  /** Number of the advertiser's last event at the same moment. */
  eventNumber: number
}

/** A client with the access that one candidate has granted it. */
export interface ProfileToken {
  /** SHA-256 of the token. */
  hash: string
  clientId: string
  candidateId: string
  grantId: string
  /** The only advertiser for which it may be used, if the consent named one. */
  advertiserId: number | null
  /** Bits of the shared categories. */
  released: number
}

/** A job board that acts for the advertisers listed for its client. */
export interface IntakeToken {
  clientId: string
}

/** A client that acts on its own behalf. */
export interface ClientToken {
  clientId: string
}

/** An agent that manages its webhook endpoints and sees who has authorised it. */
export interface WebhookToken {
  clientId: string
  agentId: number
}

/** A recruiter can see applications; an admin can see and change all of the advertiser's data. */
export const roles = ['recruiter', 'admin'] as const
export type Role = (typeof roles)[number]

/** A reader sees the agent's pages; an admin can change everything about the agent. */
export const agentRoles = ['reader', 'admin'] as const
export type AgentRole = (typeof agentRoles)[number]

/** A signed-in person who works for the page's agent. */
export interface AgentMember {
  agentId: number
  agentName: string
  role: AgentRole
}

/** A signed-in person who works for the page's advertiser. */
export interface Member {
  advertiserId: number
  advertiserName: string
  logoHash: string | null
  role: Role
}

/** A member, with the data that the console pages need. */
export interface ConsoleMember extends Member {
  timeZone: string
  /** Days after which an application counts as unanswered. */
  answerDays: number
  /** Whether the company requires its members to use a second factor. */
  requiresFactor: boolean
}

/** The people who run the board. A viewer sees all operator pages and can change nothing. */
export const operatorRoles = ['operator', 'viewer'] as const
export type OperatorRole = (typeof operatorRoles)[number]
