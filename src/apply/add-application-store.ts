import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { versionSeen } from '../jobs/ad-version-store.ts'
import type { ApplicationFile } from '../model/application.ts'
import { detailOf, typeCode } from '../model/events.ts'
import type { ApplicationView } from '../model/v1/rendering.ts'
import type { RenderedScreen } from '../model/v1/screen-rendering.ts'
import type { EpochMs } from '../platform/core/clock.ts'
import { Problem } from '../platform/core/problems.ts'
import { prepareQuery, prepareStatement } from '../platform/database/prepared-query.ts'
import { drawnFrom } from '../platform/database/server-history.ts'
import type { Dialect, Schema } from '../platform/database/tables.ts'
import { scanColumns } from '../schema/scan-columns.ts'
import { type IdSource, nextId } from '../schema/writing/next-id.ts'
import { nextVersion } from '../schema/writing/next-version.ts'
import { noteEvent } from '../schema/writing/record-event.ts'
import { pieceOf } from '../schema/writing/render-again.ts'
import { searchTerms } from '../schema/writing/search-terms.ts'
import type { NewApplication } from './new-application.ts'

export interface Receipt {
  id: number
  submittedAt: EpochMs
}

/** Adds an application within a transaction, so that the caller can write its own record in the same one. */
export async function addApplication(
  trx: Transaction<Schema>,
  ids: IdSource,
  advertiserId: number,
  application: NewApplication,
  now: EpochMs,
  {
    submittedAt = now,
    event = 'application.created',
  }: {
    /** Earlier than `now` for an application from another system. The version always uses `now`: see next-version.ts. */
    submittedAt?: EpochMs | undefined
    event?: 'application.created' | 'application.imported'
  } = {},
): Promise<Receipt> {
  const { dialect, history } = ids
  const { jobAdId, shownAd } = application
  const adVersion =
    jobAdId === undefined || shownAd === undefined
      ? null
      : await versionSeen(trx, dialect, { advertiserId, jobAdId }, shownAd, now)
  const statements = statementsOf(trx, dialect)
  const server = await history?.known(trx)
  // Updating the ledger row locks it until the commit, and the ID is assigned under that lock. So within one
  // advertiser, a transaction with a higher ID also commits later, and a reader that has seen an ID never misses a
  // lower one.
  const ledger = await statements.moveLedger({ advertiserId, now, submittedAt }, trx)
  if (ledger === undefined) throw new Problem('not-found', 'The advertiser does not exist.')
  const drawn = ledger.id !== null && ledger.server === server ? ledger.id : undefined
  const id = await nextId(trx, ids, 'application_ids', drawn)
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
  const { files, screen } = application
  await statements.insertApplication(
    {
      ...rowOf(advertiserId, view),
      job_ad_id: application.jobAdId ?? null,
      screen_successful: screen === undefined ? null : Number(screen.successful),
      has_virus: Number(files.some(file => file.scan === 'infected')),
      privacy_version: application.privacyVersion ?? null,
      ad_version: adVersion,
    },
    trx,
  )
  for (const file of files)
    await statements.insertFile({ advertiserId, id, ...file, ...scanColumns(file.scan) }, trx)
  if (screen !== undefined)
    await statements.insertScreen({ advertiserId, id, ...screen, successful: Number(screen.successful) }, trx)
  const [json, xml] = [pieceOf('json', view), pieceOf('xml', view)]
  const terms = searchTerms(application.contact, view.jobReference)
  const detail = detailOf({
    jobReference: view.jobReference,
    jobAdId: application.jobAdId ?? null,
    hasUnscanned: files.some(({ scan }) => scan === 'unscanned'),
  })
  const derived: Derived = {
    advertiserId,
    id,
    json: json.body,
    jsonInfo: json.primary_info,
    xml: xml.body,
    xmlInfo: xml.primary_info,
    terms: dialect === 'postgres' ? terms : JSON.stringify(terms),
    jobAdId: application.jobAdId ?? 0,
    number: ledger.event_number,
    type: typeCode(event),
    detail,
  }
  for (const insert of statements.insertDerived) await insert(derived, trx)
  noteEvent(trx, event)
  return { id, submittedAt: view.submittedAt }
}

type ViewRow = Omit<
  Schema['applications'],
  'job_ad_id' | 'screen_successful' | 'has_virus' | 'erased_at' | 'status' | 'privacy_version' | 'ad_version'
>

function rowOf(advertiserId: number, view: ApplicationView): ViewRow {
  const info = view.primaryJobSeekingInfo
  return {
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
  }
}

interface NewRow extends ViewRow {
  job_ad_id: number | null
  screen_successful: number | null
  has_virus: number
  privacy_version: number | null
  ad_version: number | null
}

type Statements = ReturnType<typeof prepareStatements>
const prepared = new Map<Dialect, Statements>()

/**
 * Caches the statements, because building them took longer than running them. They are the same for every database of a
 * dialect.
 */
function statementsOf(db: Kysely<Schema>, dialect: Dialect): Statements {
  const statements = prepared.get(dialect) ?? prepareStatements(db, dialect)
  prepared.set(dialect, statements)
  return statements
}

/** The application that a row belongs to. */
interface Owner {
  advertiserId: number
  id: number
}

type FileRow = Omit<ApplicationFile, 'scan'> & ReturnType<typeof scanColumns>

