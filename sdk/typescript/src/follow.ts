import { pause } from './abort.ts'
import { DossierError } from './errors.ts'
import type { Feed, Include } from './feed.ts'
import type { Retry } from './transport.ts'

/** Keeps a position between runs of a program. */
export interface CursorStore {
  /** Called once, before the first request. */
  load(): Promise<string | undefined> | string | undefined
  /** Awaited before the next request. Throws if another program uses the same position. */
  save(cursor: string): Promise<void> | void
  /** Called when following ends. */
  release?(): Promise<void> | void
}

/** Something may be missing between the events before and after it. */
export interface Gap {
  /** `cursor-too-old`: events were removed before they were read. `restored`: the service lost something in a failover. */
  reason: 'cursor-too-old' | 'restored'
  detail: string
}

export interface FollowOptions<Type extends string = string> {
  /** Only these types. New types are added over the years, so name the ones you handle. */
  types?: readonly Type[]
  /** Adds the application as it is now, its answers with their kinds, or both, to events that are about one. */
  include?: Include
  /** Events per batch, 1 to 1000; 100 by default. */
  limit?: number
  /** Seconds that a request waits for events, 1 to 50; 45 by default. Halved by itself if a proxy cuts waits. */
  wait?: number
  /** Ends following: the request is aborted, and the loop ends without an error. */
  signal?: AbortSignal
  /**
   * Called when the cursor is too old. Read the list again here; following then goes on with the oldest event that is
   * kept. Without it, following throws `cursor-too-old`.
   */
  onGap?(gap: Gap): Promise<void> | void
  onRetry?(retry: Retry): void
}

/** Events, and the cursor to store together with their effect. */
export interface Batch<Event> {
  /** Empty if the cursor alone has moved, over events of other types. */
  events: Event[]
  /** Where to go on after these events. */
  cursor: string
}

/** Two empty answers that came early are a coincidence; a service or proxy that gives more of them is left in peace. */
const longestRestMs = 15_000

/** Asks for the next page only when the loop asks for the next batch: nothing is fetched ahead. */
export async function* batches<Event>(
  feed: Feed<Event>,
  start: string,
  options: FollowOptions,
): AsyncGenerator<Batch<Event>, void, undefined> {
  const { types, include, limit, signal, onRetry } = options
  const longestWait = Math.min(50, Math.max(1, Math.round(options.wait ?? 45)))
  let cursor = start
  let early = 0
  try {
    while (!signal?.aborted) {
      // The cursor of this moment is there at once.
      const wait = cursor === 'now' ? 0 : longestWait
      const startedAt = performance.now()
      const page = await feed
        .page({ cursor, limit, wait, types, include }, { signal, onRetry })
        .catch(async (error: unknown) => {
          if (!isTooOld(error) || options.onGap === undefined) throw error
          await options.onGap({ reason: 'cursor-too-old', detail: error.message })
        })
      if (page === undefined) {
        cursor = 'start'
        continue
      }
      const { events } = page
      if (events.length > 0 && page.cursor === cursor)
        throw new DossierError('bad-response', 'a page of events came with the cursor that was asked for')
      early = events.length === 0 && performance.now() - startedAt < 100 * wait ? early + 1 : 0
      if (events.length > 0 || page.cursor !== cursor) yield { events, cursor: page.cursor }
      cursor = page.cursor
      if (early >= 2) await pause(Math.min(longestRestMs, 1000 * 2 ** (early - 2)), signal)
    }
  } catch (error) {
    if (error !== signal?.reason) throw error
  }
}

export const isTooOld = (error: unknown): error is DossierError =>
  error instanceof DossierError && error.status === 410

/** Runs `work` with what the store has, and releases the store afterwards. */
export async function withStore(
  store: CursorStore,
  work: (stored: string | undefined) => Promise<void>,
): Promise<void> {
  const stored = await store.load()
  try {
    await work(stored)
  } finally {
    await store.release?.()
  }
}
