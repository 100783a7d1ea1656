import type { Background } from '../core/async/background.ts'
import type { Clock } from '../core/clock.ts'
import { aestDayOf, aestDayStart } from '../core/ms-date.ts'
import type { Limits } from '../limits.ts'
import type { CallCount, DayCount, UsageStore } from './usage-ports.ts'

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
  limits: Pick<Limits, 'usageFlushSeconds' | 'usageFlushRows' | 'usageDays'>
}) {
  const { store, background, clock, limits } = deps
  let calls = new Map<string, Map<number, number>>()
  let today = { day: '', endsAt: 0 }
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> | undefined
  let isClosed = false

  /** Called on every request, so the day is computed only once a day. */
  function dayNow(): string {
    const now = clock()
    if (now >= today.endsAt || now < today.endsAt - dayMs) {
      const day = aestDayOf(now)
      today = { day, endsAt: startOf(day) + dayMs }
    }
    return today.day
  }

  function add({ advertiserId, day, calls: more }: CallCount): void {
    const ofDay = calls.get(day) ?? new Map<number, number>()
    ofDay.set(advertiserId, (ofDay.get(advertiserId) ?? 0) + more)
    calls.set(day, ofDay)
  }

  function flushLater(): void {
    if (isClosed) return
    timer ??= setTimeout(flushInBackground, limits.usageFlushSeconds * 1000)
    // The timer need not keep the process alive: a shutdown flushes first.
    timer.unref()
  }

  /** Counts that could not be written stay in memory and go with the next write. */
  function flushInBackground(): void {
    background.run(flush(), 'counts of API calls have not been written yet')
  }

  /** Runs one at a time: a second call waits for the first, then writes what has been counted since. */
  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    // The flush that failed reports it itself.
    while (flushing !== undefined) await flushing.catch(() => {})
    flushing = writeAll()
    try {
      await flushing
    } finally {
      flushing = undefined
    }
  }

  async function writeAll(): Promise<void> {
    const counts = inOrder(calls)
    calls = new Map()
    while (counts.length > 0) {
      try {
        await store.addCalls(counts.slice(0, limits.usageFlushRows))
      } catch (error) {
        for (const count of counts) add(count)
        flushLater()
        throw error
      }
      counts.splice(0, limits.usageFlushRows)
    }
  }

  /** Dates never decrease, so the counts of all days before that of the newest application are final. */
  async function applications(advertiserId: number, from: string): Promise<DayCount[]> {
    // Read this first, so that the counts below include at least everything up to this moment.
    const lastDay = aestDayOf(await store.lastApplicationAt(advertiserId))
    const kept = await store.countedDays(advertiserId, from)
    const missing = daysBetween(from, lastDay).filter(day => !kept.some(known => known.day === day))
    const counted = await Promise.all(missing.map(day => countDay(advertiserId, day)))
    const frozen = counted.filter(({ day }) => day < lastDay)
    // If they cannot be stored, the next read counts them again.
    if (frozen.length > 0) {
      background.run(store.keepDays(advertiserId, frozen), 'counts of applications were lost')
    }
    return [...kept, ...counted]
  }

  async function countDay(advertiserId: number, day: string): Promise<DayCount> {
    const start = startOf(day)
    return { day, count: await store.countApplications(advertiserId, start, start + dayMs) }
  }

  return {
    /** Counts a call of version 1 by the advertiser or an agent. Written within `usageFlushSeconds`. */
    countCall(advertiserId: number): void {
      add({ advertiserId, day: dayNow(), calls: 1 })
      if (timer === undefined) flushLater()
    },

    flush,

    /** Call before the database is closed. Counts that cannot be written now are lost. */
    async close(): Promise<void> {
      isClosed = true
      flushInBackground()
      await background.settle()
    },

    /** Every day up to today, oldest first. */
    async lastDays(advertiserId: number): Promise<DayOfUsage[]> {
      const now = clock()
      const from = aestDayOf(now - (limits.usageDays - 1) * dayMs)
      const [applied, called] = await Promise.all([
        applications(advertiserId, from),
        store.calls(advertiserId, from),
      ])
      return daysBetween(from, aestDayOf(now)).map(day => ({
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

/** Every day from `first` to `last`, inclusive. */
function daysBetween(first: string, last: string): string[] {
  const days: string[] = []
  for (let day = first; day <= last; day = aestDayOf(startOf(day) + dayMs)) days.push(day)
  return days
}

function startOf(day: string): number {
  const start = aestDayStart(day)
  if (start === undefined) throw new Error(`invalid day ${day}`)
  return start
}

function countOn(counts: readonly DayCount[], day: string): number {
  return counts.find(count => count.day === day)?.count ?? 0
}
