import { type Stream, streamKey } from '../../model/events.ts'
import { withoutAuditContext } from '../../platform/core/async/audit-context.ts'
import type { Background } from '../../platform/core/async/background.ts'
import { createSharedTimers } from '../../platform/core/async/shared-timers.ts'
import type { EventStore } from './event-store.ts'
import { eventWaitSeconds } from './query.ts'

/** Limit: How often waiting requests poll for events that no hint has announced. */
export const eventPollSeconds = 1

const bounds = { eventPollSeconds }
/**
 * Limit: How often waiting requests poll while the database announces changes by other processes, and a hint is seldom
 * lost.
 */
export const eventPollHeardSeconds = 15

/**
 * A request that waits for events: one object, and neither a promise nor a suspended function. Thousands wait, and the garbage
 * collector visits every object of each again and again.
 */
export interface Waiter {
  readonly stream: Stream
  /** It has seen the events up to this number. */
  readonly number: number
  /** When it is woken at the latest, and since when hints count, on the clock of `performance`. */
  readonly untilMs: number
  readonly sinceMs: number
  /** Called once for each wait, outside of every act; must not wait again before it returns. */
  onWake(): void
}

export type Waiting = ReturnType<typeof createWaiting>

/**
 * Wakes requests that wait for events. Hints only make it fast: while any request waits, polls of the ledger find what
 * no hint has announced.
 */
export function createWaiting(deps: {
  lastOf: EventStore['lastOf']
  /** How long to wait for the next look. */
  lookMs(): number
  /** Called when the first request begins to wait; its result, when none is left. */
  attend?(): () => void
  background: Background
  limits?: Partial<typeof bounds>
}) {
  const { lastOf, lookMs, attend = () => () => {}, background } = deps
  const limits = { ...bounds, ...deps.limits }
  const waiters = new Map<string, Set<Waiter>>()
  const timers = createSharedTimers(wake)
  /** The times of recent hints, oldest first: one may come while a request that will wait is still being checked. */
  const hinted = new Map<string, number>()
  /** The time of the last hint that named no stream. */
  let hintedAt = 0
  let leave = () => {}
  let timer: NodeJS.Timeout | undefined
  let isLooking = false
  let isLookDue = false
  let hasFailed = false
  let waitingCount = 0
  let isClosed = false
  let found = 0

  function lookLater(): void {
    if (timer !== undefined || waitingCount === 0) return
    // A look that failed was perhaps for a hint, which is not repeated.
    timer = setTimeout(look, hasFailed ? limits.eventPollSeconds * 1000 : lookMs())
    timer.unref()
  }

  /** One look at a time: one that is asked for during another follows it. */
  function look(): void {
    clearTimeout(timer)
    timer = undefined
    isLookDue = true
    if (isLooking) return
    isLooking = true
    const ended = lookWhileDue().finally(() => {
      isLooking = false
      lookLater()
    })
    background.run(ended, 'the numbers of the last events could not be read')
  }

  async function lookWhileDue(): Promise<void> {
    while (isLookDue) {
      isLookDue = false
      try {
        await lookOnce()
        hasFailed = false
      } catch (error) {
        // Logged once per outage.
        const isNews = !hasFailed
        hasFailed = true
        if (isNews) throw error
      }
    }
  }

  async function lookOnce(): Promise<void> {
    const waited = [...waiters.values()].flatMap(([first]) => first ?? [])
    const numbers = await lastOf(waited.map(({ stream }) => stream))
    for (const [index, { stream }] of waited.entries())
      for (const waiter of waiters.get(streamKey(stream)) ?? []) {
        if (waiter.number === numbers[index]) continue
        found += 1
        wake(waiter)
      }
  }

  /** Does nothing if it does not wait: a hint, the end of its time and its caller may all wake it. */
  function wake(waiter: Waiter): void {
    const name = streamKey(waiter.stream)
    const ofStream = waiters.get(name)
    if (!ofStream?.delete(waiter)) return
    if (ofStream.size === 0) waiters.delete(name)
    timers.remove(waiter.untilMs, waiter)
    waitingCount -= 1
    if (waitingCount === 0) rest()
    withoutAuditContext(() => waiter.onWake())
  }

  /** None waits. */
  function rest(): void {
    leave()
    clearTimeout(timer)
    timer = undefined
  }

  function forgetOldHints(now: number): void {
    const forgotten = now - 2 * eventWaitSeconds * 1000
    for (const [name, at] of hinted) {
      if (at > forgotten) return
      hinted.delete(name)
    }
  }

  return {
    /** Wakes it when the stream may have an event above `number`, at `untilMs`, or when the process begins to end. */
    wait(waiter: Waiter): void {
      const { stream, sinceMs, untilMs } = waiter
      const name = streamKey(stream)
      if (isClosed || Math.max(hinted.get(name) ?? 0, hintedAt) >= sinceMs) {
        withoutAuditContext(() => waiter.onWake())
        return
      }
      const others = waiters.get(name)
      if (others === undefined) waiters.set(name, new Set([waiter]))
      else others.add(waiter)
      timers.add(untilMs, waiter)
      waitingCount += 1
      if (waitingCount === 1) leave = attend()
      lookLater()
    },
    wake,
    /** How many wait. */
    count: () => waitingCount,
    /** True once the process is ending: nothing waits from then on. */
    isClosed: () => isClosed,
    /** Requests that a poll woke, because no hint had announced the change. */
    foundByLooks: () => found,

    /** A stream may have new events; without one, any may. */
    changed(stream?: Stream): void {
      const now = performance.now()
      if (stream === undefined) {
        hintedAt = now
        if (waitingCount > 0) look()
        return
      }
      const name = streamKey(stream)
      forgetOldHints(now)
      hinted.delete(name)
      hinted.set(name, now)
      for (const waiter of waiters.get(name) ?? []) wake(waiter)
    },
    /** Wakes all, for good. */
    close(): void {
      isClosed = true
      for (const each of waiters.values()) for (const waiter of each) wake(waiter)
    },
  }
}
