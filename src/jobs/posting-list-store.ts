import {
  type Expression,
  type ExpressionBuilder,
  type NotNull,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely'
import type { PostingStatus } from '../model/job-ad.ts'
import type { Database, Schema } from '../platform/database/tables.ts'
import type { JobAdSummary, ListedPage, ListPosition, OwnQuestionnaire } from './postings.ts'

/** Its value is the time of the last change to an ad before migration 0048. */
const aestAdsKey = 'aest-ads-until'

export type PostingLists = ReturnType<typeof createPostingLists>

/** The console's lists of an advertiser's ads and questionnaires. */
export function createPostingLists({ reader, dialect }: Database) {
  // Stored as text, which only SQLite accepts as JSON.
  const questionCount =
    dialect === 'postgres'
      ? sql<number>`json_array_length(screen.questions::json)`
      : sql<number>`json_array_length(screen.questions)`

  return {
    /** Ads with a closing date before `today` are treated as closed. */
    async jobAds(
      advertiserId: number,
      position: ListPosition,
      today: string,
    ): Promise<ListedPage<JobAdSummary>> {
      const { status } = position
      const ads = reader
        .selectFrom('job_ads as ad')
        .leftJoin('screens as screen', join =>
          join.onRef('screen.advertiser_id', '=', 'ad.advertiser_id').onRef('screen.id', '=', 'ad.screen_id'),
        )
        .select([
          'ad.id as id',
          'ad.advertiser_id as advertiserId',
          'ad.title as title',
          'ad.location as location',
          'ad.reference as reference',
          'ad.screen_id as screenId',
          'ad.closing_date as closingDate',
          'ad.status as status',
          'ad.hold as hold',
          'ad.created_at as createdAt',
          'ad.updated_at as updatedAt',
          'screen.name as screenName',
        ])
        .where('ad.advertiser_id', '=', advertiserId)
      const rows = await startAt(ads, 'ad.id', position)
        .$if(status !== undefined, query => query.where(eb => takes(eb, status === 'open', today)))
        .execute()
      return pageOf(rows, position)
    },

    /** Open ads unchanged since closing dates were in AEST, ordered by closing date. */
    adsOfAestDays: (advertiserId: number, today: string, limit: number) =>
      reader
        .selectFrom('job_ads as ad')
        .innerJoin('meta', join => join.on('meta.key', '=', sql.lit(aestAdsKey)))
        .select(['ad.id', 'ad.title', 'ad.closing_date as closingDate'])
        .where('ad.advertiser_id', '=', advertiserId)
        .where(eb => takes(eb, true, today))
        .where('ad.closing_date', 'is not', null)
        .where(sql<boolean>`ad.updated_at <= cast(meta.value as bigint)`)
        .orderBy('ad.closing_date')
        .orderBy('ad.id')
        .limit(limit)
        .$narrowType<{ closingDate: NotNull }>()
        .execute(),

    async screens(advertiserId: number, position: ListPosition): Promise<ListedPage<OwnQuestionnaire>> {
      const { status } = position
      const questionnaires = reader
        .selectFrom('screens as screen')
        .select(eb => [
          'screen.id as id',
          'screen.name as name',
          'screen.status as status',
          'screen.updated_at as updatedAt',
          questionCount.as('questionCount'),
          eb
            .selectFrom('job_ads as ad')
            .select(({ fn }) => fn.countAll<number>().as('count'))
            .whereRef('ad.advertiser_id', '=', 'screen.advertiser_id')
            .whereRef('ad.screen_id', '=', 'screen.id')
            .as('adCount'),
        ])
        .where('screen.advertiser_id', '=', advertiserId)
      const rows = await startAt(questionnaires, 'screen.id', position)
        .$if(status !== undefined, query => query.where('screen.status', '=', status as 'open'))
        .execute()
      return pageOf(
        rows.map(row => ({ ...row, questionCount: Number(row.questionCount), adCount: Number(row.adCount) })),
        position,
      )
    },

    /** Open questionnaires to choose from, newest first. */
    openScreens: (advertiserId: number, limit: number): Promise<{ id: number; name: string }[]> =>
      reader
        .selectFrom('screens')
        .select(['id', 'name'])
        .where('advertiser_id', '=', advertiserId)
        .where('status', '=', 'open')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),

    /** The ads that use this questionnaire, newest first. */
    adsWithScreen: (
      advertiserId: number,
      screenId: number,
      limit: number,
    ): Promise<{ id: number; title: string; status: PostingStatus }[]> =>
      reader
        .selectFrom('job_ads')
        .select(['id', 'title', 'status'])
        .where('advertiser_id', '=', advertiserId)
        .where('screen_id', '=', screenId)
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
  }
}

/** Whether an ad takes applications: open, not past its last day. */
function takes(
  eb: ExpressionBuilder<{ ad: Schema['job_ads'] }, 'ad'>,
  isOpen: boolean,
  today: string,
): Expression<SqlBool> {
  return isOpen
    ? eb.and([
        // Worded this way, so that PostgreSQL does not use the index of ads that are open anywhere.
        eb('ad.status', '<>', 'closed'),
        eb('ad.hold', 'is', null),
        eb.or([eb('ad.closing_date', 'is', null), eb('ad.closing_date', '>=', today)]),
      ])
    : eb.or([
        eb('ad.status', '=', 'closed'),
        eb('ad.hold', 'is not', null),
        eb('ad.closing_date', '<', today),
      ])
}

/** Reads one entry more than is shown. */
function startAt<Tables, Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  column: string,
  { beforeId = Number.MAX_SAFE_INTEGER, afterId, limit }: ListPosition,
) {
  const id = sql.ref<number>(column)
  const from =
    afterId === undefined
      ? query.where(id, '<', beforeId).orderBy(id, 'desc')
      : query.where(id, '>', afterId).orderBy(id, 'asc')
  return from.limit(limit + 1)
}

/** An entry beyond the limit shows that there is a next page. */
function pageOf<Entry>(
  rows: readonly Entry[],
  { beforeId, afterId, limit }: ListPosition,
): ListedPage<Entry> {
  const entries = rows.slice(0, limit)
  const goesOn = rows.length > limit
  return afterId === undefined
    ? { entries, hasNewer: beforeId !== undefined, hasOlder: goesOn }
    : { entries: entries.toReversed(), hasNewer: goesOn, hasOlder: entries.length > 0 }
}
