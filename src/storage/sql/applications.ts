import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { ApplicationStore, NewApplication, Page, PageRequest } from '../../applications/ports.ts'
import {
  type ApplicationView,
  type Format,
  pieceSeparator,
  renderPiece,
} from '../../applications/rendering.ts'
import type { PrimaryJobSeekingInfo } from '../../applications/rules.ts'
import { sha256OfNothing } from '../../core/hashing.ts'
import { Problem } from '../../core/problems.ts'
import { prepareQuery } from '../prepared-query.ts'
import type { Database, Dialect, Schema } from '../schema.ts'

const formats: readonly Format[] = ['json', 'xml']

export function createApplicationStore({ writer, reader, dialect }: Database): ApplicationStore {
  return {
    add: (advertiserId, application, now) =>
      writer.transaction().execute(async trx => {
        // Updating the ledger row locks it until the commit, and the ID is drawn after that. So within one
        // advertiser whoever draws a higher ID also commits later: no reader can be overtaken from behind.
        const ledger = await trx
          .updateTable('advertiser_ledger')
          .set(eb => ({
            last_submitted_at: sql<number>`case when last_submitted_at > ${now} then last_submitted_at else ${now} end`,
            version: eb('version', '+', 1),
          }))
          .where('advertiser_id', '=', advertiserId)
          .returning('last_submitted_at')
          .executeTakeFirst()
        if (ledger === undefined) throw new Problem('not-found', 'There is no such advertiser.')
        const id = await nextApplicationId(trx, dialect)
        const view: ApplicationView = {
          id,
          submittedAt: ledger.last_submitted_at,
          contact: application.contact,
          jobSeekerId: application.jobSeekerId,
          jobReference: application.jobReference ?? null,
          files: application.files,
          primaryJobSeekingInfo: application.primaryJobSeekingInfo ?? null,
          screen: application.screen ?? null,
        }
        await insertApplication(trx, advertiserId, view)
        await insertParts(trx, advertiserId, id, application)
        await trx
          .insertInto('application_pieces')
          .values(
            formats.map(format => ({ advertiser_id: advertiserId, format, id, ...pieceOf(format, view) })),
          )
          .execute()
        return { id, submittedAt: view.submittedAt }
      }),

    async resolveBounds(advertiserId, { afterDate, beforeDate }) {
      const own = reader
        .selectFrom('applications')
        .select('id')
        .where('advertiser_id', '=', advertiserId)
        .limit(1)
      const lastUpTo = (date: number) =>
        own.where('submitted_at', '<=', date).orderBy('submitted_at', 'desc').orderBy('id', 'desc')
      const firstFrom = (date: number) =>
        own.where('submitted_at', '>=', date).orderBy('submitted_at').orderBy('id')
      // One statement, and so one moment: what arrives a moment later lies beyond `newest`.
      const row = await reader
        .selectNoFrom([
          own.orderBy('id', 'desc').as('newest'),
          afterDate === undefined ? sql<null>`null`.as('after') : lastUpTo(afterDate).as('after'),
          beforeDate === undefined ? sql<null>`null`.as('before') : firstFrom(beforeDate).as('before'),
        ])
        .executeTakeFirstOrThrow()
      return { after: row.after ?? 0, before: row.before ?? (row.newest ?? 0) + 1 }
    },

    page: pageReader(reader, dialect),

    file: (advertiserId, applicationId, type) =>
      reader
        .selectFrom('application_files')
        .select(['type', 'file_name as fileName', 'content_type as contentType', 'sha256', 'size', 'scan'])
        .select(['uploaded_at as uploadedAt', 'changed_at as changedAt'])
        .where('advertiser_id', '=', advertiserId)
        .where('application_id', '=', applicationId)
        .where('type', '=', type)
        .executeTakeFirst(),

    async screen(advertiserId, applicationId, format) {
      const row = await reader
        .selectFrom('application_screens')
        .select(`${format} as text`)
        .where('advertiser_id', '=', advertiserId)
        .where('application_id', '=', applicationId)
        .executeTakeFirst()
      return row?.text
    },

    recordVerdict: (advertiserId, applicationId, type, verdict, at) =>
      writer.transaction().execute(async trx => {
        // What is not there, or was found infected, is left alone: the content of an infected file is gone.
        const judgeable = await trx
          .selectFrom('application_files')
          .select('type')
          .where('advertiser_id', '=', advertiserId)
          .where('application_id', '=', applicationId)
          .where('type', '=', type)
          .where('scan', '!=', 'infected')
          .executeTakeFirst()
        if (judgeable === undefined) return false
        // The ledger first, as in add: whoever changes what a list shows holds the advertiser's lock.
        await trx
          .updateTable('advertiser_ledger')
          .set(eb => ({ version: eb('version', '+', 1) }))
          .where('advertiser_id', '=', advertiserId)
          .execute()
        const changed = await trx
          .updateTable('application_files')
          // An infected file shows what its download returns: nothing.
          .set({
            scan: verdict,
            changed_at: at,
            ...(verdict === 'infected' ? { sha256: sha256OfNothing, size: 0 } : {}),
          })
          .where('advertiser_id', '=', advertiserId)
          .where('application_id', '=', applicationId)
          .where('type', '=', type)
          .where('scan', '!=', 'infected')
          .executeTakeFirst()
        if (changed.numUpdatedRows === 0n) return false
        await renderAgain(trx, advertiserId, applicationId)
        return true
      }),
  }
}

