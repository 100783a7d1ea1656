import type { Transaction } from 'kysely'
import { detailsOf } from '../model/ad-details.ts'
import { type AdSnapshot, type KeptVersion, snapshotOf } from '../model/ad-version.ts'
import type { EpochMs } from '../platform/core/clock.ts'
import { sha256Hex } from '../platform/core/hashing.ts'
import { Problem } from '../platform/core/problems.ts'
import { usualTimeZone, zoneOr } from '../platform/core/time/time-zone.ts'
import type { Database, Dialect, Schema } from '../platform/database/tables.ts'
import { inSlotOf } from '../schema/writing/with-ledger.ts'

/** Limit: Job ads and versions read at once: each may have a questionnaire of 700,000 characters. */
const versionsAtOnce = 10

/** An ad, or the ads with a questionnaire. */
type Changing = { jobAdId: number } | { screenId: number }

interface Keeping {
  /** Start time of a version whose ad is unchanged, but whose company has changed its time zone since. */
  now: EpochMs
  /** Time zone of companies that have chosen none. Undefined where it is unknown: ads that need it are left for later. */
  usualZone: string | undefined
}

interface AdOf {
  advertiserId: number
  jobAdId: number
}

const written = (snapshot: AdSnapshot) => {
  const content = JSON.stringify(snapshot)
  return { content, hash: sha256Hex(content) }
}

/**
 * Serialises changes to an advertiser's ads and questionnaires, so that each version is written from the data committed
 * with it. Returns false if there is no such advertiser.
 */
