import type { Generated } from 'kysely'
import type { FileType } from '../../model/application.ts'
import type { ApplicationStatus } from '../../model/application-status.ts'
import type { StoredScan } from './scan-columns.ts'

/** Kinds of IDs that are never used twice, by their sequence. */
export type IdName = 'application_ids' | 'job_ad_ids' | 'screen_ids'

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
  /** The outbox: what must reach the outside world. */
  deliveries: {
    id: string
    kind: string
    /** JSON: IDs, no text and no secret. */
    content: string
    state: 'waiting' | 'sent' | 'dead' | 'held'
    due_at: number
    give_up_at: number
    attempts: Generated<number>
    created_at: number
    ended_at: number | null
    fault: string | null
  }
  /** Processes that may draw IDs, each with its last sign of life. An orderly stop removes the row. */
  nodes: { id: string; release: string; seen_at: number }
  /** What was erased, withdrawn or revoked, until it is noted beside the files: see bury.ts. */
  tombstones: {
    id: string
    /** JSON: IDs only. */
    content: string
  }
  /** Search terms of applications: see src/storage/writing/search-terms.ts. */
  application_terms: { advertiser_id: number; term: string; application_id: number }
  erasures: {
    advertiser_id: number
    application_id: number
    due_at: number
    reason: Generated<'account' | 'withdrawn' | 'retention'>
  }
  application_files: {
    advertiser_id: number
    application_id: number
    type: FileType
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
