import type { EpochMs } from '../../core/clock.ts'
import type { Resume } from '../../model/candidate.ts'
import type { ProfileToken } from '../../model/principal.ts'
import type { PrefillRequest } from './prefill-request.ts'

export interface PrefilledApplication {
  id: string
  createdAt: EpochMs
  updatedAt: EpochMs
  /** Identifier under which this grant may read the resume. */
  releasedResumeId: string | null
  /** Bits of the released categories, read in the step that recorded the disclosure. */
  released: number
}

export interface NewPrefill {
  id: string
  /** Hash of token, advertiser and form; the same for a retry. */
  retryKey: string
  request: PrefillRequest
  /** The resume to offer, and the identifier to use unless this grant already has one for it. */
  resume: { resumeId: string; releasedId: string } | null
  /** `filled`: bits of the categories in the profile, without the resume; those that are released are disclosed. */
  disclosure: { id: string; filled: number }
}

/** A disclosure is recorded only while the token is valid, in the same step that reads the token and what it releases. */
export interface SharingStore {
  /** One durable step. Undefined when the token is no longer valid or the advertiser is not active. */
  recordPrefill(
    token: ProfileToken,
    prefill: NewPrefill,
    now: EpochMs,
  ): Promise<PrefilledApplication | undefined>
  isActiveAdvertiser(advertiserId: number): Promise<boolean>
  /** The resume that the candidate chose for this consent, or the default; undefined if it has been deleted. */
  findChosenResume(grantId: string, candidateId: string): Promise<Omit<Resume, 'isDefault'> | undefined>
  /** Finds the file released to this grant under this identifier. */
  findReleasedResume(grantId: string, releasedId: string): Promise<Omit<Resume, 'isDefault'> | undefined>
  /** False when the token is no longer valid or no longer releases the resume. */
  recordDownload(token: ProfileToken, disclosureId: string, now: EpochMs): Promise<boolean>
  /** Keeps the first date; false when the client has no such application. */
  /** `completedAt` is what the client says. */
  complete(clientId: string, applicationId: string, completedAt: EpochMs, now: EpochMs): Promise<boolean>
}

export interface Disclosure {
  id: string
  kind: 'prefill' | 'resume'
  clientName: string
  advertiserName: string | null
  categories: number
  disclosedAt: EpochMs
}

export interface StartedApplication {
  id: string
  clientName: string
  advertiserName: string
  /** Of the advertiser. */
  logoHash: string | null
  positionTitle: string | null
  createdAt: EpochMs
  completedAt: EpochMs | null
}

/** The sharing history of a candidate, who comes first in every call. */
export interface SharingHistory {
  /** Newest first, starting after `before` if given. */
  disclosures(candidateId: string, limit: number, before?: { at: EpochMs; id: string }): Promise<Disclosure[]>
  /** Newest first, starting after `before` if given. */
  applications(
    candidateId: string,
    limit: number,
    before?: { at: EpochMs; id: string },
  ): Promise<StartedApplication[]>
}
