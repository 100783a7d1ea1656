import { type Kysely, sql } from 'kysely'
import { isShorter, type StoredPeriod } from '../../model/retention.ts'
import { recordAudit } from '../../platform/audit/record-audit-store.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { sameApplication } from '../../schema/same-application.ts'
import { queueNotices } from '../../schema/writing/queue-notice.ts'

/** Applications sent before a moment that have not been erased. */
export interface KeptBefore {
  count: number
  oldestAt: EpochMs | null
  /** Applications on hold, which are not included above. */
  onHold: number
}

export interface CompanyPeriod {
  advertiserId: number
  name: string
  /** Null: the operator's time zone. */
  timeZone: string | null
  stored: StoredPeriod
  /** How long the company's form offers to keep an application for other jobs; null: it does not offer this. */
  keepMonths: number | null
  /** Whether the company has no application left to erase. */
  isEmpty: boolean
}

export type RetentionStore = ReturnType<typeof createRetentionStore>

export function createRetentionStore({ writer, reader, dialect }: Database) {
  /** Omits applications that the candidate lets the company keep on that day. */
  const kept = (advertiserId: number, before: number, day: string) =>
    reader
      .selectFrom('applications as application')
      .where('application.advertiser_id', '=', advertiserId)
      .where('application.submitted_at', '<', before)
      .where('application.erased_at', 'is', null)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('kept_applications as allowed')
              .select('allowed.until')
              .whereRef('allowed.advertiser_id', '=', 'application.advertiser_id')
              .whereRef('allowed.application_id', '=', 'application.id')
              .where('allowed.until', '>=', day),
          ),
        ),
      )

  return {
    /** By ID, starting after `after`. */
    async companies(after: number, limit: number): Promise<CompanyPeriod[]> {
      const rows = await companiesIn(reader).where('id', '>', after).orderBy('id').limit(limit).execute()
      return rows.map(companyOf)
    },

    async find(advertiserId: number): Promise<CompanyPeriod | undefined> {
      const row = await companiesIn(reader, advertiserId).executeTakeFirst()
      return row && companyOf(row)
    },

    /**
     * Changes the period and queues the emails that announce it in one transaction; `change` gets the current state.
     * Deletes planned erasures if the period gets longer. Undefined if there is no such advertiser.
     */
    update: (
      advertiserId: number,
      change: (company: CompanyPeriod) => StoredPeriod,
      now: EpochMs,
    ): Promise<CompanyPeriod | undefined> =>
      writer.transaction().execute(async trx => {
        const wanted = companiesIn(trx, advertiserId)
        // Every change to the company's people takes the same lock; some of them get an email.
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
        // A longer period erases later, and the task plans again. Otherwise planned erasures stay: if they did not, a
        // company that saves its period each day would restart the waiting day, and nothing would ever be erased.
        if (isShorter(company.stored.months, stored.months))
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
            action: 'company.retention',
            scope: { ownerId: advertiserId },
            target: `company:${advertiserId}`,
            before,
            after,
          })
        return { ...company, stored }
      }),

    /**
     * Companies with an announced shorter period whose admins could not be notified, because all their addresses reject
     * emails: all such companies, or only `advertiserId`.
     */
    async untold(now: EpochMs, limit: number, advertiserId?: number): Promise<number[]> {
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

    async keptBefore(advertiserId: number, before: EpochMs, day: string): Promise<KeptBefore> {
      const row = await kept(advertiserId, before, day)
        .leftJoin('application_holds as hold', join => sameApplication(join, 'hold', 'application'))
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

    /**
     * Plans the erasure of up to `limit` applications that were sent before that moment and are neither on hold nor
     * kept for other jobs on that day; returns their number. Plans none if `months` is no longer the period in force.
     * `ripeAt` is in running time.
     */
    planErasures: (
      advertiserId: number,
      { before, months, day }: { before: EpochMs; months: number; day: string },
      { dueAt, ripeAt }: { dueAt: EpochMs; ripeAt: number },
      limit: number,
    ): Promise<number> =>
      writer.transaction().execute(async trx => {
        // The company may have chosen another period since it was read; a later choice waits, and discards the plan.
        const company = trx
          .selectFrom('advertisers')
          .select('id')
          .where('id', '=', advertiserId)
          .where('retention_months', '=', months)
        const isInForce = await (dialect === 'postgres' ? company.forShare() : company).executeTakeFirst()
        if (isInForce === undefined) return 0
        const due = kept(advertiserId, before, day)
          .select(['application.advertiser_id', 'application.id'])
          .select([
            sql<number>`cast(${dueAt} as bigint)`.as('due_at'),
            sql<'retention'>`'retention'`.as('reason'),
            sql<number>`cast(${ripeAt} as bigint)`.as('ripe_at'),
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
                  .where('erasure.due_at', '<=', dueAt)
                  // Release 0.1.0 planned without a running time.
                  .where(sql<boolean>`(erasure.ripe_at > 0 or erasure.reason <> 'retention')`),
              ),
            ),
          )
          .orderBy('application.submitted_at')
          .orderBy('application.id')
          .limit(limit)
        const planned = await trx
          .insertInto('erasures')
          .columns(['advertiser_id', 'application_id', 'due_at', 'reason', 'ripe_at'])
          .expression(due)
          .onConflict(conflict =>
            conflict
              .columns(['advertiser_id', 'application_id'])
              // The candidate's reason stays.
              .doUpdateSet(({ ref }) => ({
                due_at: ref('excluded.due_at'),
                ripe_at: ref('excluded.ripe_at'),
              }))
              .where(
                sql<boolean>`(erasures.due_at > excluded.due_at
                  or (erasures.ripe_at = 0 and erasures.reason = 'retention'))`,
              ),
          )
          .executeTakeFirst()
        return Number(planned.numInsertedOrUpdatedRows ?? 0)
      }),

    /** Reminds the candidates of up to `limit` consents that end between these days, once each; returns their number. */
    remind: ({ from, to }: { from: string; to: string }, now: EpochMs, limit: number): Promise<number> =>
      writer.transaction().execute(async trx => {
        const ending = await trx
          .updateTable('kept_applications')
          .set({ reminded_at: now })
          .where('reminded_at', 'is', null)
          .where(({ eb, refTuple, selectFrom }) =>
            eb(
              refTuple('advertiser_id', 'application_id'),
              'in',
              selectFrom('kept_applications')
                .select(['advertiser_id', 'application_id'])
                .where('reminded_at', 'is', null)
                .where('until', '>=', from)
                .where('until', '<=', to)
                .orderBy('until')
                .limit(limit)
                .$asTuple('advertiser_id', 'application_id'),
            ),
          )
          .returning(['advertiser_id', 'application_id'])
          .execute()
        for (const { advertiser_id, application_id } of ending) {
          const own = await trx
            .selectFrom('own_applications')
            .select('candidate_id as candidateId')
            .where('advertiser_id', '=', advertiser_id)
            .where('application_id', '=', application_id)
            .executeTakeFirst()
          const about = { advertiserId: advertiser_id, applicationId: application_id }
          if (own !== undefined) await queueNotices(trx, [{ kind: 'keep-ending', ...own, ...about }], now)
        }
        return ending.length
      }),
  }
}

/** All companies, or one. */
const companiesIn = (db: Kysely<Schema>, advertiserId?: number) =>
  db
    .selectFrom('advertisers')
    .select(['id as advertiserId', 'name', 'time_zone as timeZone'])
    .select('keep_months as keepMonths')
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

function companyOf({ advertiserId, name, timeZone, keepMonths, isKeeping, ...row }: Row): CompanyPeriod {
  return {
    advertiserId,
    name,
    timeZone,
    keepMonths,
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
