/** Items that are due at the same moment. */
class Moment<Item> {
  readonly items = new Set<Item>()
  readonly #at: number
  readonly #onOver: () => void
  readonly #onDue: (item: Item) => void
  #timer: NodeJS.Timeout

  constructor(at: number, onOver: () => void, onDue: (item: Item) => void) {
    this.#at = at
    this.#onOver = onOver
    this.#onDue = onDue
    this.#timer = this.#start()
  }

  remove(item: Item): void {
    if (!this.items.delete(item) || this.items.size > 0) return
    clearTimeout(this.#timer)
    this.#onOver()
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => this.#run(), Math.max(1, Math.ceil(this.#at - performance.now())))
  }

  #run(): void {
    if (performance.now() < this.#at) {
      // Node measures from the beginning of its turn, and so may call early.
      this.#timer = this.#start()
      return
    }
    this.#onOver()
    for (const item of this.items) this.#onDue(item)
  }
}

/**
 * Passes on each item when it is due, with one timer for all items of the same millisecond on the clock of
 * `performance`. Thousands of timers, each at its own moment, wake an idle process each time, and the work that follows
 * then finds cold processor caches.
 */
export function createSharedTimers<Item>(onDue: (item: Item) => void) {
  const moments = new Map<number, Moment<Item>>()
  return {
    add(at: number, item: Item): void {
      const key = Math.ceil(at)
      const moment = moments.get(key) ?? new Moment(key, () => moments.delete(key), onDue)
      moments.set(key, moment)
      moment.items.add(item)
    },
    /** Pass the same time; does nothing once the item was due. */
    remove(at: number, item: Item): void {
      moments.get(Math.ceil(at))?.remove(item)
    },
  }
}
