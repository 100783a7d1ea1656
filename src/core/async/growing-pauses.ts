import type { SteadyClock } from '../clock.ts'

/** What fails is left alone for a time that doubles with each failure. */
export interface GrowingPauses {
  isOver(name: string): boolean
  /** It has failed once more. */
  begin(name: string): void
  forget(name: string): void
}

/** Of more than `remembered` names the one that failed longest ago is forgotten: it is tried too soon, and no more. */
export function createGrowingPauses(
  { firstMs, longestMs, remembered }: { firstMs: number; longestMs: number; remembered: number },
  clock: SteadyClock,
): GrowingPauses {
  const pauses = new Map<string, { ms: number; until: number }>()
  return {
    isOver(name) {
      const pause = pauses.get(name)
      return pause === undefined || pause.until <= clock()
    },

    begin(name) {
      const last = pauses.get(name)
      const ms = last === undefined ? firstMs : Math.min(2 * last.ms, longestMs)
      // Anew, so that the map stays in the order of the failures.
      pauses.delete(name)
      pauses.set(name, { ms, until: clock() + ms })
      const [oldest] = pauses.keys()
      if (pauses.size > remembered && oldest !== undefined) pauses.delete(oldest)
    },

    forget(name) {
      pauses.delete(name)
    },
  }
}
