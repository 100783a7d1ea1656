import { sql, type Transaction } from 'kysely'
import { includes } from '../../model/categories.ts'
import type { Schema } from '../database/tables.ts'
import { integer } from '../database/typed-values.ts'
import { tokensOfGrant } from './tokens-of-grant.ts'

/**
 * Removes what a consent no longer releases from its codes and tokens; nothing is ever added to them. The caller has
 * changed the consent in the same transaction.
 */
export async function narrowGrant(
  trx: Transaction<Schema>,
  grantId: string,
  released: number,
): Promise<void> {
  const kept = sql<number>`released & ${integer(released)}`
  const lost = sql<number>`released & ~${integer(released)}`
  await trx
    .updateTable('oauth_codes')
    .set({ released: kept })
    .where('grant_id', '=', grantId)
    .where(lost, '!=', 0)
    .execute()
  await trx
    .updateTable('oauth_tokens')
    .set({ released: kept })
    .where('hash', 'in', tokensOfGrant(trx, grantId))
    .where(lost, '!=', 0)
    .execute()
  // After the tokens: no prefill that releases the resume is in progress, and no later one releases it.
  if (!includes(released, 'resume')) {
    await trx.deleteFrom('released_resumes').where('grant_id', '=', grantId).execute()
  }
}
