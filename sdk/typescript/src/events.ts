import type { UnknownEvent } from './event-types.ts'
import type { Feed } from './feed.ts'
import { type Batch, batches, type CursorStore, type FollowOptions, withStore } from './follow.ts'

export interface BatchOptions<Type extends string> extends FollowOptions<Type> {
  /** That of the last batch whose effect was stored; undefined or null begins now, with an empty batch. `start` begins with the oldest event kept. */
  cursor?: string | null | undefined
}

export interface HandlerOptions<Event, Type extends string> extends FollowOptions<Type> {
  cursorStore: CursorStore
  /** Where to begin if the store is empty: `now`, the default, or `start`, the oldest event kept. */
  from?: 'now' | 'start'
  /** Called for one event at a time. If it throws, following ends and the batch comes again next time. */
  onEvent(event: Event): Promise<void> | void
}

type TypeOf<Event extends { type: string }> = Exclude<Event['type'], UnknownEvent['type']>

/** The changes of one stream, in the order in which they happened. */
export class Events<Event extends { type: string }> {
  readonly #feed: Feed<Event>

  constructor(feed: Feed<Event>) {
    this.#feed = feed
  }

  /** Where there is no transaction: the cursor of a batch is saved after its last event, so each is handled at least once. */
  follow(options: HandlerOptions<Event, TypeOf<Event>>): Promise<void>
  /**
   * Batches without end. Store the effect of a batch and its cursor in one transaction, and each event takes effect
   * exactly once, whatever happens in between.
   */
  follow(options?: BatchOptions<TypeOf<Event>>): AsyncGenerator<Batch<Event>, void, undefined>
  follow(options: BatchOptions<TypeOf<Event>> | HandlerOptions<Event, TypeOf<Event>> = {}) {
    return 'onEvent' in options
      ? this.#handle(options)
      : batches(this.#feed, options.cursor ?? 'now', options)
  }

  #handle(options: HandlerOptions<Event, TypeOf<Event>>): Promise<void> {
    const { cursorStore, onEvent, signal } = options
    return withStore(cursorStore, async stored => {
      for await (const batch of batches(this.#feed, stored ?? options.from ?? 'now', options)) {
        for (const event of batch.events) {
          if (signal?.aborted) return
          await onEvent(event)
        }
        await cursorStore.save(batch.cursor)
      }
    })
  }
}
