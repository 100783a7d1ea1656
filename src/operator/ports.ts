import type { EpochMs } from '../core/clock.ts'
import type { ApplicationStatus } from '../model/application-status.ts'
import type { Act } from '../model/audit.ts'

/** A company as the operator sees it: numbers, no people. */
export interface CompanyFigures {
  id: number
  people: number
  admins: number
  applications: number
  /** API calls since that day. */
  calls: number
  lastApplicationAt: EpochMs | null
}

/** Files without a verdict, by why there is none. */
export interface UnjudgedFiles {
  /** `refused`: an available scanner does not judge it, for instance because it is too large. */
  reason: 'waiting' | 'refused'
  of: 'application' | 'account'
  count: number
  oldestAt: EpochMs
}

export interface InfectedFile {
  advertiserId: number
  applicationId: number
}

/** An account whose mail server rejects our emails. */
export interface RefusedAddress {
  candidateId: string
  at: EpochMs
  words: string
}

export interface RunningNode {
  id: string
  release: string
  seenAt: EpochMs
}

/** What there is about one email address: IDs and counts, no words of the person. */
export interface FoundPerson {
  account:
    | {
        candidateId: string
        createdAt: EpochMs
        isConfirmed: boolean
        resumes: number
        consents: number
        companies: number
        isOperator: boolean
      }
    | undefined
  applications: {
    advertiserId: number
    applicationId: number
    submittedAt: EpochMs
    status: ApplicationStatus
    isOnHold: boolean
  }[]
}

/** Numbers and IDs for the operator's pages. */
export interface BoardStore {
  companies(callsSince: string): Promise<CompanyFigures[]>
  unjudged(): Promise<UnjudgedFiles[]>
  /** Newest first. */
  infected(most: number): Promise<InfectedFile[]>
  refused(most: number): Promise<RefusedAddress[]>
  /** Sends emails to this account again; false if its address rejects none. */
  liftRefusal(candidateId: string): Promise<boolean>
  nodes(): Promise<RunningNode[]>
  /** By the exact address, of accounts and of applications of all companies that are not erased. */
  findPerson(email: string): Promise<FoundPerson>
  /** For acts that change no row of ours. */
  record(act: Act): Promise<void>
}
