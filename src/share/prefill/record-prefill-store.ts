import { type Kysely, type RawBuilder, sql } from 'kysely'
import { bitsOf, includes } from '../../model/categories.ts'
import type { ProfileToken } from '../../model/principal.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { sha256Hex } from '../../platform/core/hashing.ts'
import { batchLookups } from '../../platform/database/batch-lookups.ts'
import { compileOnce, prepareStatement } from '../../platform/database/prepared-query.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { integer, text } from '../../platform/database/typed-values.ts'
import { mayApplyTo } from '../../schema/client-advertisers.ts'
import { deliveryOf } from '../../schema/writing/queue-notice.ts'
import type { PrefillRequest } from './prefill-request.ts'
import type { PrefilledApplication } from './prefill-response.ts'

/** A possible first disclosure to its client, and the email that notifies the candidate if it is one. */
interface FirstDisclosure {
  candidateId: string
  clientId: string
  now: EpochMs
  noticeId: string
  noticeContent: string
  noticeGiveUpAt: EpochMs
}

const firstDisclosureKind = 'first-disclosure'

/** The email's ID is derived from candidate and client, so only one of two concurrent first disclosures queues it. */
function firstDisclosure(
  { candidateId, clientId }: ProfileToken,
  advertiserId: number,
  now: EpochMs,
): FirstDisclosure {
  const id = sha256Hex(JSON.stringify([firstDisclosureKind, candidateId, clientId])).slice(0, 32)
  const { content, giveUpAt } = deliveryOf(
    { kind: firstDisclosureKind, candidateId, clientId, advertiserId },
    now,
    id,
  )
  return { candidateId, clientId, now, noticeId: id, noticeContent: content, noticeGiveUpAt: giveUpAt }
}

/**
 * Queues the email unless this client has received the candidate's data before. Run it before the disclosure is
 * recorded. Every first disclosure is a prefill: a resume is downloaded under an identifier that a prefill has
 * released.
 */
function queueIfFirst(db: Kysely<Schema>, values: FirstDisclosure, isDisclosed: RawBuilder<boolean>) {
  // With a limit of one, PostgreSQL reads a single disclosure of a grant.
  const disclosed = db
    .selectFrom('grants as consent')
    .select('consent.id')
    .where('consent.candidate_id', '=', values.candidateId)
    .where('consent.client_id', '=', values.clientId)
    .where(
      ({ selectFrom }) =>
        selectFrom('disclosures').select('disclosures.id').whereRef('grant_id', '=', 'consent.id').limit(1),
      'is not',
      null,
    )
  return db
    .insertInto('deliveries')
    .columns(['id', 'kind', 'content', 'state', 'due_at', 'give_up_at', 'created_at'])
    .expression(
      db
        .selectNoFrom([
          text(values.noticeId).as('id'),
          sql<string>`cast(${sql.lit(firstDisclosureKind)} as text)`.as('kind'),
          text(values.noticeContent).as('content'),
          sql<'waiting'>`cast('waiting' as text)`.as('state'),
          integer(values.now).as('due_at'),
          integer(values.noticeGiveUpAt).as('give_up_at'),
          integer(values.now).as('created_at'),
        ])
        .where(isDisclosed)
        .where(({ not, exists }) => not(exists(disclosed))),
    )
    .onConflict(conflict => conflict.column('id').doNothing())
}

export interface NewPrefill {
  id: string
  /** Hash of token, advertiser and form; the same for a retry. */
  retryKey: string
  request: PrefillRequest
  /** The resume to offer, and the identifier to use unless this grant already has one for it. */
  resume: { resumeId: string; releasedId: string } | null
  /** `filled`: bits of the categories in the profile, without the resume; the released ones are disclosed. */
  disclosure: { id: string; filled: number }
}

export const resumeBit = sql<number>`${sql.lit(bitsOf(['resume']))}`
export const releasesResume = (released: string) => sql<boolean>`${sql.ref(released)} & ${resumeBit} <> 0`

/**
 * Selects a valid token. On PostgreSQL the row is locked: a transaction that withdraws or narrows the consent waits
 * for the disclosure being recorded, and a later disclosure reads the changed token.
 */
export function validToken(db: Kysely<Schema>, hash: string, now: number) {
  return db
    .selectFrom('oauth_tokens as token')
    .where('token.hash', '=', hash)
    .where('token.revoked_at', 'is', null)
    .where('token.expires_at', '>', now)
}

