export type Semaphore = ReturnType<typeof createSemaphore>

/** A semaphore with a first-come, first-served queue. */
export function createSemaphore(max: number) {
  let free = max
  const waiting = new Set<() => void>()
  return {
    /** Returns false if there was no turn within this time. */
    async take(ms: number): Promise<boolean> {
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

    /** Call once per turn taken. */
    release(): void {
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
