import type { Clock, EpochMs } from '../clock.ts'

export interface Trying {
  clock: Clock
  pause(ms: number): Promise<void>
}

/** For what nobody waits for and what must be done all the same: tried again until it works, or its time is over. */
export async function keepTrying(
  work: () => Promise<void>,
  until: EpochMs,
  { clock, pause }: Trying,
): Promise<void> {
  for (let pauseMs = 250; ; pauseMs = Math.min(2 * pauseMs, 5_000)) {
    try {
      return await work()
    } catch (error) {
      if (clock() >= until) throw error
    }
    await pause(pauseMs)
  }
}
