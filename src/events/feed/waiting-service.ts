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
 * Limit: How often waiting requests poll while the database announces changes by other processes and hints are seldom
 * lost.
 */
export const eventPollHeardSeconds = 15

/**
 * A request that waits for events: one object, with neither a promise nor a suspended function. Thousands wait, and the
 * garbage collector visits every object of each again and again.
 */
export interface Waiter {
  readonly stream: Stream
  /** The request has seen the events up to this number. */
  readonly number: number
  /** The latest time to wake the request, and the time from which hints count, on the clock of `performance`. */
  readonly untilMs: number
  readonly sinceMs: number
  /** Called once per wait, without an audit context; must not wait again before it returns. */
  onWake(): void
}

export type Waiting = ReturnType<typeof createWaiting>

/**
 * Wakes requests that wait for events. Hints only speed this up: while any request waits, polling the ledger finds
 * events without a hint.
 */
export function createWaiting(deps: {
  lastOf: EventStore['lastOf']
  /** Time until the next poll. */
  lookMs(): number
  /** Called when the first request begins to wait; the returned function is called when none is left. */
  attend?(): () => void
  background: Background
  limits?: Partial<typeof bounds>
}) {
  const { lastOf, lookMs, attend = () => () => {}, background } = deps
  const limits = { ...bounds, ...deps.limits }
  const waiters = new Map<string, Set<Waiter>>()
  const timers = createSharedTimers(wake)
  /** Times of recent hints, oldest first: a hint may arrive while a request that will wait is still being checked. */
  const hinted = new Map<string, number>()
  /** Time of the last hint without a stream. */
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
    // A failed poll may have been caused by a hint, which is not repeated.
    timer = setTimeout(look, hasFailed ? limits.eventPollSeconds * 1000 : lookMs())
    timer.unref()
  }

  /** Runs one poll at a time: a poll requested during another one follows it. */
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

  /** Does nothing if the request is not waiting: a hint, the end of its time and its caller may all wake it. */
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

  /** Called when no request waits. */
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
    /**
     * Wakes the request when the stream may have an event above `number`, at `untilMs`, or when the process begins to
     * end.
     */
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
    /** Number of waiting requests. */
    count: () => waitingCount,
    /** True once the process is ending: no request can wait from then on. */
    isClosed: () => isClosed,
    /** Number of requests woken by a poll, because no hint had announced the change. */
    foundByLooks: () => found,

    /** Announces that a stream may have new events; without a stream, any may. */
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
    /** Wakes all requests and accepts no more. */
    close(): void {
      isClosed = true
      for (const each of waiters.values()) for (const waiter of each) wake(waiter)
    },
  }
}
