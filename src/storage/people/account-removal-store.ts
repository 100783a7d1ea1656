import type { Kysely } from 'kysely'
import type { AccountRemovalStore, Led, Removal } from '../../people/own-data/ports.ts'
import type { Database, Schema } from '../database/tables.ts'
import { bury } from '../writing/bury.ts'
import { queueDeliveries } from '../writing/queue-notice.ts'
import { chainsWithBoard, recordAudit } from '../writing/record-audit.ts'
import { addClientEvents, type ClientEvent } from '../writing/record-event.ts'
import { holdAll, removeAccount } from './remove-account.ts'

export function createAccountRemovalStore({ writer, reader, dialect, hints }: Database): AccountRemovalStore {
  return {
    lastAdminOf: candidateId => lastAdminOf(reader, candidateId),

    async remove(candidateId, passwordHash, { now, eraseAt, mails = [] }) {
      let told: ClientEvent[] = []
      const removal = await writer.transaction().execute(async (trx): Promise<Removal> => {
        // Locks the account first, like every addition and sign-in, which commit before this or find it deleted.
        const held = await trx
          .updateTable('candidates')
          .set({ password_hash: passwordHash })
          .where('id', '=', candidateId)
          .where('password_hash', '=', passwordHash)
          .executeTakeFirst()
        if (held.numUpdatedRows !== 1n) return { outcome: 'changed' }
        if (dialect === 'postgres') await holdAll(trx, candidateId)
        const led = await lastAdminOf(trx, candidateId)
        if (led.length > 0) return { outcome: 'last-admin', led }
        const chains = await chainsWithBoard(trx, candidateId)
        const removed = await removeAccount(trx, candidateId, { now, eraseAt })
        told = removed.told
        await queueDeliveries(trx, mails, now)
        await addClientEvents(trx, told, now)
        await bury(trx, ['account', candidateId, eraseAt])
        const act = { action: 'account.delete', target: `person:${candidateId}` } as const
        const { applications } = removed
        // How many applications concerns the board, not the companies that the person worked for.
        await recordAudit(
          trx,
          ...chains.map(scope => ({
            ...act,
            scope,
            ...(scope === 'board' ? { after: { applications } } : {}),
          })),
        )
        return { outcome: 'removed', applications: removed.applications }
      })
      for (const { clientId, type } of told) hints?.changed({ clientId }, [type])
      return removal
    },
  }
}

async function lastAdminOf(db: Kysely<Schema>, candidateId: string): Promise<Led[]> {
  const companies = await lastAdminOfCompanies(db, candidateId)
  const agents = await lastAdminOfAgents(db, candidateId)
  return [...companies, ...agents, ...((await isLastOperator(db, candidateId)) ? [board] : [])]
}

const board: Led = { kind: 'board', id: 0, name: '', isOnHold: false }

async function isLastOperator(db: Kysely<Schema>, candidateId: string): Promise<boolean> {
  const rows = await db
    .selectFrom('operators')
    .select('candidate_id')
    .where('role', '=', 'operator')
    .execute()
  return rows.length === 1 && rows[0]?.candidate_id === candidateId
}

async function lastAdminOfAgents(db: Kysely<Schema>, candidateId: string): Promise<Led[]> {
  const rows = await db
    .selectFrom('agent_members as own')
    .innerJoin('agents as agent', 'agent.id', 'own.agent_id')
    .select(['agent.id', 'agent.name'])
    .where('own.candidate_id', '=', candidateId)
    .where('own.role', '=', 'admin')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('agent_members as other')
            .select('other.candidate_id')
            .whereRef('other.agent_id', '=', 'own.agent_id')
            .whereRef('other.candidate_id', '!=', 'own.candidate_id')
            .where('other.role', '=', 'admin'),
        ),
      ),
    )
    .orderBy('agent.name')
    .orderBy('agent.id')
    .execute()
  return rows.map(agent => ({ ...agent, kind: 'agent', isOnHold: false }))
}

async function lastAdminOfCompanies(db: Kysely<Schema>, candidateId: string): Promise<Led[]> {
  const rows = await db
    .selectFrom('memberships as own')
    .innerJoin('advertisers as advertiser', 'advertiser.id', 'own.advertiser_id')
    .select(['advertiser.id', 'advertiser.name', 'advertiser.status'])
    .where('own.candidate_id', '=', candidateId)
    .where('own.role', '=', 'admin')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('memberships as other')
            .select('other.candidate_id')
            .whereRef('other.advertiser_id', '=', 'own.advertiser_id')
            .whereRef('other.candidate_id', '!=', 'own.candidate_id')
            .where('other.role', '=', 'admin'),
        ),
      ),
    )
    .orderBy('advertiser.name')
    .orderBy('advertiser.id')
    .execute()
  return rows.map(({ status, ...advertiser }) => ({
    ...advertiser,
    kind: 'company',
    isOnHold: status === 'hold',
  }))
}
