import type { Transaction } from 'kysely'
import type { Schema } from '../../platform/database/tables.ts'

/** Hashes of all tokens issued under a consent. */
export function tokensOfGrant(trx: Transaction<Schema>, grantId: string) {
  return trx
    .selectFrom('oauth_codes')
    .select('token_hash')
    .where('grant_id', '=', grantId)
    .where('token_hash', 'is not', null)
    .$narrowType<{ token_hash: string }>()
}
