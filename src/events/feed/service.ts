import { Problem } from '../../core/problems.ts'
import type { Stream } from '../../model/events.ts'
import { type Cursor, writeCursor } from './cursor.ts'
import type { EventQuery, EventStore, JsonPage, PageState, Waiting } from './ports.ts'
import type { Presence } from './presence.ts'
import type { FeedQuery } from './query.ts'
import type { Answer, AnsweredEvent, FeedAnswer } from './rendering.ts'

export type Feed = ReturnType<typeof createFeed>

/** How a follower waits for an event. */
export interface Patience {
  /** When its request began, and when it is answered at the latest, on the clock of `performance`. */
  sinceMs: number
  untilMs: number
  presence: Presence
  /** Checks that the caller may still read; resolves with the number of the last event, if that is known. Rejects with the problem. */
  recheck(): Promise<number | undefined>
  /** Called with the time of the newest event if it was waited for. */
  onWake?(writtenAt: number): void
}

type Read<Page extends PageState> = Omit<Answer<Page>, 'cursor'> & { next: Cursor }

interface FollowOptions {
  /** Of the stream's last event, if the caller has just read it. With nothing new, that saves a look. */
  lastNumber?: number
  patience?: Patience
}

export function createFeed({ store, waiting }: { store: EventStore; waiting: Waiting }) {
  const byPages = follower(store.page, waiting)
  const byJson = follower(store.jsonPage, waiting)
  return {
    /** What happened after the cursor; waits for it if there is nothing and the caller has patience. */
    async follow(stream: Stream, query: FeedQuery, options: FollowOptions): Promise<FeedAnswer> {
      const { page, restoredAt, cursor, more } = await byPages(stream, stream, query, options)
      const events: AnsweredEvent[] = page?.events ?? []
      return { events: restoredAt === undefined ? events : [{ restoredAt }, ...events], cursor, more }
    },
    /** The cursor if nothing has happened since, and the caller does not wait; `lastNumber`: the caller has just read it. */
    unchanged({ cursor, waitMs }: FeedQuery, lastNumber: number): string | undefined {
      return typeof cursor === 'string' || waitMs > 0 || cursor.number !== lastNumber
        ? undefined
        : cursor.text
    },
    /** The same of an advertiser, as JSON. */
    followJson: (advertiserId: number, query: FeedQuery, options: FollowOptions): Promise<Answer<JsonPage>> =>
      byJson(advertiserId, { advertiserId }, query, options),
  }
}

function follower<Owner, Page extends PageState>(
  readFrom: (owner: Owner, query: EventQuery, number?: number) => Promise<Page>,
  waiting: Waiting,
) {
  /** Reads that are under way, by question: followers that are woken together share one. */
  const underWay = new Map<string, Promise<Read<Page>>>()

  async function readPage(
    owner: Owner,
    cursor: Cursor | 'now' | 'start',
    { limit, types, includesApplications }: FeedQuery,
    lastNumber: number | undefined,
  ): Promise<Read<Page>> {
    if (cursor === 'now') {
      const nothing = { after: Number.MAX_SAFE_INTEGER, limit: 1 }
      const { last, restoredAt } = await readFrom(owner, nothing, lastNumber)
      return { page: undefined, restoredAt: undefined, next: { number: last, restoredAt }, more: false }
    }
    const after = cursor === 'start' ? 0 : cursor.number
    const page = await readFrom(owner, { after, limit, types, includesApplications }, lastNumber)
    const { hasMore: more, last, from, restoredAt } = page
    if (cursor !== 'start' && after < from) throw new Problem('cursor-too-old')
    // Up to the last event of that moment, the rest of a stream without more is of other types.
    const number = more ? (page.newest ?? last) : last
    const isRestored = cursor !== 'start' && cursor.restoredAt !== restoredAt
    return {
      ...{ page, restoredAt: isRestored ? restoredAt : undefined },
      ...{ next: { number, restoredAt }, more },
    }
  }

  /** `lastNumber`: seen before this call, so a read that began for the same number shows it. */
  function read(
    owner: Owner,
    cursor: Cursor | 'now' | 'start',
    query: FeedQuery,
    lastNumber: number | undefined,
  ): Promise<Read<Page>> {
    if (typeof cursor === 'string' || lastNumber === undefined)
      return readPage(owner, cursor, query, lastNumber)
    const { limit, types, includesApplications } = query
    const place = `${cursor.number} ${cursor.restoredAt}`
    const key = `${JSON.stringify(owner)} ${lastNumber} ${place} ${limit} ${types} ${includesApplications}`
    const shared = underWay.get(key)
    if (shared !== undefined) return shared
    const begun = readPage(owner, cursor, query, lastNumber).finally(() => underWay.delete(key))
    underWay.set(key, begun)
    return begun
  }

  return async (
    owner: Owner,
    stream: Stream,
    query: FeedQuery,
    { lastNumber, patience }: FollowOptions,
  ): Promise<Answer<Page>> => {
    const { cursor } = query
    const isNews = typeof cursor === 'string' || cursor.number !== lastNumber
    let answer: Read<Page> = isNews
      ? await read(owner, cursor, query, lastNumber)
      : { page: undefined, restoredAt: undefined, next: cursor, more: false }
    const isEmpty = () => answer.page?.newest === undefined && answer.restoredAt === undefined
    let sinceMs = patience?.sinceMs ?? 0
    let hasWaited = false
    while (patience !== undefined && isEmpty() && !waiting.isClosed()) {
      const { untilMs, presence } = patience
      if (untilMs <= performance.now() || presence.hasLeft) break
      await waiting.wait(stream, answer.next.number, { untilMs, sinceMs, presence })
      hasWaited = true
      // Hints from here on may tell of what the check does not see yet.
      sinceMs = performance.now()
      const number = await patience.recheck()
      if (number !== answer.next.number) answer = await read(owner, answer.next, query, number)
    }
    const { page, restoredAt, next, more } = answer
    if (hasWaited && page?.newest !== undefined) patience?.onWake?.(page.newest)
    return { page, restoredAt, cursor: writeCursor(stream, next), more }
  }
}
