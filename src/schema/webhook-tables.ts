import type { Generated } from 'kysely'

/** Events and their destinations: a part of the tables in tables.ts. */
export interface WebhookTables {
  events: {
    advertiser_id: number
    number: number
    /** See src/model/events.ts. */
    type: number
    application_id: number | null
    detail: string
  }
  client_ledger: { client_id: string; event_number: number; events_from: Generated<number> }
  client_events: { client_id: string; number: number; type: number; detail: string }
  /** Endpoints of advertisers and agents. They contain no secrets: keys are derived from WEBHOOK_KEY. */
  webhook_endpoints: {
    id: string
    advertiser_id: number | null
    agent_id: number | null
    url: string
    description: string
    /** Separated by spaces. */
    types: string
    scheme: 'v1' | 'v1a'
    state: 'new' | 'active' | 'paused' | 'stopped'
    generation: Generated<number>
    /** The previous key also signs until this time. */
    overlap_until: number | null
    created_at: number
    rotated_at: number
    /** The first and the last failure since the last success. */
    failing_since: Generated<number | null>
    failed_at: Generated<number | null>
    succeeded_at: Generated<number | null>
    /** Number of failure notices sent to admins. */
    told: Generated<number>
    stopped_at: Generated<number | null>
    stop_reason: Generated<'gone' | 'failing' | null>
    /** When its secret was lost: it needs a new one. */
    key_lost_at: Generated<number | null>
    answer_ms: Generated<number | null>
    skew_ms: Generated<number | null>
  }
  /** An endpoint's cursor in the stream of an advertiser: see src/events/webhooks/ports.ts. */
  webhook_lanes: {
    id: string
    endpoint_id: string
    advertiser_id: number
    kind: 'live' | 'replay' | 'parked'
    sent: number
    /** The number of the lane's last event; null if it has no end. */
    end_number: number | null
    /** Separated by spaces; null: the endpoint's types. */
    types: string | null
    tries: Generated<number>
    due_at: number
    /** Raised by each process that takes the lane: a change with an older number has no effect. */
    lease: Generated<number>
    leased_until: Generated<number>
    /** The process that last took it. */
    holder: Generated<string | null>
    delivered: Generated<number>
    created_at: number
    ended_at: Generated<number | null>
    ended: Generated<'done' | 'cancelled' | 'given-up' | null>
    /** When an email about its end was queued. */
    notified_at: Generated<number | null>
    /** Set if a parked lane holds a message about the stream instead of an event. */
    notice: Generated<'gap' | 'restored' | null>
  }
  /** Failures, and some of the newest successes. */
  webhook_attempts: {
    endpoint_id: string
    at: number
    /** 0 for a test. */
    advertiser_id: number
    /** Number of the event; 0 for a test. */
    number: number
    attempt: number
    outcome: string
    status: number | null
    ms: number
    answer: string | null
  }
  webhook_hours: { endpoint_id: string; hour: number; accepted: number; failed: number }
}
