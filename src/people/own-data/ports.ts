import type { OwnHistoryEntry } from '../../apply/form/ports.ts'
import type { EpochMs } from '../../core/clock.ts'
import type { Contact, FileType, PrimaryJobSeekingInfo, ResultQuestion } from '../../model/application.ts'
import type { ReadOnRecord } from '../../model/application-read.ts'
import type { ApplicationStatus } from '../../model/application-status.ts'
import type { Rhythm } from '../../model/notice-topics.ts'
import type { Profile } from '../../model/profile.ts'
import type { ReceivedFile } from '../../model/stored-file.ts'
import type { NewDelivery } from '../../work/delivery-ports.ts'
import type { Account, LinkPurpose } from '../account/ports.ts'

/** An account as exported for its owner, without the password hash. */
export interface OwnAccount extends Omit<Account, 'passwordHash'> {
  createdAt: EpochMs
  profile: Profile
  /** Bits of the notifications that are switched off. */
  muted: number
  mailRefusedAt: EpochMs | null
}

export interface OwnConsent {
  clientName: string
  advertiserName: string | null
  scope: string
  /** Bits of the released categories, and of those that had content at the time. */
  released: number
  filled: number
  createdAt: EpochMs
  decidedAt: EpochMs
  withdrawnAt: EpochMs | null
}

export interface OwnApplicationFile extends ReceivedFile {
  type: FileType
}

/** An application sent from here. The result of the questionnaire is only for the advertiser. */
export interface OwnSentApplication {
  applicationId: number
  jobAdId: number
  jobTitle: string
  jobLocation: string
  advertiserName: string
  jobReference: string | null
  submittedAt: EpochMs
  status: ApplicationStatus
  /** Without the company's notes. */
  history: OwnHistoryEntry[]
  reads: ReadOnRecord[]
  erasedAt: EpochMs | null
  contact: Contact
  primaryJobSeekingInfo: PrimaryJobSeekingInfo | null
  questions: ResultQuestion[]
  files: OwnApplicationFile[]
}

/** An application started on another website with data from here. */
export interface OwnStartedApplication {
  id: string
  clientName: string
  advertiserName: string
  formUrl: string
  positionTitle: string | null
  positionUri: string | null
  positionReference: string | null
  countryCode: string | null
  postalCode: string | null
  createdAt: EpochMs
  updatedAt: EpochMs
  completedAt: EpochMs | null
}

/** At a company, at an agent, or at the job board itself, which needs no name. */
export interface OwnMembership {
  advertiserName?: string
  agentName?: string
  role: string
  since: EpochMs
  /** How often a company's applications are announced by email. */
  rhythm?: Rhythm
}

/** An emailed link that can still be used. */
export interface OwnLink {
  purpose: LinkPurpose
  email: string
  expiresAt: EpochMs
}

/** A recipient of data, and the advertiser on whose behalf it asked. */
export interface Recipient {
  clientName: string
  advertiserName: string | null
}

/** Every call takes the candidate first, so that no query can reach another candidate's data. */
export interface OwnDataStore {
  account(candidateId: string): Promise<OwnAccount | undefined>
  /** All consents ever given, including withdrawn ones. */
  consents(candidateId: string): Promise<OwnConsent[]>
  memberships(candidateId: string): Promise<OwnMembership[]>
  links(candidateId: string, now: EpochMs): Promise<OwnLink[]>
  /** Newest first, starting after `before` if given. */
  applications(
    candidateId: string,
    before: Pick<OwnSentApplication, 'submittedAt' | 'applicationId'> | undefined,
    limit: number,
  ): Promise<OwnSentApplication[]>
  startedApplications(
    candidateId: string,
    before: Pick<OwnStartedApplication, 'createdAt' | 'id'> | undefined,
    limit: number,
  ): Promise<OwnStartedApplication[]>
  /** Websites that have received data from the profile, by name. */
  recipients(candidateId: string, limit: number): Promise<Recipient[]>
  /** Advertisers that received an application from here, by their name at the time. */
  advertisersAppliedTo(candidateId: string, limit: number): Promise<string[]>
}

/** A company, an agent or the job board itself, whose name and ID are the service's own. */
export interface Led {
  kind: 'company' | 'agent' | 'board'
  id: number
  name: string
  /** Its pages are closed to all of its people. */
  isOnHold: boolean
}

export type Removal =
  | { outcome: 'removed'; applications: number }
  /** The password was changed meanwhile, or the account no longer exists. */
  | { outcome: 'changed' }
  /** These would be left without an admin. */
  | { outcome: 'last-admin'; led: Led[] }

export interface AccountRemovalStore {
  /** Companies and agents of which this candidate is the only admin, and the board if there is no other operator. */
  lastAdminOf(candidateId: string): Promise<Led[]>
  /**
   * Deletes the account with everything that belongs to it and schedules its applications for erasure, in one durable
   * step. A concurrent change to the account either commits first and is deleted too, or fails.
   */
  remove(
    candidateId: string,
    passwordHash: string,
    options: { now: EpochMs; eraseAt: EpochMs; mails?: readonly NewDelivery[] },
  ): Promise<Removal>
}
