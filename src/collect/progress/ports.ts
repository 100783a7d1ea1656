import type { EpochMs } from '../../core/clock.ts'
import type { FileType } from '../../model/application.ts'
import type { ApplicationStatus, ChosenStatus } from '../../model/application-status.ts'

/** What happened to an application, as the company's people read it. */
export interface HistoryEntry {
  at: EpochMs
  kind: 'status' | 'note' | 'withdrawn' | 'document' | 'hold' | 'release'
  /** The account of the member who did it; null if no member did. */
  actorId: string | null
  /** Null if the account no longer exists, or has no name. */
  actorName: string | null
  former: ApplicationStatus | null
  status: ApplicationStatus | null
  text: string | null
}

/** What happened to an application without people of the company. */
export type Happening =
  | { kind: 'scanned'; at: EpochMs; file: FileType; verdict: 'clean' | 'infected' }
  /** A program has collected it for the first time. Null: an agent or a credential that no longer exists. */
  | { kind: 'collected'; at: EpochMs; by: 'agent' | 'company'; name: string | null }

export interface StatusChange {
  /** Each changes only if it still has the status that the page showed. */
  applications: readonly { id: number; shown: ApplicationStatus }[]
  to: ChosenStatus
  /** The account of the member. */
  by: string
  at: EpochMs
  /** Added to the history of each. */
  note?: string
  /** Queues an email to each candidate who has an account. */
  tells: boolean
  /** An application with so many entries in its history does not change. */
  historyMost: number
}

/** What a recruiter sends from the page of an application. */
export interface Update {
  by: string
  /** The status that the page showed. */
  shown: ApplicationStatus
  /** Undefined: only the note is added. */
  to: ChosenStatus | undefined
  note: string
  tells: boolean
}

export type StatusCounts = Record<ApplicationStatus, number>

/** A count that differs from the number of applications. Ad 0 stands for none of our ads. */
export interface CountFault {
  jobAdId: number
  status: ApplicationStatus
  kept: number
  counted: number
}

/** What a company does with its applications. */
export interface ProgressStore {
  /**
   * The IDs of those that changed. The others had another status by then, were erased, are not the advertiser's, or have
   * a full history.
   */
  setStatus(advertiserId: number, change: StatusChange): Promise<number[]>
  /** `missing`: there is no such application, or it was erased. */
  addNote(
    advertiserId: number,
    applicationId: number,
    note: { text: string; by: string; at: EpochMs; historyMost: number },
  ): Promise<'added' | 'missing' | 'full'>
  /** Newest first. */
  history(advertiserId: number, applicationId: number, limit: number): Promise<HistoryEntry[]>
  /** In any order. */
  happenings(advertiserId: number, application: { id: number; submittedAt: EpochMs }): Promise<Happening[]>
  /** Whether the candidate sent it from an account that still exists, and can be told by email. */
  hasAccount(advertiserId: number, applicationId: number): Promise<boolean>
  /**
   * Records that a member reads what is new, so that no email tells of it; a visit ends after `visitMs` without one, and
   * is recorded once in `repeatMs` unless something is new. Returns the time of the visit before; null if this is the
   * first. Call it before reading what the page shows.
   */
  visit(
    advertiserId: number,
    candidateId: string,
    visit: { now: EpochMs; visitMs: number; repeatMs: number },
  ): Promise<EpochMs | null>
  lastVisit(advertiserId: number, candidateId: string): Promise<EpochMs | null>
  /** Of one ad, or of all applications. */
  counts(advertiserId: number, jobAdId?: number): Promise<StatusCounts>
  /** Without ads that have no applications. */
  countsOfAds(advertiserId: number, jobAdIds: readonly number[]): Promise<Map<number, StatusCounts>>
}

/** For the operator: compares the counts of an advertiser with its applications. */
export interface CountStore {
  faults(advertiserId: number): Promise<CountFault[]>
  /** Corrects the counts; returns what was wrong. */
  repair(advertiserId: number): Promise<CountFault[]>
}
