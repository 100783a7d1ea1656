import type { Clock, EpochMs } from '../../src/core/clock.ts'

/** A clock that stands still until a test moves it, in either direction. */
export interface MovableClock extends Clock {
  set(at: EpochMs): void
  advance(ms: number): void
}

export function movableClock(start: EpochMs = Date.parse('2026-11-14T00:00:00Z')): MovableClock {
  let now = start
  return Object.assign(() => now, {
    set: (at: EpochMs) => {
      now = at
    },
    advance: (ms: number) => {
      now += ms
    },
  })
}
