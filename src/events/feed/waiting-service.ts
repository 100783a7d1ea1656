import { outsideOfActs } from '../../core/async/acting.ts'
import type { Background } from '../../core/async/background.ts'
import { createSharedTimers } from '../../core/async/shared-timers.ts'
import type { Limits } from '../../limits.ts'
import { type Stream, streamKey } from '../../model/events.ts'
import type { EventStore, Waiter, Waiting } from './ports.ts'

/**
 * Wakes requests that wait for events. Hints only make it fast: while any request waits, a look at the ledger finds what
 * no hint told of.
 */
export function createWaiting(deps: {
  lastOf: EventStore['lastOf']
  /** How long to wait for the next look. */
  lookMs(): number
  /** Called when the first request begins to wait; its result, when none is left. */
  attend?(): () => void
  background: Background
  limits: Pick<Limits, 'eventWaitSeconds' | 'eventLookSeconds'>
}) {
  const { lastOf, lookMs, attend = () => () => {}, background, limits } = deps
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
    timer = setTimeout(look, hasFailed ? limits.eventLookSeconds * 1000 : lookMs())
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
    outsideOfActs(() => waiter.onWake())
  }

  /** None waits. */
  function rest(): void {
    leave()
    clearTimeout(timer)
    timer = undefined
  }

  function forgetOldHints(now: number): void {
    const forgotten = now - 2 * limits.eventWaitSeconds * 1000
    for (const [name, at] of hinted) {
      if (at > forgotten) return
      hinted.delete(name)
    }
  }

  return {
    wait(waiter) {
      const { stream, sinceMs, untilMs } = waiter
      const name = streamKey(stream)
      if (isClosed || Math.max(hinted.get(name) ?? 0, hintedAt) >= sinceMs) {
        outsideOfActs(() => waiter.onWake())
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
    count: () => waitingCount,
    isClosed: () => isClosed,
    /** Requests that were woken by a look: no hint had told of the change. */
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
  } satisfies Waiting & Record<string, unknown>
}
