/** A semaphore with a first-come, first-served queue. */
export interface Turns {
  /** False if no turn came within this time. */
  take(ms: number): Promise<boolean>
  /** Call once for each turn taken. */
  giveBack(): void
}

export function createTurns(max: number): Turns {
  let free = max
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
