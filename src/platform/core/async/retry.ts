import type { Clock, EpochMs } from '../clock.ts'

export interface Trying {
  clock: Clock
  pause(ms: number): Promise<void>
}

/** Retries required work that no caller awaits, until it succeeds or `until` has passed. */
export async function retry(
  work: () => Promise<void>,
  until: EpochMs,
  { clock, pause }: Trying,
): Promise<void> {
  for (let pauseMs = 250; ; pauseMs = Math.min(2 * pauseMs, 5_000)) {
    try {
      return await work()
    } catch (error) {
      // Before `until`, a retry follows; the caller only receives the last error.
      if (clock() >= until) throw error
    }
    await pause(pauseMs)
  }
}
