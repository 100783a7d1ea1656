import type { Stream } from '../../model/events.ts'
import { BoardProblem } from '../../model/problems.ts'
import { type Cursor, writeCursor } from './cursor.ts'
import type { EventStore } from './event-store.ts'
import { Presence } from './presence.ts'
import type { FeedQuery } from './query.ts'
import type { EventQuery, JsonPage, PageState } from './records.ts'
import type { Answer, AnsweredEvent, FeedAnswer } from './rendering.ts'
import type { Waiter, Waiting } from './waiting-service.ts'

export type Feed = ReturnType<typeof createFeed>

/** How a follower waits for an event. */
export interface Patience {
  /** When its request began, and by when it must be answered, on the clock of `performance`. */
  sinceMs: number
  untilMs: number
  presence: Presence
  /**
   * Checks that the caller may still read; resolves with the number of the last event, if known. Rejects with the
   * problem.
   */
  recheck(): Promise<number | undefined>
  /** Called with the time of the newest event if the request waited for it. */
  onWake?(writtenAt: number): void
}

type Read<Page extends PageState> = Omit<Answer<Page>, 'cursor'> & { next: Cursor }

interface FollowOptions {
  /** Number of the stream's last event, if the caller has just read it: saves a query if there are no new events. */
  lastNumber?: number | undefined
  patience?: Patience | undefined
}

/**
 * Receives the answer, or the reason why there is none: once, possibly before the call returns. A promise would be held
 * while a request waits.
 */
export interface Reception<Answered> {
  resolve(answer: Answered): void
  reject(problem: unknown): void
}

export function createFeed({
  store,
  waiting,
  limits,
}: {
  store: EventStore
  waiting: Waiting
  limits: { eventDays: number }
}) {
  const byPages = follower(store.page, waiting, limits)
  const byJson = follower(store.jsonPage, waiting, limits)
  /** Returns the events after the cursor; waits if there are none and the caller has patience. */
  function answer(
    stream: Stream,
    query: FeedQuery,
    options: FollowOptions,
    reception: Reception<FeedAnswer>,
  ): void {
    byPages(stream, stream, query, options, {
      resolve({ page, restoredAt, cursor, more }) {
        const events: AnsweredEvent[] = page?.events ?? []
        reception.resolve({
          events: restoredAt === undefined ? events : [{ restoredAt }, ...events],
          cursor,
          more,
        })
      },
      reject: problem => reception.reject(problem),
    })
  }
  /** `answer` for an advertiser's stream, as JSON. */
  function answerJson(
    advertiserId: number,
    query: FeedQuery,
    options: FollowOptions,
    reception: Reception<Answer<JsonPage>>,
  ): void {
    byJson(advertiserId, { advertiserId }, query, options, reception)
  }
  return {
    answer,
    answerJson,
    whenDurable: store.whenDurable,
    follow: (stream: Stream, query: FeedQuery, options: FollowOptions) =>
      promised<FeedAnswer>(reception => answer(stream, query, options, reception)),
    followJson: (advertiserId: number, query: FeedQuery, options: FollowOptions) =>
      promised<Answer<JsonPage>>(reception => answerJson(advertiserId, query, options, reception)),
    /**
     * Returns the cursor if there are no newer events and the caller does not wait. `lastNumber` has just been read by
     * the caller.
     */
    unchanged({ cursor, waitMs }: FeedQuery, lastNumber: number): string | undefined {
      return typeof cursor === 'string' || waitMs > 0 || cursor.number !== lastNumber
        ? undefined
        : cursor.text
    },
  }
}

function promised<Answered>(start: (reception: Reception<Answered>) => void): Promise<Answered> {
  const { promise, ...reception } = Promise.withResolvers<Answered>()
  start(reception)
  return promise
}

function tooOld(days: number): BoardProblem {
  const kept = `Events after this cursor were removed: they are kept for ${days} ${days === 1 ? 'day' : 'days'}.`
  const remedy =
    'Take a new cursor with cursor=now, read the list of applications once, and go on from that cursor.'
  return new BoardProblem('cursor-too-old', `${kept} ${remedy}`)
}

