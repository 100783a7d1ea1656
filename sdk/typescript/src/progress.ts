import type {
  PrefillProgressEntry,
  PrefillProgressResults,
  ProgressEntry,
  ProgressResults,
} from './api-types.ts'
import type { Authorization, Retry, Transport } from './transport.ts'

interface ResultsOf {
  progress: ProgressResults
  prefill: PrefillProgressResults
}
interface EntryOf {
  progress: ProgressEntry
  prefill: PrefillProgressEntry
}

/** What became of one entry: `refused` with the `code` of the cause, if nothing was changed. */
export type ProgressResult<Of extends keyof ResultsOf = 'progress'> = ResultsOf[Of]['results'][number]

/** The service takes this many entries in one request. */
const perRequest = 100

/** Reports how applications go on. */
export class Progress<Of extends keyof ResultsOf> {
  readonly #transport: Transport
  readonly #authorization: Authorization
  readonly #path: string

  constructor(transport: Transport, authorization: Authorization, path: string) {
    this.#transport = transport
    this.#authorization = authorization
    this.#path = path
  }

  /**
   * Any number of entries, in their order; returns one result for each. Repeating them is harmless, so after an error send
   * all of them again.
   */
  async report(
    entries: readonly EntryOf[Of][],
    { signal, onRetry }: { signal?: AbortSignal; onRetry?(retry: Retry): void } = {},
  ): Promise<ProgressResult<Of>[]> {
    const results: ProgressResult<Of>[] = []
    for (let start = 0; start < entries.length; start += perRequest) {
      const answer = await this.#transport.json<ResultsOf[Of]>({
        path: this.#path,
        method: 'POST',
        headers: () => ({ 'content-type': 'application/json' }),
        body: JSON.stringify({ entries: entries.slice(start, start + perRequest) }),
        authorization: this.#authorization,
        signal,
        onRetry,
      })
      results.push(...answer.results)
    }
    return results
  }
}
