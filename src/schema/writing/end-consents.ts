import type { Transaction } from 'kysely'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Schema } from '../../platform/database/tables.ts'
import { recordTombstones } from './record-tombstones.ts'
import { tokensOfGrant } from './tokens-of-grant.ts'

/**
 * Ends the consents for an advertiser given to one client or to the clients of an agent, with their codes and tokens.
 * The caller has removed the authorisation or the allowed pair in this transaction. A consent that is being recorded
 * holds a share lock on the authorisation, so it is committed by now and is found here.
 *
 * Deadlocks cannot occur: consents, codes and tokens are locked in this order and each in the order of their keys, as
 * by every other writer (see redeem-code.ts and record-prefill.ts).
 */
export async function endConsents(
  trx: Transaction<Schema>,
  advertiserId: number,
  of: { agentId: number } | { clientId: string },
  at: EpochMs,
): Promise<void> {
  const found = await trx
    .selectFrom('grants')
    .select('id')
    .where('advertiser_id', '=', advertiserId)
    .where('withdrawn_at', 'is', null)
    .$if('clientId' in of, query => query.where('client_id', '=', 'clientId' in of ? of.clientId : ''))
    .$if('agentId' in of, query =>
      query.where(({ exists, selectFrom }) =>
        exists(
          selectFrom('oauth_clients')
            .select('oauth_clients.id')
            .whereRef('oauth_clients.id', '=', 'grants.client_id')
            .where('oauth_clients.agent_id', '=', 'agentId' in of ? of.agentId : 0),
        ),
      ),
    )
    .execute()
  const consents = found.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  for (const { id } of consents) {
    await trx
      .updateTable('grants')
      .set({ withdrawn_at: at })
      .where('id', '=', id)
      .where('withdrawn_at', 'is', null)
      .execute()
    await recordTombstones(trx, ['consent', id])
  }
  for (const { id } of consents)
    await trx
      .updateTable('oauth_codes')
      .set({ expires_at: at })
      .where('grant_id', '=', id)
      .where('expires_at', '>', at)
      .execute()
  const tokens: string[] = []
  for (const { id } of consents)
    for (const { token_hash } of await tokensOfGrant(trx, id).execute()) tokens.push(token_hash)
  for (const hash of tokens.sort())
    await trx
      .updateTable('oauth_tokens')
      .set({ revoked_at: at })
      .where('hash', '=', hash)
      .where('revoked_at', 'is', null)
      .execute()
}
