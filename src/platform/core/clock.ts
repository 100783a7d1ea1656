/** Milliseconds since the epoch. The service stores times in no other form. */
export type EpochMs = number

/** Passed in as an argument, so that tests and the demo's history can set the time. */
export type Clock = () => EpochMs

export const systemClock: Clock = () => Date.now()

/** A monotonic clock, independent of the system clock: for waits within one process. */
export type SteadyClock = () => number

export const steadyClock: SteadyClock = () => performance.now()

/**
 * Returns a function that returns by how many milliseconds the clock has jumped since the last call (negative: back);
 * undefined while it agrees with the steady clock within `toleranceMs`.
 */
export function createJumpWatch(
  clock: Clock,
  steady: SteadyClock,
  toleranceMs: number,
): () => number | undefined {
  const offset = () => clock() - steady()
  let last = offset()
  return () => {
    const now = offset()
    const jump = now - last
    last = now
    return Math.abs(jump) > toleranceMs ? jump : undefined
  }
}

/** `2.5 seconds ahead of`, or `behind` when negative. */
export function aheadOrBehind(ms: number): string {
  return `${(Math.abs(ms) / 1000).toFixed(1)} seconds ${ms > 0 ? 'ahead of' : 'behind'}`
}