function follower<Owner, Page extends PageState>(
  readFrom: (owner: Owner, query: EventQuery, number?: number) => Promise<Page>,
  waiting: Waiting,
  { eventDays }: { eventDays: number },
) {
  /** Reads in progress, by query: followers that are woken together share one. */
  const underWay = new Map<string, Promise<Read<Page>>>()

  async function readPage(
    owner: Owner,
    cursor: Cursor | 'now' | 'start',
    { limit, types, includesApplications, agentId }: FeedQuery,
    lastNumber: number | undefined,
  ): Promise<Read<Page>> {
    if (cursor === 'now') {
      const nothing = { after: Number.MAX_SAFE_INTEGER, limit: 1 }
      const { last, restoredAt } = await readFrom(owner, nothing, lastNumber)
      return { page: undefined, restoredAt: undefined, next: { number: last, restoredAt }, more: false }
    }
    const after = cursor === 'start' ? 0 : cursor.number
    const page = await readFrom(owner, { after, limit, types, includesApplications, agentId }, lastNumber)
    const { hasMore: more, last, from, restoredAt } = page
    if (cursor !== 'start' && after < from) throw tooOld(eventDays)
    // If no more follow, this reader cannot see the events after the page, up to `last`.
    const number = more ? (page.newest ?? last) : last
    const isRestored = cursor !== 'start' && cursor.restoredAt !== restoredAt
    return {
      page,
      restoredAt: isRestored ? restoredAt : undefined,
      next: { number, restoredAt },
      more,
    }
  }

  /** `lastNumber` was read before this call, so a read that began for the same number includes it. */
  function read(
    owner: Owner,
    cursor: Cursor | 'now' | 'start',
    query: FeedQuery,
    lastNumber: number | undefined,
  ): Promise<Read<Page>> {
    if (typeof cursor === 'string' || lastNumber === undefined)
      return readPage(owner, cursor, query, lastNumber)
    const { limit, types, includesApplications, agentId } = query
    const place = `${cursor.number} ${cursor.restoredAt}`
    const wanted = `${limit} ${types} ${includesApplications} ${agentId}`
    const key = `${JSON.stringify(owner)} ${lastNumber} ${place} ${wanted}`
    const shared = underWay.get(key)
    if (shared !== undefined) return shared
    const begun = readPage(owner, cursor, query, lastNumber).finally(() => underWay.delete(key))
    underWay.set(key, begun)
    return begun
  }

  /** One request: it reads and waits in turn until there is something to answer with, or its patience is over. */
  class Following implements Waiter {
    readonly stream: Stream
    readonly untilMs: number
    sinceMs: number
    number = 0
    readonly #owner: Owner
    readonly #query: FeedQuery
    readonly #patience: Patience
    readonly #reception: Reception<Answer<Page>>
    #hasWaited = false
    /** Where to continue after a wait. */
    #next = beginning

    constructor(
      owner: Owner,
      stream: Stream,
      query: FeedQuery,
      patience: Patience,
      reception: Reception<Answer<Page>>,
    ) {
      this.#owner = owner
      this.stream = stream
      this.#query = query
      this.#patience = patience
      this.#reception = reception
      this.untilMs = patience.untilMs
      this.sinceMs = patience.sinceMs
    }

    /** Reads unless the caller has seen all events up to `lastNumber`. */
    look(cursor: Cursor | 'now' | 'start', lastNumber: number | undefined): void {
      if (typeof cursor !== 'string' && cursor.number === lastNumber)
        this.#goOn({ page: undefined, restoredAt: undefined, next: cursor, more: false })
      else
        read(this.#owner, cursor, this.#query, lastNumber)
          .then(found => this.#goOn(found))
          .catch(problem => this.#reception.reject(problem))
    }

    onWake(): void {
      this.#patience.presence.onLeave = undefined
      this.#hasWaited = true
      // From here on, hints may announce events that the check cannot see yet.
      this.sinceMs = performance.now()
      this.#patience
        .recheck()
        .then(number => this.look(this.#next, number))
        .catch(problem => this.#reception.reject(problem))
    }

    /** Answers, or waits if there is nothing to answer with. */
    #goOn({ page, restoredAt, next, more }: Read<Page>): void {
      const patience = this.#patience
      const isEmpty = page?.newest === undefined && restoredAt === undefined
      if (!isEmpty || waiting.isClosed() || isOver(patience)) {
        if (this.#hasWaited && page?.newest !== undefined) patience.onWake?.(page.newest)
        this.#reception.resolve({ page, restoredAt, cursor: writeCursor(this.stream, next), more })
        return
      }
      this.#next = next
      this.number = next.number
      patience.presence.onLeave = () => waiting.wake(this)
      waiting.wait(this)
    }
  }

  return (
    owner: Owner,
    stream: Stream,
    query: FeedQuery,
    { lastNumber, patience = none }: FollowOptions,
    reception: Reception<Answer<Page>>,
  ): void => new Following(owner, stream, query, patience, reception).look(query.cursor, lastNumber)
}

const beginning: Cursor = { number: 0, restoredAt: 0 }

/** For callers that do not wait. */
const none: Patience = { sinceMs: 0, untilMs: 0, presence: new Presence(), recheck: async () => undefined }

const isOver = ({ untilMs, presence }: Patience) => untilMs <= performance.now() || presence.hasLeft
