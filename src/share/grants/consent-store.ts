import type { EpochMs } from '../../platform/core/clock.ts'
import type { Database } from '../../platform/database/tables.ts'
import { namedAdvertiser, namedAdvertiserId } from '../../schema/client-advertisers.ts'
import { addClientEvents, type ClientEvent, findReleaseEvents } from '../../schema/writing/record-event.ts'
import { recordTombstones } from '../../schema/writing/record-tombstones.ts'
import { tokensOfGrant } from '../../schema/writing/tokens-of-grant.ts'
import type { ActiveConsent } from '../protocol/records.ts'
import { narrowGrant, recordNarrowing } from './narrow-grant-store.ts'

export type ConsentStore = ReturnType<typeof createConsentStore>

export function createConsentStore({ writer, reader, dialect, hints }: Database) {
  const announce = (events: readonly ClientEvent[]) => {
    for (const { clientId, type } of events) hints?.changed({ clientId }, [type])
  }
  return {
    listConsents: (candidateId: string): Promise<ActiveConsent[]> =>
      reader
        .selectFrom('grants as consent')
        .innerJoin('oauth_clients as client', 'client.id', 'consent.client_id')
        .leftJoin('advertisers as advertiser', 'advertiser.id', 'consent.advertiser_id')
        .select([
          'consent.id as grantId',
          'client.name as clientName',
          'client.logo_hash as logoHash',
          namedAdvertiserId.as('advertiserId'),
          namedAdvertiser.as('advertiserName'),
          'consent.released',
          'consent.filled',
          'consent.decided_at as decidedAt',
        ])
        .where('consent.candidate_id', '=', candidateId)
        .where('consent.withdrawn_at', 'is', null)
        .orderBy('consent.decided_at', 'desc')
        .orderBy('consent.id')
        .execute(),

    /**
     * Takes back categories from the consent, its codes and its tokens; returns false if the candidate has no such
     * consent.
     */
    async narrow(candidateId: string, grantId: string, removed: number, at: EpochMs): Promise<boolean> {
      const events = await writer.transaction().execute(async trx => {
        const consent = await trx
          .selectFrom('grants')
          .select(['released', 'decided_at as decidedAt'])
          .where('id', '=', grantId)
          .where('candidate_id', '=', candidateId)
          .where('withdrawn_at', 'is', null)
          .$if(dialect === 'postgres', query => query.forNoKeyUpdate())
          .executeTakeFirst()
        if (consent === undefined) return undefined
        const released = consent.released & ~removed
        await trx
          .updateTable('grants')
          .set({ released })
          .where('id', '=', grantId)
          .where('candidate_id', '=', candidateId)
          .execute()
        await narrowGrant(trx, grantId, released)
        const narrowed = { candidateId, grantId, decidedAt: consent.decidedAt, released }
        return recordNarrowing(trx, narrowed, consent.released & removed, at)
      })
      announce(events ?? [])
      return events !== undefined
    },

    /**
     * Withdraws the consent and revokes its codes and tokens in the same transaction; returns false if the candidate
     * has no such consent.
     */
    async withdraw(candidateId: string, grantId: string, at: EpochMs): Promise<boolean> {
      const told = await writer.transaction().execute(async trx => {
        // Updated first: issuing a code or token holds a share lock on the consent, so none can be added after this.
        const withdrawn = await trx
          .updateTable('grants')
          .set({ withdrawn_at: at })
          .where('id', '=', grantId)
          .where('candidate_id', '=', candidateId)
          .where('withdrawn_at', 'is', null)
          .executeTakeFirst()
        if (withdrawn.numUpdatedRows === 0n) return undefined
        await trx
          .updateTable('oauth_codes')
          .set({ expires_at: at })
          .where('grant_id', '=', grantId)
          .where('expires_at', '>', at)
          .execute()
        await trx
          .updateTable('oauth_tokens')
          .set({ revoked_at: at })
          .where('hash', 'in', tokensOfGrant(trx, grantId))
          .where('revoked_at', 'is', null)
          .execute()
        const events = await findReleaseEvents(trx, 'consent.withdrawn', candidateId, grantId)
        await addClientEvents(trx, events, at)
        await recordTombstones(trx, ['consent', grantId])
        return events
      })
      announce(told ?? [])
      return told !== undefined
    },
  }
}
