import type { Clock, EpochMs } from '../../src/platform/core/clock.ts'
import type { LookAtTime } from '../../src/platform/core/task-ports.ts'
import type { Database } from '../../src/platform/database/tables.ts'

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

/** For work that removes by age: a service that has run for as long as its clock says, without any doubt. */
export const steadily =
  (clock: Clock): LookAtTime =>
  async () => ({ runningMs: clock(), pausedMs: 0, doubtMs: 0 })

/** As after a jump that a process has noticed. */
export async function putClockInDoubt({ writer }: Pick<Database, 'writer'>): Promise<void> {
  const doubt = { doubted_from: 0, doubt_ms: 90_000_000, further_ms: 0 }
  await writer
    .insertInto('service_clock')
    .values({ id: 1, ticks: 1, running_ms: 0, seen_at: Date.now(), ...doubt })
    .onConflict(conflict => conflict.column('id').doUpdateSet({ ...doubt, running_ms: 0 }))
    .execute()
}
