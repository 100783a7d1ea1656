import type { Clock, SteadyClock } from '../../platform/core/clock.ts'
import type { EventStore } from '../feed/event-store.ts'
import { type LaneItem, laneItems, type Message } from './messages.ts'
import type {
  After,
  Attempt,
  AttemptResult,
  HeldLane,
  LaneRecord,
  LaneStore,
  RecordResult,
  StopReason,
  WebhookPost,
} from './ports.ts'
import {
  deferredPauseAfter,
  firstDeferredPause,
  isGone,
  mayStepAside,
  paceMs,
  pauseAfter,
  slowMs,
  webhookAttemptSeconds,
} from './schedule-rules.ts'
import { createSigner, type Signer, signedHeaders, type WebhookKeys } from './signing-rules.ts'

/** Limit: Another process takes over a dead process's webhooks after this time; longer than any attempt. */
export const webhookLeaseSeconds = 60
/** Limit: Events read together to be sent as webhooks. */
export const webhookPage = 100
/**
 * Limit: Accepted webhooks after which the progress is written: a process that is killed repeats at most this number.
 */
export const webhookUnsaved = 20

const bounds = { webhookPage, webhookUnsaved, webhookLeaseSeconds, webhookAttemptSeconds }
export type LaneLimits = Partial<typeof bounds>

/**
 * Limit: Events of one endpoint that may be deferred because the receiver refuses them; more of them are treated as an
 * outage.
 */
const webhookDeferred = 1_000
/**
 * Limit: Webhooks per second about events older than a minute, so that a receiver that recovers from an outage is not
 * flooded.
 */
export const webhooksLatePerSecond = 50
/** Limit: Time after which the progress of webhooks is also written. */
export const webhookSaveMs = 250

/**
 * How a turn of a lane ended. `more`: there is more to send, and the lease is kept. `again`: something was added at the
 * last moment. `idle`: nothing is left. `waiting`: until `dueAt`. `over`: the lane has ended, its endpoint must not be
 * used, its lease is lost, or the process is stopping.
 */
export type TurnEnd =
  | { end: 'more'; lane: HeldLane }
  | { end: 'again' | 'idle' | 'over' }
  | { end: 'waiting'; dueAt: number }

const over: TurnEnd = { end: 'over' }

/** The slot of a running lane: their number is limited. */
export interface Slot {
  endpointId: string
  /** Owner of the endpoint. */
  owner: string
  /** Whether the last response was slow. */
  isSlow: boolean
  /** When the current request began, on the steady clock. */
  since: number
  advertiserId: number
  /** Whether a hint has arrived since the lane last read its events. */
  isHinted: boolean
}

