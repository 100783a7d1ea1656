import type { Clock, SteadyClock } from '../../core/clock.ts'
import type { Limits } from '../../limits.ts'
import type { StoredEvent } from '../../model/events.ts'
import type { EventStore } from '../feed/ports.ts'
import { eventMessage, gapMessage, isAbout, type Message, restoredMessage } from './messages.ts'
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
  firstParkedPause,
  isGone,
  mayStepAside,
  paceMs,
  parkedPauseAfter,
  pauseAfter,
  slowMs,
} from './schedule-rules.ts'
import { createSigner, type Signer, signedHeaders, type WebhookKeys } from './signing-rules.ts'

/**
 * How a turn of a lane ended. `more`: there is more to send, and the lease is kept. `again`: something was added at the
 * last moment. `idle`: nothing is left. `waiting`: until `dueAt`. `over`: the lane has ended, its endpoint is not to be
 * used, its lease is lost, or the process is stopping.
 */
export type TurnEnd =
  | { end: 'more'; lane: HeldLane }
  | { end: 'again' | 'idle' | 'over' }
  | { end: 'waiting'; dueAt: number }

const over: TurnEnd = { end: 'over' }

/** The place of a lane among those that run at once. */
export interface Slot {
  endpointId: string
  /** Whether the last answer took long. */
  isSlow: boolean
  /** When the request under way began, on the steady clock. */
  since: number
  advertiserId: number
  /** Whether a hint has come since the lane last read what there is. */
  isHinted: boolean
}

export type Lanes = ReturnType<typeof createLanes>

