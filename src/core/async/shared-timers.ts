/** Calls that are due at one moment. */
class Moment {
  readonly calls = new Set<() => void>()
  readonly #at: number
  readonly #onOver: () => void
  #timer: NodeJS.Timeout

  constructor(at: number, onOver: () => void) {
    this.#at = at
    this.#onOver = onOver
    this.#timer = this.#start()
  }

  remove(call: () => void): void {
    this.calls.delete(call)
    if (this.calls.size > 0) return
    clearTimeout(this.#timer)
    this.#onOver()
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => this.#run(), Math.max(1, Math.ceil(this.#at - performance.now())))
  }

  #run(): void {
    if (performance.now() < this.#at) {
      // Node counts from the beginning of its turn, and so may call early.
      this.#timer = this.#start()
      return
    }
    this.#onOver()
    for (const call of this.calls) call()
  }
}

/**
 * Calls later, with one timer for all calls of the same millisecond on the clock of `performance`. Thousands of timers, each
 * at its own moment, wake an idle process each time, and what follows then finds the caches of the processor cold.
 */
export function createSharedTimers(): (at: number, call: () => void) => () => void {
  const moments = new Map<number, Moment>()
  return (at, call) => {
    const key = Math.ceil(at)
    const moment = moments.get(key) ?? new Moment(key, () => moments.delete(key))
    moments.set(key, moment)
    moment.calls.add(call)
    return () => moment.remove(call)
  }
}
