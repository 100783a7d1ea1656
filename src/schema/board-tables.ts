import type { Generated } from 'kysely'
import type { Workplace } from '../model/ad-details.ts'
import type { ChosenStatus, EmailChoice, ProgressReason } from '../model/application-status.ts'
import type { AdAct, ReportOutcome, ReportReason } from '../model/job-report.ts'
import type { OperatorRole } from '../model/principal.ts'
import type { ApplicationTables } from './application-tables.ts'
import type { PeopleTables } from './people-tables.ts'
import type { StoredScan } from './scan-columns.ts'
import type { WebhookTables } from './webhook-tables.ts'

declare module '../platform/database/tables.ts' {
  interface Schema extends ApplicationTables, BoardTables, OperatorTables, PeopleTables, WebhookTables {}
}

/** Companies, ads, clients, candidates and the data they share. */
interface BoardTables {
  advertisers: {
    id: number
    name: string
    status: 'active' | 'hold'
    created_at: number
    time_zone: Generated<string | null>
    logo_hash: string | null
    /** The company's choice; null: the operator's default. */
    retention_choice: Generated<number | null>
    /** The period in force: see src/model/retention.ts. Null: no end. */
    retention_months: Generated<number | null>
    /** An announced period, in force from `retention_changes_at` on. */
    next_retention_months: Generated<number | null>
    retention_changes_at: Generated<number | null>
    /** 1 if its members need a second factor. */
    requires_factor: Generated<number>
    /** The company's choice; null: the default in src/model/unanswered.ts. */
    answer_days: Generated<number | null>
    /** Months for which the form offers to keep an application for other jobs; null: not offered. */
    keep_months: Generated<number | null>
    /** Number of applications without an answer, from background work; null before the first count. */
    unanswered: Generated<number | null>
    candidate_emails: Generated<EmailChoice>
    /** 1 if its candidates see the reasons that programs report. */
    shows_reasons: Generated<number>
  }
  advertiser_logos: { advertiser_id: number; hash: string; type: string; content: string }
  /** All versions; the newest is in force. If it has neither address nor text, the company has removed its notice. */
  privacy_notices: {
    advertiser_id: number
    version: number
    url: string | null
    content: string | null
    created_at: number
  }
  client_logos: { client_id: string; hash: string; type: string; content: string }
  /** One row per advertiser, locked while an application is added: see apply/add-application-store.ts. */
  advertiser_ledger: {
    advertiser_id: number
    last_submitted_at: number
    version: number
    /** Number of the last event: see src/schema/writing/record-event.ts. */
    event_number: Generated<number>
    /** Events up to this number were removed. */
    events_from: Generated<number>
  }
  sws_credentials: {
    id: string
    advertiser_id: number
    hash: string
    hint: string
    label: string
    created_at: number
    expires_at: number | null
    revoked_at: number | null
    last_used_at: number | null
    manages_webhooks: Generated<number>
  }
  agents: { id: number; name: string; created_at: number; last_authorised_at: Generated<number> }
  agent_authorisations: {
    advertiser_id: number
    agent_id: number
    authorised_at: number
    /** When it was allowed to report progress; null if it may only read. */
    progress_granted_at: Generated<number | null>
  }
  oauth_clients: {
    id: string
    name: string
    agent_id: number | null
    created_at: number
    /** Separated by spaces. */
    scopes: Generated<string>
    require_pkce: Generated<number>
    disabled_at: number | null
    logo_hash: string | null
    privacy_url: string | null
  }
  oauth_redirect_uris: { client_id: string; uri: string }
  oauth_client_secrets: { client_id: string; hash: string; created_at: number }
  candidates: {
    id: string
    email: string
    email_confirmed_at: number | null
    password_hash: string
    first_name: string
    last_name: string
    profile: string
    created_at: number
    /** Bits of the notifications that are switched off. */
    muted: Generated<number>
    mail_refused_at: Generated<number | null>
    mail_refusal: Generated<string | null>
  }
  resumes: {
    id: string
    candidate_id: string
    file_name: string
    content_type: string
    sha256: string
    size: number
    scan: StoredScan
    /** 1 if it is unscanned because the scanner will not judge it: see scan-columns.ts. */
    not_judged: Generated<number>
    uploaded_at: number
    is_default: number
    /** Null if its content was discarded. */
    blob: string | null
  }
  /** A candidate's consent; `released` and `filled` are bits of src/model/categories.ts. */
  grants: {
    id: string
    candidate_id: string
    client_id: string
    advertiser_id: number | null
    scope: string
    released: number
    filled: number
    created_at: number
    decided_at: number
    withdrawn_at: number | null
    /** Null selects the default resume. */
    resume_id: string | null
  }
  oauth_codes: {
    hash: string
    client_id: string
    grant_id: string
    candidate_id: string
    advertiser_id: number | null
    redirect_uri: string
    scope: string
    released: number
    challenge: string | null
    issued_at: number
    expires_at: number
    failed_attempts: number
    redeemed_at: number | null
    /** The token for which it was redeemed. */
    token_hash: string | null
  }
  oauth_tokens: {
    hash: string
    client_id: string
    scope: string
    grant_id: string | null
    candidate_id: string | null
    released: number
    advertiser_id: number | null
    agent_id: number | null
    /** The agent's authorisation on which it depends: a new authorisation does not revive an old token. */
    agent_authorised_at: number | null
    issued_at: number
    expires_at: number
    revoked_at: number | null
  }
  mail_counts: { recipient_hash: string; hour: number; mails: number }
  demo_outbox: {
    id: string
    recipient: string
    subject: string
    body: string
    html: Generated<string>
    sent_at: number
  }
  released_resumes: { id: string; grant_id: string; resume_id: string; created_at: number }
  /** Progress of a prefilled application, as reported by its client: the last entry is its state. */
  prefill_progress: {
    prefilled_application_id: string
    position: number
    at: number
    state: ChosenStatus
    reason: ProgressReason | null
  }
  prefilled_applications: {
    id: string
    retry_key: string
    client_id: string
    grant_id: string
    candidate_id: string
    advertiser_id: number
    form_url: string
    position_title: string | null
    position_uri: string | null
    position_reference: string | null
    country_code: string | null
    postal_code: string | null
    created_at: number
    updated_at: number
    completed_at: number | null
  }
  disclosures: {
    id: string
    candidate_id: string
    grant_id: string
    client_id: string
    advertiser_id: number | null
    kind: 'prefill' | 'resume'
    categories: number
    disclosed_at: number
  }
  screens: {
    advertiser_id: number
    id: number
    name: string
    /** JSON */
    questions: string
    status: 'open' | 'closed'
    created_at: number
    updated_at: number
  }
  job_ads: {
    advertiser_id: number
    id: number
    title: string
    location: string
    description: string
    reference: string | null
    screen_id: number | null
    /** YYYY-MM-DD: the last day. */
    closing_date: string | null
    status: 'open' | 'closed'
    created_at: number
    updated_at: number
    /** Title, location and name of the advertiser, folded. */
    search_text: string
    /** Why it is not public; null if it may be. See src/model/job-report.ts. */
    hold: Generated<'review' | 'held' | null>
    hold_reason: Generated<string | null>
    held_at: Generated<number | null>
    /** When an operator approved or released it. */
    approved_at: Generated<number | null>
    /** JSON: see src/model/ad-details.ts; the columns below repeat the values by which the list of jobs is filtered. */
    details: Generated<string | null>
    workplace: Generated<Workplace | null>
    /** Each value between spaces. */
    employment_types: Generated<string | null>
    has_pay: Generated<number>
  }
  /** Published versions of ads; they never change, except for the time when the next version replaced them. */
  ad_versions: {
    advertiser_id: number
    job_ad_id: number
    version: number
    /** JSON: see src/model/ad-version.ts. */
    content: string
    /** Hash of the content. */
    hash: string
    created_at: number
    replaced_at: number | null
  }
  /** Reports of ads by the public, with the operator's decision. */
  job_reports: {
    id: string
    advertiser_id: number
    job_ad_id: number
    reason: ReportReason
    details: string
    email: string | null
    reported_at: number
    /** Null while the report is open. */
    outcome: Generated<ReportOutcome | null>
    /** Time of the decision; before it, of the report. */
    last_at: number
  }
  /** Operators' decisions about ads; they never change. */
  ad_decisions: {
    job_ad_id: number
    /** Counts the decisions of an ad. */
    number: number
    act: AdAct
    /** The reason shown to the company. */
    reason: string | null
    /** Kind and ID, as in the audit log. */
    actor: string
    decided_at: number
  }
  /** Applications that candidates made here, with the ad at that time. */
  /** `id` is the form's key, which the application inherits; without a candidate, it has no owner yet. */
  drafts: {
    id: string
    candidate_id: string | null
    job_ad_id: number
    job_title: string
    advertiser_name: string
    content: string
    version: number
    saved_at: number
    expires_at: number
  }
  draft_files: {
    draft_id: string
    field: string
    file_name: string
    content_type: string
    blob: string | null
    sha256: string
    size: number
    scan: StoredScan
    not_judged: number
    uploaded_at: number
  }
  own_applications: {
    candidate_id: string
    form_key: string
    advertiser_id: number
    application_id: number
    job_ad_id: number
    job_title: string
    job_location: string
    advertiser_name: string
    submitted_at: number
  }
  oauth_client_advertisers: { client_id: string; advertiser_id: number }
  intake_keys: {
    client_id: string
    key: string
    /** The request that holds the key until there is a response. */
    claim: string
    /** When the request's hold ends, by the database's clock; null if no request holds it. */
    held_until: number | null
    /** Empty once the content has been erased. */
    content_hash: string | null
    /** The ID of the created entry. */
    answer: string | null
    expires_at: number
  }
  /** The job board that sent an application, and the key it used. */
  intake_applications: {
    application_id: number
    advertiser_id: number
    client_id: string
    key: string | null
  }
  imports: {
    file_hash: string
    entries_done: number
    imported: number
    refused: number
    started_at: number
    finished_at: number | null
  }
  /** The first name of each ID in the operator's lists: src/people/lists. */
  list_entries: { list: string; id: string; name: string }
  import_refusals: { file_hash: string; line: number; code: string; reason: string }
  api_call_days: { advertiser_id: number; day: string; calls: number }
  application_days: { advertiser_id: number; day: string; applications: number }
}

/** The people who run the board, and data that its processes share: a part of the tables in tables.ts. */
interface OperatorTables {
  operators: { candidate_id: string; role: OperatorRole; created_at: number }
  operator_invitations: {
    hash: string
    id: string
    email: string
    role: OperatorRole
    created_at: number
    expires_at: number
  }
}
