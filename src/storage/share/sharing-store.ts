import { type Kysely, type RawBuilder, sql } from 'kysely'
import { bitsOf, includes } from '../../model/categories.ts'
import type { ProfileToken } from '../../model/principal.ts'
import type { NewPrefill, PrefilledApplication, SharingStore } from '../../share/prefill/ports.ts'
import { compileOnce, prepareQuery } from '../database/prepared-query.ts'
import { scanOf } from '../database/scan-columns.ts'
import type { Database, Schema } from '../database/tables.ts'
import { integer, text } from '../database/typed-values.ts'
import { completePrefill } from './complete-prefill.ts'
import { firstDisclosure, queueIfFirst } from './first-disclosure.ts'

export function createSharingStore(database: Database): SharingStore {
  const { writer, reader, dialect, step } = database
  const findReleased = prepareFindReleased(reader)
  const findChosen = prepareFindChosen(reader)
  const recordPrefill = step === undefined ? prefillInOneStatement(writer) : prefillInStep(writer, step)

  return {
    recordPrefill,

    async isActiveAdvertiser(advertiserId) {
      const row = await reader
        .selectFrom('advertisers')
        .select('id')
        .where('id', '=', advertiserId)
        .where('status', '=', 'active')
        .executeTakeFirst()
      return row !== undefined
    },

    findChosenResume: (grantId, candidateId) => findChosen({ grantId, candidateId }),

    findReleasedResume: (grantId, releasedId) => findReleased({ grantId, releasedId }),

    async recordDownload(token, disclosureId, now) {
      const result = await writer
        .insertInto('disclosures')
        .columns(disclosureColumns)
        .expression(
          validToken(writer, token.hash, now)
            .where(releasesResume('token.released'))
            .$if(dialect === 'postgres', query => query.forShare(['token']))
            .select(eb => [
              ...disclosureValues({ ...token, now, disclosureId }, 'resume', resumeBit),
              eb.ref('token.advertiser_id').as('advertiser_id'),
            ]),
        )
        .executeTakeFirst()
      return result.numInsertedOrUpdatedRows === 1n
    },

    complete: (clientId, applicationId, completedAt, now) =>
      completePrefill(database, clientId, applicationId, completedAt, now),
  }
}

const fileColumns = [
  'resume.id',
  'resume.file_name as fileName',
  'resume.content_type as contentType',
  'resume.blob',
  'resume.sha256',
  'resume.size',
  'resume.uploaded_at as uploadedAt',
] as const

function prepareFindChosen(reader: Kysely<Schema>) {
  return prepareQuery(reader, ({ grantId, candidateId }: { grantId: string; candidateId: string }) =>
    reader
      .selectFrom('grants as consent')
      .innerJoin('resumes as resume', 'resume.candidate_id', 'consent.candidate_id')
      .select(fileColumns)
      .select(scanOf('resume').as('scan'))
      .where('consent.id', '=', grantId)
      .where('consent.candidate_id', '=', candidateId)
      .where(
        sql<boolean>`case when consent.resume_id is null then resume.is_default = 1
          else resume.id = consent.resume_id end`,
      ),
  )
}

/** Read again when the resume is released: the candidate may just have chosen another one. */
const isChosen = ({ grantId, resumeId }: PrefillValues) =>
  sql<boolean>`exists (select 1 from grants
    where id = ${text(grantId)} and coalesce(resume_id, ${text(resumeId)}) = ${text(resumeId)})`

function prepareFindReleased(reader: Kysely<Schema>) {
  return prepareQuery(reader, ({ grantId, releasedId }: { grantId: string; releasedId: string }) =>
    reader
      .selectFrom('released_resumes as released')
      .innerJoin('grants as consent', 'consent.id', 'released.grant_id')
      .innerJoin('resumes as resume', 'resume.id', 'released.resume_id')
      .select(fileColumns)
      .select(scanOf('resume').as('scan'))
      .where('released.id', '=', releasedId)
      .where('released.grant_id', '=', grantId)
      // Choosing another resume takes this one back.
      .where(sql<boolean>`coalesce(consent.resume_id, resume.id) = resume.id`),
  )
}

const resumeBit = sql<number>`${sql.lit(bitsOf(['resume']))}`
const releasesResume = (released: string) => sql<boolean>`${sql.ref(released)} & ${resumeBit} <> 0`

/**
 * Selects a valid token. On PostgreSQL the row is locked: a transaction that withdraws or narrows the consent waits
 * for the disclosure being recorded, and a later disclosure reads the changed token.
 */
function validToken(db: Kysely<Schema>, hash: string, now: number) {
  return db
    .selectFrom('oauth_tokens as token')
    .where('token.hash', '=', hash)
    .where('token.revoked_at', 'is', null)
    .where('token.expires_at', '>', now)
}

const disclosureColumns = [
  'id',
  'candidate_id',
  'grant_id',
  'client_id',
  'kind',
  'categories',
  'disclosed_at',
  'advertiser_id',
] as const

