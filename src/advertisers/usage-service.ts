import type { Background } from '../core/async/background.ts'
import type { Clock } from '../core/clock.ts'
import { aestDayOf, aestDayStart } from '../core/ms-date.ts'
import type { CallCount, DayCount, UsageStore } from './usage-ports.ts'

export interface UsageLimits {
  usageFlushSeconds: number
  usageFlushRows: number
  usageDays: number
}

export interface DayOfUsage {
  day: string
  applications: number
  calls: number
}

export type Usage = ReturnType<typeof createUsage>

const dayMs = 86_400_000

/** How much an advertiser is applied to and asked for, by days of Australian Eastern Standard Time. */
export function createUsage(deps: {
  store: UsageStore
  background: Background
  clock: Clock
  limits: UsageLimits
  /** What was not written stays counted, and goes with the next. */
  onLateCalls(error: unknown): void
  /** Days that were not kept are counted again with the next look. */
  onLostDays(error: unknown): void
}) {
  const { store, background, clock, limits } = deps
  let calls = new Map<string, Map<number, number>>()
  let today = { day: '', endsAt: 0 }
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> | undefined
  let isClosed = false

  /** Asked on every request, so the day is looked up in the calendar once a day. */
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
    timer ??= setTimeout(() => background.run(flush(), deps.onLateCalls), limits.usageFlushSeconds * 1000)
    // Whoever ends the process flushes first; nothing else hangs on it.
    timer.unref()
  }

  /** One at a time: a second one waits for the first, and then writes what came in meanwhile. */
  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
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

  /** Dates never decrease, so all days before that of the newest application have their number for good. */
  async function applications(advertiserId: number, from: string): Promise<DayCount[]> {
    // Asked first: whatever is counted afterwards holds at least what was there at this moment.
    const lastDay = aestDayOf(await store.lastApplicationAt(advertiserId))
    const kept = await store.countedDays(advertiserId, from)
    const missing = daysBetween(from, lastDay).filter(day => !kept.some(known => known.day === day))
    const counted = await Promise.all(missing.map(day => countDay(advertiserId, day)))
    const frozen = counted.filter(({ day }) => day < lastDay)
    if (frozen.length > 0) background.run(store.keepDays(advertiserId, frozen), deps.onLostDays)
    return [...kept, ...counted]
  }

  async function countDay(advertiserId: number, day: string): Promise<DayCount> {
    const start = startOf(day)
    return { day, count: await store.countApplications(advertiserId, start, start + dayMs) }
  }

  return {
    /** A call of version 1, whoever made it for the advertiser. Written within `usageFlushSeconds`. */
    countCall(advertiserId: number): void {
      add({ advertiserId, day: dayNow(), calls: 1 })
      if (timer === undefined) flushLater()
    },

    flush,

    /** Before the database is closed. What cannot be written now is lost. */
    async close(): Promise<void> {
      isClosed = true
      await flush().catch(deps.onLateCalls)
    },

    /** The oldest day first, today last, none left out. */
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

/** In one order on every node, so that two that write at once do not wait for each other. */
function inOrder(calls: ReadonlyMap<string, ReadonlyMap<number, number>>): CallCount[] {
  return [...calls]
    .flatMap(([day, ofDay]) =>
      [...ofDay].map(([advertiserId, count]) => ({ advertiserId, day, calls: count })),
    )
    .sort((a, b) => a.advertiserId - b.advertiserId || (a.day < b.day ? -1 : 1))
}

/** Every day from the first to the last, both included. */
function daysBetween(first: string, last: string): string[] {
  const days: string[] = []
  for (let day = first; day <= last; day = aestDayOf(startOf(day) + dayMs)) days.push(day)
  return days
}

function startOf(day: string): number {
  const start = aestDayStart(day)
  if (start === undefined) throw new Error(`there is no day ${day}`)
  return start
}

function countOn(counts: readonly DayCount[], day: string): number {
  return counts.find(count => count.day === day)?.count ?? 0
}
