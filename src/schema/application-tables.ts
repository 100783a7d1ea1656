import type { Generated } from 'kysely'
import type { AnyFileType } from '../model/application.ts'
import type { ApplicationStatus, ChosenStatus, ProgressReason } from '../model/application-status.ts'
import type { StoredScan } from './scan-columns.ts'

/** Applications and their history: a part of the tables in tables.ts. */
export interface ApplicationTables {
  applications: {
    advertiser_id: number
    id: number
    submitted_at: number
    job_seeker_id: string
    email: string
    first_name: string
    last_name: string
    phone: string
    job_reference: string | null
    job_title: string | null
    company_name: string | null
    time_in_role_months: number | null
    /** Null if the candidate gave no primary job-seeking info. */
    is_new_to_work_force: number | null
    /** Null if it was sent for none of our ads, or before we had ads. */
    job_ad_id: Generated<number | null>
    /** Null if there was no questionnaire. */
    screen_successful: Generated<number | null>
    has_virus: Generated<number>
    /** When its personal data was erased. */
    erased_at: Generated<number | null>
    status: Generated<ApplicationStatus>
    /** Version of the company's privacy notice above the form; null if there was none. */
    privacy_version: Generated<number | null>
    /** Version of the job ad that the candidate saw; null if unknown, or if the application was erased. */
    ad_version: Generated<number | null>
  }
  /** Number of applications per ad (0: none of our ads) and status. */
  application_counts: {
    advertiser_id: number
    job_ad_id: number
    status: ApplicationStatus
    applications: number
  }
  /** The history of an application, including notes; deleted when the application is erased. */
  application_history: {
    advertiser_id: number
    application_id: number
    position: number
    at: number
    kind: 'status' | 'note' | 'withdrawn' | 'document' | 'hold' | 'release'
    /** Account of the person who acted; null if this was not a member of the company. */
    actor_id: string | null
    /** The previous status and the new one. */
    former: ApplicationStatus | null
    status: ApplicationStatus | null
    text: string | null
    /** Program that reported the status; null if a person changed it. */
    source: Generated<'api' | 'agent' | null>
    /** The company's credential, or the agent's client. */
    source_id: Generated<string | null>
    /** The stage in the program's own words, shown only to the company. */
    label: Generated<string | null>
    reason: Generated<ProgressReason | null>
    /** The time from which the status applies, if it is not `at`. */
    counted_at: Generated<number | null>
  }
  /** The last decision on an application of which its candidate was to be notified, for ten minutes. */
  recent_decisions: {
    advertiser_id: number
    application_id: number
    former: ChosenStatus
    status: ChosenStatus
    decided_at: number
    /** When its email is due, if it is delayed; null otherwise. */
    held_until: number | null
    /** The email; null if the candidate has no account. */
    delivery_id: string | null
  }
  /** Views, downloads and exports of single applications, one row per day (UTC) and reader. */
  application_reads: {
    advertiser_id: number
    application_id: number
    day: string
    reader: string
    way: 'view' | 'download' | 'export'
    first_at: number
    last_at: number
  }
  /** Lists and whole exports: a row covers all of the advertiser's applications from the first ID to the last. */
  list_reads: {
    advertiser_id: number
    day: string
    reader: string
    way: 'list' | 'export'
    first_id: number
    last_id: number
    first_at: number
    last_at: number
  }
  application_holds: {
    advertiser_id: number
    application_id: number
    reason: string
    placed_by: string | null
    placed_at: number
  }
  /**
   * Applications that a company may keep for other jobs, with their candidates' consent, until the end of a day in its
   * time zone.
   */
  kept_applications: {
    advertiser_id: number
    application_id: number
    until: string
    reminded_at: number | null
  }
  /** Search terms of applications: see src/schema/writing/search-terms.ts. */
  application_terms: { advertiser_id: number; term: string; application_id: number }
  erasures: {
    advertiser_id: number
    application_id: number
    due_at: number
    reason: Generated<'account' | 'withdrawn' | 'retention'>
    /**
     * Total running time of the service from which this erasure may run; 0 if a candidate caused it or release 0.1.0
     * planned it.
     */
    ripe_at: Generated<number>
  }
  application_files: {
    advertiser_id: number
    application_id: number
    type: AnyFileType
    file_name: string
    content_type: string
    sha256: string
    size: number
    scan: StoredScan
    not_judged: Generated<number>
    uploaded_at: number
    changed_at: number
    /** Null if its content was discarded. */
    blob: string | null
  }
  application_screens: {
    advertiser_id: number
    application_id: number
    json: string
    xml: string
    sha256: string
    size: number
    successful: number
    /** Kinds and references of the questions, one per question, as JSON; null if there are none. */
    details: Generated<string | null>
  }
  /** Each application in its version 1 form, rendered when it was written. */
  application_pieces: {
    advertiser_id: number
    format: 'json' | 'xml'
    id: number
    body: string
    primary_info: string
  }
}
