import { type Kysely, type Selectable, sql } from 'kysely'
import type { StoredFile } from '../../model/application.ts'
import { inFileOrder } from '../../model/application.ts'
import { screenIn } from '../../model/v1/stored-screen.ts'
import { mailboxOf, storedSpellings } from '../../platform/core/email.ts'
import { searchForm } from '../../platform/core/search-form.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { ofSeenAd, seenAdColumns, seenAdOf } from '../../schema/ad-version-columns.ts'
import { applicationColumns } from '../../schema/columns.ts'
import { primaryInfoOf } from '../../schema/primary-info.ts'
import {
  onPrivacyNoticeVersion,
  privacyNoticeColumns,
  privacyNoticeOf,
} from '../../schema/privacy-notice-columns.ts'
import { sameApplication } from '../../schema/same-application.ts'
import { scanOf } from '../../schema/scan-columns.ts'
import {
  countedIds,
  countUnanswered,
  findIds,
  padded,
  type SearchRequest,
} from './find-applications-store.ts'
import type { AdChoice, ApplicationDetail, FoundApplication, RelatedApplication } from './results.ts'

export type ApplicationSearchStore = ReturnType<typeof createApplicationSearchStore>

/** Searches the applications of an advertiser. */
export function createApplicationSearchStore({ reader }: Database) {
  const files = (db: Kysely<Schema>) =>
    db
      .selectFrom('application_files as file')
      .select(sql<string>`string_agg(file.type || ':' || ${scanOf('file')}, ',')`.as('files'))
      .whereRef('file.advertiser_id', '=', 'application.advertiser_id' as 'file.advertiser_id')
      .whereRef('file.application_id', '=', 'application.id' as 'file.application_id')

  /** The newest applications of each term, each read from the index alone. */
  const newestOf = (advertiserId: number, terms: readonly string[], limit: number) => {
    const [first, ...others] = terms.map(term =>
      reader
        .selectFrom(
          reader
            .selectFrom('application_terms')
            .select('application_id as id')
            .where('advertiser_id', '=', advertiserId)
            .where('term', '=', term)
            .orderBy('application_id', 'desc')
            .limit(limit)
            .as('newest'),
        )
        .select('id'),
    )
    return others.reduce((all, each) => all?.unionAll(each), first)?.execute() ?? []
  }

  return {
    /** The first `limit` matches within the bounds, from the newest or, with `oldestFirst`, from the oldest. */
    async page(advertiserId: number, request: SearchRequest): Promise<FoundApplication[]> {
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

    /** The IDs of the newest matches, up to `limit`; undefined if so many terms match that counting would be slow. */
    newestIds: (
      advertiserId: number,
      request: Pick<SearchRequest, 'traits' | 'bounds' | 'limit'>,
    ): Promise<number[] | undefined> => countedIds(reader, advertiserId, request),

    countUnanswered: (
      advertiserId: number,
      request: Pick<SearchRequest, 'bounds' | 'limit'>,
    ): Promise<number> => countUnanswered(reader, advertiserId, request),

    /** Applications from the same account or with the same email address, newest first; omits erased ones. */
    async related(
      advertiserId: number,
      { id, email }: { id: number; email: string },
      limit: number,
    ): Promise<RelatedApplication[]> {
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
        // The term may also match a reference, and has no accents, so compare the address below.
        newestOf(advertiserId, [...new Set(storedSpellings(mailboxOf(email)).map(searchForm))], limit + 1),
      ])
      const own = new Set(ofAccount.map(row => row.id))
      const ids = [...own, ...withTerm.map(row => row.id)].filter(other => other !== id)
      if (ids.length === 0) return []
      const rows = await applicationsOf(reader, advertiserId)
        .where('application.id', 'in', padded(ids))
        .where('application.erased_at', 'is', null)
        .execute()
      return rows
        .filter(row => own.has(row.id) || mailboxOf(row.email) === mailboxOf(email))
        .sort((a, b) => b.id - a.id)
        .slice(0, limit)
        .map(row => foundOf(row, ''))
    },

    async find(advertiserId: number, applicationId: number): Promise<ApplicationDetail | undefined> {
      const row = await applicationsOf(reader, advertiserId)
        .leftJoin('erasures as erasure', join => sameApplication(join, 'erasure', 'application'))
        .leftJoin('application_screens as screen', join => sameApplication(join, 'screen', 'application'))
        .leftJoin('privacy_notices as notice', join => onPrivacyNoticeVersion(join))
        .leftJoin('kept_applications as kept', join => sameApplication(join, 'kept', 'application'))
        .select('kept.until as keptUntil')
        .select(['erasure.due_at', 'erasure.reason', 'screen.json', 'screen.details'])
        .select(privacyNoticeColumns)
        .leftJoin('ad_versions as seen', join => ofSeenAd(join))
        .select(seenAdColumns)
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
        files: inFileOrder(stored),
        answered: row.json === null ? undefined : screenIn({ json: row.json, details: row.details }),
        privacyNotice: privacyNoticeOf(row),
        keptUntil: row.keptUntil,
        seenAd: seenAdOf(row),
        erasure:
          row.due_at === null || row.reason === null ? null : { dueAt: row.due_at, reason: row.reason },
      }
    },

    /** Newest first. */
    adChoices: (advertiserId: number, limit: number): Promise<AdChoice[]> =>
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
    .select(stageOf(db).as('stage'))
    .where('application.advertiser_id', '=', advertiserId)
}

/** The stage of the latest change of status: a change in the console ends the previous stage. */
function stageOf(db: Kysely<Schema>) {
  return db
    .selectFrom('application_history as entry')
    .select('entry.label')
    .whereRef('entry.advertiser_id', '=', 'application.advertiser_id' as 'entry.advertiser_id')
    .whereRef('entry.application_id', '=', 'application.id' as 'entry.application_id')
    .where('entry.kind', '=', sql.lit('status'))
    .orderBy('entry.position', 'desc')
    .limit(1)
}

function foundOf(
  row: Pick<Selectable<Schema['applications']>, (typeof applicationColumns)[number]> & {
    ad_title: string | null
    stage: string | null
  },
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
    files: inFileOrder(parsed),
    primaryJobSeekingInfo: primaryInfoOf(row),
    erasedAt: row.erased_at,
    status: row.status,
    stage: row.stage,
  }
}
