import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { ProfileToken } from '../../core/principal.ts'
import type { NewPrefill, PrefilledApplication, SharingHistory, SharingStore } from '../../sharing/ports.ts'
import { prepareQuery } from '../prepared-query.ts'
import type { Database, Schema } from '../schema.ts'
import { integer, text } from '../typed-values.ts'

export function createSharingStore({ writer, reader, dialect }: Database): SharingStore {
  const findReleased = prepareFindReleased(reader)
  const recordPrefill = dialect === 'postgres' ? prefillInOneStatement(writer) : prefillInTransaction(writer)

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

    findReleasedResume: (grantId, releasedId) => findReleased({ grantId, releasedId }),

    async recordDownload(token, disclosure, now) {
      const result = await writer
        .insertInto('disclosures')
        .columns(disclosureColumns)
        .expression(
          livingToken(writer, token, now)
            .$if(dialect === 'postgres', query => query.forShare(['token']))
            .select(eb => [
              ...disclosureValues(token, disclosure, 'resume', now),
              eb.ref('token.advertiser_id').as('advertiser_id'),
            ]),
        )
        .executeTakeFirst()
      return result.numInsertedOrUpdatedRows === 1n
    },

    async complete(clientId, applicationId, completedAt) {
      const result = await writer
        .updateTable('prefilled_applications')
        .set(eb => ({ completed_at: eb.fn.coalesce('completed_at', eb.val(completedAt)) }))
        .where('id', '=', applicationId)
        .where('client_id', '=', clientId)
        .executeTakeFirst()
      return result.numUpdatedRows === 1n
    },
  }
}

function prepareFindReleased(reader: Kysely<Schema>) {
  return prepareQuery(reader, ({ grantId, releasedId }: { grantId: string; releasedId: string }) =>
    reader
      .selectFrom('released_resumes as released')
      .innerJoin('resumes as resume', 'resume.id', 'released.resume_id')
      .select([
        'resume.id',
        'resume.file_name as fileName',
        'resume.content_type as contentType',
        'resume.sha256',
        'resume.size',
        'resume.scan',
        'resume.uploaded_at as uploadedAt',
      ])
      .where('released.id', '=', releasedId)
      .where('released.grant_id', '=', grantId),
  )
}

