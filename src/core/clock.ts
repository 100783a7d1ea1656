/** Milliseconds since the epoch, the only form in which the service keeps time. */
export type EpochMs = number

/** Time comes in as an argument, so that a test, or the demo's history, can say what time it is. */
export type Clock = () => EpochMs

export const systemClock: Clock = () => Date.now()

/** Milliseconds that go by evenly, whatever the machine's clock is set to: for waits within a process alone. */
export type SteadyClock = () => number

export const steadyClock: SteadyClock = () => performance.now()

/**
 * By how much a clock has jumped since the last look, or back when negative; undefined when it went on as steadily as the
 * other, within `toleranceMs`.
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

/** How this far ahead of another clock, or behind it when negative, is said. */
export function aheadOrBehind(ms: number): string {
  return `${(Math.abs(ms) / 1000).toFixed(1)} seconds ${ms > 0 ? 'ahead of' : 'behind'}`
}
