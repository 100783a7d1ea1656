/** So many at once, and no more; the others wait for their turn, in the order in which they came. */
export interface Turns {
  /** False when no turn came within this time. */
  take(ms: number): Promise<boolean>
  /** To be called once for each turn that was taken. */
  giveBack(): void
}

export function createTurns(most: number): Turns {
  let free = most
  const waiting = new Set<() => void>()
  return {
    async take(ms) {
      if (free > 0) {
        free -= 1
        return true
      }
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const called = () => resolve(true)
      waiting.add(called)
      const timer = setTimeout(() => {
        waiting.delete(called)
        resolve(false)
      }, ms)
      return promise.finally(() => clearTimeout(timer))
    },

    giveBack() {
      const [next] = waiting
      if (next === undefined) {
        free += 1
      } else {
        waiting.delete(next)
        next()
      }
    },
  }
}
