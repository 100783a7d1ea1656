import { type Kysely, sql, type Transaction } from 'kysely'
import type { EpochMs } from '../../core/clock.ts'
import { jobSearchText } from '../../jobs/job-search.ts'
import type {
  JobAd,
  JobAdStore,
  JobBoard,
  QuestionnaireStore,
  StoredQuestionnaire,
} from '../../jobs/ports.ts'
import type { JobAdFields, PostingStatus } from '../../model/job-ad.ts'
import type { Question, QuestionnaireFields } from '../../model/questionnaire.ts'
import { makeOnce } from '../apply/intake-keys.ts'
import { nextId } from '../database/next-id.ts'
import type { Database, Schema } from '../database/tables.ts'

export function createJobAdStore(database: Database): JobAdStore {
  const { writer, reader } = database
  const adding =
    (advertiserId: number, fields: JobAdFields, at: EpochMs) => async (trx: Transaction<Schema>) => {
      const id = await nextId(trx, database, 'job_ad_ids')
      const row = await trx
        .insertInto('job_ads')
        .values({
          advertiser_id: advertiserId,
          id,
          ...adColumns(fields),
          search_text: await searchTextOf(trx, advertiserId, fields),
          status: 'open',
          created_at: at,
          updated_at: at,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      return adOf(row)
    }

  return {
    add: (advertiserId, fields, at) => writer.transaction().execute(adding(advertiserId, fields, at)),

    addOnce: (advertiserId, fields, at, save) =>
      makeOnce(database, save, at, adding(advertiserId, fields, at)),

    update: (advertiserId, jobAdId, fields, at, from) =>
      writer.transaction().execute(async trx => {
        const searchText = await searchTextOf(trx, advertiserId, fields)
        const row = await trx
          .updateTable('job_ads')
          .set({ ...adColumns(fields), search_text: searchText, updated_at: laterThanBefore(at) })
          .where('advertiser_id', '=', advertiserId)
          .where('id', '=', jobAdId)
          .$if(from !== undefined, query => query.where('updated_at', '=', from as EpochMs))
          .returningAll()
          .executeTakeFirst()
        return row && adOf(row)
      }),

    async setStatus(advertiserId, jobAdId, status, at) {
      const row = await writer
        .updateTable('job_ads')
        .set({ status, updated_at: changedAt(status, at) })
        .where('advertiser_id', '=', advertiserId)
        .where('id', '=', jobAdId)
        .returningAll()
        .executeTakeFirst()
      return row && adOf(row)
    },

    async find(advertiserId, jobAdId) {
      const row = await reader
        .selectFrom('job_ads')
        .selectAll()
        .where('advertiser_id', '=', advertiserId)
        .where('id', '=', jobAdId)
        .executeTakeFirst()
      return row && adOf(row)
    },

    async list(advertiserId, afterId, limit, reference) {
      const rows = await reader
        .selectFrom('job_ads')
        .selectAll()
        .where('advertiser_id', '=', advertiserId)
        .$if(reference !== undefined, query => query.where('reference', '=', reference as string))
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(adOf)
    },
  }
}

export function createQuestionnaireStore(database: Database): QuestionnaireStore {
  const { writer, reader } = database
  const adding =
    (advertiserId: number, fields: QuestionnaireFields, at: EpochMs) => async (trx: Transaction<Schema>) => {
      const id = await nextId(trx, database, 'screen_ids')
      const row = await trx
        .insertInto('screens')
        .values({
          advertiser_id: advertiserId,
          id,
          ...questionnaireColumns(fields),
          status: 'open',
          created_at: at,
          updated_at: at,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      return questionnaireOf(row)
    }

  return {
    add: (advertiserId, fields, at) => writer.transaction().execute(adding(advertiserId, fields, at)),

    addOnce: (advertiserId, fields, at, save) =>
      makeOnce(database, save, at, adding(advertiserId, fields, at)),

    async update(advertiserId, screenId, fields, at, from) {
      const row = await writer
        .updateTable('screens')
        .set({ ...questionnaireColumns(fields), updated_at: laterThanBefore(at) })
        .where('advertiser_id', '=', advertiserId)
        .where('id', '=', screenId)
        .$if(from !== undefined, query => query.where('updated_at', '=', from as EpochMs))
        .returningAll()
        .executeTakeFirst()
      return row && questionnaireOf(row)
    },

    async setStatus(advertiserId, screenId, status, at) {
      const row = await writer
        .updateTable('screens')
        .set({ status, updated_at: changedAt(status, at) })
        .where('advertiser_id', '=', advertiserId)
        .where('id', '=', screenId)
        .returningAll()
        .executeTakeFirst()
      return row && questionnaireOf(row)
    },

    async find(advertiserId, screenId) {
      const row = await reader
        .selectFrom('screens')
        .selectAll()
        .where('advertiser_id', '=', advertiserId)
        .where('id', '=', screenId)
        .executeTakeFirst()
      return row && questionnaireOf(row)
    },

    async list(advertiserId, afterId, limit) {
      const rows = await reader
        .selectFrom('screens')
        .selectAll()
        .where('advertiser_id', '=', advertiserId)
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(questionnaireOf)
    },
  }
}

export function createJobBoard({ reader }: Database): JobBoard {
  const adsOfActive = () =>
    reader
      .selectFrom('job_ads as ad')
      .innerJoin('advertisers as advertiser', join =>
        join.onRef('advertiser.id', '=', 'ad.advertiser_id').on('advertiser.status', '=', 'active'),
      )
      .selectAll('ad')
      .select('advertiser.name as advertiser_name')

  return {
    async find(jobAdId) {
      const row = await adsOfActive()
        .leftJoin('screens as screen', join =>
          join.onRef('screen.advertiser_id', '=', 'ad.advertiser_id').onRef('screen.id', '=', 'ad.screen_id'),
        )
        .select(['screen.name as screen_name', 'screen.questions as screen_questions'])
        .where('ad.id', '=', jobAdId)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const { screen_id: id, screen_name: name, screen_questions: questions } = row
      const screen =
        id === null || name === null || questions === null
          ? null
          : { id, name, questions: questionsOf(questions) }
      return { ...adOf(row), advertiserName: row.advertiser_name, screen }
    },

    async listOpen(beforeId, limit, today, words = []) {
      const open = adsOfActive()
        // Written out: the index of what is open does not serve a bound value.
        .where(sql<boolean>`ad.status = 'open'`)
        .where(eb => eb.or([eb('ad.closing_date', 'is', null), eb('ad.closing_date', '>=', today)]))
        .where('ad.id', '<', beforeId)
        .orderBy('ad.id', 'desc')
        .limit(limit)
      // Looked through in the order of the page, which ends as soon as it is full.
      const found = words.reduce(
        (query, word) => query.where(sql<boolean>`ad.search_text like ${containing(word)} escape '!'`),
        open,
      )
      const rows = await found.execute()
      return rows.map(row => ({ ...adOf(row), advertiserName: row.advertiser_name }))
    },
  }
}

/** Closing what is closed changes nothing, not even the time. */
function changedAt(status: PostingStatus, at: EpochMs) {
  return sql<number>`case when status = ${status} then updated_at else ${laterThanBefore(at)} end`
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

function adColumns({ title, location, description, reference, screenId, closingDate }: JobAdFields) {
  return { title, location, description, reference, screen_id: screenId, closing_date: closingDate }
}

function adOf(row: Schema['job_ads']): JobAd {
  return {
    id: row.id,
    advertiserId: row.advertiser_id,
    title: row.title,
    location: row.location,
    description: row.description,
    reference: row.reference,
    screenId: row.screen_id,
    closingDate: row.closing_date,
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function questionnaireColumns({ name, questions }: QuestionnaireFields) {
  return { name, questions: JSON.stringify(questions) }
}

function questionnaireOf(row: Schema['screens']): StoredQuestionnaire {
  return {
    id: row.id,
    advertiserId: row.advertiser_id,
    name: row.name,
    questions: questionsOf(row.questions),
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function questionsOf(json: string): Question[] {
  return JSON.parse(json)
}
