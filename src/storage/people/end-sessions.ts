import type { Actor } from '../../core/async/acting.ts'
import type { AuditTarget } from '../../model/audit.ts'
import type { Database } from '../database/tables.ts'
import { chainsOf, recordAudit } from '../writing/record-audit.ts'

type Which =
  /** A sign-out: the session itself is the proof. */
  | { hash: string }
  | { candidateId: string; sessionId: string }
  | { candidateId: string; keptSessionId: string }

/** Ends sessions. Those of people who work for a company, an agent or the board are on record. */
export function endSessions({ writer }: Pick<Database, 'writer'>, which: Which): Promise<void> {
  return writer.transaction().execute(async trx => {
    const sessions = trx.deleteFrom('sessions').returning(['id', 'candidate_id'])
    const chosen =
      'hash' in which
        ? sessions.where('hash', '=', which.hash)
        : sessions
            .where('candidate_id', '=', which.candidateId)
            .where(({ eb }) =>
              'sessionId' in which ? eb('id', '=', which.sessionId) : eb('id', '!=', which.keptSessionId),
            )
    const ended = await chosen.execute()
    const [first] = ended
    if (first === undefined) return
    const { id, candidate_id: owner } = first
    const actor: Actor = { kind: 'person', id: owner, proof: 'session' }
    const target: AuditTarget = ended.length === 1 ? `session:${id}` : `person:${owner}`
    const act = {
      action: 'session.end',
      target,
      after: { ended: ended.length },
      ...('hash' in which ? { actor } : {}),
    } as const
    await recordAudit(trx, ...(await chainsOf(trx, owner)).map(scope => ({ ...act, scope })))
  })
}
