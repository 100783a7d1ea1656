import type { Kysely } from 'kysely'
import type { AccountRemovalStore, LedAdvertiser, Removal } from '../../people/own-data/ports.ts'
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
        const advertisers = await lastAdminOf(trx, candidateId)
        if (advertisers.length > 0) return { outcome: 'last-admin', advertisers }
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

async function lastAdminOf(db: Kysely<Schema>, candidateId: string): Promise<LedAdvertiser[]> {
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
  return rows.map(({ status, ...advertiser }) => ({ ...advertiser, isOnHold: status === 'hold' }))
}
