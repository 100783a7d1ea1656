import { DossierError } from './errors.ts'
import { type Authorization, jsonOf, type Retry, type Transport } from './transport.ts'

/** What is added to events about an application. */
export type Include = 'application' | 'answers' | 'application,answers'

export interface FeedQuery {
  cursor: string
  limit?: number | undefined
  /** Seconds. */
  wait: number
  types?: readonly string[] | undefined
  include?: Include | undefined
}

export interface FeedPage<Event> {
  events: Event[]
  cursor: string
  more: boolean
}

interface FeedOptions {
  signal?: AbortSignal | undefined
  onRetry?: ((retry: Retry) => void) | undefined
}

/** Reads pages of a stream of events. Reading changes nothing, so it retries without end. */
export class Feed<Event> {
  readonly #transport: Transport
  readonly #authorization: Authorization
  readonly #path: string
  /** Shorter than the service allows if a proxy in between has cut waits, for all that follow. */
  #longestWait = 50
  #cuts = 0

  constructor(transport: Transport, authorization: Authorization, path: string) {
    this.#transport = transport
    this.#authorization = authorization
    this.#path = path
  }

  async page(query: FeedQuery, { signal, onRetry }: FeedOptions): Promise<FeedPage<Event>> {
    const waited = () => Math.min(query.wait, this.#longestWait)
    const startedAt = performance.now()
    const page = await this.#transport.send(
      {
        path: () => `${this.#path}?${textOf({ ...query, wait: waited() })}`,
        authorization: this.#authorization,
        signal,
        tries: Number.POSITIVE_INFINITY,
        timeoutMs: (query.wait + 15) * 1000,
        onRetry: retry => {
          this.#noteCut(retry, waited())
          onRetry?.(retry)
        },
      },
      response => jsonOf<FeedPage<Event>>(response).then(checked),
    )
    // A wait that was answered at its end shows that waits of this length come through.
    if (page.events.length === 0 && performance.now() - startedAt > 900 * waited()) this.#cuts = 0
    return page
  }

  /** Halves the waits after two that ended without a response, and not at once. */
  #noteCut({ error, elapsedMs }: Retry, waited: number): void {
    const isCut = error.code === 'network' || [408, 502, 504, 524].includes(error.status ?? 0)
    if (!isCut || elapsedMs < 100 * waited || ++this.#cuts < 2) return
    this.#cuts = 0
    this.#longestWait = waited > 25 ? 25 : Math.max(1, Math.floor(waited / 2))
  }
}

function textOf({ cursor, limit, wait, types, include }: FeedQuery): string {
  const query = new URLSearchParams({ cursor, wait: String(wait) })
  if (limit !== undefined) query.set('limit', String(limit))
  if (types !== undefined) query.set('types', types.join(','))
  if (include !== undefined) query.set('include', include)
  return query.toString()
}

/** A proxy may answer 200 with a page of its own, which must not be taken for an empty one. */
function checked<Event>(page: FeedPage<Event>): FeedPage<Event> {
  if (Array.isArray(page?.events) && typeof page.cursor === 'string' && page.cursor !== '') return page
  throw new DossierError('bad-response', 'the response is not a page of events')
}
