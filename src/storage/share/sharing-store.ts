import { type Kysely, sql } from 'kysely'
import type { SharingStore } from '../../share/prefill/ports.ts'
import { findByKey } from '../database/find-by-key.ts'
import { prepareQuery } from '../database/prepared-query.ts'
import { scanOf } from '../database/scan-columns.ts'
import type { Database, Schema } from '../database/tables.ts'
import { completePrefill } from './complete-prefill.ts'
import {
  disclosureColumns,
  disclosureValues,
  prefillInStep,
  prefillTogether,
  releasesResume,
  resumeBit,
  validToken,
} from './record-prefill.ts'

export function createSharingStore(database: Database): SharingStore {
  const { writer, reader, dialect, step } = database
  const findReleased = prepareFindReleased(reader)
  const findChosen = prepareFindChosen(database)
  const recordPrefill = step === undefined ? prefillTogether(writer) : prefillInStep(writer, step)

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

    async findChosenResume(grantId, candidateId) {
      const chosen = await findChosen(grantId)
      if (chosen?.candidateId !== candidateId) return undefined
      const { candidateId: _, ...resume } = chosen
      return resume
    },

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

function prepareFindChosen(database: Database) {
  return findByKey(
    database,
    'consent.id',
    database.reader
      .selectFrom('grants as consent')
      .innerJoin('resumes as resume', 'resume.candidate_id', 'consent.candidate_id')
      .select(fileColumns)
      .select(['consent.candidate_id as candidateId', scanOf('resume').as('scan')])
      .where(
        sql<boolean>`case when consent.resume_id is null then resume.is_default = 1
          else resume.id = consent.resume_id end`,
      ),
  )
}

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
