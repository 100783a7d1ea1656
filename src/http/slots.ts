/** How many of something a key may have under way at once. */
export class Slots {
  readonly #perKey: number
  readonly #taken = new Map<string, number>()

  constructor(perKey: number) {
    this.#perKey = perKey
  }

  /** Returns what gives the slot back, or undefined when none is free. */
  take(key: string): (() => void) | undefined {
    const taken = this.#taken.get(key) ?? 0
    if (taken >= this.#perKey) return undefined
    this.#taken.set(key, taken + 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const left = (this.#taken.get(key) ?? 1) - 1
      if (left === 0) this.#taken.delete(key)
      else this.#taken.set(key, left)
    }
  }
}
