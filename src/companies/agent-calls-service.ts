import type { Principal } from '../model/principal.ts'
import type { Background } from '../platform/core/async/background.ts'
import { createBatchWriter } from '../platform/core/async/batch-writer.ts'
import type { Clock, EpochMs } from '../platform/core/clock.ts'
import type { ProblemCode } from '../platform/core/problems.ts'
import { aestDayOf, aestDays, aestToday } from '../platform/core/time/ms-date.ts'
import type { AgentCallCount, AgentCallStore } from './agent-call-store.ts'

/** Limit: How long calls of version 1 are counted in memory before they are written; a killed node loses these counts. */
export const usageFlushSeconds = 10
/** Limit: Counts written in one transaction: it holds the shared write lock for a few milliseconds. */
export const usageFlushRows = 500

/** Limit: Days on the charts of an advertiser or agent. */
export const usageDays = 30

export interface DayOfCalls {
  day: string
  calls: number
  refused: { code: string; calls: number }[]
}

export type AgentCalls = ReturnType<typeof createAgentCalls>

const dayMs = 86_400_000

/** Counts agents' calls for companies, and the problems with which calls are rejected. There is no row per call. */
export function createAgentCalls(deps: { store: AgentCallStore; background: Background; clock: Clock }) {
  const { store, background, clock } = deps
  const dayNow = aestToday(clock)
  let counts = new Map<string, AgentCallCount>()

  function add(count: AgentCallCount): void {
    const key = `${count.agentId} ${count.advertiserId} ${count.day} ${count.code}`
    const known = counts.get(key)
    if (known === undefined) counts.set(key, count)
    else {
      known.calls += count.calls
      known.lastAt = Math.max(known.lastAt, count.lastAt)
    }
  }

  const batchWriter = createBatchWriter<AgentCallCount>({
    take() {
      const taken = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count)
      counts = new Map()
      return taken
    },
    putBack(rows) {
      for (const row of rows) add(row)
    },
    write: rows => store.add(rows),
    everySeconds: usageFlushSeconds,
    batchRows: usageFlushRows,
    background,
    ifLost: 'counts of the calls of agents have not been written yet',
  })

  function count({ agentId, advertiserId }: Principal, code: string): void {
    if (agentId === null) return
    add({ agentId, advertiserId, day: dayNow(), code, calls: 1, lastAt: clock() })
    batchWriter.later()
  }

  return {
    /** Counts a call with an agent's valid token, whatever its outcome. */
    countCall: (principal: Principal) => count(principal, ''),
    /** Counts a rejected call. */
    countRefusal: (principal: Principal, code: ProblemCode) => count(principal, code),

    flush: batchWriter.flush,
    close: batchWriter.close,

    /** Every day up to today, oldest first. */
    async lastDays(agentId: number): Promise<DayOfCalls[]> {
      const now = clock()
      const from = aestDayOf(now - (usageDays - 1) * dayMs)
      const found = await store.days(agentId, from)
      return aestDays(from, aestDayOf(now)).map(day => {
        const ofDay = found.filter(each => each.day === day)
        const refused = ofDay.filter(({ code }) => code !== '').map(({ code, calls }) => ({ code, calls }))
        return { day, calls: ofDay.find(({ code }) => code === '')?.calls ?? 0, refused }
      })
    },

    lastCalls: async (agentId: number): Promise<ReadonlyMap<number, EpochMs>> =>
      new Map((await store.last(agentId)).map(({ advertiserId, lastAt }) => [advertiserId, lastAt])),
  }
}
