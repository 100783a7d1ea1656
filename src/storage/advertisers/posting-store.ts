import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { EpochMs } from '../../core/clock.ts'
import { jobSearchText } from '../../jobs/job-search.ts'
import type { JobBoard, ListedJobAd, OpenAds, PostingStore, Stored } from '../../jobs/ports.ts'
import type { JobAdFields } from '../../model/job-ad.ts'
import type { Question, QuestionnaireFields } from '../../model/questionnaire.ts'
import { makeOnce } from '../apply/intake-keys.ts'
import { jobAdColumns, questionnaireColumns } from '../columns.ts'
import { prepareQuery } from '../database/prepared-query.ts'
import type { Database, Schema } from '../database/tables.ts'
import { nextId } from '../writing/next-id.ts'
import { recordAudit } from '../writing/record-audit.ts'

type Row = Schema['job_ads'] & Schema['screens']

type Common = readonly (keyof Schema['job_ads'] & keyof Schema['screens'])[]

/** What differs between job ads and questionnaires. */
interface PostingKind<Content> {
  table: 'job_ads' | 'screens'
  /** Kysely knows only the columns that both tables have. */
  columns: Common
  ids: 'job_ad_ids' | 'screen_ids'
  columnsOf(content: Content, advertiserId: number, trx: Kysely<Schema>): Promise<Partial<Row>>
  contentOf(row: Row): Content
}

export function createJobAdStore(database: Database): PostingStore<JobAdFields> {
  return createPostingStore(database, {
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
    }),
    contentOf: adFieldsOf,
  })
}

export function createQuestionnaireStore(database: Database): PostingStore<QuestionnaireFields> {
  return createPostingStore(database, {
    table: 'screens',
    columns: questionnaireColumns as readonly string[] as Common,
    ids: 'screen_ids',
    columnsOf: async ({ name, questions }) => ({ name, questions: JSON.stringify(questions) }),
    contentOf: ({ name, questions }) => ({ name, questions: questionsOf(questions) }),
  })
}