interface LedgerMove {
  advertiserId: number
  now: EpochMs
  submittedAt: EpochMs
}

/** Rows derived from an application: its pieces, its search terms, its counts, its event. */
interface Derived extends Owner {
  json: string
  jsonInfo: string
  xml: string
  xmlInfo: string
  /** A list with one element per row: an array on PostgreSQL, JSON on SQLite. */
  terms: string | readonly string[]
  /** 0: no ad stored here. */
  jobAdId: number
  number: number
  type: number
  detail: string
}

function prepareStatements(db: Kysely<Schema>, dialect: Dialect) {
  // Assigned once the row is locked, without an extra round trip.
  const isPostgres = dialect === 'postgres'
  const drawnId = isPostgres ? sql<number | null>`nextval('application_ids')` : sql<null>`null`
  const server: RawBuilder<string | null> = isPostgres ? drawnFrom : sql<null>`null`
  return {
    insertFile: prepareStatement(db, (file: Owner & FileRow) =>
      db.insertInto('application_files').values({
        advertiser_id: file.advertiserId,
        application_id: file.id,
        type: file.type,
        file_name: file.fileName,
        content_type: file.contentType,
        blob: file.blob,
        sha256: file.sha256,
        size: file.size,
        scan: file.scan,
        not_judged: file.not_judged,
        uploaded_at: file.uploadedAt,
        changed_at: file.uploadedAt,
      }),
    ),

    insertScreen: prepareStatement(db, (screen: Owner & RenderedScreen & { successful: number }) =>
      db.insertInto('application_screens').values({
        advertiser_id: screen.advertiserId,
        application_id: screen.id,
        json: screen.json,
        xml: screen.xml,
        sha256: screen.sha256,
        size: screen.size,
        successful: screen.successful,
        details: screen.details,
      }),
    ),

    moveLedger: prepareQuery(db, ({ advertiserId, now, submittedAt }: LedgerMove) =>
      db
        .updateTable('advertiser_ledger')
        .set({
          last_submitted_at: sql<number>`case when last_submitted_at > ${submittedAt} then last_submitted_at else ${submittedAt} end`,
          version: nextVersion(now),
          event_number: nextVersion(now),
        })
        .where('advertiser_id', '=', advertiserId)
        .returning(['last_submitted_at', 'event_number'])
        .returning([drawnId.as('id'), server.as('server')]),
    ),

    insertApplication: prepareStatement(db, (row: NewRow) =>
      db.insertInto('applications').values({
        advertiser_id: row.advertiser_id,
        id: row.id,
        submitted_at: row.submitted_at,
        job_seeker_id: row.job_seeker_id,
        email: row.email,
        first_name: row.first_name,
        last_name: row.last_name,
        phone: row.phone,
        job_reference: row.job_reference,
        job_title: row.job_title,
        company_name: row.company_name,
        time_in_role_months: row.time_in_role_months,
        is_new_to_work_force: row.is_new_to_work_force,
        job_ad_id: row.job_ad_id,
        screen_successful: row.screen_successful,
        has_virus: row.has_virus,
        privacy_version: row.privacy_version,
        ad_version: row.ad_version,
        status: 'new',
      }),
    ),

    insertDerived: isPostgres
      ? [prepareStatement(db, (values: Derived) => inOneStatement(db, derivedRows(db, dialect, values)))]
      : ([0, 1, 2, 3] as const).map(index =>
          prepareStatement(db, (values: Derived) => derivedRows(db, dialect, values)[index]),
        ),
  }
}

/** On PostgreSQL, all of them take one round trip. The count is the last row that a transaction locks, here as elsewhere. */
function inOneStatement(db: Kysely<Schema>, [pieces, terms, event, count]: ReturnType<typeof derivedRows>) {
  return db
    .with('pieces', () => pieces)
    .with('terms', () => terms)
    .with('event', () => event)
    .with('count', () => count)
    .selectNoFrom(sql.lit(1).as('done'))
}

function derivedRows(db: Kysely<Schema>, dialect: Dialect, values: Derived) {
  const { advertiserId, id, terms } = values
  return [
    db.insertInto('application_pieces').values([
      { advertiser_id: advertiserId, format: 'json', id, body: values.json, primary_info: values.jsonInfo },
      { advertiser_id: advertiserId, format: 'xml', id, body: values.xml, primary_info: values.xmlInfo },
    ]),
    db
      .insertInto('application_terms')
      .columns(['advertiser_id', 'term', 'application_id'])
      .expression(
        dialect === 'postgres'
          ? sql`select ${advertiserId}::bigint, term, ${id}::bigint from unnest(${terms}::text[]) term`
          : sql`select ${advertiserId}, value, ${id} from json_each(${terms})`,
      ),
    db.insertInto('events').values({
      advertiser_id: advertiserId,
      number: values.number,
      type: values.type,
      application_id: id,
      detail: values.detail,
    }),
    db
      .insertInto('application_counts')
      .values({ advertiser_id: advertiserId, job_ad_id: values.jobAdId, status: 'new', applications: 1 })
      .onConflict(conflict =>
        conflict
          .columns(['advertiser_id', 'job_ad_id', 'status'])
          .doUpdateSet({ applications: sql`application_counts.applications + 1` }),
      ),
  ] as const
}
