import type { Clock, EpochMs } from '../../core/clock.ts'
import { dayIn, whenClocksShow } from '../../core/time/time-zone.ts'
import type { Limits } from '../../limits.ts'
import type { GoesOn, WorkDone } from '../../work/ports.ts'
import type { DailyTime, DigestStore, DueMember } from './ports.ts'

/** In the company's time zone. */
const dailyAt = '08:00'

/** Tells members of new applications, gathered into one email each. */
export function createDigests(deps: {
  store: DigestStore
  clock: Clock
  /** Of companies that have not chosen one. */
  timeZone: string
  limits: Pick<Limits, 'digestPauseSeconds' | 'digestBatch'>
}) {
  const { store, clock, limits } = deps

  /** One email for each member of a batch that has something new, until no member is due. */
  async function tellAll(goesOn: GoesOn, now: EpochMs, due: () => Promise<DueMember[]>): Promise<number> {
    let emails = 0
    do {
      const members = await due()
      if (members.length === 0) break
      emails += await store.tell(members, now)
    } while (await goesOn())
    return emails
  }

  return {
    async run(goesOn: GoesOn): Promise<WorkDone> {
      const now = clock()
      const times = (await store.zones()).flatMap((timeZone): DailyTime[] => {
        const zone = timeZone ?? deps.timeZone
        const at = whenClocksShow(dayIn(now, zone), dailyAt, zone)
        return at <= now ? [{ timeZone, at }] : []
      })
      const pauseMs = limits.digestPauseSeconds * 1000
      // A member told after that was told by a clock that was ahead.
      const told = { before: now - pauseMs, after: now + pauseMs }
      const soon = await tellAll(goesOn, now, () => store.dueSoon(told, limits.digestBatch))
      const daily =
        times.length === 0
          ? 0
          : await tellAll(goesOn, now, () => store.dueDaily(times, told.after, limits.digestBatch))
      return { did: { digests: soon + daily } }
    },
  }
}
