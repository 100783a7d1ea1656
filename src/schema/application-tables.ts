import type { Generated } from 'kysely'
import type { AnyFileType } from '../model/application.ts'
import type { ApplicationStatus, ChosenStatus, ProgressReason } from '../model/application-status.ts'
import type { StoredScan } from './scan-columns.ts'

/** Applications and what happens to them: a part of the tables in tables.ts. */
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
    /** Null if it was made for none of our ads, or before we had ads. */
    job_ad_id: Generated<number | null>
    /** Null if there was no questionnaire. */
    screen_successful: Generated<number | null>
    has_virus: Generated<number>
    /** When its personal data was erased. */
    erased_at: Generated<number | null>
    status: Generated<ApplicationStatus>
    /** Of the company's privacy notice above the form; null if there was none. */
    privacy_version: Generated<number | null>
    /** Of the job ad that the candidate saw; null if none is known, or the application was erased. */
    ad_version: Generated<number | null>
  }
  /** Applications per ad (0: none of our ads) and status. */
  application_counts: {
    advertiser_id: number
    job_ad_id: number
    status: ApplicationStatus
    applications: number
  }
  /** What happened to an application, notes included; gone when it is erased. */
  application_history: {
    advertiser_id: number
    application_id: number
    position: number
    at: number
    kind: 'status' | 'note' | 'withdrawn' | 'document' | 'hold' | 'release'
    /** The account of the person who did it; null if no member of the company did. */
    actor_id: string | null
    /** The status before and after. */
    former: ApplicationStatus | null
    status: ApplicationStatus | null
    text: string | null
    /** The program that reported the status; null if a person changed it. */
    source: Generated<'api' | 'agent' | null>
    /** The credential of the company, or the client of the agent. */
    source_id: Generated<string | null>
    /** The stage in the program's own words, for the company alone. */
    label: Generated<string | null>
    reason: Generated<ProgressReason | null>
    /** The time with which the status counts, if it is not `at`. */
    counted_at: Generated<number | null>
  }
  /** The last decision on an application that its candidate was to hear of, for ten minutes. */
  recent_decisions: {
    advertiser_id: number
    application_id: number
    former: ChosenStatus
    status: ChosenStatus
    decided_at: number
    /** When its email is due, if that waits; null if it did not wait. */
    held_until: number | null
    /** The email; null if the candidate has no account. */
    delivery_id: string | null
  }
  /** Views, downloads and exports of some applications, one row per day (UTC) and reader. */
  application_reads: {
    advertiser_id: number
    application_id: number
    day: string
    reader: string
    way: 'view' | 'download' | 'export'
    first_at: number
    last_at: number
  }
  /** Lists and whole exports: a row covers every application of the advertiser from the first ID to the last. */
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
  /** Those that a company may keep for other jobs, as their candidates allow, until the end of a day in its time zone. */
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
    /** Running time of the service before which it is not done; 0 for what a candidate has caused, or release 0.1.0 planned. */
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
  /** Each application as version 1 shows it, rendered when it was written. */
  application_pieces: {
    advertiser_id: number
    format: 'json' | 'xml'
    id: number
    body: string
    primary_info: string
  }
}
