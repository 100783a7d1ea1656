import { type Kysely, type Selectable, sql } from 'kysely'
import type { ApplicationSearch, FoundApplication } from '../../collect/search/ports.ts'
import { searchForm } from '../../core/search-form.ts'
import type { StoredFile } from '../../model/application.ts'
import { fileTypes } from '../../model/application.ts'
import { applicationColumns } from '../columns.ts'
import { primaryInfoOf } from '../database/primary-info.ts'
import { scanOf } from '../database/scan-columns.ts'
import type { Database, Schema } from '../database/tables.ts'
import { countedIds, findIds, padded } from './find-applications.ts'

export function createApplicationSearch({ reader }: Database): ApplicationSearch {
  const files = (db: Kysely<Schema>) =>
    db
      .selectFrom('application_files as file')
      .select(sql<string>`string_agg(file.type || ':' || ${scanOf('file')}, ',')`.as('files'))
      .whereRef('file.advertiser_id', '=', 'application.advertiser_id' as 'file.advertiser_id')
      .whereRef('file.application_id', '=', 'application.id' as 'file.application_id')

  return {
    async page(advertiserId, request) {
      const ids = await findIds(reader, advertiserId, request)
      if (ids.length === 0) return []
      const rows = await applicationsOf(reader, advertiserId)
        .select(files(reader).as('files'))
        .where('application.id', 'in', padded(ids))
        .execute()
      const byId = new Map(rows.map(row => [row.id, row]))
      return ids.flatMap(id => {
        const row = byId.get(id)
        return row === undefined ? [] : [foundOf(row, row.files ?? '')]
      })
    },

    newestIds: (advertiserId, request) => countedIds(reader, advertiserId, request),

    async related(advertiserId, { id, email }, limit) {
      const [ofAccount, withTerm] = await Promise.all([
        reader
          .selectFrom('own_applications as this')
          .innerJoin('own_applications as other', 'other.candidate_id', 'this.candidate_id')
          .select('other.application_id as id')
          .where('this.advertiser_id', '=', advertiserId)
          .where('this.application_id', '=', id)
          // The plus sign keeps SQLite from reading every application of the advertiser.
          .where(sql`+other.advertiser_id`, '=', advertiserId)
          .orderBy('other.submitted_at', 'desc')
          .orderBy('other.application_id', 'desc')
          .limit(limit + 1)
          .execute(),
        // The term may also be a reference, and it has lost its accents: the address decides below.
        reader
          .selectFrom('application_terms')
          .select('application_id as id')
          .where('advertiser_id', '=', advertiserId)
          .where('term', '=', searchForm(email))
          .orderBy('application_id', 'desc')
          .limit(limit + 1)
          .execute(),
      ])
      const own = new Set(ofAccount.map(row => row.id))
      const ids = [...own, ...withTerm.map(row => row.id)].filter(other => other !== id)
      if (ids.length === 0) return []
      const rows = await applicationsOf(reader, advertiserId)
        .where('application.id', 'in', padded(ids))
        .where('application.erased_at', 'is', null)
        .execute()
      return rows
        .filter(row => own.has(row.id) || row.email.toLowerCase() === email.toLowerCase())
        .sort((a, b) => b.id - a.id)
        .slice(0, limit)
        .map(row => foundOf(row, ''))
    },

    async find(advertiserId, applicationId) {
      const row = await applicationsOf(reader, advertiserId)
        .leftJoin('erasures as erasure', join =>
          join
            .onRef('erasure.advertiser_id', '=', 'application.advertiser_id')
            .onRef('erasure.application_id', '=', 'application.id'),
        )
        .leftJoin('application_screens as screen', join =>
          join
            .onRef('screen.advertiser_id', '=', 'application.advertiser_id')
            .onRef('screen.application_id', '=', 'application.id'),
        )
        .select(['erasure.due_at', 'erasure.reason', 'screen.json as screen_json'])
        .where('application.id', '=', applicationId)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const stored: StoredFile[] = await reader
        .selectFrom('application_files')
        .select(['type', 'file_name as fileName', 'content_type as contentType', 'blob', 'sha256'])
        .select(['size', 'uploaded_at as uploadedAt', 'changed_at as changedAt'])
        .select(scanOf('application_files').as('scan'))
        .where('advertiser_id', '=', advertiserId)
        .where('application_id', '=', applicationId)
        .execute()
      return {
        ...foundOf(row, ''),
        files: inOrder(stored),
        screenJson: row.screen_json,
        erasure:
          row.due_at === null || row.reason === null ? null : { dueAt: row.due_at, reason: row.reason },
      }
    },

    adChoices: (advertiserId, limit) =>
      reader
        .selectFrom('job_ads')
        .select(['id', 'title', 'reference'])
        .where('advertiser_id', '=', advertiserId)
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
  }
}

const ofApplication = applicationColumns.map(column => `application.${column}` as const)

function applicationsOf(db: Kysely<Schema>, advertiserId: number) {
  return db
    .selectFrom('applications as application')
    .leftJoin('job_ads as ad', join =>
      join
        .onRef('ad.advertiser_id', '=', 'application.advertiser_id')
        .onRef('ad.id', '=', 'application.job_ad_id'),
    )
    .select(ofApplication)
    .select('ad.title as ad_title')
    .where('application.advertiser_id', '=', advertiserId)
}

function inOrder<T extends { type: StoredFile['type'] }>(files: readonly T[]): T[] {
  return fileTypes.flatMap(type => files.filter(file => file.type === type))
}

function foundOf(
  row: Selectable<Schema['applications']> & { ad_title: string | null },
  files: string,
): FoundApplication {
  const parsed = files
    .split(',')
    .filter(text => text !== '')
    .map(text => {
      const [type, scan] = text.split(':') as [StoredFile['type'], StoredFile['scan']]
      return { type, scan }
    })
  return {
    id: row.id,
    submittedAt: row.submitted_at,
    contact: { email: row.email, firstName: row.first_name, lastName: row.last_name, phone: row.phone },
    jobAd:
      row.job_ad_id === null || row.ad_title === null ? null : { id: row.job_ad_id, title: row.ad_title },
    jobReference: row.job_reference,
    isQuestionnairePassed: row.screen_successful === null ? null : row.screen_successful === 1,
    hasVirus: row.has_virus === 1,
    files: inOrder(parsed),
    primaryJobSeekingInfo: primaryInfoOf(row),
    erasedAt: row.erased_at,
    status: row.status,
  }
}