export const disclosureColumns = [
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

export function disclosureValues(
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

/** Checked again when the resume is released: the candidate may just have chosen another one. */
const isChosen = ({ grantId, resumeId }: PrefillValues) =>
  sql<boolean>`exists (select 1 from grants
    where id = ${text(grantId)} and resume_id = ${text(resumeId)})`

/** Flat values of everything that a prefill writes. */
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

/** Selects token and advertiser: records nothing unless the token is valid, the advertiser active and the agent authorised. */
function tokenAndAdvertiser(db: Kysely<Schema>, { tokenHash, now, advertiserId }: PrefillValues) {
  return validToken(db, tokenHash, now)
    .innerJoin('advertisers as advertiser', join =>
      join.on('advertiser.id', '=', advertiserId).on('advertiser.status', '=', sql.lit('active')),
    )
    .innerJoin('oauth_clients as client', 'client.id', 'token.client_id')
    .where(mayApplyTo)
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

/** A retry keeps the ID and the first date; `updated` always increases, even if the clock stops or goes back. */
const onRetry = {
  position_title: sql<string | null>`excluded.position_title`,
  position_uri: sql<string | null>`excluded.position_uri`,
  position_reference: sql<string | null>`excluded.position_reference`,
  country_code: sql<string | null>`excluded.country_code`,
  postal_code: sql<string | null>`excluded.postal_code`,
  updated_at: sql<number>`case when excluded.updated_at > prefilled_applications.updated_at
    then excluded.updated_at else prefilled_applications.updated_at + 1 end`,
}

/** One identifier per grant and file: the first is kept, and is deleted with the file. */
function alreadyReleased(db: Kysely<Schema>, values: PrefillValues) {
  const { grantId, resumeId } = values
  return db
    .selectFrom('released_resumes')
    .select('id')
    .where('grant_id', '=', grantId)
    .where('resume_id', '=', resumeId)
    .where(isChosen(values))
}

/** If two concurrent prefills release a resume, the second uses the identifier of the first. */
const firstReleaseStays = { created_at: sql<number>`released_resumes.created_at` }

function releasedResume({ releasedId, grantId, now }: PrefillValues) {
  return [
    text(releasedId).as('id'),
    text(grantId).as('grant_id'),
    sql.ref<string>('resume.id').as('resume_id'),
    integer(now).as('created_at'),
  ] as const
}

type RecordPrefill = (
  token: ProfileToken,
  prefill: NewPrefill,
  now: EpochMs,
) => Promise<PrefilledApplication | undefined>

/** SQLite: the step holds the only write lock. */
export function prefillInStep(writer: Kysely<Schema>, step: NonNullable<Database['step']>): RecordPrefill {
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

/** The values of a batch, with the types of their columns. */
const askedTypes = {
  tokenHash: 'text',
  id: 'text',
  retryKey: 'text',
  clientId: 'text',
  grantId: 'text',
  candidateId: 'text',
  advertiserId: 'bigint',
  formUrl: 'text',
  positionTitle: 'text',
  positionUri: 'text',
  positionReference: 'text',
  countryCode: 'text',
  postalCode: 'text',
  resumeId: 'text',
  releasedId: 'text',
  disclosureId: 'text',
  filled: 'bigint',
  noticeId: 'text',
  noticeContent: 'text',
  noticeGiveUpAt: 'bigint',
  now: 'bigint',
} as const satisfies Record<keyof PrefillValues, string>

type Columns = { [Name in keyof PrefillValues]: PrefillValues[Name][] }
const columnNames = Object.keys(askedTypes) as (keyof PrefillValues)[]
const columnOf = (name: string) => name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/**
 * PostgreSQL: one statement records the prefills of concurrent requests, each of a different candidate, in one round
 * trip and one commit. A statement for each prefill took 1.6 times the CPU time (decision 082), and a transaction for each
 * would need six round trips.
 *
 * Nothing is disclosed after a withdrawal. `valid` takes a share lock on each token, and every transaction that withdraws
 * or narrows a consent updates that row. So either that transaction commits first and `valid`, which rechecks the row after
 * the wait, returns the changed token or none; or it waits until the disclosure is committed.
 *
 * A resume has one identifier per grant. If another prefill commits one after this statement's snapshot, `known` does
 * not see it, but the insert in `made` conflicts with it and returns it. A resume deleted in between is not released:
 * the key share lock makes the deletion wait, or finds the row gone.
 *
 * A retry updates its application: the unique index on `retry_key` prevents a second row, even in a race. So does the
 * primary key of `deliveries` for two first disclosures, neither of which sees the other. As each prefill of a statement is
 * of a different candidate, no two of them write the same row.
 *
 * There is no deadlock. Statements like this one lock tokens, then applications, then resumes and their identifiers, then
 * emails, each in the order of their keys: a step begins when all rows of the previous step exist, because it reads them
 * sorted. Other transactions that lock rows of several candidates, such as one that disables a client, lock their tokens in
 * the same order; all others concern one candidate, and never wait for a transaction of another.
 */
export function prefillTogether(writer: Kysely<Schema>): RecordPrefill {
  const record = prepareStatement(writer, (all: Columns) => ({
    compile: () =>
      sql<PrefilledApplication & { retryKey: string }>`with asked as (
        select * from unnest(${sql.join(columnNames.map(name => sql`${all[name]}::${sql.raw(askedTypes[name])}[]`))})
        as asked (${sql.raw(columnNames.map(columnOf).join(', '))})
      ), valid as (
        select asked.*, token.released
        from asked
        join oauth_tokens as token on token.hash = asked.token_hash
        join advertisers as advertiser on advertiser.id = asked.advertiser_id
        join oauth_clients as client on client.id = token.client_id
        where ${mayApplyTo} and token.revoked_at is null and token.expires_at > asked.now and advertiser.status = 'active'
        order by token.hash
        for share of token
      ), application as (
        insert into prefilled_applications (id, retry_key, client_id, grant_id, candidate_id, advertiser_id, form_url,
          position_title, position_uri, position_reference, country_code, postal_code, created_at, updated_at)
        select id, retry_key, client_id, grant_id, candidate_id, advertiser_id, form_url,
          position_title, position_uri, position_reference, country_code, postal_code, now, now
        from valid
        order by retry_key
        on conflict (retry_key) do update set ${assignments(onRetry)}
        returning id, retry_key, created_at, updated_at
      ), recorded as (
        select valid.*, application.id as application_id, application.created_at, application.updated_at
        from application
        join valid on valid.retry_key = application.retry_key
        order by valid.grant_id
      ), offered as (
        select recorded.*
        from recorded
        join grants as consent on consent.id = recorded.grant_id
        where recorded.released & ${resumeBit} <> 0
          and consent.resume_id = recorded.resume_id
      ), known as (
        select offered.grant_id, released_resumes.id
        from offered
        join released_resumes
          on released_resumes.grant_id = offered.grant_id and released_resumes.resume_id = offered.resume_id
      ), made as (
        insert into released_resumes (id, grant_id, resume_id, created_at)
        select offered.released_id, offered.grant_id, resume.id, offered.now
        from offered
        join resumes as resume
          on resume.id = offered.resume_id and resume.candidate_id = offered.candidate_id
        where not exists (select 1 from known where known.grant_id = offered.grant_id)
        order by offered.grant_id
        for key share of resume
        on conflict (grant_id, resume_id) do update set ${assignments(firstReleaseStays)}
        returning grant_id, id
      ), released as (
        select grant_id, id from known union all select grant_id, id from made
      ), answered as (
        select recorded.*, released.id as released_resume_id
        from recorded
        left join released on released.grant_id = recorded.grant_id
        order by recorded.notice_id
      ), disclosed as (
        insert into disclosures (id, candidate_id, grant_id, client_id, kind, categories, disclosed_at, advertiser_id)
        select disclosure_id, candidate_id, grant_id, client_id, 'prefill',
          released & (filled | case when released_resume_id is null then 0 else ${resumeBit} end), now, advertiser_id
        from answered
      ), announced as (
        insert into deliveries (id, kind, content, state, due_at, give_up_at, created_at)
        select notice_id, ${sql.lit(firstDisclosureKind)}, notice_content, 'waiting', now, notice_give_up_at, now
        from answered
        where not exists (
          select 1 from grants as consent
          where consent.candidate_id = answered.candidate_id and consent.client_id = answered.client_id
            and (select disclosures.id from disclosures where grant_id = consent.id limit 1) is not null
        )
        order by notice_id
        on conflict (id) do nothing
      )
      select retry_key as "retryKey", application_id as id, created_at as "createdAt", updated_at as "updatedAt",
        released, released_resume_id as "releasedResumeId"
      from answered`.compile(writer),
  }))
  const recordOne = batchLookups(
    async (asked: PrefillValues[]) => {
      const columns = Object.fromEntries(
        columnNames.map(name => [name, asked.map(values => values[name])]),
      ) as Columns
      const { rows } = await record(columns)
      const found = new Map(rows.map(({ retryKey, ...application }) => [retryKey, application]))
      return asked.map(({ retryKey }) => found.get(retryKey))
    },
    { apart: ({ candidateId }) => candidateId },
  )
  return (token, prefill, now) => recordOne(valuesOf(token, prefill, now))
}

function assignments(values: Record<string, RawBuilder<unknown>>): RawBuilder<unknown> {
  return sql.join(Object.entries(values).map(([column, value]) => sql`${sql.ref(column)} = ${value}`))
}
