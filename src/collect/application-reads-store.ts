import { type Kysely, sql } from 'kysely'
import type { AnyFileType, StoredFile } from '../model/application.ts'
import type { Format } from '../model/v1/rendering.ts'
import type { EpochMs } from '../platform/core/clock.ts'
import { prepareQuery } from '../platform/database/prepared-query.ts'
import type { Database, Replica, Schema } from '../platform/database/tables.ts'
import { hasVersion } from '../schema/ledger-version.ts'
import { scanOf } from '../schema/scan-columns.ts'
import { type Page, type PageRequest, pageReader, replicaPageReader } from './application-page-store.ts'
import type { IdBounds } from './list-query.ts'

export interface FoundFile extends StoredFile {
  /**
   * 1 if a candidate sent it from here and no read of the application alone is on record. Reads stay on record while
   * documents may be replaced, so 0 is final.
   */
  isReplaceable: number
}

export interface DateBounds {
  afterDate?: EpochMs
  beforeDate?: EpochMs
}

/**
 * The reads of version 1, each in one statement. A read with a `version` may go to a replica that has that version of the
 * advertiser; without one, it goes to the primary.
 */
export interface ApplicationReads {
  /**
   * Turns dates into bounds on IDs, which works because dates never decrease with IDs, and limits them to the newest
   * application at this moment, in one statement.
   */
  resolveBounds(advertiserId: number, dates: DateBounds, version?: number): Promise<IdBounds>
  page(advertiserId: number, request: PageRequest, version?: number): Promise<Page>
  file(
    advertiserId: number,
    applicationId: number,
    type: AnyFileType,
    version?: number,
  ): Promise<FoundFile | undefined>
  screen(
    advertiserId: number,
    applicationId: number,
    format: Format,
    version?: number,
  ): Promise<string | undefined>
}

export function primaryReads(database: Pick<Database, 'reader' | 'readRows'>): ApplicationReads {
  const { reader: db } = database
  const findFile = prepareQuery(db, (file: FileKey) => fileQuery(db, file))
  return {
    resolveBounds: async (advertiserId, dates) =>
      boundsOf(await boundsQuery(db, advertiserId, dates).executeTakeFirstOrThrow()),
    page: pageReader(database),
    file: (advertiserId, applicationId, type) => findFile({ advertiserId, applicationId, type }),
    screen: async (advertiserId, applicationId, format) =>
      (await screenQuery(db, advertiserId, applicationId, format).executeTakeFirst())?.text,
  }
}

/** Undefined if the replica does not have this version of the advertiser, or not the requested data. */
export type ReplicaReads = {
  [Name in keyof ApplicationReads]: (
    ...asked: Required<Parameters<ApplicationReads[Name]>>
  ) => Promise<Awaited<ReturnType<ApplicationReads[Name]>> | undefined>
}

export function replicaReads(replica: Pick<Replica, 'db' | 'readRows'>): ReplicaReads {
  const { db } = replica
  return {
    async resolveBounds(advertiserId, dates, version) {
      const query = boundsQuery(db, advertiserId, dates).where(hasVersion(db, advertiserId, version))
      const row = await query.executeTakeFirst()
      return row && boundsOf(row)
    },
    page: replicaPageReader(replica),
    file: (advertiserId, applicationId, type, version) =>
      fileQuery(db, { advertiserId, applicationId, type })
        .where(hasVersion(db, advertiserId, version))
        .executeTakeFirst(),
    async screen(advertiserId, applicationId, format, version) {
      const query = screenQuery(db, advertiserId, applicationId, format)
      return (await query.where(hasVersion(db, advertiserId, version)).executeTakeFirst())?.text
    },
  }
}

function boundsQuery(db: Kysely<Schema>, advertiserId: number, { afterDate, beforeDate }: DateBounds) {
  const own = db.selectFrom('applications').select('id').where('advertiser_id', '=', advertiserId).limit(1)
  const lastUpTo = (date: number) =>
    own.where('submitted_at', '<=', date).orderBy('submitted_at', 'desc').orderBy('id', 'desc')
  const firstFrom = (date: number) =>
    own.where('submitted_at', '>=', date).orderBy('submitted_at').orderBy('id')
  // One statement sees one snapshot, so an application that arrives later is beyond `newest`.
  return db.selectNoFrom([
    own.orderBy('id', 'desc').as('newest'),
    afterDate === undefined ? sql<null>`null`.as('after') : lastUpTo(afterDate).as('after'),
    beforeDate === undefined ? sql<null>`null`.as('before') : firstFrom(beforeDate).as('before'),
  ])
}

function boundsOf(row: Record<'newest' | 'after' | 'before', number | null>): IdBounds {
  return { after: row.after ?? 0, before: row.before ?? (row.newest ?? 0) + 1 }
}

interface FileKey {
  advertiserId: number
  applicationId: number
  type: AnyFileType
}

function fileQuery(db: Kysely<Schema>, { advertiserId, applicationId, type }: FileKey) {
  return db
    .selectFrom('application_files')
    .select(['type', 'file_name as fileName', 'content_type as contentType', 'blob', 'sha256'])
    .select(['size', 'uploaded_at as uploadedAt', 'changed_at as changedAt'])
    .select(scanOf('application_files').as('scan'))
    .select(eb => {
      const sent = eb
        .selectFrom('own_applications')
        .select('candidate_id')
        .where('advertiser_id', '=', advertiserId)
        .where('application_id', '=', applicationId)
      const read = eb
        .selectFrom('application_reads')
        .select('day')
        .where('advertiser_id', '=', advertiserId)
        .where('application_id', '=', applicationId)
      return eb
        .case()
        .when(eb.and([eb.exists(sent), eb.not(eb.exists(read))]))
        .then(sql.lit(1))
        .else(sql.lit(0))
        .end()
        .as('isReplaceable')
    })
    .where('advertiser_id', '=', advertiserId)
    .where('application_id', '=', applicationId)
    .where('type', '=', type)
}

function screenQuery(db: Kysely<Schema>, advertiserId: number, applicationId: number, format: Format) {
  return db
    .selectFrom('application_screens')
    .select(`${format} as text`)
    .where('advertiser_id', '=', advertiserId)
    .where('application_id', '=', applicationId)
}

/** Reads from the replica first, and from the primary if the replica has no result. */
export function readsThrough(replica: Replica, primary: ApplicationReads): ApplicationReads {
  const there = replicaReads(replica)

  async function ask<T>(version: number | undefined, read: (version: number) => Promise<T | undefined>) {
    return version === undefined ? undefined : replica.ask(() => read(version))
  }

  return {
    async resolveBounds(advertiserId, dates, version) {
      const bounds = await ask(version, needed => there.resolveBounds(advertiserId, dates, needed))
      return bounds ?? primary.resolveBounds(advertiserId, dates)
    },

    async page(advertiserId, request, version) {
      const page = await ask(version, needed => there.page(advertiserId, request, needed))
      return page ?? primary.page(advertiserId, request)
    },

    async file(advertiserId, applicationId, type, version) {
      const file = await ask(version, needed => there.file(advertiserId, applicationId, type, needed))
      return file ?? primary.file(advertiserId, applicationId, type)
    },

    async screen(advertiserId, applicationId, format, version) {
      const text = await ask(version, needed => there.screen(advertiserId, applicationId, format, needed))
      return text ?? primary.screen(advertiserId, applicationId, format)
    },
  }
}
