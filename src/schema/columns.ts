import type { Schema } from '../platform/database/tables.ts'

/**
 * Columns by name, where a whole row is read. Never `select *`: the next release adds columns while this one runs, and
 * PostgreSQL then rejects the prepared statement, because its result has changed.
 */
const columnsOf =
  <Table extends keyof Schema>() =>
  <const Columns extends readonly (keyof Schema[Table] & string)[]>(columns: Columns) =>
    columns

export const applicationColumns = columnsOf<'applications'>()([
  ...(['advertiser_id', 'id', 'submitted_at', 'job_seeker_id', 'email', 'first_name', 'last_name'] as const),
  ...(['phone', 'job_reference', 'job_title', 'company_name', 'time_in_role_months'] as const),
  ...([
    'is_new_to_work_force',
    'job_ad_id',
    'screen_successful',
    'has_virus',
    'erased_at',
    'status',
  ] as const),
])

export const advertiserColumns = columnsOf<'advertisers'>()([
  'id',
  'name',
  'status',
  'created_at',
  'time_zone',
  'requires_factor',
  'answer_days',
  'keep_months',
  'candidate_emails',
  'shows_reasons',
])

export const jobAdColumns = columnsOf<'job_ads'>()([
  ...(['advertiser_id', 'id', 'title', 'location', 'description', 'reference', 'screen_id'] as const),
  ...(['closing_date', 'status', 'created_at', 'updated_at', 'search_text'] as const),
  ...(['hold', 'hold_reason', 'held_at', 'details'] as const),
])

export const questionnaireColumns = columnsOf<'screens'>()([
  ...(['advertiser_id', 'id', 'name', 'questions', 'status', 'created_at', 'updated_at'] as const),
])

export const linkColumns = columnsOf<'account_links'>()([
  ...(['hash', 'purpose', 'candidate_id', 'email', 'expires_at', 'password_hash', 'first_name'] as const),
  ...(['last_name', 'continue_to', 'browser_mark'] as const),
])

export const endpointColumns = columnsOf<'webhook_endpoints'>()([
  ...(['id', 'advertiser_id', 'agent_id', 'url', 'description', 'types', 'scheme', 'state'] as const),
  ...(['generation', 'overlap_until', 'created_at', 'rotated_at', 'failing_since', 'failed_at'] as const),
  ...(['succeeded_at', 'told', 'stopped_at', 'stop_reason', 'answer_ms', 'skew_ms', 'key_lost_at'] as const),
])

export const laneColumns = columnsOf<'webhook_lanes'>()([
  ...(['id', 'endpoint_id', 'advertiser_id', 'kind', 'sent', 'end_number', 'types', 'tries'] as const),
  ...(['due_at', 'lease', 'leased_until', 'delivered', 'created_at', 'ended_at', 'ended', 'notice'] as const),
])
