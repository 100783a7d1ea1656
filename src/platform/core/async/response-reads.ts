import { AsyncLocalStorage } from 'node:async_hooks'

/** The durability of a database whose commits can be read before they are durable. */
export interface Durability {
  /** The moment of a read, for `covers`. */
  readonly moment: number
  /** Whether all data that could be read at that moment is durable. */
  covers(moment: number): boolean
  /** Resolves when everything committed so far is durable; rejects if that may never happen. */
  whenDurable(): Promise<void>
}

/**
 * The reads of one response: it must not be sent before they are durable, because a power failure could undo what its
 * receiver has seen. Reads for a response record the moment here and do not wait; the response waits once, before its
 * first byte.
 */
export class ResponseReads {
  #from: Durability | undefined
  #moment = 0

  add(from: Durability): void {
    this.#from = from
    this.#moment = from.moment
  }

  /**
   * Undefined if the response can be sent now. Forgets the reads: if the promise rejects, the error is sent instead, and
   * it shows none of their data.
   */
  whenDurable(): Promise<void> | undefined {
    const from = this.#from
    if (from === undefined) return undefined
    this.#from = undefined
    return from.covers(this.#moment) ? undefined : from.whenDurable()
  }

  /** Call only if everything read is known to be durable. */
  clear(): void {
    this.#from = undefined
  }
}

const responses = new AsyncLocalStorage<ResponseReads>()

/** Assigns reads in `work`, and in what it awaits, to this response. */
export const readFor = <T>(reads: ResponseReads, work: () => T): T => responses.run(reads, work)

/** Undefined outside responses, where each read waits itself. */
export const currentReads = (): ResponseReads | undefined => responses.getStore()
