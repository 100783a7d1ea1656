import type { CompiledQuery, Generated, Kysely, QueryResult, Transaction } from 'kysely'
import type { ApplicationTables, IdName } from './application-tables.ts'
import type { AuditTables } from './audit-tables.ts'
import type { Bell, ChangeHints } from './bell.ts'
import type { OperatorTables } from './operator-tables.ts'
import type { PeopleTables } from './people-tables.ts'
import type { StoredScan } from './scan-columns.ts'
import type { WebhookTables } from './webhook-tables.ts'

/**
 * The tables of both databases. Times are epoch milliseconds, booleans are 0 and 1, so that a query returns the same from
 * SQLite and PostgreSQL.
 */
export interface Schema extends ApplicationTables, AuditTables, OperatorTables, PeopleTables, WebhookTables {
  meta: { key: string; value: string }
  advertisers: {
    id: number
    name: string
    status: 'active' | 'hold'
    created_at: number
    time_zone: Generated<string | null>
    logo_hash: string | null
    /** What the company chose; null: the operator's default. */
    retention_choice: Generated<number | null>
    /** In force: see src/model/retention.ts. Null: no end. */
    retention_months: Generated<number | null>
    /** Announced, from `retention_changes_at` on. */
    next_retention_months: Generated<number | null>
    retention_changes_at: Generated<number | null>
    /** One if its people need a second factor. */
    requires_factor: Generated<number>
  }
  advertiser_logos: { advertiser_id: number; hash: string; type: string; content: string }
  client_logos: { client_id: string; hash: string; type: string; content: string }
  /** One row per advertiser, locked while an application is added: see storage/apply/add-application.ts. */
  advertiser_ledger: {
    advertiser_id: number
    last_submitted_at: number
    version: number
    /** Of the last event: see src/storage/writing/record-event.ts. */
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
  }
  agents: { id: number; name: string; created_at: number; last_authorised_at: Generated<number> }
  agent_authorisations: { advertiser_id: number; agent_id: number; authorised_at: number }
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
    /** Null: the default resume. */
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
    /** The token that it was redeemed for. */
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
    /** The agent's authorisation that it depends on: a new authorisation does not revive an old token. */
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
  /** Uploads that a row has released. */
  loose_blobs: { blob: string; since: number }
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
    /** YYYY-MM-DD, the last day. */
    closing_date: string | null
    status: 'open' | 'closed'
    created_at: number
    updated_at: number
    /** Title, location and name of the advertiser, folded. */
    search_text: string
  }
  /** Applications that candidates made here, with the ad as it was then. */
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
    /** The request that holds the key while there is no response. */
    claim: string
    /** Until when the request holds it, by the database's clock; null if no request holds it. */
    held_until: number | null
    /** Empty once the content has been erased. */
    content_hash: string | null
    /** The ID of the entry that it created. */
    answer: string | null
    expires_at: number
  }
  /** Which job board has sent an application, and under which key. */
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
  import_refusals: { file_hash: string; line: number; code: string; reason: string }
  sent_forms: { key: string; location: string; expires_at: number }
  api_call_days: { advertiser_id: number; day: string; calls: number }
  application_days: { advertiser_id: number; day: string; applications: number }
}

export type Dialect = 'sqlite' | 'postgres'

export interface Database {
  dialect: Dialect
  /** For writes, and for reads inside their transactions. */
  writer: Kysely<Schema>
  /** For reads outside transactions. */
  reader: Kysely<Schema>
  /** PostgreSQL only, where waiting for the row of an advertiser occupies a connection. See withLedger. */
  inLedgerTurn?: LedgerTurns
  /** PostgreSQL only, where the server that draws an ID may have lost IDs that another one assigned. */
  history?: ServerHistory
  /** Set by the assembly, which knows where the files are. */
  ids?: IdGate
  /** SQLite only: a transaction whose statements run synchronously, for frequent writes. */
  step?<T>(body: Step<T>): Promise<T>
  /** PostgreSQL only: reads rows as the bytes that the server sent. SQLite returns a page as bytes by itself. */
  readRows?: ReadRows
  /** For migrations, without a timeout. */
  migrator: Kysely<Schema>
  /** For reads that may lag behind, within a stated bound. */
  replica?: Replica
  /** Told after the commit of a change that wrote events: see src/storage/events/hints.ts. */
  hints?: ChangeHints
  /** Hears of changes by other processes. */
  bell?: Bell
  /** Removes copies of deleted rows that the database keeps outside its tables, as far as possible. */
  forget(): Promise<void>
  pools?(): Record<string, { total: number; idle: number; waiting: number }>
  /** SQLite only: its file. */
  path?: string
  /** SQLite only: what is wrong with its file and how to fix it; undefined if it is sound. */
  examine?(isDeep: boolean): Promise<string | undefined>
  close(): Promise<void>
}

/** Runs a statement in the middle of a step. */
export type RunNow = <R>(query: CompiledQuery<R>) => QueryResult<R>

/** A synchronous transaction: it cannot await, because every other writer would wait too. */
export type Step<T> = (run: RunNow) => T

/** Passes the rows to `read`, one after the other in the format of the protocol. The memory is reused once `read` returns. */
export type ReadRows = <T>(query: CompiledQuery, read: (rows: Buffer) => T) => Promise<T>

export interface ServerHistory {
  /** The server whose IDs can be used, if any: an ID that another server draws afterwards is discarded. */
  known(trx: Transaction<Schema>): Promise<string | undefined>
  /**
   * Raises the IDs if the server's history differs from the one in which they were last drawn. Its locks are taken after
   * the row of an advertiser, as everywhere.
   */
  settle(trx: Transaction<Schema>): Promise<void>
}

/** Lets only IDs through that no poller can have seen on another content: see decision 075. */
export interface IdGate {
  /** Call before a transaction that may draw IDs, which waits for nothing once this process is admitted. */
  admit(): Promise<void>
  /** Whether the ID is below the ceiling that is noted beside the files. */
  isCovered(name: IdName, id: number): boolean
  /** Raises that ceiling if needed. Call in the transaction that has drawn the ID, after its other locks. */
  cover(trx: Transaction<Schema>, name: IdName, id: number): Promise<void>
  /** Raises the IDs to the ceiling, because another server draws them than before. */
  recheck(trx: Transaction<Schema>): Promise<void>
}

/** Runs the write when a turn of the advertiser is free. */
export type LedgerTurns = <T>(advertiserId: number, write: () => Promise<T>) => Promise<T>

/** The outcome of a read at the replica. Unless it answered, the primary serves the read. */
export interface ReplicaCounts {
  answered: number
  /** It lacked the version, or the row. */
  behind: number
  failed: number
  /** It was not used, because it had failed or had not been checked yet. */
  away: number
}

export interface Replica {
  db: Kysely<Schema>
  readRows: ReadRows
  /** The result of the read; undefined if the primary must serve it. Never rejects. */
  ask<T>(read: () => Promise<T | undefined>): Promise<T | undefined>
  counts(): Readonly<ReplicaCounts>
  /** Rejects if it is not a replica of the primary, or cannot be reached. */
  lag(): Promise<ReplicaLag>
  close(): Promise<void>
}

/** How far a replica lags behind its primary. */
export interface ReplicaLag {
  bytes: number
  /** At most: the age of the last transaction that it has. Missing data is newer, and may not exist. */
  seconds: number
}
