import { sql, type Transaction } from 'kysely'
import type { OwnApplication, OwnApplicationStore } from '../../apply/form/ports.ts'
import type { ApplicationFile } from '../../model/application.ts'
import { questionsIn } from '../../model/v1/stored-screen.ts'
import { applicationColumns } from '../columns.ts'
import { prepareQuery, prepareStatement } from '../database/prepared-query.ts'
import { primaryInfoOf } from '../database/primary-info.ts'
import { scanOf } from '../database/scan-columns.ts'
import type { Database, Schema } from '../database/tables.ts'
import { addResume } from '../people/add-resume.ts'
import { resumeColumns, resumeOf } from '../people/candidate-rows.ts'
import { readSentFiles, sentApplications } from '../people/own-applications.ts'
import { historiesOfOwn, readsOfOwn } from '../people/reads-of-own.ts'
import { withLedger } from '../postgres/ledger-turns.ts'
import { lockLivingCandidate } from '../writing/lock-candidate.ts'
import { queueNotices } from '../writing/queue-notice.ts'
import { addApplication } from './add-application.ts'
import { replaceDocument } from './replace-document.ts'
import { withdrawApplication } from './withdraw-application.ts'

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

/** When one of the company's people first opened it. */
const openedAt = sql<number | null>`(select min(first_at) from application_reads
  where application_reads.advertiser_id = own.advertiser_id
  and application_reads.application_id = own.application_id and way = 'view')`.as('openedAt')

interface SentForm {
  candidateId: string
  formKey: string
}

export function createOwnApplicationStore(database: Database): OwnApplicationStore {
  const { reader } = database
  const findSent = prepareQuery(reader, (form: SentForm) =>
    reader
      .selectFrom('own_applications')
      .select('application_id')
      .where('candidate_id', '=', form.candidateId)
      .where('form_key', '=', form.formKey),
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
    send: (candidateId, { formKey, resumeId, keepResume, ad, application }, now) =>
      withLedger(database, ad.advertiserId, async trx => {
        // Serialises a candidate's forms, and prevents the deletion of a resume meanwhile.
        await lockLivingCandidate(trx, candidateId)
        const earlier = await findSent({ candidateId, formKey }, trx)
        if (earlier !== undefined) return { kind: 'repeated', applicationId: earlier.application_id }
        const files = [...application.files]
        if (resumeId !== undefined) {
          const resume = await readResume(trx, candidateId, resumeId)
          if (resume === undefined) return { kind: 'no-such-resume' }
          files.unshift(resume)
        }
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
        const about = { candidateId, advertiserId: ad.advertiserId, applicationId: id }
        await queueNotices(trx, [{ kind: 'application-sent', ...about }], now)
        return { kind: 'sent', applicationId: id }
      }),

    async findSent(candidateId, formKey) {
      const row = await findSent({ candidateId, formKey })
      return row?.application_id
    },

    async lastFor(candidateId, jobAdId) {
      const row = await reader
        .selectFrom('own_applications as own')
        .innerJoin('applications as application', join =>
          join
            .onRef('application.advertiser_id', '=', 'own.advertiser_id')
            .onRef('application.id', '=', 'own.application_id'),
        )
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

    async list(candidateId, before, limit) {
      const rows = await sentApplications(reader, candidateId, before, limit)
        .select(columns)
        .select(['application.is_new_to_work_force', 'screen.application_id as answered_id'])
        .select(['application.status', 'application.erased_at as erasedAt'])
        .select([logoHash, openedAt])
        .execute()
      const filesOf = await readSentFiles(reader, candidateId, rows)
      return rows.map(({ answered_id, is_new_to_work_force, ...own }) => ({
        ...own,
        files: filesOf(own.applicationId),
        hasAnswers: answered_id !== null,
        hasWork: is_new_to_work_force !== null,
      }))
    },

    async find(candidateId, applicationId) {
      const own = await reader
        .selectFrom('own_applications as own')
        .select(columns)
        .select([logoHash, openedAt])
        .where('own.candidate_id', '=', candidateId)
        .where('own.application_id', '=', applicationId)
        .executeTakeFirst()
      if (own === undefined) return undefined
      const [filesOf, application, screen, erasure, history, reads] = await Promise.all([
        readSentFiles(reader, candidateId, [own]),
        reader
          .selectFrom('applications')
          .select(applicationColumns)
          .where('advertiser_id', '=', own.advertiserId)
          .where('id', '=', applicationId)
          .executeTakeFirstOrThrow(),
        reader
          .selectFrom('application_screens')
          .select('json')
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
        ...own,
        status: application.status,
        erasedAt: application.erased_at,
        erasureDueAt: erasure?.due_at ?? null,
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
        questions: screen === undefined ? [] : questionsIn(screen.json),
      }
    },

    file: (candidateId, applicationId, type) =>
      reader
        .selectFrom('application_files')
        .select(['type', 'file_name as fileName', 'content_type as contentType', 'blob', 'sha256'])
        .select(['size', 'uploaded_at as uploadedAt', 'changed_at as changedAt'])
        .select(scanOf('application_files').as('scan'))
        // A subquery, because with a join the planner would look up by ID alone, which no index begins with.
        .where('advertiser_id', '=', ({ selectFrom }) =>
          selectFrom('own_applications')
            .select('advertiser_id')
            .where('candidate_id', '=', candidateId)
            .where('application_id', '=', applicationId),
        )
        .where('application_id', '=', applicationId)
        .where('type', '=', type)
        .executeTakeFirst(),

    withdraw: (candidateId, applicationId, times) =>
      withdrawApplication(database, candidateId, applicationId, times),

    replaceFile: (candidateId, applicationId, file, times) =>
      replaceDocument(database, candidateId, applicationId, file, times),

    reads: candidateId => readsOfOwn(reader, candidateId, {}),

    async holders(candidateId, limit) {
      const [found, agents] = await Promise.all([
        reader
          .selectFrom('own_applications as own')
          .innerJoin('advertisers as advertiser', 'advertiser.id', 'own.advertiser_id')
          .select(({ fn }) => [
            'advertiser.id',
            'advertiser.name as advertiserName',
            'advertiser.logo_hash as logoHash',
            fn.countAll<number>().as('applications'),
            fn.min<number>('own.submitted_at').as('firstAt'),
            fn.max<number>('own.submitted_at').as('lastAt'),
          ])
          .where('own.candidate_id', '=', candidateId)
          .groupBy(['advertiser.id', 'advertiser.name', 'advertiser.logo_hash'])
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
      ])
      return found.map(({ id, ...holder }) => ({
        ...holder,
        advertiserId: id,
        agents: agents.filter(({ advertiser_id }) => advertiser_id === id).map(({ name }) => name),
      }))
    },
  }
}

/** Whether the candidate has a resume with the same content, under any name. */
async function hasResume(trx: Transaction<Schema>, candidateId: string, sha256: string): Promise<boolean> {
  const row = await trx
    .selectFrom('resumes')
    .select('id')
    .where('candidate_id', '=', candidateId)
    .where('sha256', '=', sha256)
    .executeTakeFirst()
  return row !== undefined
}

/** Call with the candidate locked, so that no verdict or deletion can come in between. */
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
