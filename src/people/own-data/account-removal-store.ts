import type { Kysely } from 'kysely'
import { recordAudit } from '../../platform/audit/record-audit-store.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import type { NewDelivery } from '../../platform/work/delivery-ports.ts'
import { queueDeliveries } from '../../platform/work/queue-deliveries-store.ts'
import { chainsWithBoard } from '../../schema/writing/chains.ts'
import { addClientEvents, type ClientEvent } from '../../schema/writing/record-event.ts'
import { recordTombstones } from '../../schema/writing/record-tombstones.ts'
import { holdAll, removeAccount } from '../account/remove-account-store.ts'

/** A company, an agent or the job board itself, whose name and ID the service defines. */
export interface Led {
  kind: 'company' | 'agent' | 'board'
  id: number
  name: string
  /** Whether its pages are closed to all of its people. */
  isOnHold: boolean
}

export type Removal =
  | { outcome: 'removed'; applications: number }
  /** The password has changed since, or the account no longer exists. */
  | { outcome: 'changed' }
  /** These workplaces would be left without an admin. */
  | { outcome: 'last-admin'; led: Led[] }

export type AccountRemovalStore = ReturnType<typeof createAccountRemovalStore>

export function createAccountRemovalStore({ writer, reader, dialect, hints }: Database) {
  return {
    /** Companies and agents whose only admin is this candidate, and the board if there is no other operator. */
    lastAdminOf: (candidateId: string): Promise<Led[]> => lastAdminOf(reader, candidateId),

    /**
     * Deletes the account with everything that belongs to it and schedules its applications for erasure, in one durable
     * transaction. A concurrent change to the account either commits first and is deleted too, or fails.
     */
    async remove(
      candidateId: string,
      passwordHash: string,
      { now, eraseAt, mails = [] }: { now: EpochMs; eraseAt: EpochMs; mails?: readonly NewDelivery[] },
    ): Promise<Removal> {
      let told: ClientEvent[] = []
      const removal = await writer.transaction().execute(async (trx): Promise<Removal> => {
        // Locks the account first: every addition and sign-in does so too, and either commits before this or finds it
        // deleted.
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
        await recordTombstones(trx, ['account', candidateId, eraseAt])
        const act = { action: 'account.delete', target: `person:${candidateId}` } as const
        const { applications } = removed
        // The number of applications concerns the board, not the companies that the person worked for.
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
