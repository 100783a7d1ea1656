import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { type AdFilter, detailColumns, detailsOf } from '../model/ad-details.ts'
import type { JobAdFields, PostingStatus } from '../model/job-ad.ts'
import type { Question, QuestionnaireFields } from '../model/questionnaire.ts'
import { recordAudit } from '../platform/audit/record-audit-store.ts'
import type { EpochMs } from '../platform/core/clock.ts'
import type { KeptKey, KeyState } from '../platform/core/idempotency-keys.ts'
import { dayIn, usualTimeZone, zoneOr } from '../platform/core/time/time-zone.ts'
import { prepareQuery } from '../platform/database/prepared-query.ts'
import type { Database, Schema } from '../platform/database/tables.ts'
import { jobAdColumns, questionnaireColumns } from '../schema/columns.ts'
import { timeZonesInUse } from '../schema/time-zones.ts'
import { makeOnce } from '../schema/writing/intake-keys.ts'
import { nextId } from '../schema/writing/next-id.ts'
import { inSlotOf } from '../schema/writing/with-ledger.ts'
import { keepVersions, lockAds } from './ad-version-store.ts'
import { jobSearchText } from './job-search.ts'
import type { HiringCompany, ListedJobAd, OpenAds, PublicJobAd, Stored } from './postings.ts'

type Row = Selectable<Schema['job_ads'] & Schema['screens']>

type Common = readonly (keyof Schema['job_ads'] & keyof Schema['screens'])[]

/** The differences between job ads and questionnaires. */
interface PostingKind<Content> {
  table: 'job_ads' | 'screens'
  /** Kysely knows only the columns that both tables have. */
  columns: Common
  ids: 'job_ad_ids' | 'screen_ids'
  columnsOf(content: Content, advertiserId: number, trx: Kysely<Schema>): Promise<Partial<Row>>
  /** Further columns of a new entry. */
  columnsOfNew?(advertiserId: number, trx: Kysely<Schema>, at: EpochMs): Promise<Partial<Row>>
  contentOf(row: Row): Content
}

/** `reviewsNew`: whether a company's first ads await an operator's review. */
export function createJobAdStore(
  database: Database,
  reviewsNew = false,
  usualZone = usualTimeZone,
): JobAdStore {
  return createPostingStore(database, usualZone, {
    table: 'job_ads',
    columns: jobAdColumns as readonly string[] as Common,
    ids: 'job_ad_ids',
    columnsOf: async (fields, advertiserId, trx) => ({
      title: fields.title,
      location: fields.location,
      description: fields.description,
      reference: fields.reference,
      screen_id: fields.screenId,
      closing_date: fields.closingDate,
      search_text: await searchTextOf(trx, advertiserId, fields),
      ...detailColumns(fields.details),
    }),
    columnsOfNew: async (advertiserId, trx, at) =>
      reviewsNew && (await needsReview(trx, advertiserId)) ? { hold: 'review', held_at: at } : {},
    contentOf: adFieldsOf,
  })
}

export function createQuestionnaireStore(database: Database, usualZone = usualTimeZone): QuestionnaireStore {
  return createPostingStore(database, usualZone, {
    table: 'screens',
    columns: questionnaireColumns as readonly string[] as Common,
    ids: 'screen_ids',
    columnsOf: async ({ name, questions }) => ({ name, questions: JSON.stringify(questions) }),
    contentOf: ({ name, questions }) => ({ name, questions: questionsOf(questions) }),
  })
}

export type PostingStore<Content> = ReturnType<typeof createPostingStore<Content>>
export type JobAdStore = PostingStore<JobAdFields>
export type QuestionnaireStore = PostingStore<QuestionnaireFields>

