import { sql } from 'kysely'
import type { ConsentStore } from '../../share/protocol/ports.ts'
import type { Database } from '../database/tables.ts'
import { integer } from '../database/typed-values.ts'
import { bury } from '../writing/bury.ts'
import { addClientEvents, eventsOfGrants } from '../writing/record-event.ts'
import { narrowGrant } from './narrow-grant.ts'
import { tokensOfGrant } from './tokens-of-grant.ts'

export function createConsentStore({ writer, reader, hints }: Database): ConsentStore {
  return {
    listConsents: candidateId =>
      reader
        .selectFrom('grants as consent')
        .innerJoin('oauth_clients as client', 'client.id', 'consent.client_id')
        .leftJoin('advertisers as advertiser', 'advertiser.id', 'consent.advertiser_id')
        .select([
          'consent.id as grantId',
          'client.name as clientName',
          'client.logo_hash as logoHash',
          'consent.advertiser_id as advertiserId',
          'advertiser.name as advertiserName',
          'consent.released',
          'consent.filled',
          'consent.decided_at as decidedAt',
        ])
        .where('consent.candidate_id', '=', candidateId)
        .where('consent.withdrawn_at', 'is', null)
        .orderBy('consent.decided_at', 'desc')
        .orderBy('consent.id')
        .execute(),

    narrow: (candidateId, grantId, removed) =>
      writer.transaction().execute(async trx => {
        const narrowed = await trx
          .updateTable('grants')
          .set({ released: sql<number>`released & ~${integer(removed)}` })
          .where('id', '=', grantId)
          .where('candidate_id', '=', candidateId)
          .where('withdrawn_at', 'is', null)
          .returning(['released', 'decided_at'])
          .executeTakeFirst()
        if (narrowed === undefined) return false
        await narrowGrant(trx, grantId, narrowed.released)
        await bury(trx, ['narrowing', grantId, narrowed.decided_at, narrowed.released])
        return true
      }),

    async withdraw(candidateId, grantId, at) {
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
        const events = await eventsOfGrants(trx, 'consent.withdrawn', candidateId, grantId)
        await addClientEvents(trx, events, at)
        await bury(trx, ['consent', grantId])
        return events
      })
      for (const { clientId, type } of told ?? []) hints?.changed({ clientId }, [type])
      return told !== undefined
    },
  }
}
