import type { Kysely } from 'kysely'
import { type AnyFileType, inFileOrder } from '../model/application.ts'
import type { ReceivedFile } from '../platform/blobs/stored-file.ts'
import { keysetPage } from '../platform/database/keyset-page.ts'
import type { Schema } from '../platform/database/tables.ts'
import { sameApplication } from './same-application.ts'
import { scanOf } from './scan-columns.ts'

/** Applications that the candidate sent from here, with the rows kept for their advertisers. */
export function sentApplications(
  reader: Kysely<Schema>,
  candidateId: string,
  before: { submittedAt: number; applicationId: number } | undefined,
  limit: number,
) {
  const rows = reader
    .selectFrom('own_applications as own')
    .innerJoin('applications as application', join => sameApplication(join, 'application', 'own'))
    .leftJoin('application_screens as screen', join => sameApplication(join, 'screen', 'own'))
    .where('own.candidate_id', '=', candidateId)
  const start = before && ([before.submittedAt, before.applicationId] as const)
  return keysetPage(rows, ['own.submitted_at', 'own.application_id'], start, limit)
}

/** The files of a candidate's consecutive applications, newest first; each application's files are in order. */
export async function readSentFiles(
  reader: Kysely<Schema>,
  candidateId: string,
  applications: readonly { submittedAt: number }[],
): Promise<(applicationId: number) => (ReceivedFile & { type: AnyFileType })[]> {
  const [newest, oldest] = [applications[0], applications.at(-1)]
  if (newest === undefined || oldest === undefined) return () => []
  const files = await reader
    .selectFrom('own_applications as own')
    .innerJoin('application_files as file', join => sameApplication(join, 'file', 'own'))
    .select(['file.application_id', 'file.type', 'file.file_name as fileName'])
    .select(['file.content_type as contentType', 'file.blob', 'file.sha256', 'file.size'])
    .select(scanOf('file').as('scan'))
    .select('file.uploaded_at as uploadedAt')
    .where('own.candidate_id', '=', candidateId)
    .where('own.submitted_at', '>=', oldest.submittedAt)
    .where('own.submitted_at', '<=', newest.submittedAt)
    .execute()
  return applicationId =>
    inFileOrder(
      files.filter(file => file.application_id === applicationId).map(({ application_id, ...file }) => file),
    )
}

/** Applications that the candidate started on other websites with data from here. */
export function startedApplications(
  reader: Kysely<Schema>,
  candidateId: string,
  before: readonly [createdAt: number, id: string] | undefined,
  limit: number,
) {
  const rows = reader
    .selectFrom('prefilled_applications as application')
    .innerJoin('oauth_clients as client', 'client.id', 'application.client_id')
    .innerJoin('advertisers as advertiser', 'advertiser.id', 'application.advertiser_id')
    .where('application.candidate_id', '=', candidateId)
  return keysetPage(rows, ['application.created_at', 'application.id'], before, limit)
}