function createPostingStore<Content>(
  database: Database,
  { table, columns, ids, columnsOf, contentOf }: PostingKind<Content>,
): PostingStore<Content> {
  const { writer, reader } = database
  const entryOf = (row: object) => storedAs(row as Row, contentOf(row as Row))
  const kind = table === 'job_ads' ? 'job-ad' : 'questionnaire'
  const actOn = (advertiserId: number, id: number) =>
    ({ scope: { advertiserId }, target: `${kind}:${id}` }) as const

  const adding =
    (advertiserId: number, content: Content, at: EpochMs) => async (trx: Transaction<Schema>) => {
      const id = await nextId(trx, database, ids)
      const row = await trx
        .insertInto(table)
        .values({
          advertiser_id: advertiserId,
          id,
          ...(await columnsOf(content, advertiserId, trx)),
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
      return entryOf(row)
    }

  return {
    async add(advertiserId, content, at) {
      await database.ids?.admit()
      return writer.transaction().execute(adding(advertiserId, content, at))
    },

    async addOnce(advertiserId, content, at, save) {
      await database.ids?.admit()
      return makeOnce(database, save, at, adding(advertiserId, content, at))
    },

    update: (advertiserId, id, content, at, from) =>
      writer.transaction().execute(async trx => {
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

    setStatus: (advertiserId, id, status, at) =>
      writer.transaction().execute(async trx => {
        const row = await trx
          .updateTable(table)
          .set({ status, updated_at: laterThanBefore(at) })
          .where('advertiser_id', '=', advertiserId)
          .where('id', '=', id)
          .where('status', '!=', status)
          .returning(columns)
          .executeTakeFirst()
        if (row === undefined) {
          // Closing what is closed changes nothing, not even the time.
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

    async find(advertiserId, id) {
      const row = await reader
        .selectFrom(table)
        .select(columns)
        .where('advertiser_id', '=', advertiserId)
        .where('id', '=', id)
        .executeTakeFirst()
      return row && entryOf(row)
    },

    async list(advertiserId, afterId, limit, reference) {
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
const company = ['advertiser.name as advertiserName', 'advertiser.logo_hash as logoHash'] as const

export function createJobBoard({ reader }: Database): JobBoard {
  const adsOfActive = () =>
    reader
      .selectFrom('job_ads as ad')
      .innerJoin('advertisers as advertiser', join =>
        join.onRef('advertiser.id', '=', 'ad.advertiser_id').on('advertiser.status', '=', 'active'),
      )

  /** Searches in the order of the page, which ends as soon as it is full. */
  function openAds({ today, words = [], advertiserId }: OpenAds) {
    const open = adsOfActive()
      // Written out: the index of open ads does not serve a bound value.
      .where(sql<boolean>`ad.status = 'open'`)
      .where(eb => eb.or([eb('ad.closing_date', 'is', null), eb('ad.closing_date', '>=', today)]))
    const ofAdvertiser = advertiserId === undefined ? open : open.where('ad.advertiser_id', '=', advertiserId)
    return words.reduce(
      (query, word) => query.where(sql<boolean>`ad.search_text like ${containing(word)} escape '!'`),
      ofAdvertiser,
    )
  }

  const findAd = prepareQuery(reader, (wanted: { jobAdId: number }) =>
    adsOfActive()
      .select(ofAd)
      .select(company)
      .leftJoin('screens as screen', join =>
        join.onRef('screen.advertiser_id', '=', 'ad.advertiser_id').onRef('screen.id', '=', 'ad.screen_id'),
      )
      .select(['screen.name as screen_name', 'screen.questions as screen_questions'])
      .select('advertiser.retention_choice as retentionChoice')
      .where('ad.id', '=', wanted.jobAdId),
  )

  return {
    async find(jobAdId) {
      const row = await findAd({ jobAdId })
      if (row === undefined) return undefined
      const { screen_id: id, screen_name: name, screen_questions: questions } = row
      const screen =
        id === null || name === null || questions === null
          ? null
          : { id, name, questions: questionsOf(questions) }
      return { ...listedAd(row), screen, retentionChoice: row.retentionChoice }
    },

    async listOpen(beforeId, limit, choice) {
      const rows = await openAds(choice)
        .where('ad.id', '<', beforeId)
        .orderBy('ad.id', 'desc')
        .limit(limit)
        .select(ofAd)
        .select(company)
        .execute()
      return rows.map(listedAd)
    },

    async companies(limit, choice) {
      const newest = openAds(choice)
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

    async countOpen(max, choice) {
      const { count } = await reader
        .selectFrom(openAds(choice).select('ad.id').limit(max).as('found'))
        .select(eb => eb.fn.countAll().as('count'))
        .executeTakeFirstOrThrow()
      return Number(count)
    },
  }
}

/** The time says which version it is, so that no two have the same. */
function laterThanBefore(at: EpochMs) {
  return sql<number>`case when updated_at < ${at} then ${at} else updated_at + 1 end`
}

/** An advertiser keeps its name, so the copy stays true. */
async function searchTextOf(trx: Kysely<Schema>, advertiserId: number, fields: JobAdFields): Promise<string> {
  const advertiser = await trx
    .selectFrom('advertisers')
    .select('name')
    .where('id', '=', advertiserId)
    .executeTakeFirst()
  return jobSearchText(fields, advertiser?.name ?? '')
}

function containing(word: string): string {
  return `%${word.replaceAll(/[!%_]/g, '!$&')}%`
}

function adFieldsOf(row: Schema['job_ads']): JobAdFields {
  return {
    title: row.title,
    location: row.location,
    description: row.description,
    reference: row.reference,
    screenId: row.screen_id,
    closingDate: row.closing_date,
  }
}

function listedAd(
  row: Selectable<Schema['job_ads']> & Pick<ListedJobAd, 'advertiserName' | 'logoHash'>,
): ListedJobAd {
  const { advertiserName, logoHash } = row
  return { ...storedAs(row, adFieldsOf(row)), advertiserName, logoHash }
}

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
