import type { EpochMs } from '../../core/clock.ts'
import type { Contact, FileType, PrimaryJobSeekingInfo, ScreenQuestion } from '../../model/application.ts'
import type { Role } from '../../model/principal.ts'
import type { Profile } from '../../model/profile.ts'
import type { ReceivedFile } from '../../model/stored-file.ts'
import type { LinkPurpose } from '../account/ports.ts'

/** An account as its owner may take it along: without the password, which is there only as a hash. */
export interface OwnAccount {
  candidateId: string
  email: string
  emailConfirmedAt: EpochMs | null
  firstName: string
  lastName: string
  createdAt: EpochMs
  profile: Profile
}

export interface OwnConsent {
  clientName: string
  advertiserName: string | null
  scope: string
  /** Bits of what was released, and of what there was to see when it was. */
  released: number
  filled: number
  createdAt: EpochMs
  decidedAt: EpochMs
  withdrawnAt: EpochMs | null
}

export interface OwnApplicationFile extends ReceivedFile {
  type: FileType
}

/** What was sent to an advertiser from here. How the questionnaire came out is for the advertiser. */
export interface OwnSentApplication {
  applicationId: number
  jobAdId: number
  jobTitle: string
  jobLocation: string
  advertiserName: string
  jobReference: string | null
  submittedAt: EpochMs
  erasedAt: EpochMs | null
  contact: Contact
  primaryJobSeekingInfo: PrimaryJobSeekingInfo | null
  questions: ScreenQuestion[]
  files: OwnApplicationFile[]
}

/** What was begun on another website with data from here. */
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

export interface OwnMembership {
  advertiserName: string
  role: Role
  since: EpochMs
}

/** A link in a mail that can still be used. */
export interface OwnLink {
  purpose: LinkPurpose
  email: string
  expiresAt: EpochMs
}

/** Whoever has received something, on whose behalf. */
export interface Recipient {
  clientName: string
  advertiserName: string | null
}

/** Candidate first in every call: no query of the store can reach over to another's data. */
export interface OwnDataStore {
  account(candidateId: string): Promise<OwnAccount | undefined>
  /** All there ever were, withdrawn ones too. */
  consents(candidateId: string): Promise<OwnConsent[]>
  memberships(candidateId: string): Promise<OwnMembership[]>
  links(candidateId: string, now: EpochMs): Promise<OwnLink[]>
  /** Newest first, those before `before` when it is given. */
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
  /** Advertisers that have an application made here, by the name it had then. */
  advertisersAppliedTo(candidateId: string, limit: number): Promise<string[]>
}

export interface LedAdvertiser {
  id: number
  name: string
  /** Its pages are closed to everybody. */
  isOnHold: boolean
}

export type Removal =
  | { outcome: 'removed'; applications: number }
  /** The password was changed meanwhile, or there is no such account any more. */
  | { outcome: 'changed' }
  /** They would be left without an admin. */
  | { outcome: 'last-admin'; advertisers: LedAdvertiser[] }

export interface AccountRemovalStore {
  /** Advertisers of which this candidate is the only admin. */
  lastAdminOf(candidateId: string): Promise<LedAdvertiser[]>
  /**
   * One durable step: the account goes with everything that hangs on it, and its applications are put down to be
   * erased when the time has come. Whatever else happens to the account comes before it, and goes too, or is refused.
   */
  remove(
    candidateId: string,
    passwordHash: string,
    times: { now: EpochMs; eraseAt: EpochMs },
  ): Promise<Removal>
}
