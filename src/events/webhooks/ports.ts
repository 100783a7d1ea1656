import type { EventType } from '../../model/events.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { SigningEndpoint } from './signing-rules.ts'

/** The owner of an endpoint: an advertiser for itself, or an agent for all advertisers that authorise it. */
export type EndpointOwner = { advertiserId: number } | { agentId: number }

/**
 * `new`: no test has been answered yet. `active` and `failing` endpoints receive events; a `failing` one is active, but
 * its last attempts have failed. `paused`: by its owner. `stopped`: by us.
 */
export type EndpointState = 'new' | 'active' | 'failing' | 'paused' | 'stopped'

export interface Endpoint extends SigningEndpoint {
  owner: EndpointOwner
  url: string
  description: string
  types: readonly EventType[]
  state: EndpointState
  createdAt: EpochMs
  /** When its current key generation began. */
  rotatedAt: EpochMs
  failingSince: EpochMs | null
  succeededAt: EpochMs | null
  stoppedAt: EpochMs | null
  /** `key-lost`: paused by us until its owner has a new secret. */
  stopReason: StopReason | 'key-lost' | null
  /** Duration of the last attempt. */
  answerMs: number | null
  /** Milliseconds by which the receiver's clock is ahead of ours. */
  skewMs: number | null
}

/** Why we stopped an endpoint. */
export type StopReason = 'gone' | 'failing'

/**
 * An endpoint's cursor in the stream of one advertiser. `live`: has no end until the agent that owns the endpoint is
 * withdrawn; then it ends with that event. `replay`: up to an event. `parked`: one event that the receiver refused
 * although it accepted the next one.
 */
export type LaneKind = 'live' | 'replay' | 'parked'

/** A message about the stream itself, which every endpoint gets: only a parked lane holds one. */
export type LaneNotice = 'gap' | 'restored'

/** A lane that only this process may update until another one takes it: every change names the number of the lease. */
export interface HeldLane {
  id: string
  kind: LaneKind
  lease: number
  leasedUntil: EpochMs
  advertiserId: number
  /** The owner of its endpoint, if it is an agent, who gets no other agent's events. */
  agentId: number | null
  /** Every chosen event up to this number has been accepted or parked. */
  sent: number
  /** The last event of a lane that has an end. */
  end: number | null
  /** Number of failures of the event at its head. */
  tries: number
  notice: LaneNotice | null
  types: readonly EventType[]
  /** Number of events that its endpoint has parked. */
  parked: number
  endpoint: Pick<Endpoint, 'id' | 'url' | 'scheme' | 'generation' | 'overlapUntil'>
}

/** A lane with events to send, before it is taken. */
export interface DueLane {
  id: string
  endpointId: string
  /** Owner of the endpoint: the same text for all lanes of an owner. */
  owner: string
  answerMs: number | null
}

export interface LaneQuestion {
  now: EpochMs
  /** Duration of leases. */
  leaseMs: number
  /** Undefined: all advertisers. */
  advertiserIds?: readonly number[]
  /** Limits the result to endpoints whose last attempt took at most this long. */
  answeredWithinMs?: number
  exceptEndpoints: readonly string[]
  exceptOwners: readonly string[]
  max: number
}

/** Outcomes of an attempt. All but `accepted` are failures; only `refused` has a status. */
export const attemptOutcomes = [
  'accepted',
  'refused',
  'timeout',
  'dns',
  'connect',
  'tls',
  'address',
  'cut',
] as const
export type AttemptOutcome = (typeof attemptOutcomes)[number]

export interface AttemptResult {
  outcome: AttemptOutcome
  status: number | null
  /** From the look-up of the name to the last byte that was read. */
  ms: number
  /** The first bytes of the response to a failed attempt, if it is text. */
  answer: string | null
  /** The receiver's Retry-After. */
  retryAfterMs?: number
  /** Milliseconds by which the receiver's clock is ahead of ours, from its Date. */
  skewMs?: number
}

export interface Attempt extends Pick<AttemptResult, 'outcome' | 'status' | 'ms' | 'answer'> {
  at: EpochMs
  advertiserId: number | null
  /** Number of the event; null for a test. */
  number: number | null
  /** Counted from 1. */
  attempt: number
}

/** An event, or a message about the events after `after` up to `number`. */
export interface DeferredMessage {
  id: string
  after: number
  number: number
  notice: LaneNotice | null
  dueAt: EpochMs
}

/** The outcome of a lane's turn. Written in one transaction, or not at all if the lease is lost. */
export interface LaneRecord {
  now: EpochMs
  sent: number
  tries: number
  dueAt: EpochMs
  /** When the lease ends; null releases it now. */
  leasedUntil: EpochMs | null
  /** Number of events accepted since the last record. */
  accepted: number
  /** Failed attempts, and the newest accepted one. */
  attempts: readonly Attempt[]
  /** Duration of the last attempt, if there was one. */
  answerMs: number | null
  skewMs: number | null
  /** Parks each of these in a lane of its own. */
  park?: readonly DeferredMessage[]
  /** Ends a lane that has an end. */
  ended?: 'done' | 'given-up'
  /** The endpoint must not be used any longer. */
  stop?: StopReason
}

/** Undefined if the lease was lost and nothing was written. `current`: the lane with the owner's changes since. */
export type RecordResult =
  | { mayGoOn: boolean; hasMore: boolean; current: Pick<HeldLane, 'types' | 'endpoint'> }
  | undefined

/** The sender's store; each function is one statement or one transaction. */
export interface LaneStore {
  findDue(question: LaneQuestion): Promise<DueLane[]>
  /** Undefined if another process holds it, or it is no longer due. */
  take(laneId: string, now: EpochMs, until: EpochMs): Promise<HeldLane | undefined>
  record(lane: HeldLane, record: LaneRecord): Promise<RecordResult>
}

export interface ResolvedAddress {
  address: string
  family: number
}

/** All addresses of a name; rejects if it has none, or no name server has answered. */
export type ResolveName = (name: string) => Promise<readonly ResolvedAddress[]>

export interface WebhookRequest {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
  signal?: AbortSignal
}

/** Sends one request and reads the beginning of its response, within one deadline. Never rejects. */
export interface WebhookPost {
  send(request: WebhookRequest): Promise<AttemptResult>
  close(): Promise<void>
}

/** Schedules a call; the returned function cancels it. */
export type After = (ms: number, call: () => void) => () => void

export interface ListedLane {
  id: string
  kind: LaneKind
  advertiserId: number
  sent: number
  end: number | null
  tries: number
  dueAt: EpochMs
  /** Accepted events of a lane that has an end. */
  delivered: number
  notice: LaneNotice | null
  state: 'waiting' | 'running' | 'done' | 'cancelled' | 'given-up'
  createdAt: EpochMs
}

/** Events that an endpoint's live lanes have yet to send. */
export interface Backlog {
  /** Counted up to a limit. */
  events: number
  oldestAt: EpochMs | null
  /** When the next attempt is due, if lanes wait after a failure. */
  nextTryAt: EpochMs | null
}
