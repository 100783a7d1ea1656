import { type Kysely, sql } from 'kysely'
import type { IdBounds } from '../../collect/list-query.ts'
import type { ApplicationStore, DateBounds } from '../../collect/ports.ts'
import type { FileType } from '../../model/application.ts'
import type { Format } from '../../model/v1/rendering.ts'
import { prepareQuery } from '../database/prepared-query.ts'
import { scanOf } from '../database/scan-columns.ts'
import type { Database, Replica, Schema } from '../database/tables.ts'
import { hasVersion } from '../postgres/replica-version.ts'
import { pageReader, replicaPageReader } from './application-page.ts'

/** The reads of version 1, each in one statement. */
export type ApplicationReads = Pick<ApplicationStore, 'resolveBounds' | 'page' | 'file' | 'screen'>

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
  type: FileType
}

function fileQuery(db: Kysely<Schema>, { advertiserId, applicationId, type }: FileKey) {
  return db
    .selectFrom('application_files')
    .select(['type', 'file_name as fileName', 'content_type as contentType', 'blob', 'sha256'])
    .select(['size', 'uploaded_at as uploadedAt', 'changed_at as changedAt'])
    .select(scanOf('application_files').as('scan'))
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
