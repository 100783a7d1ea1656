import { type Kysely, sql, type Transaction } from 'kysely'
import type { AdAct, AdHold, ReportOutcome, ReportReason } from '../../model/job-report.ts'
import { recordAudit } from '../../platform/audit/record-audit-store.ts'
import { currentAuditContext } from '../../platform/core/async/audit-context.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { storedSpellings } from '../../platform/core/email.ts'
import { newUuid } from '../../platform/core/ids.ts'
import { usualTimeZone } from '../../platform/core/time/time-zone.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { queueDeliveries } from '../../platform/work/queue-deliveries-store.ts'
import { forgetReporter } from '../../schema/writing/forget-reporter.ts'
import { inSlotOf } from '../../schema/writing/with-ledger.ts'
import { keepVersions, lockAds } from '../ad-version-store.ts'

/** Limit: How long an email about a report is tried. */
const mailMs = 3 * 86_400_000

export interface NewReport {
  /** ID of the form, so that a form sent twice is a single report. */
  id: string
  advertiserId: number
  jobAdId: number
  reason: ReportReason
  details: string
  email: string | null
}

export interface JobReport extends Omit<NewReport, 'advertiserId'> {
  reportedAt: EpochMs
  /** Null: open. */
  outcome: ReportOutcome | null
  /** Time of the decision. */
  lastAt: EpochMs
}

export interface AdDecision {
  act: AdAct
  /** The reason that the company read. */
  reason: string | null
  /** Kind and ID, as in the audit log. */
  actor: string
  at: EpochMs
}

/** An ad as operators see it. */
export interface ReviewedAd {
  jobAdId: number
  advertiserId: number
  advertiserName: string
  title: string
  hold: AdHold | null
}

const reportColumns = [
  'report.id',
  'report.job_ad_id as jobAdId',
  'report.reason',
  'report.details',
  'report.email',
  'report.reported_at as reportedAt',
  'report.outcome',
  'report.last_at as lastAt',
] as const

export type ReportStore = ReturnType<typeof createReportStore>