/** Sends the events of one lane, one request at a time and in order, and records its progress. */
export function createLanes(deps: {
  store: Pick<LaneStore, 'record'>
  events: Pick<EventStore, 'page'>
  post: Pick<WebhookPost, 'send'>
  keys(): WebhookKeys
  clock: Clock
  steadyClock: SteadyClock
  after: After
  /** Returns a number from 0 to 1. */
  random(): number
  newId(): string
  userAgent: string
  limits?: LaneLimits
  /** Aborted when the process can no longer wait for requests in progress. */
  cut: AbortSignal
  isStopping(): boolean
  onAttempt(result: AttemptResult): void
}) {
  const { store, clock, steadyClock, random } = deps
  const limits = { ...bounds, ...deps.limits }
  const leaseMs = limits.webhookLeaseSeconds * 1000
  const attemptMs = limits.webhookAttemptSeconds * 1000

  function send(
    lane: HeldLane,
    signer: Signer,
    { id, body }: Message,
    attempt: number,
  ): Promise<AttemptResult> {
    return deps.post.send({
      url: lane.endpoint.url,
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': deps.userAgent,
        ...signedHeaders(signer, id, body, clock()),
        'dossier-attempt': String(attempt),
        ...(lane.kind === 'replay' ? { 'dossier-replay': lane.id } : {}),
      },
      signal: deps.cut,
    })
  }

  /** A lane's progress since it was last recorded. */
  class Progress {
    sent: number
    tries: number
    leasedUntil: number
    lane: HeldLane
    readonly #slot: Slot
    #signer: Signer
    #accepted = 0
    #failures: Attempt[] = []
    #newest: Attempt | undefined
    #last: AttemptResult | undefined
    #recordedAt = steadyClock()

    constructor(lane: HeldLane, slot: Slot) {
      this.lane = lane
      this.#slot = slot
      this.sent = lane.sent
      this.tries = lane.tries
      this.leasedUntil = lane.leasedUntil
      this.#signer = createSigner(deps.keys(), lane.endpoint, clock())
    }

    async attempt(message: Message, number: number, attempt = this.tries + 1): Promise<AttemptResult> {
      const at = clock()
      this.#slot.since = steadyClock()
      const result = await send(this.lane, this.#signer, message, attempt)
      this.#slot.isSlow = result.ms > slowMs
      // We aborted the request, which says nothing about the receiver.
      if (deps.cut.aborted && result.outcome !== 'accepted') return result
      deps.onAttempt(result)
      this.#last = result
      const { outcome, status, ms, answer } = result
      const row = {
        at,
        advertiserId: this.lane.advertiserId,
        number,
        attempt,
        outcome,
        status,
        ms,
        answer,
      }
      if (outcome === 'accepted') this.#newest = row
      else this.#failures.push(row)
      return result
    }

    accept(number: number): void {
      this.sent = number
      this.tries = 0
      this.#accepted += 1
    }

    isDue(): boolean {
      return this.#accepted >= limits.webhookUnsaved || steadyClock() - this.#recordedAt >= webhookSaveMs
    }

    /** Writes the progress; also releases the lease unless `isKept`. */
    async record(change: Partial<LaneRecord> = {}, isKept = false): Promise<RecordResult> {
      const now = clock()
      const leasedUntil = isKept ? now + leaseMs : null
      const result = await store.record(this.lane, {
        now,
        sent: this.sent,
        tries: this.tries,
        dueAt: now,
        leasedUntil,
        accepted: this.#accepted,
        attempts: this.#newest === undefined ? this.#failures : [...this.#failures, this.#newest],
        answerMs: this.#last?.ms ?? null,
        skewMs: this.#last?.skewMs ?? null,
        ...change,
      })
      // The owner may have changed the endpoint, because a lane that catches up is held for a long time.
      if (result !== undefined) this.#use(result.current)
      this.leasedUntil = leasedUntil ?? 0
      this.#accepted = 0
      this.#failures = []
      this.#newest = undefined
      this.#recordedAt = steadyClock()
      // Release the lease, so that a lane that is resumed soon need not wait for its end.
      if (isKept && result?.mayGoOn === false) await this.record()
      return result
    }

    #use(current: Pick<HeldLane, 'types' | 'endpoint'>): void {
      this.lane = { ...this.lane, ...current }
      this.#signer = createSigner(deps.keys(), current.endpoint, clock())
    }

    /** The current state of the lane, for the next turn. */
    toLane(): HeldLane {
      const { sent, tries, leasedUntil } = this
      return { ...this.lane, sent, tries, leasedUntil }
    }

    /**
     * Call before each attempt. Renews the lease if the attempt could outlast it, and again if the process slept during
     * the renewal; false if the lease is lost or the lane must rest.
     */
    async isStillOurs(): Promise<boolean> {
      while (clock() + 2 * attemptMs >= this.leasedUntil || this.isDue())
        if ((await this.record({}, true))?.mayGoOn !== true) return false
      return true
    }
  }

  async function stop(progress: Progress, reason: StopReason): Promise<TurnEnd> {
    await progress.record({ stop: reason })
    return over
  }

  async function waitUntil(progress: Progress, dueAt: number): Promise<TurnEnd> {
    const recorded = await progress.record({ dueAt })
    return recorded === undefined ? over : { end: 'waiting', dueAt }
  }

  /** `head` has failed; `rest` follows it. */
  async function afterFailure(
    progress: Progress,
    result: AttemptResult,
    head: LaneItem,
    rest: readonly LaneItem[],
  ): Promise<TurnEnd> {
    const { lane } = progress
    if (deps.cut.aborted) {
      await progress.record()
      return over
    }
    if (isGone(result)) return stop(progress, 'gone')
    progress.tries += 1
    if (lane.kind === 'parked') return afterDeferredFailure(progress)
    if (lane.parked < webhookDeferred && mayStepAside(progress.tries, result)) {
      // Receivers may refuse all notices, so only an event shows whether they accept anything.
      const index = rest.findIndex(({ notice }) => notice === null)
      const next = rest[index]
      if (next !== undefined) {
        if (!(await progress.isStillOurs())) return over
        const probe = await progress.attempt(next.message, next.number, 1)
        if (isGone(probe)) return stop(progress, 'gone')
        if (probe.outcome === 'accepted') {
          progress.accept(next.number)
          return stepAside(progress, head, rest.slice(0, index))
        }
      } else if (head.notice !== null) {
        // No event follows to test the endpoint with, but a notice alone must not make it fail for days.
        progress.sent = head.number
        progress.tries = 0
        return stepAside(progress, head, [])
      }
    }
    return waitUntil(progress, clock() + pauseAfter(progress.tries, result, random()))
  }

  /** Parks `head`, which was refused, together with the notices passed over, which are retried soon. */
  async function stepAside(
    progress: Progress,
    head: LaneItem,
    passed: readonly LaneItem[],
  ): Promise<TurnEnd> {
    const now = clock()
    const parked = ({ after, number, notice }: LaneItem, dueAt: number) => ({
      id: deps.newId(),
      after,
      number,
      notice,
      dueAt,
    })
    const park = [parked(head, now + firstDeferredPause(random())), ...passed.map(item => parked(item, now))]
    const recorded = await progress.record({ park }, true)
    return recorded?.mayGoOn === true ? { end: 'more', lane: progress.toLane() } : over
  }

  async function afterDeferredFailure(progress: Progress): Promise<TurnEnd> {
    const pause = deferredPauseAfter(progress.tries, random())
    if (pause !== undefined) return waitUntil(progress, clock() + pause)
    await progress.record({ ended: 'given-up' })
    return over
  }

  /** The next events to send, and the number up to which nothing else must be sent. */
  async function read({ advertiserId, agentId, sent, types, end, notice }: HeldLane) {
    if (notice !== null) return { events: [], isFull: false, upTo: end ?? sent, from: 0, restoredAt: 0 }
    const limit = limits.webhookPage
    const page = await deps.events.page({ advertiserId }, { after: sent, limit, types, agentId })
    const max = end ?? Number.POSITIVE_INFINITY
    const events = page.events.filter(({ number }) => number <= max)
    const isFull = events.length === limit
    const upTo = isFull ? (events.at(-1)?.number ?? sent) : Math.min(page.last, max)
    return { events, isFull, upTo, from: page.from, restoredAt: page.restoredAt }
  }

  /** Limits how many events a second a lane sends while it catches up. */
  async function pace(startedAt: number, item: LaneItem): Promise<void> {
    const ms = startedAt + paceMs(item.number, clock(), webhooksLatePerSecond) - steadyClock()
    if (ms > 0) await new Promise<void>(resolve => void deps.after(ms, resolve))
  }

  return {
    /** Sends the events of one page. Rejects only if the store does; the lease then expires by itself. */
    async turn(lane: HeldLane, slot: Slot): Promise<TurnEnd> {
      const page = await read(lane)
      const progress = new Progress(lane, slot)
      const items = laneItems(lane, page)
      let startedAt = Number.NEGATIVE_INFINITY
      for (const [index, item] of items.entries()) {
        if (deps.isStopping()) {
          await progress.record()
          return over
        }
        await pace(startedAt, item)
        if (!(await progress.isStillOurs())) return over
        startedAt = steadyClock()
        const result = await progress.attempt(item.message, item.number)
        if (result.outcome !== 'accepted') return afterFailure(progress, result, item, items.slice(index + 1))
        progress.accept(item.number)
      }
      progress.sent = Math.max(progress.sent, page.upTo)
      if (lane.end !== null && progress.sent >= lane.end) {
        const isMissing = lane.kind === 'parked' && items.length === 0
        await progress.record({ ended: isMissing ? 'given-up' : 'done' })
        return over
      }
      slot.isHinted = false
      const recorded = await progress.record({}, page.isFull)
      if (recorded?.mayGoOn !== true) return over
      if (page.isFull) return { end: 'more', lane: progress.toLane() }
      // The poll that the hint caused may have found the lane still taken.
      return { end: recorded.hasMore || slot.isHinted ? 'again' : 'idle' }
    },

    /** Releases a lane with events left, to let other lanes have their turn. */
    async release(lane: HeldLane, slot: Slot): Promise<void> {
      await new Progress(lane, slot).record()
    },
  }
}