type Discloser = Pick<PrefillValues, 'candidateId' | 'grantId' | 'clientId' | 'now' | 'disclosureId'>

function disclosureValues(
  { disclosureId, candidateId, grantId, clientId, now }: Discloser,
  kind: 'prefill' | 'resume',
  categories: RawBuilder<number>,
) {
  return [
    text(disclosureId).as('id'),
    text(candidateId).as('candidate_id'),
    text(grantId).as('grant_id'),
    text(clientId).as('client_id'),
    sql<'prefill' | 'resume'>`cast(${sql.lit(kind)} as text)`.as('kind'),
    categories.as('categories'),
    integer(now).as('disclosed_at'),
  ] as const
}

/** Everything that a prefill writes, flat. */
type PrefillValues = ReturnType<typeof valuesOf>

function valuesOf(token: ProfileToken, prefill: NewPrefill, now: number) {
  const { advertiserId, applicationFormUrl, ...position } = prefill.request
  return {
    ...firstDisclosure(token, advertiserId, now),
    tokenHash: token.hash,
    grantId: token.grantId,
    id: prefill.id,
    retryKey: prefill.retryKey,
    advertiserId,
    formUrl: applicationFormUrl,
    ...position,
    // No resume has an empty ID, so nothing is released.
    resumeId: prefill.resume?.resumeId ?? '',
    releasedId: prefill.resume?.releasedId ?? '',
    disclosureId: prefill.disclosure.id,
    filled: prefill.disclosure.filled,
  }
}

/** Selects token and advertiser. Nothing is recorded unless the token is valid and the advertiser active. */
function tokenAndAdvertiser(db: Kysely<Schema>, { tokenHash, now, advertiserId }: PrefillValues) {
  return validToken(db, tokenHash, now)
    .innerJoin('advertisers as advertiser', join =>
      join.on('advertiser.id', '=', advertiserId).on('advertiser.status', '=', sql.lit('active')),
    )
    .select(['advertiser.id as advertiser_id', 'token.released'])
}

function applicationValues(values: PrefillValues) {
  return {
    id: text(values.id),
    retry_key: text(values.retryKey),
    client_id: text(values.clientId),
    grant_id: text(values.grantId),
    candidate_id: text(values.candidateId),
    advertiser_id: integer(values.advertiserId),
    form_url: text(values.formUrl),
    position_title: text(values.positionTitle),
    position_uri: text(values.positionUri),
    position_reference: text(values.positionReference),
    country_code: text(values.countryCode),
    postal_code: text(values.postalCode),
    created_at: integer(values.now),
    updated_at: integer(values.now),
  }
}

/** A retry keeps the ID and the first date; `updated` always grows, even if the clock stands still or goes back. */
const onRetry = {
  position_title: sql<string | null>`excluded.position_title`,
  position_uri: sql<string | null>`excluded.position_uri`,
  position_reference: sql<string | null>`excluded.position_reference`,
  country_code: sql<string | null>`excluded.country_code`,
  postal_code: sql<string | null>`excluded.postal_code`,
  updated_at: sql<number>`case when excluded.updated_at > prefilled_applications.updated_at
    then excluded.updated_at else prefilled_applications.updated_at + 1 end`,
}

/** One identifier per grant and file; the first is kept, and deleted with the file. */
function alreadyReleased(db: Kysely<Schema>, values: PrefillValues) {
  const { grantId, resumeId } = values
  return db
    .selectFrom('released_resumes')
    .select('id')
    .where('grant_id', '=', grantId)
    .where('resume_id', '=', resumeId)
    .where(isChosen(values))
}

/** When two concurrent prefills release a resume, the second takes the identifier of the first. */
const firstReleaseStays = { created_at: sql<number>`released_resumes.created_at` }

function releasedResume({ releasedId, grantId, now }: PrefillValues) {
  return [
    text(releasedId).as('id'),
    text(grantId).as('grant_id'),
    sql.ref<string>('resume.id').as('resume_id'),
    integer(now).as('created_at'),
  ] as const
}

type RecordPrefill = SharingStore['recordPrefill']