/** An advertiser's job ads, or its questionnaires. */
function createPostingStore<Content>(
  database: Database,
  usualZone: string,
  { table, columns, ids, columnsOf, columnsOfNew, contentOf }: PostingKind<Content>,
) {
  const { writer, reader, dialect } = database
  const entryOf = (row: object) => storedAs(row as Row, contentOf(row as Row))
  const kind = table === 'job_ads' ? 'job-ad' : 'questionnaire'
  const actOn = (advertiserId: number, id: number) =>
    ({ scope: { ownerId: advertiserId }, target: `${kind}:${id}` }) as const

  const adding =
    (advertiserId: number, content: Content, at: EpochMs) => async (trx: Transaction<Schema>) => {
      await lockAds(trx, dialect, advertiserId)
      const id = await nextId(trx, database, ids)
      const row = await trx
        .insertInto(table)
        .values({
          advertiser_id: advertiserId,
          id,
          ...(await columnsOf(content, advertiserId, trx)),
          ...(await columnsOfNew?.(advertiserId, trx, at)),
          status: 'open',
          created_at: at,
          updated_at: at,
        })
        .returning(columns)
        .executeTakeFirstOrThrow()
      await recordAudit(trx, {
        ...actOn(advertiserId, id),
        action: `${kind}.add`,
        after: { status: 'open' },
      })
      if (table === 'job_ads') await keepVersions(trx, advertiserId, { jobAdId: id }, { now: at, usualZone })
      return entryOf(row)
    }

  /** Locks the advertiser's ads, and stores the published versions before and after the change. */
  const changing = <Result>(
    advertiserId: number,
    id: number,
    at: EpochMs,
    change: (trx: Transaction<Schema>) => Promise<Result>,
  ): Promise<Result> =>
    inSlotOf(database, advertiserId, () =>
      writer.transaction().execute(async trx => {
        const changed = table === 'job_ads' ? { jobAdId: id } : { screenId: id }
        await lockAds(trx, dialect, advertiserId)
        const keeping = { now: at, usualZone }
        await keepVersions(trx, advertiserId, changed, keeping)
        const result = await change(trx)
        await keepVersions(trx, advertiserId, changed, keeping)
        return result
      }),
    )

  return {
    async add(advertiserId: number, content: Content, at: EpochMs): Promise<Stored<Content>> {
      await database.ids?.admit()
      return inSlotOf(database, advertiserId, () =>
        writer.transaction().execute(adding(advertiserId, content, at)),
      )
    },

    /** Adds nothing if the key is already in use. */
    async addOnce(
      advertiserId: number,
      content: Content,
      at: EpochMs,
      save: KeptKey,
    ): Promise<Stored<Content> | KeyState> {
      await database.ids?.admit()
      return inSlotOf(database, advertiserId, () =>
        makeOnce(database, save, at, adding(advertiserId, content, at)),
      )
    },

    /** Undefined if the advertiser has no such entry, or if it has been updated since `from`. */
    update: (
      advertiserId: number,
      id: number,
      content: Content,
      at: EpochMs,
      from?: EpochMs,
    ): Promise<Stored<Content> | undefined> =>
      changing(advertiserId, id, at, async trx => {
        const changed = await columnsOf(content, advertiserId, trx)
        const row = await trx
          .updateTable(table)
          .set({ ...changed, updated_at: laterThanBefore(at) })
          .where('advertiser_id', '=', advertiserId)
          .where('id', '=', id)
          .$if(from !== undefined, query => query.where('updated_at', '=', from as EpochMs))
          .returning(columns)
          .executeTakeFirst()
        if (row === undefined) return undefined
        await recordAudit(trx, { ...actOn(advertiserId, id), action: `${kind}.change` })
        return entryOf(row)
      }),

    setStatus: (
      advertiserId: number,
      id: number,
      status: PostingStatus,
      at: EpochMs,
    ): Promise<Stored<Content> | undefined> =>
      changing(advertiserId, id, at, async trx => {
        const row = await trx
          .updateTable(table)
          .set({ status, updated_at: laterThanBefore(at) })
          .where('advertiser_id', '=', advertiserId)
          .where('id', '=', id)
          .where('status', '!=', status)
          .returning(columns)
          .executeTakeFirst()
        if (row === undefined) {
          // Closing a closed entry changes nothing, not even the time.
          const same = await trx
            .selectFrom(table)
            .select(columns)
            .where('advertiser_id', '=', advertiserId)
            .where('id', '=', id)
            .executeTakeFirst()
          return same && entryOf(same)
        }
        await recordAudit(trx, {
          ...actOn(advertiserId, id),
          action: `${kind}.status`,
          before: { status: status === 'open' ? 'closed' : 'open' },
          after: { status },
        })
        return entryOf(row)
      }),

    async find(advertiserId: number, id: number): Promise<Stored<Content> | undefined> {
      const row = await reader
        .selectFrom(table)
        .select(columns)
        .where('advertiser_id', '=', advertiserId)
        .where('id', '=', id)
        .executeTakeFirst()
      return row && entryOf(row)
    },

    /** Ascending by ID; only ads with this reference, if one is given. Questionnaires have no reference. */
    async list(
      advertiserId: number,
      afterId: number,
      limit: number,
      reference?: string,
    ): Promise<Stored<Content>[]> {
      const rows = await reader
        .selectFrom(table)
        .select(columns)
        .where('advertiser_id', '=', advertiserId)
        .$if(table === 'job_ads' && reference !== undefined, query =>
          query.where('reference', '=', reference as string),
        )
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(entryOf)
    },
  }
}

