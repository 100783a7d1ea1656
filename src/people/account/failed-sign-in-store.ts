import type { Kysely } from 'kysely'
import { recordAudit } from '../../platform/audit/record-audit-store.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { getMeta, putMeta } from '../../platform/database/meta.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { chainsOf } from '../../schema/writing/chains.ts'
import { accountKey } from './sign-in-delay.ts'

/** The time up to which failed sign-ins have been recorded. */
const notedKey = 'failures_noted'
const page = 500

export const createFailedSignInStore = (database: Database) => ({
  /** Records accounts with at least `min` failed sign-ins since the last call; returns their number. */
  note: (min: number, now: EpochMs) => note(database, min, now),
})

/**
 * Records failed sign-ins of people who have an audit chain: one entry per account and run, however many guesses there
 * were. Runs in the background, because an entry at the sign-in would take time, which would reveal who works for a
 * company.
 */
async function note({ reader, writer }: Database, min: number, now: EpochMs): Promise<number> {
  const since = Number((await getMeta(reader, notedKey)) ?? 0)
  const failed = reader
    .selectFrom('sign_in_failures')
    .select(['key', 'failures', 'last_failed_at as lastAt'])
    // Keys of accounts and addresses: see `sign_in_counts_by_age`.
    .where('key', '<', 'browser:')
    .where('last_failed_at', '>', since)
    .where('last_failed_at', '<=', now)
    .where('failures', '>=', min)
  let noted = 0
  let after = ''
  let people =
    (await failed.limit(1).executeTakeFirst()) === undefined ? [] : await peopleAfter(reader, after)
  for (; people.length > 0; people = await peopleAfter(reader, after)) {
    after = people.at(-1)?.id ?? after
    const byKey = new Map(people.map(({ id, email }) => [accountKey(email), id]))
    for (const { key, failures, lastAt } of await failed.where('key', 'in', [...byKey.keys()]).execute()) {
      const candidateId = byKey.get(key) ?? ''
      const act = { action: 'session.failures', target: `person:${candidateId}` } as const
      await writer.transaction().execute(async trx => {
        const chains = await chainsOf(trx, candidateId)
        await recordAudit(trx, ...chains.map(scope => ({ ...act, scope, after: { failures, lastAt } })))
      })
      noted++
    }
  }
  await putMeta(writer, notedKey, String(now))
  return noted
}

/** People who work for a company, an agent or the board, by ID. */
async function peopleAfter(reader: Kysely<Schema>, after: string) {
  const ids = (table: 'memberships' | 'agent_members' | 'operators') =>
    reader.selectFrom(table).select('candidate_id as id').where('candidate_id', '>', after)
  const found = await ids('memberships')
    .union(ids('agent_members'))
    .union(ids('operators'))
    .orderBy('id')
    .limit(page)
    .execute()
  if (found.length === 0) return []
  return reader
    .selectFrom('candidates')
    .select(['id', 'email'])
    .where(
      'id',
      'in',
      found.map(({ id }) => id),
    )
    .orderBy('id')
    .execute()
}
