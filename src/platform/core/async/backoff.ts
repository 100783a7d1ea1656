import type { SteadyClock } from '../clock.ts'

/**
 * Exponential backoff by name: the pause doubles with each failure. Beyond `remembered` names, the name that failed
 * longest ago is forgotten: it is merely retried too early.
 */
export function createBackoff(
  { firstMs, longestMs, remembered }: { firstMs: number; longestMs: number; remembered: number },
  clock: SteadyClock,
) {
  const pauses = new Map<string, { ms: number; until: number }>()
  return {
    isOver(name: string): boolean {
      const pause = pauses.get(name)
      return pause === undefined || pause.until <= clock()
    },

    /** Records a failure. */
    begin(name: string): void {
      const last = pauses.get(name)
      const ms = last === undefined ? firstMs : Math.min(2 * last.ms, longestMs)
      // Deleted and added again, so that the map stays ordered by failure.
      pauses.delete(name)
      pauses.set(name, { ms, until: clock() + ms })
      const [oldest] = pauses.keys()
      if (pauses.size > remembered && oldest !== undefined) pauses.delete(oldest)
    },

    forget(name: string): void {
      pauses.delete(name)
    },
  }
}