const ofAd = jobAdColumns.map(column => `ad.${column}` as const)
const company = [
  'advertiser.name as advertiserName',
  'advertiser.logo_hash as logoHash',
  'advertiser.time_zone as timeZone',
] as const

export type JobBoard = ReturnType<typeof createJobBoard>

/**
 * The public job board. Ads that are held or await review, and ads of an advertiser on hold, do not exist here.
 * `defaultZone`: time zone of companies that have not chosen one.
 */
export function createJobBoard({ reader, dialect }: Database, defaultZone = usualTimeZone) {
  const listedAd = (row: ListedRow): ListedJobAd => ({
    ...storedAs(row, adFieldsOf(row)),
    advertiserName: row.advertiserName,
    logoHash: row.logoHash,
    timeZone: zoneOr(row.timeZone, defaultZone),
  })

  /**
   * Each company's current day. At any moment the world's time zones have two or three days, so only the zones whose
   * day differs from the default's are listed.
   */
  async function todayAt(now: EpochMs) {
    const usual = dayIn(now, defaultZone)
    const zones = await timeZonesInUse(reader)
    const days = zones.map(zone => [zone, dayIn(now, zoneOr(zone, defaultZone))] as const)
    const others = JSON.stringify(Object.fromEntries(days.filter(([, day]) => day !== usual)))
    const json = dialect === 'postgres' ? sql`cast(${others} as jsonb)` : sql`${others}`
    return sql<string>`coalesce(${json} ->> advertiser.time_zone, ${usual})`
  }

  const adsOfActive = () =>
    reader
      .selectFrom('job_ads as ad')
      .innerJoin('advertisers as advertiser', join =>
        join.onRef('advertiser.id', '=', 'ad.advertiser_id').on('advertiser.status', '=', 'active'),
      )
      .where(sql<boolean>`ad.hold is null`)

  /** Searches in the page's order, and ends as soon as the page is full. */
  async function openAds({ now, words = [], advertiserId, filter }: OpenAds) {
    const today = await todayAt(now)
    const open = adsOfActive()
      // Written as a literal: the index of open ads does not serve a bound value.
      .where(sql<boolean>`ad.status = 'open'`)
      .where(eb => eb.or([eb('ad.closing_date', 'is', null), eb('ad.closing_date', '>=', today)]))
    const ofAdvertiser = advertiserId === undefined ? open : open.where('ad.advertiser_id', '=', advertiserId)
    const conditions = [
      ...conditionsOf(filter),
      ...words.map(word => sql<boolean>`ad.search_text like ${containing(word)} escape '!'`),
    ]
    return conditions.reduce((query, condition) => query.where(condition), ofAdvertiser)
  }

  const findAd = prepareQuery(reader, (wanted: { jobAdId: number }) =>
    adsOfActive()
      .select(ofAd)
      .select(company)
      .leftJoin('screens as screen', join =>
        join.onRef('screen.advertiser_id', '=', 'ad.advertiser_id').onRef('screen.id', '=', 'ad.screen_id'),
      )
      .select(['screen.name as screen_name', 'screen.questions as screen_questions'])
      .select(['advertiser.retention_choice as retentionChoice', 'advertiser.keep_months as keepMonths'])
      .leftJoin('privacy_notices as notice', join =>
        join
          .onRef('notice.advertiser_id', '=', 'ad.advertiser_id')
          .on('notice.version', '=', ({ selectFrom }) =>
            selectFrom('privacy_notices as newest')
              .select(({ fn }) => fn.max('newest.version').as('version'))
              .whereRef('newest.advertiser_id', '=', 'ad.advertiser_id'),
          )
          .on(({ or, eb }) => or([eb('notice.url', 'is not', null), eb('notice.content', 'is not', null)])),
      )
      .select(['notice.version as notice_version', 'notice.url as notice_url'])
      .where('ad.id', '=', wanted.jobAdId),
  )

  return {
    /** Finds an ad, open or closed, if its advertiser is active. */
    async find(jobAdId: number): Promise<PublicJobAd | undefined> {
      const row = await findAd({ jobAdId })
      if (row === undefined) return undefined
      const { screen_id: id, screen_name: name, screen_questions: questions } = row
      const screen =
        id === null || name === null || questions === null
          ? null
          : { id, name, questions: questionsOf(questions) }
      const { notice_version: version, notice_url: url } = row
      return {
        ...listedAd(row),
        screen,
        retentionChoice: row.retentionChoice,
        keepMonths: row.keepMonths,
        privacyNotice: version === null ? null : { version, url },
      }
    },

    /** Lists open ads, newest first. */
    async listOpen(beforeId: number, limit: number, choice: OpenAds): Promise<ListedJobAd[]> {
      const open = await openAds(choice)
      const rows = await open
        .where('ad.id', '<', beforeId)
        .orderBy('ad.id', 'desc')
        .limit(limit)
        .select(ofAd)
        .select(company)
        .execute()
      return rows.map(listedAd)
    },

    /** Companies with open ads, newest ad first, each with its number of ads among the newest thousand. */
    async companies(limit: number, choice: OpenAds): Promise<HiringCompany[]> {
      const open = await openAds(choice)
      const newest = open
        .select(['ad.id', 'advertiser.id as advertiser_id', 'advertiser.name', 'advertiser.logo_hash'])
        .orderBy('ad.id', 'desc')
        .limit(1000)
      const rows = await reader
        .selectFrom(newest.as('newest'))
        .select(['name', 'logo_hash as logoHash', eb => eb.fn.countAll().as('count')])
        .groupBy(['advertiser_id', 'name', 'logo_hash'])
        .orderBy(eb => eb.fn.max('newest.id'), 'desc')
        .limit(limit)
        .execute()
      return rows.map(({ count, ...company }) => ({ ...company, count: Number(count) }))
    },

    /** Counts open ads, up to `max`. */
    async countOpen(max: number, choice: OpenAds): Promise<number> {
      const open = await openAds(choice)
      const { count } = await reader
        .selectFrom(open.select('ad.id').limit(max).as('found'))
        .select(eb => eb.fn.countAll().as('count'))
        .executeTakeFirstOrThrow()
      return Number(count)
    },
  }
}

