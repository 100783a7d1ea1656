import type { Principal } from '../../model/principal.ts'
import { BoardProblem } from '../../model/problems.ts'
import { answerReport, type EntryResult } from '../../model/progress-report.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { readId } from '../../platform/core/input/json-body.ts'
import type { ProgressStore } from './progress-store.ts'
import { maxHistory, toldAtOnce } from './service.ts'
import type { Program } from './status-step-store.ts'

export type ProgressReports = ReturnType<typeof createProgressReports>

/** Reports by a company's or agent's programs about its applications. */
export function createProgressReports(deps: { store: Pick<ProgressStore, 'report'>; clock: Clock }) {
  return {
    /** One result per entry, in the same order. Throws if the body as a whole is invalid, or the caller may only read. */
    async report(caller: Principal, body: unknown): Promise<EntryResult[]> {
      const program = programOf(caller)
      const now = deps.clock()
      const bounds = { now, maxHistory, toldAtOnce }
      return answerReport(body, { key: 'applicationId', readId, now }, async (said, unread) => {
        const entries = said.map(({ id, ...entry }) => ({ applicationId: id, ...entry }))
        const outcomes = await deps.store.report(caller.advertiserId, program, entries, { ...bounds, unread })
        if (outcomes === 'not-granted') throw new BoardProblem('progress-not-granted')
        return outcomes
      })
    },
  }
}

function programOf({ agentId, credentialId, progressGrantedAt }: Principal): Program {
  if (agentId === null) return { by: 'api', credentialId }
  if (typeof progressGrantedAt !== 'number') throw new BoardProblem('progress-not-granted')
  // `credentialId` names the client of an agent in the same way.
  return {
    by: 'agent',
    agentId,
    clientId: credentialId.slice(clientPrefix.length),
    grantedAt: progressGrantedAt,
  }
}

const clientPrefix = 'client:'
