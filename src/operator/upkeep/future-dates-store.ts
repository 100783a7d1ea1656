import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record-audit-store.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Database } from '../../platform/database/tables.ts'
import { nextEventNumber } from '../../schema/writing/record-event.ts'
import { renderAgain } from '../../schema/writing/render-again.ts'
import { withLedger } from '../../schema/writing/with-ledger.ts'

/** Limit: Applications that "dossier clock settle" dates in one transaction: it holds the ledger row only briefly. */
export const correctedDatesBatch = 200

/** Counts the advertisers with applications dated after this time and finds the latest date; undefined if there are none. */
export async function findFutureDates(
  { reader }: Database,
  after: EpochMs,
): Promise<{ advertisers: number; newest: EpochMs } | undefined> {
  const { advertisers, newest } = await reader
    .selectFrom('advertiser_ledger')
    .select([
      sql<number>`count(*)`.as('advertisers'),
      sql<number | null>`max(last_submitted_at)`.as('newest'),
    ])
    .where('last_submitted_at', '>', after)
    .executeTakeFirstOrThrow()
  return newest === null ? undefined : { advertisers, newest }
}

/**
 * Sets the date of every application dated after `now` to `now`, in the order of their IDs. Changes the ledger last, so
 * dates never decrease with the ID, even for a concurrent reader or after an interruption.
 */
export async function correctDates(
  database: Database,
  now: EpochMs,
  batch: number,
): Promise<{ advertisers: number; applications: number }> {
  const found = await database.reader
    .selectFrom('advertiser_ledger')
    .select('advertiser_id as id')
    .where('last_submitted_at', '>', now)
    .execute()
  let applications = 0
  for (const { id } of found) {
    let count: number
    do {
      count = await correctSome(database, id, now, batch)
      applications += count
    } while (count === batch)
  }
  return { advertisers: found.length, applications }
}

function correctSome(database: Database, advertiserId: number, now: EpochMs, batch: number): Promise<number> {
  return withLedger(database, advertiserId, async trx => {
    const ledger = trx.updateTable('advertiser_ledger').where('advertiser_id', '=', advertiserId)
    // Lock the ledger first, like every transaction that adds an application.
    await nextEventNumber(trx, advertiserId, now, { changesList: true })
    const applications = await trx
      .selectFrom('applications')
      .select('id')
      .where('advertiser_id', '=', advertiserId)
      .where('submitted_at', '>', now)
      .orderBy('id')
      .limit(batch)
      .execute()
    for (const { id } of applications) {
      await trx
        .updateTable('applications')
        .set({ submitted_at: now })
        .where('advertiser_id', '=', advertiserId)
        .where('id', '=', id)
        .execute()
      for (const column of ['uploaded_at', 'changed_at'] as const)
        await trx
          .updateTable('application_files')
          .set({ [column]: now })
          .where('advertiser_id', '=', advertiserId)
          .where('application_id', '=', id)
          .where(column, '>', now)
          .execute()
      await renderAgain(trx, advertiserId, id)
    }
    if (applications.length < batch) await ledger.set({ last_submitted_at: now }).execute()
    const settled = { applications: applications.length }
    const target = `company:${advertiserId}` as const
    await recordAudit(trx, {
      action: 'company.dates',
      scope: { ownerId: advertiserId },
      target,
      after: settled,
    })
    return applications.length
  })
}