/** On PostgreSQL it is locked: a withdrawal waits for what is being recorded, and nothing is recorded after it. */
function livingToken(db: Kysely<Schema>, token: ProfileToken, now: number) {
  return db
    .selectFrom('oauth_tokens as token')
    .where('token.hash', '=', token.hash)
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

function disclosureValues(
  token: ProfileToken,
  { id, categories }: { id: string; categories: number | RawBuilder<number> },
  kind: 'prefill' | 'resume',
  now: number,
) {
  return [
    text(id).as('id'),
    text(token.candidateId).as('candidate_id'),
    text(token.grantId).as('grant_id'),
    text(token.clientId).as('client_id'),
    sql<'prefill' | 'resume'>`cast(${kind} as text)`.as('kind'),
    (typeof categories === 'number' ? integer(categories) : categories).as('categories'),
    integer(now).as('disclosed_at'),
  ] as const
}

function prefilledRow(token: ProfileToken, { id, retryKey, request }: NewPrefill, now: number) {
  return {
    id,
    retry_key: retryKey,
    client_id: token.clientId,
    grant_id: token.grantId,
    candidate_id: token.candidateId,
    advertiser_id: request.advertiserId,
    form_url: request.applicationFormUrl,
    position_title: request.positionTitle,
    position_uri: request.positionUri,
    position_reference: request.positionReference,
    country_code: request.countryCode,
    postal_code: request.postalCode,
    created_at: now,
    updated_at: now,
  }
}

/** A retry keeps the id and the first date; `updated` always grows, also where the clock stood still or went back. */
const onRetry = {
  position_title: sql<string | null>`excluded.position_title`,
  position_uri: sql<string | null>`excluded.position_uri`,
  position_reference: sql<string | null>`excluded.position_reference`,
  country_code: sql<string | null>`excluded.country_code`,
  postal_code: sql<string | null>`excluded.postal_code`,
  updated_at: sql<number>`case when excluded.updated_at > prefilled_applications.updated_at
    then excluded.updated_at else prefilled_applications.updated_at + 1 end`,
}

type RecordPrefill = SharingStore['recordPrefill']

/** SQLite: the transaction has the only write lock from its first statement on. */
function prefillInTransaction(writer: Kysely<Schema>): RecordPrefill {
  return (token, prefill, now) =>
    writer.transaction().execute(async trx => {
      const standing = await livingToken(trx, token, now)
        .innerJoin('advertisers as advertiser', join =>
          join
            .on('advertiser.id', '=', prefill.request.advertiserId)
            .on('advertiser.status', '=', sql.lit('active')),
        )
        .select('token.hash')
        .executeTakeFirst()
      if (standing === undefined) return undefined
      const application = await trx
        .insertInto('prefilled_applications')
        .values(prefilledRow(token, prefill, now))
        .onConflict(conflict => conflict.column('retry_key').doUpdateSet(onRetry))
        .returning(['id', 'created_at as createdAt', 'updated_at as updatedAt'])
        .executeTakeFirstOrThrow()
      const released =
        prefill.resume === null
          ? undefined
          : await releaseResume(trx, token, prefill.resume, now).returning('id').executeTakeFirst()
      const { id, categories, withResume } = prefill.disclosure
      const disclosure = { id, categories: released === undefined ? categories : withResume }
      await trx
        .insertInto('disclosures')
        .columns(disclosureColumns)
        .expression(
          trx.selectNoFrom([
            ...disclosureValues(token, disclosure, 'prefill', now),
            integer(prefill.request.advertiserId).as('advertiser_id'),
          ]),
        )
        .execute()
      return { ...application, releasedResumeId: released?.id ?? null }
    })
}

/** One identifier per grant and file: the first stays. Nothing when the candidate has deleted the file meanwhile. */
function releaseResume(
  db: Kysely<Schema>,
  token: ProfileToken,
  { resumeId, releasedId }: NonNullable<NewPrefill['resume']>,
  now: number,
) {
  return db
    .insertInto('released_resumes')
    .columns(['id', 'grant_id', 'resume_id', 'created_at'])
    .expression(
      db
        .selectFrom('resumes as resume')
        .where('resume.id', '=', resumeId)
        .where('resume.candidate_id', '=', token.candidateId)
        .select([
          text(releasedId).as('id'),
          text(token.grantId).as('grant_id'),
          'resume.id as resume_id',
          integer(now).as('created_at'),
        ]),
    )
    .onConflict(conflict =>
      conflict
        .columns(['grant_id', 'resume_id'])
        .doUpdateSet({ created_at: sql<number>`released_resumes.created_at` }),
    )
}

/** PostgreSQL: one statement, and so one round trip and one commit. */
function prefillInOneStatement(writer: Kysely<Schema>): RecordPrefill {
  return async (token, prefill, now): Promise<PrefilledApplication | undefined> => {
    const { id, ...row } = prefilledRow(token, prefill, now)
    const columns = Object.keys(row) as (keyof typeof row)[]
    const typed = (column: keyof typeof row) => {
      const value = row[column]
      return typeof value === 'number' ? integer(value).as(column) : text(value).as(column)
    }
    const { resume } = prefill
    const { categories, withResume } = prefill.disclosure
    const disclosed = sql<number>`case when exists (select 1 from released)
      then ${integer(withResume)} else ${integer(categories)} end`
    return writer
      .with('standing', db =>
        livingToken(db as unknown as Kysely<Schema>, token, now)
          .innerJoin('advertisers as advertiser', join =>
            join
              .on('advertiser.id', '=', prefill.request.advertiserId)
              .on('advertiser.status', '=', sql.lit('active')),
          )
          .select('advertiser.id as advertiser_id')
          .forShare(['token']),
      )
      .with('application', db =>
        db
          .insertInto('prefilled_applications')
          .columns(['id', ...columns])
          .expression(db.selectFrom('standing').select([text(id).as('id'), ...columns.map(typed)]))
          .onConflict(conflict => conflict.column('retry_key').doUpdateSet(onRetry))
          .returning(['id', 'created_at', 'updated_at', 'advertiser_id']),
      )
      .with('released', db =>
        db
          .insertInto('released_resumes')
          .columns(['id', 'grant_id', 'resume_id', 'created_at'])
          .expression(
            db
              .selectFrom('resumes as resume')
              .innerJoin('standing', join => join.onTrue())
              .where('resume.id', '=', resume?.resumeId ?? '')
              .where('resume.candidate_id', '=', token.candidateId)
              .select([
                text(resume?.releasedId ?? '').as('id'),
                text(token.grantId).as('grant_id'),
                'resume.id as resume_id',
                integer(now).as('created_at'),
              ])
              .forKeyShare(['resume']),
          )
          .onConflict(conflict =>
            conflict
              .columns(['grant_id', 'resume_id'])
              .doUpdateSet({ created_at: sql<number>`released_resumes.created_at` }),
          )
          .returning('id'),
      )
      .with('disclosed', db =>
        db
          .insertInto('disclosures')
          .columns(disclosureColumns)
          .expression(
            db
              .selectFrom('application')
              .select([
                ...disclosureValues(token, { ...prefill.disclosure, categories: disclosed }, 'prefill', now),
                'application.advertiser_id',
              ]),
          ),
      )
      .selectFrom('application')
      .leftJoin('released', join => join.onTrue())
      .select([
        'application.id',
        'application.created_at as createdAt',
        'application.updated_at as updatedAt',
        'released.id as releasedResumeId',
      ])
      .executeTakeFirst()
  }
}

export function createSharingHistory({ reader }: Database): SharingHistory {
  return {
    disclosures(candidateId, limit, before) {
      const newest = reader
        .selectFrom('disclosures as disclosure')
        .innerJoin('oauth_clients as client', 'client.id', 'disclosure.client_id')
        .leftJoin('advertisers as advertiser', 'advertiser.id', 'disclosure.advertiser_id')
        .select([
          'disclosure.id',
          'disclosure.kind',
          'client.name as clientName',
          'advertiser.name as advertiserName',
          'disclosure.categories',
          'disclosure.disclosed_at as disclosedAt',
        ])
        .where('disclosure.candidate_id', '=', candidateId)
        .orderBy('disclosure.disclosed_at', 'desc')
        .orderBy('disclosure.id', 'desc')
        .limit(limit)
      if (before === undefined) return newest.execute()
      return newest
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('disclosure.disclosed_at', 'disclosure.id'), '<', tuple(before.at, before.id)),
        )
        .execute()
    },

    applications: (candidateId, limit) =>
      reader
        .selectFrom('prefilled_applications as application')
        .innerJoin('oauth_clients as client', 'client.id', 'application.client_id')
        .innerJoin('advertisers as advertiser', 'advertiser.id', 'application.advertiser_id')
        .select([
          'application.id',
          'client.name as clientName',
          'advertiser.name as advertiserName',
          'application.position_title as positionTitle',
          'application.created_at as createdAt',
          'application.completed_at as completedAt',
        ])
        .where('application.candidate_id', '=', candidateId)
        .orderBy('application.created_at', 'desc')
        .orderBy('application.id')
        .limit(limit)
        .execute(),
  }
}
