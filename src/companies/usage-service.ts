import type { Background } from '../platform/core/async/background.ts'
import { createBatchWriter } from '../platform/core/async/batch-writer.ts'
import type { Clock } from '../platform/core/clock.ts'
import { aestDayOf, aestDays, aestToday, startOfAestDay } from '../platform/core/time/ms-date.ts'
import { usageDays, usageFlushRows, usageFlushSeconds } from './agent-calls-service.ts'
import type { CallCount, DayCount, UsageStore } from './usage-store.ts'

export interface DayOfUsage {
  day: string
  applications: number
  calls: number
}

export type Usage = ReturnType<typeof createUsage>

const dayMs = 86_400_000

/** Counts an advertiser's applications and API calls, by day in Australian Eastern Standard Time. */
export function createUsage(deps: {
  store: UsageStore
  background: Background
  clock: Clock
  flushRows?: number
}) {
  const { store, background, clock, flushRows = usageFlushRows } = deps
  let calls = new Map<string, Map<number, number>>()
  const dayNow = aestToday(clock)

  function add({ advertiserId, day, calls: more }: CallCount): void {
    const ofDay = calls.get(day) ?? new Map<number, number>()
    ofDay.set(advertiserId, (ofDay.get(advertiserId) ?? 0) + more)
    calls.set(day, ofDay)
  }

  const batchWriter = createBatchWriter<CallCount>({
    take() {
      const counts = inOrder(calls)
      calls = new Map()
      return counts
    },
    putBack(counts) {
      for (const count of counts) add(count)
    },
    write: counts => store.addCalls(counts),
    everySeconds: usageFlushSeconds,
    batchRows: flushRows,
    background,
    ifLost: 'counts of API calls have not been written yet',
  })

  /** Dates never decrease, so the counts of all days before the newest application's are final. */
  async function applications(advertiserId: number, from: string): Promise<DayCount[]> {
    // Read this first, so that the counts below include at least everything up to this moment.
    const lastDay = aestDayOf(await store.lastApplicationAt(advertiserId))
    const kept = await store.countedDays(advertiserId, from)
    const missing = aestDays(from, lastDay).filter(day => !kept.some(known => known.day === day))
    const counted = await Promise.all(missing.map(day => countDay(advertiserId, day)))
    const frozen = counted.filter(({ day }) => day < lastDay)
    // If they cannot be stored, the next read counts them again.
    if (frozen.length > 0) {
      background.run(store.keepDays(advertiserId, frozen), 'counts of applications were lost')
    }
    return [...kept, ...counted]
  }

  async function countDay(advertiserId: number, day: string): Promise<DayCount> {
    const start = startOfAestDay(day)
    return { day, count: await store.countApplications(advertiserId, start, start + dayMs) }
  }

  return {
    /** Counts a call of version 1 by the advertiser or an agent. Written within `usageFlushSeconds`. */
    countCall(advertiserId: number): void {
      add({ advertiserId, day: dayNow(), calls: 1 })
      batchWriter.later()
    },

    flush: batchWriter.flush,
    close: batchWriter.close,

    /** Every day up to today, oldest first. */
    async lastDays(advertiserId: number): Promise<DayOfUsage[]> {
      const now = clock()
      const from = aestDayOf(now - (usageDays - 1) * dayMs)
      const [applied, called] = await Promise.all([
        applications(advertiserId, from),
        store.calls(advertiserId, from),
      ])
      return aestDays(from, aestDayOf(now)).map(day => ({
        day,
        applications: countOn(applied, day),
        calls: countOn(called, day),
      }))
    },
  }
}

/** Sorts the counts the same way on every node, so that concurrent writes cannot deadlock. */
function inOrder(calls: ReadonlyMap<string, ReadonlyMap<number, number>>): CallCount[] {
  return [...calls]
    .flatMap(([day, ofDay]) =>
      [...ofDay].map(([advertiserId, count]) => ({ advertiserId, day, calls: count })),
    )
    .sort((a, b) => a.advertiserId - b.advertiserId || (a.day < b.day ? -1 : 1))
}

function countOn(counts: readonly DayCount[], day: string): number {
  return counts.find(count => count.day === day)?.count ?? 0
}