/** Reports of ads, and operators' decisions about ads. For the operator, so across companies. */
export function createReportStore(database: Database, usualZone = usualTimeZone) {
  const { writer, reader, dialect } = database
  const ads = (db: Kysely<Schema>) =>
    db
      .selectFrom('job_ads as ad')
      .innerJoin('advertisers as advertiser', 'advertiser.id', 'ad.advertiser_id')
      .select(['ad.id', 'ad.advertiser_id', 'ad.title', 'ad.hold', 'ad.hold_reason', 'ad.held_at'])
      .select('advertiser.name')

  const mailing = (
    kind: 'report-received' | 'report-decided',
    reports: readonly { id: string; email: string | null }[],
    now: EpochMs,
  ) =>
    reports
      .filter(({ email }) => email !== null)
      .map(({ id }) => ({
        id: newUuid(),
        kind,
        content: JSON.stringify({ reportId: id }),
        giveUpAt: now + mailMs,
      }))

  /** Decides open reports and notifies the reporters. */
  async function decide(
    trx: Transaction<Schema>,
    chosen: { jobAdId: number; ids?: readonly string[] },
    outcome: ReportOutcome,
    now: EpochMs,
  ): Promise<number> {
    const decided = await trx
      .updateTable('job_reports')
      .set({ outcome, last_at: now })
      .where('job_ad_id', '=', chosen.jobAdId)
      .where('outcome', 'is', null)
      .$if(chosen.ids !== undefined, query => query.where('id', 'in', chosen.ids as string[]))
      .returning(['id', 'email'])
      .execute()
    await queueDeliveries(trx, mailing('report-decided', decided, now), now)
    return decided.length
  }

  /** Records a decision and who made it. Call with the ad locked: an ad's decisions are numbered. */
  async function recordDecision(
    trx: Transaction<Schema>,
    jobAdId: number,
    { act, reason = null }: { act: AdAct; reason?: string | null },
    now: EpochMs,
  ): Promise<void> {
    const { actor } = currentAuditContext()
    const number = sql<number>`(select coalesce(max(number), 0) + 1 from ad_decisions where job_ad_id = ${jobAdId})`
    await trx
      .insertInto('ad_decisions')
      .values({
        job_ad_id: jobAdId,
        number,
        act,
        reason,
        actor: `${actor.kind}:${actor.id}`,
        decided_at: now,
      })
      .execute()
  }

  /** Locks the ad; undefined if it does not exist. */
  async function lockAd(trx: Transaction<Schema>, jobAdId: number) {
    const wanted = trx
      .selectFrom('job_ads')
      .select(['advertiser_id as advertiserId', 'hold', 'updated_at as updatedAt'])
      .where('id', '=', jobAdId)
    const ad = await wanted.executeTakeFirst()
    if (ad !== undefined) await lockAds(trx, dialect, ad.advertiserId)
    return wanted.executeTakeFirst()
  }

  return {
    /** Does nothing if the form was sent before; returns false if the ad is now held, so that no report is left open. */
    add: ({ id, advertiserId, jobAdId, reason, details, email }: NewReport, now: EpochMs): Promise<boolean> =>
      inSlotOf(database, advertiserId, () =>
        writer.transaction().execute(async trx => {
          if ((await lockAd(trx, jobAdId))?.hold) return false
          const { numInsertedOrUpdatedRows: added = 0n } = await trx
            .insertInto('job_reports')
            .values({
              id,
              advertiser_id: advertiserId,
              job_ad_id: jobAdId,
              reason,
              details,
              email,
              reported_at: now,
              last_at: now,
            })
            .onConflict(conflict => conflict.column('id').doNothing())
            .executeTakeFirstOrThrow()
          if (added > 0n) await queueDeliveries(trx, mailing('report-received', [{ id, email }], now), now)
          return true
        }),
      ),

    /** Includes the ad's title, for emails. */
    find: (id: string): Promise<(JobReport & { title: string; advertiserName: string }) | undefined> =>
      reader
        .selectFrom('job_reports as report')
        .innerJoin('job_ads as ad', 'ad.id', 'report.job_ad_id')
        .innerJoin('advertisers as advertiser', 'advertiser.id', 'report.advertiser_id')
        .select(reportColumns)
        .select(['ad.title', 'advertiser.name as advertiserName'])
        .where('report.id', '=', id)
        .executeTakeFirst(),

    /** Open reports with their ads, oldest first. */
    async open(limit: number): Promise<(JobReport & { ad: ReviewedAd })[]> {
      const reports = await reader
        .selectFrom('job_reports as report')
        .select(reportColumns)
        .where(sql<boolean>`report.outcome is null`)
        .orderBy('report.reported_at')
        .limit(limit)
        .execute()
      if (reports.length === 0) return []
      const ids = [...new Set(reports.map(({ jobAdId }) => jobAdId))]
      const found = await ads(reader).where('ad.id', 'in', ids).execute()
      const byId = new Map(found.map(row => [row.id, adOf(row)]))
      return reports.flatMap(report => {
        const ad = byId.get(report.jobAdId)
        return ad === undefined ? [] : [{ ...report, ad }]
      })
    },

    /** Ads awaiting review, oldest first, or held ads, newest first. */
    async onHold(kind: AdHold['kind'], limit: number): Promise<ReviewedAd[]> {
      const rows = await ads(reader)
        .where(sql<boolean>`ad.hold is not null`)
        .where('ad.hold', '=', kind)
        .orderBy('ad.id', kind === 'review' ? 'asc' : 'desc')
        .limit(limit)
        .execute()
      return rows.map(adOf)
    },

    /** An ad with its text, its newest reports and the newest decisions about it. */
    async ad(
      jobAdId: number,
      limit: number,
    ): Promise<
      | (ReviewedAd & {
          location: string
          description: string
          status: string
          updatedAt: EpochMs
          reports: JobReport[]
          decisions: AdDecision[]
        })
      | undefined
    > {
      const row = await ads(reader)
        .select(['ad.location', 'ad.description', 'ad.status', 'ad.updated_at as updatedAt'])
        .where('ad.id', '=', jobAdId)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const reports = await reader
        .selectFrom('job_reports as report')
        .select(reportColumns)
        .where('report.job_ad_id', '=', jobAdId)
        .orderBy('report.reported_at', 'desc')
        .limit(limit)
        .execute()
      const decisions = await reader
        .selectFrom('ad_decisions')
        .select(['act', 'reason', 'actor', 'decided_at as at'])
        .where('job_ad_id', '=', jobAdId)
        .orderBy('number', 'desc')
        .limit(limit)
        .execute()
      const { location, description, status, updatedAt } = row
      return { ...adOf(row), location, description, status, updatedAt, reports, decisions }
    },

    /** Numbers of reports and reviews that await an operator. */
    async counts(): Promise<{ reports: number; reviews: number }> {
      const [reports, reviews] = await Promise.all([
        reader
          .selectFrom('job_reports')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where(sql<boolean>`outcome is null`)
          .executeTakeFirstOrThrow(),
        reader
          .selectFrom('job_ads')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where(sql<boolean>`hold is not null`)
          .where('hold', '=', 'review')
          .executeTakeFirstOrThrow(),
      ])
      return { reports: Number(reports.count), reviews: Number(reviews.count) }
    },

    /** Takes an ad off the board and decides its open reports; returns false if there is no such ad. */
    hold: (jobAdId: number, reason: string, now: EpochMs): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        const ad = await lockAd(trx, jobAdId)
        if (ad === undefined) return false
        await keepVersions(trx, ad.advertiserId, { jobAdId }, { now, usualZone })
        await trx
          .updateTable('job_ads')
          .set({ hold: 'held', hold_reason: reason, held_at: now })
          .where('advertiser_id', '=', ad.advertiserId)
          .where('id', '=', jobAdId)
          .execute()
        const reports = await decide(trx, { jobAdId }, 'held', now)
        await recordDecision(trx, jobAdId, { act: 'hold', reason }, now)
        await recordAudit(trx, {
          action: 'job-ad.hold',
          scope: { ownerId: ad.advertiserId },
          target: `job-ad:${jobAdId}`,
          before: { hold: ad.hold },
          after: { hold: 'held', reports },
        })
        return true
      }),

    /**
     * Puts an ad back on the board, or on it for the first time after a review; not if its company has changed it after
     * the version that was `seen`.
     */
    release: (jobAdId: number, now: EpochMs, seen?: EpochMs): Promise<'released' | 'not-held' | 'changed'> =>
      writer.transaction().execute(async trx => {
        const ad = await lockAd(trx, jobAdId)
        if (ad === undefined || ad.hold === null) return 'not-held'
        if (seen !== undefined && seen !== ad.updatedAt) return 'changed'
        await trx
          .updateTable('job_ads')
          .set({ hold: null, hold_reason: null, held_at: null, approved_at: now })
          .where('advertiser_id', '=', ad.advertiserId)
          .where('id', '=', jobAdId)
          .execute()
        await recordDecision(trx, jobAdId, { act: ad.hold === 'review' ? 'approve' : 'release' }, now)
        await recordAudit(trx, {
          action: 'job-ad.release',
          scope: { ownerId: ad.advertiserId },
          target: `job-ad:${jobAdId}`,
          before: { hold: ad.hold },
          after: { hold: null },
        })
        await keepVersions(trx, ad.advertiserId, { jobAdId }, { now, usualZone })
        return 'released'
      }),

    /** Leaves the ad as it is; returns how many of these reports were open. */
    dismiss: (jobAdId: number, ids: readonly string[], now: EpochMs): Promise<number> =>
      writer.transaction().execute(async trx => {
        await lockAd(trx, jobAdId)
        const dismissed = await decide(trx, { jobAdId, ids }, 'kept', now)
        if (dismissed === 0) return 0
        await recordDecision(trx, jobAdId, { act: 'dismiss' }, now)
        await recordAudit(trx, {
          action: 'report.dismiss',
          scope: 'board',
          target: `job-ad:${jobAdId}`,
          after: { count: dismissed },
        })
        return dismissed
      }),

    /** Removes an address from reports, which stay; returns the number of reports. */
    forgetAddress: (email: string): Promise<number> =>
      writer.transaction().execute(trx => forgetReporter(trx, storedSpellings(email))),
  }
}

interface AdRow {
  id: number
  advertiser_id: number
  name: string
  title: string
  hold: AdHold['kind'] | null
  hold_reason: string | null
  held_at: EpochMs | null
}

function adOf(row: AdRow): ReviewedAd {
  return {
    jobAdId: row.id,
    advertiserId: row.advertiser_id,
    advertiserName: row.name,
    title: row.title,
    hold: row.hold === null ? null : { kind: row.hold, reason: row.hold_reason, at: row.held_at ?? 0 },
  }
}
