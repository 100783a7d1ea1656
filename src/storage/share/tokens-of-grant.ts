import type { Transaction } from 'kysely'
import type { Schema } from '../database/tables.ts'

/** Every token that was bought under a consent, by its hash. */
export function tokensOfGrant(trx: Transaction<Schema>, grantId: string) {
  return trx
    .selectFrom('oauth_codes')
    .select('token_hash')
    .where('grant_id', '=', grantId)
    .where('token_hash', 'is not', null)
    .$narrowType<{ token_hash: string }>()
}