/** Sends the events of one lane, one request at a time and in order, and records how far it has come. */
export function createLanes(deps: {
  store: Pick<LaneStore, 'record'>
  events: Pick<EventStore, 'page'>
  post: Pick<WebhookPost, 'send'>
  keys(): WebhookKeys
  clock: Clock
  steadyClock: SteadyClock
  after: After
  /** From 0 to 1. */
  random(): number
  newId(): string
  userAgent: string
  limits: Pick<
    Limits,
    | 'webhookPage'
    | 'webhookUnsaved'
    | 'webhookSaveMs'
    | 'webhookLeaseSeconds'
    | 'webhookAttemptSeconds'
    | 'webhooksLatePerSecond'
    | 'webhookParked'
  >
  /** Aborted when the process can no longer wait for requests under way. */
  cut: AbortSignal
  isStopping(): boolean
  onAttempt(result: AttemptResult): void
}) {
  const { store, clock, steadyClock, random, limits } = deps
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

  /** The progress of a lane since it was last recorded. */
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
      // Cut off by us: nothing is known about the receiver.
      if (deps.cut.aborted && result.outcome !== 'accepted') return result
      deps.onAttempt(result)
      this.#last = result
      const { outcome, status, ms, answer } = result
      const row = {
        ...{ at, advertiserId: this.lane.advertiserId, number, attempt },
        ...{ outcome, status, ms, answer },
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
      return (
        this.#accepted >= limits.webhookUnsaved || steadyClock() - this.#recordedAt >= limits.webhookSaveMs
      )
    }

    /** Writes what is new; the lease ends with it unless `isKept`. */
    async record(change: Partial<LaneRecord> = {}, isKept = false): Promise<RecordResult> {
      const now = clock()
      const leasedUntil = isKept ? now + leaseMs : null
      const result = await store.record(this.lane, {
        ...{ now, sent: this.sent, tries: this.tries, dueAt: now, leasedUntil },
        accepted: this.#accepted,
        attempts: this.#newest === undefined ? this.#failures : [...this.#failures, this.#newest],
        ...{ answerMs: this.#last?.ms ?? null, skewMs: this.#last?.skewMs ?? null },
        ...change,
      })
      // The owner may have changed the endpoint, while a lane that catches up is held for long.
      if (result !== undefined) this.#use(result.current)
      this.leasedUntil = leasedUntil ?? 0
      this.#accepted = 0
      this.#failures = []
      this.#newest = undefined
      this.#recordedAt = steadyClock()
      // Given back, so that a lane that is resumed soon need not wait for the end of its lease.
      if (isKept && result?.mayGoOn === false) await this.record()
      return result
    }

    #use(current: Pick<HeldLane, 'types' | 'endpoint'>): void {
      this.lane = { ...this.lane, ...current }
      this.#signer = createSigner(deps.keys(), current.endpoint, clock())
    }

    /** The lane as it is now, for the next turn. */
    toLane(): HeldLane {
      const { sent, tries, leasedUntil } = this
      return { ...this.lane, sent, tries, leasedUntil }
    }

    /**
     * Call before each attempt. Renews the lease if the attempt could outlast it, and again if the process slept
     * meanwhile; false if it is lost or the lane must rest.
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

  /** `head` has failed; `next` is the event behind it, if there is one. */
  async function afterFailure(
    progress: Progress,
    result: AttemptResult,
    head: number,
    next: StoredEvent | undefined,
  ): Promise<TurnEnd> {
    const { lane } = progress
    if (deps.cut.aborted) {
      await progress.record()
      return over
    }
    if (isGone(result)) return stop(progress, 'gone')
    progress.tries += 1
    if (lane.kind === 'parked') return afterParkedFailure(progress)
    if (next !== undefined && lane.parked < limits.webhookParked && mayStepAside(progress.tries, result)) {
      if (!(await progress.isStillOurs())) return over
      const probe = await progress.attempt(eventMessage(lane.advertiserId, next), next.number, 1)
      if (isGone(probe)) return stop(progress, 'gone')
      if (probe.outcome === 'accepted') {
        progress.accept(next.number)
        const dueAt = clock() + firstParkedPause(random())
        const recorded = await progress.record({ park: { id: deps.newId(), number: head, dueAt } }, true)
        return recorded?.mayGoOn === true ? { end: 'more', lane: progress.toLane() } : over
      }
    }
    return waitUntil(progress, clock() + pauseAfter(progress.tries, result, random()))
  }

  async function afterParkedFailure(progress: Progress): Promise<TurnEnd> {
    const pause = parkedPauseAfter(progress.tries, random())
    if (pause !== undefined) return waitUntil(progress, clock() + pause)
    await progress.record({ ended: 'given-up' })
    return over
  }

  /** The events to send next, and up to which number nothing else is to be sent. */
  async function read({ advertiserId, sent, types, end }: HeldLane) {
    const limit = limits.webhookPage
    const page = await deps.events.page({ advertiserId }, { after: sent, limit, types })
    const most = end ?? Number.POSITIVE_INFINITY
    const events = page.events.filter(({ number }) => number <= most)
    const isFull = events.length === limit
    const upTo = isFull ? (events.at(-1)?.number ?? sent) : Math.min(page.last, most)
    return { events, isFull, upTo, from: page.from, restoredAt: page.restoredAt }
  }

  /** Waits so that a lane that catches up sends only so many events a second. */
  async function pace(startedAt: number, event: StoredEvent): Promise<void> {
    const ms = startedAt + paceMs(event.number, clock(), limits.webhooksLatePerSecond) - steadyClock()
    if (ms > 0) await new Promise<void>(resolve => void deps.after(ms, resolve))
  }

  return {
    /** Sends what one page holds. Rejects only if the store does; the lease then expires by itself. */
    async turn(lane: HeldLane, slot: Slot): Promise<TurnEnd> {
      const page = await read(lane)
      const progress = new Progress(lane, slot)
      const { advertiserId, endpoint, end } = lane
      if (lane.kind !== 'parked' && lane.sent < page.from) {
        if (!(await progress.isStillOurs())) return over
        const result = await progress.attempt(gapMessage(advertiserId, lane.sent, page.from), page.from)
        if (result.outcome !== 'accepted') return afterFailure(progress, result, page.from, undefined)
        progress.accept(page.from)
      }
      /** Between the events before the restore and those after it; returns how the turn ends if it is not accepted. */
      const tellOfRestore = async (upTo: number): Promise<TurnEnd | undefined> => {
        const { restoredAt } = page
        if (lane.kind !== 'live' || progress.sent >= restoredAt || upTo < restoredAt) return undefined
        const result = await progress.attempt(restoredMessage(advertiserId, restoredAt), restoredAt)
        if (result.outcome !== 'accepted') return afterFailure(progress, result, restoredAt, undefined)
        progress.accept(restoredAt)
        return undefined
      }
      let startedAt = Number.NEGATIVE_INFINITY
      for (const [index, event] of page.events.entries()) {
        if (deps.isStopping()) {
          await progress.record()
          return over
        }
        if (isAbout(event, endpoint.id)) continue
        await pace(startedAt, event)
        if (!(await progress.isStillOurs())) return over
        const failed = await tellOfRestore(event.number)
        if (failed !== undefined) return failed
        startedAt = steadyClock()
        const result = await progress.attempt(eventMessage(advertiserId, event), event.number)
        if (result.outcome !== 'accepted')
          return afterFailure(
            progress,
            result,
            event.number,
            page.events.slice(index + 1).find(each => !isAbout(each, endpoint.id)),
          )
        progress.accept(event.number)
      }
      const failed = await tellOfRestore(page.upTo)
      if (failed !== undefined) return failed
      progress.sent = Math.max(progress.sent, page.upTo)
      if (end !== null && progress.sent >= end) {
        const isMissing = lane.kind === 'parked' && page.events.length === 0
        await progress.record({ ended: isMissing ? 'given-up' : 'done' })
        return over
      }
      slot.isHinted = false
      const recorded = await progress.record({}, page.isFull)
      if (recorded?.mayGoOn !== true) return over
      if (page.isFull) return { end: 'more', lane: progress.toLane() }
      // The look that the hint caused may have found the lane still taken.
      return { end: recorded.hasMore || slot.isHinted ? 'again' : 'idle' }
    },

    /** Gives a lane back in the middle of its events, to let others have their turn. */
    async release(lane: HeldLane, slot: Slot): Promise<void> {
      await new Progress(lane, slot).record()
    },
  }
}
