import { sql, type Transaction } from 'kysely'
import type { AnyFileType, ApplicationFile, StoredFile } from '../../model/application.ts'
import type { LastApplication } from '../../model/application-status.ts'
import { questionsIn } from '../../model/v1/stored-screen.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { prepareQuery, prepareStatement } from '../../platform/database/prepared-query.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { ofSeenAd, seenAdColumns, seenAdOf } from '../../schema/ad-version-columns.ts'
import { resumeColumns, resumeOf } from '../../schema/candidate-rows.ts'
import { applicationColumns } from '../../schema/columns.ts'
import { readSentFiles, sentApplications } from '../../schema/own-applications.ts'
import { primaryInfoOf } from '../../schema/primary-info.ts'
import {
  onPrivacyNoticeVersion,
  privacyNoticeColumns,
  privacyNoticeOf,
} from '../../schema/privacy-notice-columns.ts'
import { sameApplication } from '../../schema/same-application.ts'
import { scanOf } from '../../schema/scan-columns.ts'
import { addResume } from '../../schema/writing/add-resume.ts'
import { endKeeping } from '../../schema/writing/end-keeping.ts'
import { lockLivingCandidate } from '../../schema/writing/lock-candidate.ts'
import { queueNotices } from '../../schema/writing/queue-notice.ts'
import { addEvent, nextEventNumber } from '../../schema/writing/record-event.ts'
import { recordTombstones } from '../../schema/writing/record-tombstones.ts'
import { withLedger } from '../../schema/writing/with-ledger.ts'
import { addApplication } from '../add-application-store.ts'
import { type Replacement, replaceDocument } from '../replace-document-store.ts'
import { findOwn, type Withdrawal, withdrawApplication } from '../withdraw-application-store.ts'
import { takeDraft } from './draft-store.ts'
import type {
  AnsweredScreen,
  ApplicationRecipient,
  ListedApplication,
  Outcome,
  OwnApplication,
  OwnRead,
  Position,
  SentApplication,
  Submission,
} from './own-application.ts'
import { historiesOfOwn, readsOfOwn } from './reads-of-own-store.ts'

const columns = [
  'own.application_id as applicationId',
  'own.advertiser_id as advertiserId',
  'own.job_ad_id as jobAdId',
  'own.job_title as jobTitle',
  'own.job_location as jobLocation',
  'own.advertiser_name as advertiserName',
  'own.submitted_at as submittedAt',
] as const

const logoHash = sql<string | null>`(select logo_hash from advertisers where id = own.advertiser_id)`.as(
  'logoHash',
)

/** Two times: when it was first read alone, and when within a range of a day, which can begin before it was sent. */
const readTimes = [
  sql<number | null>`(select min(first_at) from application_reads
  where application_reads.advertiser_id = own.advertiser_id
  and application_reads.application_id = own.application_id)`.as('readAt'),
  sql<
    number | null
  >`(select min(case when first_at >= own.submitted_at then first_at else last_at end) from list_reads
  where list_reads.advertiser_id = own.advertiser_id
  and own.application_id between list_reads.first_id and list_reads.last_id)`.as('listedAt'),
] as const

/** When it was first read in any way, by the same rule as `readsOfOwn`. */
function withFirstRead<Row extends { readAt: number | null; listedAt: number | null }>(row: Row) {
  const { readAt, listedAt, ...own } = row
  const times = [readAt, listedAt].filter(time => time !== null)
  return { ...own, firstReadAt: times.length === 0 ? null : Math.min(...times) }
}

const noDraft = { version: 0, files: new Map<string, AnyFileType>() }

interface SentForm {
  candidateId: string
  formKey: string
}

export type OwnApplicationStore = ReturnType<typeof createOwnApplicationStore>