async function nextApplicationId(trx: Transaction<Schema>, dialect: Dialect): Promise<number> {
  const query =
    dialect === 'postgres'
      ? sql<{ id: number }>`select nextval('application_ids') as id`
      : sql<{
          id: number
        }>`update counters set value = value + 1 where name = 'application_ids' returning value as id`
  const { rows } = await query.execute(trx)
  return (rows[0] as { id: number }).id
}

async function insertApplication(
  trx: Transaction<Schema>,
  advertiserId: number,
  view: ApplicationView,
): Promise<void> {
  const info = view.primaryJobSeekingInfo
  await trx
    .insertInto('applications')
    .values({
      advertiser_id: advertiserId,
      id: view.id,
      submitted_at: view.submittedAt,
      job_seeker_id: view.jobSeekerId,
      email: view.contact.email,
      first_name: view.contact.firstName,
      last_name: view.contact.lastName,
      phone: view.contact.phone,
      job_reference: view.jobReference,
      job_title: info?.jobTitle ?? null,
      company_name: info?.companyName ?? null,
      time_in_role_months: info?.timeInRoleMonths ?? null,
      is_new_to_work_force: info === null ? null : Number(info.isNewToWorkForce),
    })
    .execute()
}

async function insertParts(
  trx: Transaction<Schema>,
  advertiserId: number,
  applicationId: number,
  { files, screen }: NewApplication,
): Promise<void> {
  const owner = { advertiser_id: advertiserId, application_id: applicationId }
  if (files.length > 0) {
    await trx
      .insertInto('application_files')
      .values(
        files.map(file => ({
          ...owner,
          type: file.type,
          file_name: file.fileName,
          content_type: file.contentType,
          sha256: file.sha256,
          size: file.size,
          scan: file.scan,
          uploaded_at: file.uploadedAt,
          changed_at: file.uploadedAt,
        })),
      )
      .execute()
  }
  if (screen !== undefined) {
    const { json, xml, sha256, size, successful } = screen
    await trx
      .insertInto('application_screens')
      .values({ ...owner, json, xml, sha256, size, successful: Number(successful) })
      .execute()
  }
}

function pieceOf(format: Format, view: ApplicationView) {
  const { body, primaryInfo } = renderPiece(format, view)
  return { body, primary_info: primaryInfo }
}

async function renderAgain(
  trx: Transaction<Schema>,
  advertiserId: number,
  applicationId: number,
): Promise<void> {
  const view = await readView(trx, advertiserId, applicationId)
  for (const format of formats) {
    await trx
      .updateTable('application_pieces')
      .set(pieceOf(format, view))
      .where('advertiser_id', '=', advertiserId)
      .where('format', '=', format)
      .where('id', '=', applicationId)
      .execute()
  }
}