/** SQLite: the step holds the only write lock. */
function prefillInStep(writer: Kysely<Schema>, step: NonNullable<Database['step']>): RecordPrefill {
  const findValid = compileOnce((values: PrefillValues) => tokenAndAdvertiser(writer, values))
  const upsertApplication = compileOnce((values: PrefillValues) =>
    writer
      .insertInto('prefilled_applications')
      .values(applicationValues(values))
      .onConflict(conflict => conflict.column('retry_key').doUpdateSet(onRetry))
      .returning(['id', 'created_at as createdAt', 'updated_at as updatedAt']),
  )
  const findReleased = compileOnce((values: PrefillValues) => alreadyReleased(writer, values))
  const release = compileOnce((values: PrefillValues) =>
    writer
      .insertInto('released_resumes')
      .columns(['id', 'grant_id', 'resume_id', 'created_at'])
      .expression(
        writer
          .selectFrom('resumes as resume')
          .where('resume.id', '=', values.resumeId)
          .where('resume.candidate_id', '=', values.candidateId)
          .where(isChosen(values))
          .select(releasedResume(values)),
      )
      .returning('id'),
  )
  const disclose = compileOnce((values: PrefillValues & { categories: number }) =>
    writer
      .insertInto('disclosures')
      .columns(disclosureColumns)
      .expression(
        writer.selectNoFrom([
          ...disclosureValues(values, 'prefill', integer(values.categories)),
          integer(values.advertiserId).as('advertiser_id'),
        ]),
      ),
  )
  const announce = compileOnce((values: PrefillValues) => queueIfFirst(writer, values, sql`true`))
  return (token, prefill, now) =>
    step(run => {
      const values = valuesOf(token, prefill, now)
      const [found] = run(findValid(values)).rows
      if (found === undefined) return undefined
      const { released } = found
      const [application] = run(upsertApplication(values)).rows
      const resume =
        prefill.resume !== null && includes(released, 'resume')
          ? (run(findReleased(values)).rows[0] ?? run(release(values)).rows[0])
          : undefined
      const withResume = resume === undefined ? values.filled : values.filled | bitsOf(['resume'])
      run(announce(values))
      run(disclose({ ...values, categories: released & withResume }))
      return application && { ...application, released, releasedResumeId: resume?.id ?? null }
    })
}

/**
 * PostgreSQL: one statement, so one round trip and one commit. A transaction would need six round trips, each of which
 * costs our process and the server about 100 µs of CPU time (decision 036).
 *
 * Nothing is disclosed after a withdrawal. `valid` takes a share lock on the token, and every transaction that
 * withdraws or narrows a consent updates that row. So either that transaction commits first and `valid`, which rechecks
 * the row after the wait, returns the changed token or none; or it waits until the disclosure is committed.
 *
 * A resume has one identifier per grant. If another prefill commits one after this statement's snapshot, `known` does
 * not see it, but the insert in `made` conflicts with it and returns it. A resume deleted meanwhile is not released:
 * the key share lock makes the deletion wait, or finds the row gone.
 *
 * A retry updates its application: the unique index on `retry_key` decides, even in a race. So does the primary key of
 * `deliveries` between two first disclosures, neither of which sees the other.
 */
function prefillInOneStatement(writer: Kysely<Schema>): RecordPrefill {
  const record = prepareQuery<PrefillValues, PrefilledApplication>(writer, values => {
    const row = applicationValues(values)
    const columns = Object.keys(row) as (keyof typeof row)[]
    const disclosed = sql<number>`valid.released & (${integer(values.filled)}
      | case when exists (select 1 from released) then ${resumeBit} else 0 end)`
    return writer
      .with('valid', db => tokenAndAdvertiser(db as unknown as Kysely<Schema>, values).forShare(['token']))
      .with('application', db =>
        db
          .insertInto('prefilled_applications')
          .columns(columns)
          .expression(db.selectFrom('valid').select(columns.map(column => sql`${row[column]}`.as(column))))
          .onConflict(conflict => conflict.column('retry_key').doUpdateSet(onRetry))
          .returning(['id', 'created_at', 'updated_at', 'advertiser_id']),
      )
      .with('known', db =>
        alreadyReleased(db as unknown as Kysely<Schema>, values).where(
          sql<boolean>`exists (select 1 from valid where ${releasesResume('valid.released')})`,
        ),
      )
      .with('made', db =>
        db
          .insertInto('released_resumes')
          .columns(['id', 'grant_id', 'resume_id', 'created_at'])
          .expression(
            db
              .selectFrom('resumes as resume')
              .innerJoin('valid', join => join.onTrue())
              .where(releasesResume('valid.released'))
              .where('resume.id', '=', values.resumeId)
              .where('resume.candidate_id', '=', values.candidateId)
              .where(isChosen(values))
              .where(({ not, exists, selectFrom }) => not(exists(selectFrom('known').select('known.id'))))
              .select(releasedResume(values))
              .forKeyShare(['resume']),
          )
          .onConflict(conflict => conflict.columns(['grant_id', 'resume_id']).doUpdateSet(firstReleaseStays))
          .returning('id'),
      )
      .with('released', db =>
        db.selectFrom('known').select('id').unionAll(db.selectFrom('made').select('id')),
      )
      .with('disclosed', db =>
        db
          .insertInto('disclosures')
          .columns(disclosureColumns)
          .expression(
            db
              .selectFrom(['application', 'valid'])
              .select([...disclosureValues(values, 'prefill', disclosed), 'application.advertiser_id']),
          ),
      )
      .with('announced', db =>
        queueIfFirst(db as unknown as Kysely<Schema>, values, sql`exists (select 1 from application)`),
      )
      .selectFrom(['application', 'valid'])
      .leftJoin('released', join => join.onTrue())
      .select([
        'application.id',
        'application.created_at as createdAt',
        'application.updated_at as updatedAt',
        'valid.released',
        'released.id as releasedResumeId',
      ])
  })
  return (token, prefill, now) => record(valuesOf(token, prefill, now))
}