export async function lockAds(
  trx: Transaction<Schema>,
  dialect: Dialect,
  advertiserId: number,
): Promise<boolean> {
  const row = await trx
    .selectFrom('advertisers')
    .select('id')
    .where('id', '=', advertiserId)
    .$if(dialect === 'postgres', query => query.forNoKeyUpdate())
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Adds a version of each published ad that differs from its newest version, and a first version of an ad that has none.
 * Call with `lockAds`, before and after a change: content written by release 0.1.0 is stored before it is replaced.
 */
export async function keepVersions(
  trx: Transaction<Schema>,
  advertiserId: number,
  which: Changing,
  keeping: Keeping,
): Promise<void> {
  for (let afterId: number | undefined = 0; afterId !== undefined; )
    afterId = await keepNext(trx, advertiserId, afterId, keeping, which)
}

/** Adds versions of the next few ads; returns the last ad unless there are no more. */
async function keepNext(
  trx: Transaction<Schema>,
  advertiserId: number,
  afterId: number,
  { now, usualZone }: Keeping,
  which?: Changing,
): Promise<number | undefined> {
  const rows = await trx
    .selectFrom('job_ads as ad')
    .innerJoin('advertisers as advertiser', 'advertiser.id', 'ad.advertiser_id')
    .leftJoin('screens as screen', join =>
      join.onRef('screen.advertiser_id', '=', 'ad.advertiser_id').onRef('screen.id', '=', 'ad.screen_id'),
    )
    .leftJoin('ad_versions as newest', join =>
      join
        .onRef('newest.advertiser_id', '=', 'ad.advertiser_id')
        .onRef('newest.job_ad_id', '=', 'ad.id')
        .on('newest.version', '=', ({ selectFrom }) =>
          selectFrom('ad_versions as each')
            .select(({ fn }) => fn.max('each.version').as('version'))
            .whereRef('each.advertiser_id', '=', 'ad.advertiser_id')
            .whereRef('each.job_ad_id', '=', 'ad.id'),
        ),
    )
    .select(['ad.id', 'ad.title', 'ad.location', 'ad.description', 'ad.reference', 'ad.closing_date'])
    .select([
      'ad.details',
      'ad.screen_id',
      'screen.name',
      'screen.questions',
      'newest.version',
      'newest.hash',
      'newest.content as newest_content',
      'newest.created_at as newest_at',
      'advertiser.time_zone',
    ])
    .select(['ad.updated_at', 'ad.approved_at', 'screen.updated_at as asked_at'])
    .where('ad.advertiser_id', '=', advertiserId)
    .where('ad.hold', 'is', null)
    .where(({ eb, or }) => or([eb('ad.status', '=', 'open'), eb('newest.version', 'is', null)]))
    .where('ad.id', '>', afterId)
    .$if(which !== undefined && 'jobAdId' in which, query =>
      query.where('ad.id', '=', (which as { jobAdId: number }).jobAdId),
    )
    .$if(which !== undefined && 'screenId' in which, query =>
      query.where('ad.screen_id', '=', (which as { screenId: number }).screenId),
    )
    .orderBy('ad.id')
    .limit(versionsAtOnce)
    .execute()
  for (const row of rows) {
    const { screen_id: screenId, closing_date: closingDate, name, questions } = row
    const questionnaire =
      screenId === null || name === null || questions === null
        ? null
        : { id: screenId, name, questions: JSON.parse(questions) }
    const timeZone = usualZone === undefined ? row.time_zone : zoneOr(row.time_zone, usualZone)
    if (timeZone === null && closingDate !== null) continue
    const fields = { ...row, screenId, closingDate, details: detailsOf(row.details) }
    const { content, hash } = written(snapshotOf(fields, questionnaire, timeZone ?? ''))
    if (hash === row.hash) continue
    const newestAt = row.newest_at ?? 0
    const changedAt = Math.max(row.updated_at, row.asked_at ?? 0, row.approved_at ?? 0)
    // These times also change without new content, so a version in which only the zone is new begins now.
    const formerZone = row.newest_content === null ? null : JSON.parse(row.newest_content).timeZone
    const isZoneAlone = written(snapshotOf(fields, questionnaire, formerZone ?? '')).hash === row.hash
    const createdAt = changedAt > newestAt && !isZoneAlone ? changedAt : Math.max(now, newestAt)
    await addVersion(trx, { advertiserId, jobAdId: row.id }, { content, hash, createdAt, after: row.version })
  }
  return rows.length < versionsAtOnce ? undefined : rows.at(-1)?.id
}

async function addVersion(
  trx: Transaction<Schema>,
  { advertiserId, jobAdId }: AdOf,
  {
    content,
    hash,
    createdAt,
    after,
  }: { content: string; hash: string; createdAt: EpochMs; after: number | null },
): Promise<number> {
  const version = (after ?? 0) + 1
  if (after !== null)
    await trx
      .updateTable('ad_versions')
      .set({ replaced_at: createdAt })
      .where('advertiser_id', '=', advertiserId)
      .where('job_ad_id', '=', jobAdId)
      .where('version', '=', after)
      .execute()
  await trx
    .insertInto('ad_versions')
    .values({
      advertiser_id: advertiserId,
      job_ad_id: jobAdId,
      version,
      content,
      hash,
      created_at: createdAt,
    })
    .execute()
  return version
}

/**
 * The version that a candidate saw, found by the stored content of the ad alone; null if none matches. If it is
 * missing, because a release without versions wrote the ad, it is added first.
 */
export async function versionSeen(
  trx: Transaction<Schema>,
  dialect: Dialect,
  ad: AdOf,
  snapshot: AdSnapshot,
  now: EpochMs,
): Promise<number | null> {
  const seen = trx
    .selectFrom('ad_versions')
    .select('version')
    .where('advertiser_id', '=', ad.advertiserId)
    .where('job_ad_id', '=', ad.jobAdId)
    .where('hash', '=', written(snapshot).hash)
    .orderBy('version', 'desc')
    .limit(1)
  const found = await seen.executeTakeFirst()
  if (found !== undefined) return found.version
  await lockAds(trx, dialect, ad.advertiserId)
  await keepVersions(trx, ad.advertiserId, { jobAdId: ad.jobAdId }, { now, usualZone: snapshot.timeZone })
  return (await seen.executeTakeFirst())?.version ?? null
}

export type AdVersionStore = ReturnType<typeof createAdVersionStore>

export function createAdVersionStore(database: Database, usualZone = usualTimeZone) {
  const { writer, reader, dialect } = database
  return {
    /** Adds missing versions of the ads after `afterId`; returns the last ad checked, or undefined at the end. */
    keepNext: (advertiserId: number, afterId: number, now: EpochMs): Promise<number | undefined> =>
      inSlotOf(database, advertiserId, () =>
        writer.transaction().execute(async trx => {
          if (!(await lockAds(trx, dialect, advertiserId)))
            throw new Problem('not-found', 'The advertiser does not exist.')
          return keepNext(trx, advertiserId, afterId, { now, usualZone })
        }),
      ),

    /** The next batch of versions of the advertiser's ads, in order, after `after`. */
    async list(advertiserId: number, after: { jobAdId: number; version: number }): Promise<KeptVersion[]> {
      const rows = await reader
        .selectFrom('ad_versions')
        .select(['job_ad_id as jobAdId', 'version', 'created_at as createdAt', 'replaced_at as replacedAt'])
        .select('content')
        .where('advertiser_id', '=', advertiserId)
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('job_ad_id', 'version'), '>', tuple(after.jobAdId, after.version)),
        )
        .orderBy('job_ad_id')
        .orderBy('version')
        .limit(versionsAtOnce)
        .execute()
      return rows.map(({ content, ...row }) => ({ ...row, ...JSON.parse(content) }))
    },
  }
}
