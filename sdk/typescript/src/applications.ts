import { ApplicationReader } from './application-reader.ts'
import type { DossierEvent } from './event-types.ts'
import type { Feed } from './feed.ts'
import { keepInStep, type StepOptions } from './in-step.ts'
import type { Authorization, Transport } from './transport.ts'

/** The advertiser's applications (version 1). */
export class Applications extends ApplicationReader {
  readonly #feed: Feed<DossierEvent>

  constructor(transport: Transport, authorization: Authorization, feed: Feed<DossierEvent>) {
    super(transport, authorization)
    this.#feed = feed
  }

  /**
   * Keeps a copy of all applications in step: a first synchronisation, then every change as it happens, and a new
   * synchronisation if the cursor has become too old. Ends when `signal` aborts, or when a handler throws.
   */
  follow(options: StepOptions): Promise<void> {
    const patience = { tries: Number.POSITIVE_INFINITY, onRetry: options.onRetry }
    return keepInStep(this.withPatience(patience), this.#feed, options)
  }
}
