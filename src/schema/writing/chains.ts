import { type Kysely, sql } from 'kysely'
import { type AuditScope, boardScope } from '../../platform/audit/acts.ts'
import type { Schema } from '../../platform/database/tables.ts'

/**
 * The chains in which acts on an account are recorded: the chains of the person's companies, and the board's for
 * agents' members and operators.
 */
export async function chainsOf(trx: Kysely<Schema>, candidateId: string): Promise<AuditScope[]> {
  const board = sql.lit(boardScope).$castTo<number>().as('scope')
  const rows = await trx
    .selectFrom('memberships')
    .select('advertiser_id as scope')
    .where('candidate_id', '=', candidateId)
    .unionAll(eb => eb.selectFrom('agent_members').select(board).where('candidate_id', '=', candidateId))
    .unionAll(eb => eb.selectFrom('operators').select(board).where('candidate_id', '=', candidateId))
    .execute()
  const scopes = new Set(rows.map(({ scope }) => scope))
  return [...scopes].map(scope => (scope === boardScope ? 'board' : { ownerId: scope }))
}

/** The chains of `chainsOf`, and always the board's. */
export async function chainsWithBoard(trx: Kysely<Schema>, candidateId: string): Promise<AuditScope[]> {
  const chains = await chainsOf(trx, candidateId)
  return [...chains.filter(scope => scope !== 'board'), 'board']
}

/** The board's chain, and the chains of companies that require this person to use a second factor. */
export async function chainsRequiringFactor(trx: Kysely<Schema>, candidateId: string): Promise<AuditScope[]> {
  const rows = await trx
    .selectFrom('memberships as member')
    .innerJoin('advertisers as company', 'company.id', 'member.advertiser_id')
    .select('company.id as advertiserId')
    .where('member.candidate_id', '=', candidateId)
    .where('company.requires_factor', '=', 1)
    .execute()
  return ['board', ...rows.map(({ advertiserId }) => ({ ownerId: advertiserId }))]
}
