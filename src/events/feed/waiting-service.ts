import type { Background } from '../../core/async/background.ts'
import type { Limits } from '../../limits.ts'
import { type Stream, streamName } from '../../model/events.ts'
import type { EventStore, Waiting } from './ports.ts'

interface Waiter {
  stream: Stream
  number: number
  wake(): void
}

/**
 * Wakes requests that wait for events. Hints only make it fast: while any request waits, a look at the ledger finds what
 * no hint told of.
 */
export function createWaiting(deps: {
  lastOf: EventStore['lastOf']
  /** How long to wait for the next look. */
  lookMs(): number
  background: Background
  limits: Pick<Limits, 'eventWaitSeconds'>
}) {
  const { lastOf, lookMs, background, limits } = deps
  const waiters = new Map<string, Set<Waiter>>()
  /** The times of recent hints: one may come while a request that will wait is still being checked. */
  let hinted = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let waitingCount = 0
  let isClosed = false

  function lookLater(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      background.run(look(), 'the numbers of the last events could not be read')
    }, lookMs())
    timer.unref()
  }

  async function look(): Promise<void> {
    const forgotten = performance.now() - 2 * limits.eventWaitSeconds * 1000
    hinted = new Map([...hinted].filter(([, at]) => at > forgotten))
    try {
      const waited = [...waiters.values()].flatMap(([first]) => first ?? [])
      const numbers = await lastOf(waited.map(({ stream }) => stream))
      for (const [index, { stream }] of waited.entries())
        for (const waiter of waiters.get(streamName(stream)) ?? [])
          if (waiter.number !== numbers[index]) waiter.wake()
    } finally {
      if (waitingCount > 0) lookLater()
    }
  }

  return {
    async wait(stream, number, { ms, sinceMs, signal }) {
      const name = streamName(stream)
      if (isClosed || (hinted.get(name) ?? 0) >= sinceMs) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const wake = () => resolve()
      const waiter = { stream, number, wake }
      const others = waiters.get(name)
      if (others === undefined) waiters.set(name, new Set([waiter]))
      else others.add(waiter)
      waitingCount += 1
      lookLater()
      const end = setTimeout(wake, ms)
      signal.addEventListener('abort', wake)
      await promise
      clearTimeout(end)
      signal.removeEventListener('abort', wake)
      waitingCount -= 1
      const left = waiters.get(name)
      left?.delete(waiter)
      if (left?.size === 0) waiters.delete(name)
      if (waitingCount === 0) {
        clearTimeout(timer)
        timer = undefined
      }
    },
    count: () => waitingCount,
    isClosed: () => isClosed,

    /** A stream may have new events. */
    changed(stream: Stream): void {
      const name = streamName(stream)
      hinted.set(name, performance.now())
      for (const waiter of waiters.get(name) ?? []) waiter.wake()
    },
    /** Looks at once: hints may have been lost. */
    lookNow: look,
    /** Wakes all, for good. */
    close(): void {
      isClosed = true
      for (const each of waiters.values()) for (const waiter of each) waiter.wake()
    },
  } satisfies Waiting & Record<string, unknown>
}
