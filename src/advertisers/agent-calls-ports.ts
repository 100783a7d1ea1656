import type { EpochMs } from '../core/clock.ts'

/** Calls of an agent for one company on one day. Days are `YYYY-MM-DD` in Australian Eastern Standard Time. */
export interface AgentCallCount {
  agentId: number
  advertiserId: number
  day: string
  /** Empty: every call. Otherwise those of them that were refused with this problem. */
  code: string
  calls: number
  lastAt: EpochMs
}

export interface AgentCallStore {
  /** Adds to the stored counts, so that counts of several nodes add up. Ignores agents and companies that no longer exist. */
  add(counts: readonly AgentCallCount[]): Promise<void>
  /** From this day on, newest day first; the code is empty for the number of all calls. */
  days(agentId: number, from: string): Promise<Pick<AgentCallCount, 'day' | 'code' | 'calls'>[]>
  /** The last call for each company, as far as calls are kept. */
  last(agentId: number): Promise<Pick<AgentCallCount, 'advertiserId' | 'lastAt'>[]>
}
