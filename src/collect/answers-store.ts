import { type AnyFileType, fileTypes, type QuestionnaireResult } from '../model/application.ts'
import { screenIn } from '../model/v1/stored-screen.ts'
import type { ScanState } from '../platform/blobs/scan-state.ts'
import type { Database } from '../platform/database/tables.ts'
import { sameApplication } from '../schema/same-application.ts'
import { scanOf } from '../schema/scan-columns.ts'
import { padded } from './search/find-applications-store.ts'

export interface AnsweredApplication {
  applicationId: number
  /** Undefined if there was no questionnaire, or the application was erased. */
  screen: QuestionnaireResult | undefined
  files: AnswerFile[]
}

export interface AnswerFile {
  type: AnyFileType
  fileName: string
  contentType: string
  size: number
  sha256: string
  scan: ScanState
}

export type AnswerStore = ReturnType<typeof createAnswerStore>

export function createAnswerStore({ reader }: Pick<Database, 'reader'>) {
  return {
    /** Sizes of these applications' answers, in bytes. */
    async sizes(advertiserId: number, applicationIds: readonly number[]): Promise<Map<number, number>> {
      if (applicationIds.length === 0) return new Map()
      const rows = await reader
        .selectFrom('application_screens')
        .select(['application_id as id', 'size'])
        .where('advertiser_id', '=', advertiserId)
        .where('application_id', 'in', padded(applicationIds))
        .execute()
      return new Map(rows.map(({ id, size }) => [id, size]))
    },

    /** Finds the advertiser's own among these applications. */
    async find(advertiserId: number, applicationIds: readonly number[]): Promise<AnsweredApplication[]> {
      if (applicationIds.length === 0) return []
      const rows = await reader
        .selectFrom('applications as application')
        .leftJoin('application_screens as screen', join => sameApplication(join, 'screen', 'application'))
        .select(['application.id as applicationId', 'screen.json', 'screen.details'])
        .where('application.advertiser_id', '=', advertiserId)
        .where('application.id', 'in', padded(applicationIds))
        .execute()
      const files = await reader
        .selectFrom('application_files as file')
        .select(['file.application_id as applicationId', 'file.type', 'file.file_name as fileName'])
        .select(['file.content_type as contentType', 'file.size', 'file.sha256', scanOf('file').as('scan')])
        .where('file.advertiser_id', '=', advertiserId)
        .where('file.application_id', 'in', padded(applicationIds))
        .where('file.type', 'not in', fileTypes)
        .execute()
      return rows.map(({ applicationId, json, details }) => ({
        applicationId,
        files: files.filter(file => file.applicationId === applicationId),
        screen: json === null ? undefined : screenIn({ json, details }),
      }))
    },
  }
}
