import { type Kysely, sql } from 'kysely'
import type { CompanyPeriod, RetentionStore } from '../../collect/retention/ports.ts'
import type { Database, Schema } from '../database/tables.ts'
import { queueNotices } from '../writing/queue-notice.ts'
import { recordAudit } from '../writing/record-audit.ts'

export function createRetentionStore({ writer, reader, dialect }: Database): RetentionStore {
  const kept = (advertiserId: number, before: number) =>
    reader
      .selectFrom('applications as application')
      .where('application.advertiser_id', '=', advertiserId)
      .where('application.submitted_at', '<', before)
      .where('application.erased_at', 'is', null)

  return {
    async companies(after, limit) {
      const rows = await companiesIn(reader).where('id', '>', after).orderBy('id').limit(limit).execute()
      return rows.map(companyOf)
    },

    async find(advertiserId) {
      const row = await companiesIn(reader, advertiserId).executeTakeFirst()
      return row && companyOf(row)
    },

    update: (advertiserId, change, now) =>
      writer.transaction().execute(async trx => {
        const wanted = companiesIn(trx, advertiserId)
        // Also the lock of any change to the people of the company, some of whom get an email.
        const row = await (dialect === 'postgres' ? wanted.forNoKeyUpdate() : wanted).executeTakeFirst()
        if (row === undefined) return undefined
        const company = companyOf(row)
        const stored = change(company)
        await trx
          .updateTable('advertisers')
          .set({
            retention_choice: stored.choice,
            retention_months: stored.months,
            next_retention_months: stored.next,
            retention_changes_at: stored.changesAt,
          })
          .where('id', '=', advertiserId)
          .execute()
        // The task plans again by the period that is in force now.
        await trx
          .deleteFrom('erasures')
          .where('advertiser_id', '=', advertiserId)
          .where('reason', '=', 'retention')
          .execute()
        const isNews = stored.next !== company.stored.next || stored.changesAt !== company.stored.changesAt
        if (stored.changesAt !== null && isNews) await tellAdmins(trx, advertiserId, now)
        const [before, after] = [company.stored, stored].map(each => ({
          months: each.months,
          next: each.next,
          changesAt: each.changesAt,
        }))
        if (JSON.stringify(before) !== JSON.stringify(after))
          await recordAudit(trx, {
            ...{ action: 'company.retention', scope: { advertiserId }, target: `company:${advertiserId}` },
            ...{ before, after },
          })
        return { ...company, stored }
      }),

    async untold(now, limit, advertiserId) {
      const rows = await reader
        .selectFrom('advertisers')
        .select('id')
        .where('retention_changes_at', '>', now)
        .$if(advertiserId !== undefined, query => query.where('id', '=', advertiserId ?? 0))
        .where(({ and, not, exists, selectFrom }) => {
          const admins = selectFrom('memberships as member')
            .innerJoin('candidates as admin', 'admin.id', 'member.candidate_id')
            .select('admin.id')
            .whereRef('member.advertiser_id', '=', 'advertisers.id')
            .where('member.role', '=', 'admin')
          return and([exists(admins), not(exists(admins.where('admin.mail_refused_at', 'is', null)))])
        })
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(({ id }) => id)
    },

    async keptBefore(advertiserId, before) {
      const row = await kept(advertiserId, before)
        .leftJoin('application_holds as hold', join =>
          join
            .onRef('hold.advertiser_id', '=', 'application.advertiser_id')
            .onRef('hold.application_id', '=', 'application.id'),
        )
        .select(({ fn }) => [
          fn.countAll<number>().as('applications'),
          fn.count<number>('hold.application_id').as('onHold'),
          sql<number | null>`min(case when hold.application_id is null then application.submitted_at end)`.as(
            'oldestAt',
          ),
        ])
        .executeTakeFirstOrThrow()
      const { applications, onHold, oldestAt } = row
      return { count: applications - onHold, onHold, oldestAt }
    },

    planErasures: (advertiserId, { before, months }, now, limit) =>
      writer.transaction().execute(async trx => {
        // The company may have chosen another period since it was read; a choice from now on waits, and discards the plan.
        const company = trx
          .selectFrom('advertisers')
          .select('id')
          .where('id', '=', advertiserId)
          .where('retention_months', '=', months)
        const isInForce = await (dialect === 'postgres' ? company.forShare() : company).executeTakeFirst()
        if (isInForce === undefined) return 0
        const due = kept(advertiserId, before)
          .select(['application.advertiser_id', 'application.id'])
          .select([
            sql<number>`cast(${now} as bigint)`.as('due_at'),
            sql<'retention'>`'retention'`.as('reason'),
          ])
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('application_holds as hold')
                  .select('hold.application_id')
                  .whereRef('hold.advertiser_id', '=', 'application.advertiser_id')
                  .whereRef('hold.application_id', '=', 'application.id'),
              ),
            ),
          )
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('erasures as erasure')
                  .select('erasure.application_id')
                  .whereRef('erasure.advertiser_id', '=', 'application.advertiser_id')
                  .whereRef('erasure.application_id', '=', 'application.id')
                  .where('erasure.due_at', '<=', now),
              ),
            ),
          )
          .orderBy('application.submitted_at')
          .orderBy('application.id')
          .limit(limit)
        const planned = await trx
          .insertInto('erasures')
          .columns(['advertiser_id', 'application_id', 'due_at', 'reason'])
          .expression(due)
          .onConflict(conflict =>
            conflict
              .columns(['advertiser_id', 'application_id'])
              // The reason stays that of the candidate.
              .doUpdateSet(({ ref }) => ({ due_at: ref('excluded.due_at') }))
              .whereRef('erasures.due_at', '>', 'excluded.due_at'),
          )
          .executeTakeFirst()
        return Number(planned.numInsertedOrUpdatedRows ?? 0)
      }),
  }
}

/** All companies, or one. */
const companiesIn = (db: Kysely<Schema>, advertiserId?: number) =>
  db
    .selectFrom('advertisers')
    .select(['id as advertiserId', 'name', 'time_zone as timeZone'])
    .select(['retention_choice', 'retention_months', 'next_retention_months', 'retention_changes_at'])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('applications as application')
          .select('application.id')
          .where(({ eb, ref }) => eb('application.advertiser_id', '=', advertiserId ?? ref('advertisers.id')))
          .where('application.erased_at', 'is', null),
      ).as('isKeeping'),
    )
    .$if(advertiserId !== undefined, query => query.where('id', '=', advertiserId ?? 0))

type Row = Awaited<ReturnType<ReturnType<typeof companiesIn>['executeTakeFirstOrThrow']>>

function companyOf({ advertiserId, name, timeZone, isKeeping, ...row }: Row): CompanyPeriod {
  return {
    advertiserId,
    name,
    timeZone,
    // A boolean on PostgreSQL, a number on SQLite.
    isEmpty: !isKeeping,
    stored: {
      choice: row.retention_choice,
      months: row.retention_months,
      next: row.next_retention_months,
      changesAt: row.retention_changes_at,
    },
  }
}

async function tellAdmins(trx: Kysely<Schema>, advertiserId: number, now: number): Promise<void> {
  const admins = await trx
    .selectFrom('memberships')
    .select('candidate_id as candidateId')
    .where('advertiser_id', '=', advertiserId)
    .where('role', '=', 'admin')
    .execute()
  await queueNotices(
    trx,
    admins.map(({ candidateId }) => ({ kind: 'retention-shortened', candidateId, advertiserId })),
    now,
  )
}