/** The time identifies the version, so no two versions have the same. */
function laterThanBefore(at: EpochMs) {
  return sql<number>`case when updated_at < ${at} then ${at} else updated_at + 1 end`
}

/** An advertiser's name never changes, so the copy stays correct. */
async function searchTextOf(trx: Kysely<Schema>, advertiserId: number, fields: JobAdFields): Promise<string> {
  const advertiser = await trx
    .selectFrom('advertisers')
    .select('name')
    .where('id', '=', advertiserId)
    .executeTakeFirst()
  return jobSearchText(fields, advertiser?.name ?? '')
}

/** Whether operators review its ads first: none of its ads has been on the board yet, or one is held. */
async function needsReview(trx: Kysely<Schema>, advertiserId: number): Promise<boolean> {
  const ads = trx.selectFrom('job_ads').select('id').where('advertiser_id', '=', advertiserId).limit(1)
  const published = await ads.where('hold', 'is', null).executeTakeFirst()
  const held = await ads.where('hold', '=', 'held').executeTakeFirst()
  return published === undefined || held !== undefined
}

/** Written as literals, which the indexes of ads by workplace and with pay serve. */
const conditionsOf = ({ workplace, employmentType, withPay }: AdFilter = {}) => [
  ...(workplace ? [sql<boolean>`ad.workplace = ${sql.lit(workplace)}`] : []),
  ...(employmentType ? [sql<boolean>`ad.employment_types like ${`% ${employmentType} %`}`] : []),
  ...(withPay ? [sql<boolean>`ad.has_pay = 1`] : []),
]

function containing(word: string): string {
  return `%${word.replaceAll(/[!%_]/g, '!$&')}%`
}

type StoredAd = Pick<Selectable<Schema['job_ads']>, (typeof jobAdColumns)[number]>

function adFieldsOf(row: StoredAd): JobAdFields {
  return {
    title: row.title,
    location: row.location,
    description: row.description,
    reference: row.reference,
    screenId: row.screen_id,
    closingDate: row.closing_date,
    details: detailsOf(row.details),
    hold: row.hold === null ? null : { kind: row.hold, reason: row.hold_reason, at: row.held_at ?? 0 },
  }
}

type ListedRow = StoredAd & Pick<ListedJobAd, 'advertiserName' | 'logoHash'> & { timeZone: string | null }

function storedAs<Content>(
  row: Pick<Row, 'id' | 'advertiser_id' | 'status' | 'created_at' | 'updated_at'>,
  content: Content,
): Stored<Content> {
  return {
    id: row.id,
    advertiserId: row.advertiser_id,
    ...content,
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function questionsOf(json: string): Question[] {
  return JSON.parse(json)
}