/** Every call takes the candidate first, so no query can reach another candidate's data. */
export function createOwnApplicationStore(database: Database) {
  const { reader } = database
  const findSent = prepareQuery(reader, (form: SentForm) =>
    reader
      .selectFrom('own_applications')
      .select('application_id')
      .where('candidate_id', '=', form.candidateId)
      .where('form_key', '=', form.formKey),
  )
  const findHold = prepareQuery(reader, (ad: { advertiserId: number; jobAdId: number }) =>
    reader
      .selectFrom('job_ads')
      .select('hold')
      .where('advertiser_id', '=', ad.advertiserId)
      .where('id', '=', ad.jobAdId),
  )
  const insertSent = prepareStatement(reader, (sent: SentForm & OwnApplication) =>
    reader.insertInto('own_applications').values({
      candidate_id: sent.candidateId,
      form_key: sent.formKey,
      advertiser_id: sent.advertiserId,
      application_id: sent.applicationId,
      job_ad_id: sent.jobAdId,
      job_title: sent.jobTitle,
      job_location: sent.jobLocation,
      advertiser_name: sent.advertiserName,
      submitted_at: sent.submittedAt,
    }),
  )
  return {
    /**
     * Stores the application and the record of its form in one durable transaction; does nothing if the form was sent
     * before.
     */
    send: (
      candidateId: string,
      { formKey, draft = noDraft, resumeId, keepResume, keepUntil = null, ad, application }: Submission,
      now: EpochMs,
    ): Promise<Outcome> =>
      withLedger(database, ad.advertiserId, async trx => {
        // Serialises a candidate's forms, and prevents the deletion of a resume until the commit.
        await lockLivingCandidate(trx, candidateId)
        const earlier = await findSent({ candidateId, formKey }, trx)
        if (earlier !== undefined) return { kind: 'repeated', applicationId: earlier.application_id }
        // Again, because a file may have taken its time: a form begun before its ad was closed is accepted, but not a
        // form for a held ad.
        if ((await findHold(ad, trx))?.hold) return { kind: 'held' }
        const resume = resumeId === undefined ? undefined : await readResume(trx, candidateId, resumeId)
        if (resumeId !== undefined && resume === undefined) return { kind: 'no-such-resume' }
        const saved = await takeDraft(trx, { candidateId, formKey }, draft, now)
        const files = application.files.map(
          file => saved.find(({ type, blob }) => type === file.type && blob === file.blob) ?? file,
        )
        if (resume !== undefined) files.unshift(resume)
        const kept = keepResume && files.find(({ type, scan }) => type === 'resume' && scan !== 'infected')
        if (kept && !(await hasResume(trx, candidateId, kept.sha256))) {
          await addResume(trx, candidateId, { ...kept, id: keepResume.id }, keepResume.max)
        }
        const { id, submittedAt } = await addApplication(
          trx,
          database,
          ad.advertiserId,
          { ...application, files },
          now,
        )
        await insertSent({ candidateId, formKey, ...ad, applicationId: id, submittedAt }, trx)
        if (keepUntil !== null) {
          const kept = { advertiser_id: ad.advertiserId, application_id: id }
          await trx
            .insertInto('kept_applications')
            .values({ ...kept, until: keepUntil, reminded_at: null })
            .execute()
          const number = await nextEventNumber(trx, ad.advertiserId, now, { changesList: false })
          const until = { until: keepUntil }
          await addEvent(trx, ad.advertiserId, number, 'application.keep-changed', id, until)
        }
        const about = { candidateId, advertiserId: ad.advertiserId, applicationId: id }
        await queueNotices(trx, [{ kind: 'application-sent', ...about }], now)
        return { kind: 'sent', applicationId: id }
      }),

    /** The application created by this form. */
    async findSent(candidateId: string, formKey: string): Promise<number | undefined> {
      const row = await findSent({ candidateId, formKey })
      return row?.application_id
    },

    async lastFor(candidateId: string, jobAdId: number): Promise<LastApplication | undefined> {
      const row = await reader
        .selectFrom('own_applications as own')
        .innerJoin('applications as application', join => sameApplication(join, 'application', 'own'))
        .leftJoin('application_history as entry', join =>
          join
            .onRef('entry.advertiser_id', '=', 'own.advertiser_id')
            .onRef('entry.application_id', '=', 'own.application_id')
            .on('entry.kind', '=', 'withdrawn'),
        )
        .select(['own.submitted_at as submittedAt', 'application.status', 'entry.at as withdrawnAt'])
        .where('own.candidate_id', '=', candidateId)
        .where('own.job_ad_id', '=', jobAdId)
        .orderBy(eb => eb('application.status', '=', 'withdrawn'))
        .orderBy('own.submitted_at', 'desc')
        .limit(1)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const { submittedAt, status, withdrawnAt } = row
      return { submittedAt, isWithdrawn: status === 'withdrawn', withdrawnAt }
    },

    /** Answers of the latest applications that are neither withdrawn nor erased, newest first. */
    async answeredScreens(candidateId: string, limit: number): Promise<AnsweredScreen[]> {
      const rows = await sentApplications(reader, candidateId, undefined, limit)
        .select(['own.advertiser_name as advertiserName', 'own.submitted_at as submittedAt'])
        .select(['application.status', 'application.erased_at', 'screen.json', 'screen.details'])
        .execute()
      return rows.flatMap(({ json, details, status, erased_at, ...own }) =>
        json === null || status === 'withdrawn' || erased_at !== null
          ? []
          : [{ ...own, questions: questionsIn({ json, details }) }],
      )
    },

    /** Newest first. */
    async list(
      candidateId: string,
      before: Position | undefined,
      limit: number,
    ): Promise<ListedApplication[]> {
      const rows = await sentApplications(reader, candidateId, before, limit)
        .select(columns)
        .select(['application.is_new_to_work_force', 'screen.application_id as answered_id'])
        .select(['application.status', 'application.erased_at as erasedAt'])
        .select([logoHash, ...readTimes])
        .execute()
      const filesOf = await readSentFiles(reader, candidateId, rows)
      return rows.map(({ answered_id, is_new_to_work_force, ...own }) => ({
        ...withFirstRead(own),
        files: filesOf(own.applicationId),
        hasAnswers: answered_id !== null,
        hasWork: is_new_to_work_force !== null,
      }))
    },

    async find(candidateId: string, applicationId: number): Promise<SentApplication | undefined> {
      const own = await reader
        .selectFrom('own_applications as own')
        .select(columns)
        .select([logoHash, ...readTimes])
        .where('own.candidate_id', '=', candidateId)
        .where('own.application_id', '=', applicationId)
        .executeTakeFirst()
      if (own === undefined) return undefined
      const [filesOf, application, screen, erasure, history, reads] = await Promise.all([
        readSentFiles(reader, candidateId, [own]),
        reader
          .selectFrom('applications as application')
          .leftJoin('privacy_notices as notice', join => onPrivacyNoticeVersion(join))
          .select(applicationColumns.map(column => `application.${column}` as const))
          .select(privacyNoticeColumns)
          .leftJoin('ad_versions as seen', join => ofSeenAd(join))
          .select(seenAdColumns)
          .where('application.advertiser_id', '=', own.advertiserId)
          .where('application.id', '=', applicationId)
          .executeTakeFirstOrThrow(),
        reader
          .selectFrom('application_screens')
          .select(['json', 'details'])
          .where('advertiser_id', '=', own.advertiserId)
          .where('application_id', '=', applicationId)
          .executeTakeFirst(),
        reader
          .selectFrom('erasures')
          .select('due_at')
          .where('advertiser_id', '=', own.advertiserId)
          .where('application_id', '=', applicationId)
          .executeTakeFirst(),
        historiesOfOwn(reader, candidateId, { applicationId }),
        readsOfOwn(reader, candidateId, { applicationId }),
      ])
      const primaryJobSeekingInfo = primaryInfoOf(application)
      return {
        ...withFirstRead(own),
        status: application.status,
        erasedAt: application.erased_at,
        erasureDueAt: erasure?.due_at ?? null,
        privacyNotice: privacyNoticeOf(application),
        seenAd: seenAdOf(application),
        history: history.get(applicationId) ?? [],
        reads,
        files: filesOf(applicationId),
        hasAnswers: screen !== undefined,
        hasWork: primaryJobSeekingInfo !== null,
        contact: {
          email: application.email,
          firstName: application.first_name,
          lastName: application.last_name,
          phone: application.phone,
        },
        primaryJobSeekingInfo,
        questions: screen === undefined ? [] : questionsIn(screen),
      }
    },

    /** One of the submitted files, as the advertiser has it. */
    file: (candidateId: string, applicationId: number, type: AnyFileType): Promise<StoredFile | undefined> =>
      reader
        .selectFrom('application_files')
        .select(['type', 'file_name as fileName', 'content_type as contentType', 'blob', 'sha256'])
        .select(['size', 'uploaded_at as uploadedAt', 'changed_at as changedAt'])
        .select(scanOf('application_files').as('scan'))
        // A subquery, because with a join the planner would look up by ID alone, which is first in no index.
        .where('advertiser_id', '=', ({ selectFrom }) =>
          selectFrom('own_applications')
            .select('advertiser_id')
            .where('candidate_id', '=', candidateId)
            .where('application_id', '=', applicationId),
        )
        .where('application_id', '=', applicationId)
        .where('type', '=', type)
        .executeTakeFirst(),

    /** Withdraws an application permanently, and plans its erasure. */
    withdraw: (
      candidateId: string,
      applicationId: number,
      times: { now: EpochMs; eraseAt: EpochMs },
    ): Promise<Withdrawal> => withdrawApplication(database, candidateId, applicationId, times),

    /** Ends the consent to keep an application for other jobs. */
    async endKeeping(candidateId: string, applicationId: number, now: EpochMs): Promise<boolean> {
      const own = await findOwn(database, candidateId, applicationId)
      if (own === undefined) return false
      const { advertiserId } = own
      return withLedger(database, advertiserId, async trx => {
        if (!(await endKeeping(trx, advertiserId, applicationId, now))) return false
        await recordTombstones(trx, ['keep', advertiserId, applicationId])
        return true
      })
    },

    /** Replaces or adds a document, unless the application has been read, or was sent before reads were recorded. */
    replaceFile: (
      candidateId: string,
      applicationId: number,
      file: ApplicationFile,
      bounds: { now: EpochMs; recordedSince: EpochMs; max: number },
    ): Promise<Replacement> => replaceDocument(database, candidateId, applicationId, file, bounds),

    /** Reads of the candidate's applications, newest first. */
    reads: (candidateId: string): Promise<OwnRead[]> => readsOfOwn(reader, candidateId, {}),

    /** The advertisers that have applications of the candidate, the most recent recipient first. */
    async holders(candidateId: string, limit: number): Promise<ApplicationRecipient[]> {
      const [found, agents, kept] = await Promise.all([
        reader
          .selectFrom('own_applications as own')
          .innerJoin('advertisers as advertiser', 'advertiser.id', 'own.advertiser_id')
          .select(({ fn }) => [
            'advertiser.id',
            'advertiser.name as advertiserName',
            'advertiser.logo_hash as logoHash',
            'advertiser.time_zone as timeZone',
            fn.countAll<number>().as('applications'),
            fn.min<number>('own.submitted_at').as('firstAt'),
            fn.max<number>('own.submitted_at').as('lastAt'),
          ])
          .where('own.candidate_id', '=', candidateId)
          .groupBy(['advertiser.id', 'advertiser.name', 'advertiser.logo_hash', 'advertiser.time_zone'])
          .orderBy('lastAt', 'desc')
          .orderBy('advertiser.id')
          .limit(limit)
          .execute(),
        reader
          .selectFrom('agent_authorisations')
          .innerJoin('agents', 'agents.id', 'agent_authorisations.agent_id')
          .select(['agent_authorisations.advertiser_id', 'agents.name'])
          .where('advertiser_id', 'in', ({ selectFrom }) =>
            selectFrom('own_applications').select('advertiser_id').where('candidate_id', '=', candidateId),
          )
          .orderBy('agents.name')
          .orderBy('agents.id')
          .execute(),
        reader
          .selectFrom('own_applications as own')
          .innerJoin('kept_applications as kept', join => sameApplication(join, 'kept', 'own'))
          .select(['own.advertiser_id', 'own.application_id as applicationId'])
          .select(['own.job_title as jobTitle', 'kept.until'])
          .where('own.candidate_id', '=', candidateId)
          .orderBy('own.submitted_at', 'desc')
          .execute(),
      ])
      return found.map(({ id, ...holder }) => ({
        ...holder,
        advertiserId: id,
        kept: kept.flatMap(({ advertiser_id, ...each }) => (advertiser_id === id ? [each] : [])),
        agents: agents.filter(({ advertiser_id }) => advertiser_id === id).map(({ name }) => name),
      }))
    },
  }
}

/** Whether the candidate has a resume with the same content under any name. */
async function hasResume(trx: Transaction<Schema>, candidateId: string, sha256: string): Promise<boolean> {
  const row = await trx
    .selectFrom('resumes')
    .select('id')
    .where('candidate_id', '=', candidateId)
    .where('sha256', '=', sha256)
    .executeTakeFirst()
  return row !== undefined
}

/** Call with the candidate locked, so that no verdict or deletion can occur in between. */
async function readResume(
  trx: Transaction<Schema>,
  candidateId: string,
  resumeId: string,
): Promise<ApplicationFile | undefined> {
  const row = await trx
    .selectFrom('resumes')
    .select(resumeColumns)
    .where('candidate_id', '=', candidateId)
    .where('id', '=', resumeId)
    .where('scan', '!=', 'infected')
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { id, isDefault, ...file } = resumeOf(row)
  return { type: 'resume', ...file }
}
