import type { EpochMs } from '../../core/clock.ts'
import type { Resume } from '../../model/candidate.ts'
import type { ProfileToken } from '../../model/principal.ts'
import type { PrefillRequest } from './prefill-request.ts'

export interface PrefilledApplication {
  id: string
  createdAt: EpochMs
  updatedAt: EpochMs
  /** The identifier under which this grant may read the resume. */
  releasedResumeId: string | null
  /** Bits of what the candidate releases, read in the step that recorded the disclosure. */
  released: number
}

export interface NewPrefill {
  id: string
  /** Equal for a retry: a hash of token, advertiser and form. */
  retryKey: string
  request: PrefillRequest
  /** The resume to offer, and the identifier to use unless this grant has one for it already. */
  resume: { resumeId: string; releasedId: string } | null
  /** With the bits of what the profile holds, the resume aside: what is released of it leaves. */
  disclosure: { id: string; filled: number }
}

/** A disclosure is recorded only while the token lives, by the step that reads this and what the token releases. */
export interface SharingStore {
  /** One durable step. Undefined when the token has ended or the advertiser is not active. */
  recordPrefill(
    token: ProfileToken,
    prefill: NewPrefill,
    now: EpochMs,
  ): Promise<PrefilledApplication | undefined>
  isActiveAdvertiser(advertiserId: number): Promise<boolean>
  /** The file that was released under this identifier to this grant. */
  findReleasedResume(grantId: string, releasedId: string): Promise<Omit<Resume, 'isDefault'> | undefined>
  /** False when the token has ended or no longer releases the resume. */
  recordDownload(token: ProfileToken, disclosureId: string, now: EpochMs): Promise<boolean>
  /** The first date stays; false when the client has no such application. */
  complete(clientId: string, applicationId: string, completedAt: EpochMs): Promise<boolean>
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
  positionTitle: string | null
  createdAt: EpochMs
  completedAt: EpochMs | null
}

/** What a candidate may see of it; candidate first in every call. */
export interface SharingHistory {
  /** Newest first, those before `before` when it is given. */
  disclosures(candidateId: string, limit: number, before?: { at: EpochMs; id: string }): Promise<Disclosure[]>
  /** Newest first, those before `before` when it is given. */
  applications(
    candidateId: string,
    limit: number,
    before?: { at: EpochMs; id: string },
  ): Promise<StartedApplication[]>
}