async function readView(
  trx: Transaction<Schema>,
  advertiserId: number,
  applicationId: number,
): Promise<ApplicationView> {
  const row = await trx
    .selectFrom('applications')
    .selectAll()
    .where('advertiser_id', '=', advertiserId)
    .where('id', '=', applicationId)
    .executeTakeFirstOrThrow()
  const files = await trx
    .selectFrom('application_files')
    .select(['type', 'sha256', 'size', 'scan', 'uploaded_at as uploadedAt'])
    .where('advertiser_id', '=', advertiserId)
    .where('application_id', '=', applicationId)
    .execute()
  const screen = await trx
    .selectFrom('application_screens')
    .select(['sha256', 'size'])
    .where('advertiser_id', '=', advertiserId)
    .where('application_id', '=', applicationId)
    .executeTakeFirst()
  return {
    id: row.id,
    submittedAt: row.submitted_at,
    contact: { email: row.email, firstName: row.first_name, lastName: row.last_name, phone: row.phone },
    jobSeekerId: row.job_seeker_id,
    jobReference: row.job_reference,
    files,
    primaryJobSeekingInfo: primaryInfoOf(row),
    screen: screen ?? null,
  }
}

function primaryInfoOf(row: Schema['applications']): PrimaryJobSeekingInfo | null {
  if (row.is_new_to_work_force === null) return null
  return {
    ...(row.job_title === null ? {} : { jobTitle: row.job_title }),
    ...(row.company_name === null ? {} : { companyName: row.company_name }),
    ...(row.time_in_role_months === null ? {} : { timeInRoleMonths: row.time_in_role_months }),
    isNewToWorkForce: row.is_new_to_work_force === 1,
  }
}

/**
 * The bytes of the page are what is sent, so decoding them here only to encode them again would be waste.
 * SQLite hands them over as a blob. The driver for PostgreSQL knows text only, so there each byte is made one
 * character: such text is a copy to make bytes of, while encoding 100 kB of mixed scripts took 0.4 ms.
 */
function bytesAsLatin1(text: RawBuilder<unknown>) {
  return sql`convert_from(convert_to(${text}, 'UTF8'), 'LATIN1')`
}

interface PageValues {
  advertiserId: number
  after: number
  before: number
  limit: number
}

/**
 * One row per page: the database puts the pieces together, which is several times faster than carrying a
 * hundred rows over. The aggregate takes its rows in the order of the limited subquery; PostgreSQL documents
 * that, SQLite does it, and a property test watches both.
 */
function preparePage(db: Kysely<Schema>, dialect: Dialect, format: Format, includePrimaryInfo: boolean) {
  const joined = sql`string_agg(piece, ${sql.lit(pieceSeparator[format])})`
  const content = dialect === 'sqlite' ? sql`cast(${joined} as blob)` : bytesAsLatin1(joined)
  return prepareQuery(db, ({ advertiserId, after, before, limit }: PageValues) => {
    const wanted = db
      .selectFrom('application_pieces')
      .where('advertiser_id', '=', advertiserId)
      .where('format', '=', sql.lit(format))
      .where('id', '<', before)
    const pieces = wanted
      .select(['id', includePrimaryInfo ? sql<string>`body || primary_info`.as('piece') : 'body as piece'])
      .where('id', '>', after)
      .orderBy('id')
      // SQLite plans a statement anew whenever a bare parameter of its LIMIT is bound; a sum it leaves alone.
      .limit(dialect === 'sqlite' ? sql<number>`${limit} + 0` : limit)
    const page = db
      .selectFrom(pieces.as('pieces'))
      .select(eb => [
        content.$castTo<string | Uint8Array | null>().as('content'),
        eb.fn.countAll<number>().as('count'),
        eb.fn.max('id').as('lastId'),
      ])
    return db
      .selectFrom(page.as('page'))
      .select(['content', 'count', 'lastId'])
      .select(eb =>
        eb
          .exists(wanted.select(sql.lit(1).as('one')).whereRef('id', '>', eb.ref('page.lastId')))
          .as('hasMore'),
      )
  })
}

function pageReader(db: Kysely<Schema>, dialect: Dialect) {
  const prepare = (format: Format) => ({
    plain: preparePage(db, dialect, format, false),
    withPrimaryInfo: preparePage(db, dialect, format, true),
  })
  const queries = { json: prepare('json'), xml: prepare('xml') }

  return async (advertiserId: number, request: PageRequest): Promise<Page> => {
    const { format, includePrimaryInfo, after, before, limit } = request
    const query = queries[format][includePrimaryInfo ? 'withPrimaryInfo' : 'plain']
    const row = await query({ advertiserId, after, before, limit })
    const content = row?.content ?? ''
    return {
      content: typeof content === 'string' ? Buffer.from(content, 'latin1') : content,
      count: row?.count ?? 0,
      lastId: row?.lastId ?? 0,
      hasMore: Boolean(row?.hasMore),
    }
  }
}
