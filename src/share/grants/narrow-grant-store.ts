import { sql, type Transaction } from 'kysely'
import { categoriesOf, includes } from '../../model/categories.ts'
import type { Schema } from '../../platform/database/tables.ts'
import { integer } from '../../platform/database/typed-values.ts'
import { addClientEvents, type ClientEvent, findReleaseEvents } from '../../schema/writing/record-event.ts'
import { recordTombstones } from '../../schema/writing/record-tombstones.ts'
import { tokensOfGrant } from '../../schema/writing/tokens-of-grant.ts'

/**
 * Removes categories that a consent no longer releases from its codes and tokens; never adds any. The caller has
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
  // After the tokens: no prefill in progress, and no later one, releases the resume.
  if (!includes(released, 'resume')) {
    await trx.deleteFrom('released_resumes').where('grant_id', '=', grantId).execute()
  }
}

/**
 * Records that a decision took back categories, and adds the events for the client that may hold them. Call it last: it
 * locks the client's ledger, and `narrowGrant` has waited for prefills that still release them.
 */
export async function recordNarrowing(
  trx: Transaction<Schema>,
  consent: { candidateId: string; grantId: string; decidedAt: number; released: number },
  removed: number,
  at: number,
): Promise<ClientEvent[]> {
  if (removed === 0) return []
  const { candidateId, grantId, decidedAt, released } = consent
  await recordTombstones(trx, ['narrowing', grantId, decidedAt, released])
  const removedCategories = categoriesOf(removed)
  const events = (await findReleaseEvents(trx, 'consent.narrowed', candidateId, grantId)).map(event => ({
    ...event,
    removedCategories,
  }))
  await addClientEvents(trx, events, at)
  return events
}
