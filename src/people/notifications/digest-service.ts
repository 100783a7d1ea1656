import type { Clock, EpochMs } from '../../platform/core/clock.ts'
import type { GoesOn, WorkDone } from '../../platform/core/task-ports.ts'
import { dayIn, whenClocksShow, zoneOr } from '../../platform/core/time/time-zone.ts'
import type { DailyTime, DigestStore, DueMember } from './digest-store.ts'

/** Limit: Members who are due for an email about new applications, queued in one transaction. */
const digestBatch = 200

/** Limit: Emails about new applications are sent to a member every 15 minutes at most. */
const digestPauseSeconds = 900

/** Time of the daily emails, in the company's time zone. */
const dailyAt = '08:00'

/** Notifies members of new applications, gathered into one email each. */
export function createDigests(deps: {
  store: DigestStore
  clock: Clock
  /** Time zone of companies that have not chosen one. */
  timeZone: string
  batch?: number
}) {
  const { store, clock, batch = digestBatch } = deps

  /** Sends one email to each member of a batch who has something new, until no member is due. */
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
        const zone = zoneOr(timeZone, deps.timeZone)
        const at = whenClocksShow(dayIn(now, zone), dailyAt, zone)
        return at <= now ? [{ timeZone, at }] : []
      })
      const pauseMs = digestPauseSeconds * 1000
      // A notification dated after this came from a clock that was ahead.
      const told = { before: now - pauseMs, after: now + pauseMs }
      const soon = await tellAll(goesOn, now, () => store.dueSoon(told, batch))
      const daily =
        times.length === 0 ? 0 : await tellAll(goesOn, now, () => store.dueDaily(times, told.after, batch))
      return { did: { digests: soon + daily } }
    },
  }
}
