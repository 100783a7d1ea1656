import type { Kysely, Transaction } from 'kysely'
import type { AccountRemovalStore, LedAdvertiser } from '../../people/own-data/ports.ts'
import { releaseBlobs } from '../database/release-blobs.ts'
import type { Database, Schema } from '../database/tables.ts'

export function createAccountRemovalStore({ writer, reader, dialect }: Database): AccountRemovalStore {
  return {
    lastAdminOf: candidateId => lastAdminOf(reader, candidateId),

    remove: (candidateId, passwordHash, { now, eraseAt }) =>
      writer.transaction().execute(async trx => {
        // The account first, as everybody who adds to it or signs in to it: they come before, or find it gone.
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
        const applications = await planErasures(trx, candidateId, eraseAt)
        await removeAll(trx, candidateId, now)
        return { outcome: 'removed', applications }
      }),
  }
}

/**
 * PostgreSQL: in the order in which others take these locks, so that nobody waits in a circle. Whoever redeems a code
 * or records a disclosure holds the consent or the token, and then asks for a share of the account for its foreign
 * key: these are let through to their end, and only then is the account closed to new references. The advertisers come
 * last, as whoever changes their people holds no account.
 */
async function holdAll(trx: Transaction<Schema>, candidateId: string): Promise<void> {
  const grants = trx.selectFrom('grants').select('id').where('candidate_id', '=', candidateId)
  await grants.orderBy('id').forNoKeyUpdate().execute()
  for (const table of ['oauth_codes', 'oauth_tokens'] as const) {
    await trx
      .selectFrom(table)
      .select('hash')
      .where('grant_id', 'in', grants)
      .orderBy('hash')
      .forNoKeyUpdate()
      .execute()
  }
  await trx.selectFrom('candidates').select('id').where('id', '=', candidateId).forUpdate().execute()
  await trx
    .selectFrom('advertisers')
    .select('id')
    .where(
      'id',
      'in',
      trx.selectFrom('memberships').select('advertiser_id').where('candidate_id', '=', candidateId),
    )
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
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

async function planErasures(trx: Transaction<Schema>, candidateId: string, eraseAt: number): Promise<number> {
  const sent = await trx
    .deleteFrom('own_applications')
    .where('candidate_id', '=', candidateId)
    .returning(['advertiser_id', 'application_id'])
    .execute()
  // By a few hundred, far below what a statement may have of parameters.
  for (let start = 0; start < sent.length; start += 200) {
    const rows = sent.slice(start, start + 200).map(application => ({ ...application, due_at: eraseAt }))
    await trx
      .insertInto('erasures')
      .values(rows)
      .onConflict(conflict => conflict.columns(['advertiser_id', 'application_id']).doNothing())
      .execute()
  }
  return sent.length
}

/** Children before their parents. */
async function removeAll(trx: Transaction<Schema>, candidateId: string, now: number): Promise<void> {
  const grants = trx.selectFrom('grants').select('id').where('candidate_id', '=', candidateId)
  for (const table of [
    'disclosures',
    'prefilled_applications',
    'sessions',
    'account_links',
    'memberships',
  ] as const)
    await trx.deleteFrom(table).where('candidate_id', '=', candidateId).execute()
  for (const table of ['released_resumes', 'oauth_tokens', 'oauth_codes'] as const)
    await trx.deleteFrom(table).where('grant_id', 'in', grants).execute()
  await trx.deleteFrom('grants').where('candidate_id', '=', candidateId).execute()
  const resumes = await trx
    .deleteFrom('resumes')
    .where('candidate_id', '=', candidateId)
    .returning('blob')
    .execute()
  // The files that went into applications, too, stay until those are erased: the clean-up looks.
  await releaseBlobs(trx, resumes, now)
  await trx.deleteFrom('candidates').where('id', '=', candidateId).execute()
}
