import type { EpochMs } from '../../core/clock.ts'
import type { EventType } from '../../model/events.ts'
import type { SignatureScheme, SigningEndpoint } from './signing-rules.ts'

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
  stopReason: StopReason | null
  /** How long the last attempt took. */
  answerMs: number | null
  /** By how much the receiver's clock is ahead of ours. */
  skewMs: number | null
}

export type StopReason = 'gone' | 'failing'

/**
 * A cursor of an endpoint in the stream of one advertiser. `live`: without an end. `replay`: up to an event. `parked`:
 * one event that the receiver refused while it accepted the one behind it.
 */
export type LaneKind = 'live' | 'replay' | 'parked'

/** A lane that this process alone may move, until another one takes it: every change names the number of the lease. */
export interface HeldLane {
  id: string
  kind: LaneKind
  lease: number
  leasedUntil: EpochMs
  advertiserId: number
  /** Every chosen event up to here has been accepted or parked. */
  sent: number
  /** The last event of a lane with an end. */
  end: number | null
  /** Failures of the event at its head. */
  tries: number
  types: readonly EventType[]
  /** How many events its endpoint has parked. */
  parked: number
  endpoint: Pick<Endpoint, 'id' | 'url' | 'scheme' | 'generation' | 'overlapUntil'>
}

/** A lane with events to send, before it is taken. */
export interface DueLane {
  id: string
  endpointId: string
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
  most: number
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
  /** Of the event; null for a test. */
  number: number | null
  /** From 1. */
  attempt: number
}

/** What a turn of a lane has come to. Written in one transaction, or not at all if the lease is lost. */
export interface LaneRecord {
  now: EpochMs
  sent: number
  tries: number
  dueAt: EpochMs
  /** Until when to keep the lease; null releases it. */
  leasedUntil: EpochMs | null
  /** Events accepted since the last record. */
  accepted: number
  /** Failed attempts, and the newest accepted one. */
  attempts: readonly Attempt[]
  /** Of the last attempt, if there was one. */
  answerMs: number | null
  skewMs: number | null
  /** Makes a parked lane of this event. */
  park?: { id: string; number: number; dueAt: EpochMs }
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

export interface NewEndpoint {
  id: string
  owner: EndpointOwner
  url: string
  description: string
  types: readonly EventType[]
  scheme: SignatureScheme
  createdAt: EpochMs
}

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

export interface HourCount {
  /** Hours since the epoch. */
  hour: number
  accepted: number
  failed: number
}

export interface EndpointStore {
  /** Undefined if the owner has as many as allowed. */
  add(endpoint: NewEndpoint, most: number): Promise<Endpoint | undefined>
  list(owner: EndpointOwner): Promise<Endpoint[]>
  find(owner: EndpointOwner, endpointId: string): Promise<Endpoint | undefined>
  /** For the operator's commands, which are not limited to an owner. */
  findAny(endpointId: string): Promise<Endpoint | undefined>
  listAll(): Promise<Endpoint[]>
  /**
   * From `new`, `paused`, `stopped` and `failing` to `active`. The first time it makes the lanes, which begin now; later
   * they go on from where they were, without a pause. False if it has been removed, or, for `test`, paused or stopped while
   * the test was under way.
   */
  activate(endpointId: string, now: EpochMs, by: 'test' | 'resume'): Promise<boolean>
  pause(owner: EndpointOwner, endpointId: string): Promise<boolean>
  change(
    owner: EndpointOwner,
    endpointId: string,
    change: { url?: string; description?: string; types?: readonly EventType[] },
  ): Promise<boolean>
  /** Begins the next generation of its key; the one before signs until then, too. */
  rotate(owner: EndpointOwner, endpointId: string, now: EpochMs, overlapUntil: EpochMs): Promise<boolean>
  retire(owner: EndpointOwner, endpointId: string): Promise<boolean>
  remove(owner: EndpointOwner, endpointId: string): Promise<boolean>
  recordTest(endpointId: string, attempt: Attempt, skewMs: number | null): Promise<void>
  testsSince(endpointId: string, at: EpochMs): Promise<number>
  /** Lanes with an end, newest first. */
  lanes(endpointId: string, most: number): Promise<ListedLane[]>
  backlog(endpoint: Pick<Endpoint, 'id' | 'types'>, most: number): Promise<Backlog>
  attempts(endpointId: string, most: number): Promise<Attempt[]>
  hours(endpointId: string, since: number): Promise<HourCount[]>
}

export interface Replay {
  id: string
  advertiserId: number
  /** Events after this number. */
  after: number
  /** Undefined: up to the newest event of this moment. */
  end?: number
  types: readonly EventType[] | null
  now: EpochMs
}

export interface ReplayStore {
  /** The numbers of the lane; undefined if the endpoint has no lane for the advertiser. */
  add(endpointId: string, replay: Replay): Promise<{ after: number; end: number } | undefined>
  cancel(endpointId: string, laneId: string, now: EpochMs): Promise<boolean>
  /** Makes parked events due at once, those that were given up included. Returns how many. */
  resendParked(endpointId: string, laneId: string | 'all', now: EpochMs): Promise<number>
}

/** An endpoint that has failed for a while. */
export interface FailingEndpoint {
  id: string
  advertiserId: number | null
  failingSince: EpochMs
  failedAt: EpochMs
  /** Notices that have been sent. */
  told: number
  isStopped: boolean
}

export interface WebhookUpkeepStore {
  failing(failedForMs: number): Promise<FailingEndpoint[]>
  /** Queues the emails, adds the event, and with the last notice stops the endpoint; false if it has changed since. */
  tell(endpoint: FailingEndpoint, notice: number, isLast: boolean, now: EpochMs): Promise<boolean>
  /** Attempts before that time or beyond so many of an endpoint, and counts of earlier hours. Returns how many. */
  prune(before: EpochMs, mostFailures: number, mostSuccesses: number): Promise<number>
  /** Lanes with an end that ended before that time. */
  removeEnded(before: EpochMs, most: number): Promise<number>
  figures(now: EpochMs): Promise<WebhookFigures>
  /** Whether there is an active endpoint. */
  isUsed(): Promise<boolean>
}

/** For metrics and "dossier doctor". */
export interface WebhookFigures {
  endpoints: Readonly<Record<EndpointState, number>>
  /** Age of the oldest event that an active endpoint has not been sent. */
  behindMs: number
  /** Median of the receivers' clocks, if there are enough of them. */
  skewMs: number | null
}
