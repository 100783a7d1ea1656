import { Problem } from '../../core/problems.ts'
import { type Stream, streamName } from '../../model/events.ts'
import type { Format } from '../../model/v1/rendering.ts'
import { type Cursor, writeCursor } from './cursor.ts'
import type { EventStore, FeedEvent, Waiting } from './ports.ts'
import type { FeedQuery } from './query.ts'
import type { FeedAnswer } from './rendering.ts'

export type Feed = ReturnType<typeof createFeed>

/** How a follower waits for an event. */
export interface Patience {
  ms: number
  /** When its request began, on the clock of `performance`. */
  sinceMs: number
  signal: AbortSignal
  /** Checks that the caller may still read; resolves with the number of the last event, if that is known. Rejects with the problem. */
  recheck(): Promise<number | undefined>
  /** Called with the time of the newest event if it was waited for. */
  onWake?(writtenAt: number): void
}

interface Read {
  events: readonly (FeedEvent | { restoredAt: number })[]
  next: Cursor
  more: boolean
}

export function createFeed({ store, waiting }: { store: EventStore; waiting: Waiting }) {
  /** Reads that are under way, by question: followers that are woken together share one. */
  const underWay = new Map<string, Promise<Read>>()

  async function readPage(
    stream: Stream,
    cursor: FeedQuery['cursor'],
    query: FeedQuery,
    include: Format | undefined,
    lastNumber: number | undefined,
  ): Promise<Read> {
    if (cursor === 'now') {
      const nothing = { after: Number.MAX_SAFE_INTEGER, limit: 1 }
      const { last, restoredAt } = await store.page(stream, nothing, lastNumber)
      return { events: [], next: { number: last, restoredAt }, more: false }
    }
    const { limit, types } = query
    const after = cursor === 'start' ? 0 : cursor.number
    const page = await store.page(stream, { after, limit, types, include }, lastNumber)
    const { events, last, from, restoredAt } = page
    if (cursor !== 'start' && after < from) throw new Problem('cursor-too-old')
    const isFull = events.length === limit
    // The rest of a page that is not full holds no event of these types, up to the last of that moment.
    const number = isFull ? (events.at(-1)?.number ?? last) : last
    const isRestored = cursor !== 'start' && cursor.restoredAt !== restoredAt
    return {
      events: isRestored ? [{ restoredAt }, ...events] : events,
      next: { number, restoredAt },
      more: isFull && number < last,
    }
  }

  /** `lastNumber`: seen before this call, so a read that began for the same number shows it. */
  function read(
    stream: Stream,
    cursor: FeedQuery['cursor'],
    query: FeedQuery,
    include: Format | undefined,
    lastNumber: number | undefined,
  ): Promise<Read> {
    if (typeof cursor === 'string' || lastNumber === undefined)
      return readPage(stream, cursor, query, include, lastNumber)
    const place = `${cursor.number} ${cursor.restoredAt}`
    const key = `${streamName(stream)} ${lastNumber} ${place} ${query.limit} ${query.types} ${include}`
    const shared = underWay.get(key)
    if (shared !== undefined) return shared
    const begun = readPage(stream, cursor, query, include, lastNumber).finally(() => underWay.delete(key))
    underWay.set(key, begun)
    return begun
  }

  return {
    /**
     * What happened after the cursor; waits for it if there is nothing and the caller has patience. `lastNumber`: of the
     * stream's last event, if the caller has just read it. With nothing new, that saves a look.
     */
    async follow(
      stream: Stream,
      query: FeedQuery,
      {
        include,
        lastNumber,
        patience,
      }: { include?: Format | undefined; lastNumber?: number; patience?: Patience },
    ): Promise<FeedAnswer> {
      const { cursor } = query
      const isNews = typeof cursor === 'string' || cursor.number !== lastNumber
      let answer = isNews
        ? await read(stream, cursor, query, include, lastNumber)
        : { events: [], next: cursor, more: false }
      let sinceMs = patience?.sinceMs ?? 0
      let hasWaited = false
      const endsAt = patience === undefined ? 0 : performance.now() + patience.ms
      while (patience !== undefined && answer.events.length === 0 && !waiting.isClosed()) {
        const ms = endsAt - performance.now()
        if (ms <= 0 || patience.signal.aborted) break
        await waiting.wait(stream, answer.next.number, { ms, sinceMs, signal: patience.signal })
        hasWaited = true
        // Hints from here on may tell of what the check does not see yet.
        sinceMs = performance.now()
        const number = await patience.recheck()
        if (number !== answer.next.number) answer = await read(stream, answer.next, query, include, number)
      }
      const { events, next, more } = answer
      const newest = events.at(-1)
      if (hasWaited && newest !== undefined && 'number' in newest) patience?.onWake?.(newest.number)
      return { events, cursor: writeCursor(stream, next), more }
    },
  }
}
