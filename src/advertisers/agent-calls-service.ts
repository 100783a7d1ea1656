import type { Background } from '../core/async/background.ts'
import { createGathering } from '../core/async/gathering.ts'
import type { Clock, EpochMs } from '../core/clock.ts'
import type { ProblemCode } from '../core/problems.ts'
import { aestDayOf, aestDays, aestToday } from '../core/time/ms-date.ts'
import type { Limits } from '../limits.ts'
import type { Principal } from '../model/principal.ts'
import type { AgentCallCount, AgentCallStore } from './agent-calls-ports.ts'

export interface DayOfCalls {
  day: string
  calls: number
  refused: { code: string; calls: number }[]
}

export type AgentCalls = ReturnType<typeof createAgentCalls>

const dayMs = 86_400_000

/** Counts what agents call for companies, and with which problems it is refused. There is no row per call. */
export function createAgentCalls(deps: {
  store: AgentCallStore
  background: Background
  clock: Clock
  limits: Pick<Limits, 'usageFlushSeconds' | 'usageFlushRows' | 'usageDays'>
}) {
  const { store, background, clock, limits } = deps
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

  const gathering = createGathering<AgentCallCount>({
    take() {
      const taken = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count)
      counts = new Map()
      return taken
    },
    putBack(rows) {
      for (const row of rows) add(row)
    },
    write: rows => store.add(rows),
    ...{ everySeconds: limits.usageFlushSeconds, batchRows: limits.usageFlushRows, background },
    ifLost: 'counts of the calls of agents have not been written yet',
  })

  function count({ agentId, advertiserId }: Principal, code: string): void {
    if (agentId === null) return
    add({ agentId, advertiserId, day: dayNow(), code, calls: 1, lastAt: clock() })
    gathering.later()
  }

  return {
    /** A call with a valid token of an agent, whatever comes of it. */
    countCall: (principal: Principal) => count(principal, ''),
    /** It was refused. */
    countRefusal: (principal: Principal, code: ProblemCode) => count(principal, code),

    flush: gathering.flush,
    close: gathering.close,

    /** Every day up to today, oldest first. */
    async lastDays(agentId: number): Promise<DayOfCalls[]> {
      const now = clock()
      const from = aestDayOf(now - (limits.usageDays - 1) * dayMs)
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
