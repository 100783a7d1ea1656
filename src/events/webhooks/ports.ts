import type { EventType } from '../../model/events.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { SigningEndpoint } from './signing-rules.ts'

/** Who has made an endpoint: an advertiser for itself, or an agent for all advertisers that authorise it. */
export type EndpointOwner = { advertiserId: number } | { agentId: number }

/**
 * `new`: no test has been answered yet. `active` and `failing` endpoints are sent events; `failing` is an active one
 * whose last attempts have failed. `paused` by its owner; `stopped` by us.
 */
export type EndpointState = 'new' | 'active' | 'failing' | 'paused' | 'stopped'

export interface Endpoint extends SigningEndpoint {
  owner: EndpointOwner
  url: string
  description: string
  types: readonly EventType[]
  state: EndpointState
  createdAt: EpochMs
  /** When the current generation of its key began. */
  rotatedAt: EpochMs
  failingSince: EpochMs | null
  succeededAt: EpochMs | null
  stoppedAt: EpochMs | null
  /** `key-lost`: paused by us until its owner has a new secret. */
  stopReason: StopReason | 'key-lost' | null
  /** How long the last attempt took. */
  answerMs: number | null
  /** By how much the receiver's clock is ahead of ours. */
  skewMs: number | null
}

/** Why we stopped it. */
export type StopReason = 'gone' | 'failing'

/**
 * A cursor of an endpoint in the stream of one advertiser. `live`: without an end, until the agent that owns the endpoint
 * is withdrawn: then it ends with that event. `replay`: up to an event. `parked`:
 * one event that the receiver refused while it accepted the one behind it.
 */
export type LaneKind = 'live' | 'replay' | 'parked'

/** A message about the stream itself, which comes to every endpoint: only a parked lane holds one. */
export type LaneNotice = 'gap' | 'restored'

/** A lane that this process alone may move, until another one takes it: every change names the number of the lease. */
export interface HeldLane {
  id: string
  kind: LaneKind
  lease: number
  leasedUntil: EpochMs
  advertiserId: number
  /** The owner of its endpoint, if that is an agent, who gets no other agent's events. */
  agentId: number | null
  /** Every chosen event up to here has been accepted or parked. */
  sent: number
  /** The last event of a lane with an end. */
  end: number | null
  /** Failures of the event at its head. */
  tries: number
  notice: LaneNotice | null
  types: readonly EventType[]
  /** How many events its endpoint has parked. */
  parked: number
  endpoint: Pick<Endpoint, 'id' | 'url' | 'scheme' | 'generation' | 'overlapUntil'>
}

/** A lane with events to send, before it is taken. */
export interface DueLane {
  id: string
  endpointId: string
  /** The owner of the endpoint: all lanes of an owner have the same text. */
  owner: string
  answerMs: number | null
}

export interface LaneQuestion {
  now: EpochMs
  /** How long leases last. */
  leaseMs: number
  /** Undefined: of all. */
  advertiserIds?: readonly number[]
  /** Only of endpoints whose last attempt took at most this long. */
  answeredWithinMs?: number
  exceptEndpoints: readonly string[]
  exceptOwners: readonly string[]
  max: number
}

/** How an attempt ended. Everything but `accepted` is a failure; only `refused` has a status. */
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
  /** The first bytes of the answer to a failed attempt, if it is text. */
  answer: string | null
  /** From Retry-After. */
  retryAfterMs?: number
  /** By how much the receiver's clock is ahead of ours, from its Date. */
  skewMs?: number
}

export interface Attempt extends Pick<AttemptResult, 'outcome' | 'status' | 'ms' | 'answer'> {
  at: EpochMs
  advertiserId: number | null
  /** Number of the event; null for a test. */
  number: number | null
  /** From 1. */
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

/** What a turn of a lane has come to. Written in one transaction, or not at all if the lease is lost. */
export interface LaneRecord {
  now: EpochMs
  sent: number
  tries: number
  dueAt: EpochMs
  /** When the lease ends; null releases it now. */
  leasedUntil: EpochMs | null
  /** Events accepted since the last record. */
  accepted: number
  /** Failed attempts, and the newest accepted one. */
  attempts: readonly Attempt[]
  /** Duration of the last attempt, if there was one. */
  answerMs: number | null
  skewMs: number | null
  /** Makes a parked lane of each of these. */
  park?: readonly DeferredMessage[]
  /** Ends a lane with an end. */
  ended?: 'done' | 'given-up'
  /** The endpoint is not to be used any longer. */
  stop?: StopReason
}

/** Undefined: the lease was lost, and nothing was written. `current`: as the owner may have changed it since. */
export type RecordResult =
  | { mayGoOn: boolean; hasMore: boolean; current: Pick<HeldLane, 'types' | 'endpoint'> }
  | undefined

/** What the sender needs; each function is one statement or one transaction. */
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

/** Sends one request and reads the beginning of its answer, within one deadline. Never rejects. */
export interface WebhookPost {
  send(request: WebhookRequest): Promise<AttemptResult>
  close(): Promise<void>
}

/** Calls later, unless it is cancelled by the function that it returns. */
export type After = (ms: number, call: () => void) => () => void

export interface ListedLane {
  id: string
  kind: LaneKind
  advertiserId: number
  sent: number
  end: number | null
  tries: number
  dueAt: EpochMs
  /** Accepted events of a lane with an end. */
  delivered: number
  notice: LaneNotice | null
  state: 'waiting' | 'running' | 'done' | 'cancelled' | 'given-up'
  createdAt: EpochMs
}

/** What the live lanes of an endpoint have still to send. */
export interface Backlog {
  /** Counted up to a bound. */
  events: number
  oldestAt: EpochMs | null
  /** When the next attempt is due, if lanes wait after a failure. */
  nextTryAt: EpochMs | null
}
