import { after, before } from 'node:test'
import { createImportFiles } from '../../src/apply/import/import-file-adapter.ts'
import { createImportStore, type ImportStore } from '../../src/apply/import/import-store.ts'
import { createImports, type ImportRequest } from '../../src/apply/import/service.ts'
import { prepareApplication } from '../../src/apply/new-application.ts'
import { createSubmissionStore } from '../../src/apply/submission-store.ts'
import { createArchiveCheck } from '../../src/platform/blobs/document-check.ts'
import type { FileReceiver } from '../../src/platform/blobs/receiving-service.ts'
import { createFileReceiver } from '../../src/platform/blobs/receiving-service.ts'
import { plainDraft } from './applications.ts'
import { createImportFolder, type ImportFolder } from './import-lines.ts'
import type { Services } from './services.ts'

/** A day of the history: the dates of its lines. */
export const day = (number: number) => new Date(Date.UTC(2025, 0, number)).toISOString()

interface Between {
  /** Lines whose files are stored at the same time. */
  filesAtOnce?: number
  store?(store: ImportStore): Partial<ImportStore>
  files?(files: FileReceiver): Partial<FileReceiver>
}

/** Imports small files in this process, and reads the result. */
export function importing(services: () => Services) {
  let folder: ImportFolder
  let names = 0
  before(async () => {
    folder = await createImportFolder()
  })
  after(() => folder.remove())

  /** With batches of two, so that every file crosses their borders, and with a hook for what happens in between. */
  function importsWith({ store: aroundStore, files: aroundFiles, filesAtOnce = 4 }: Between = {}) {
    const { database, blobs, clock } = services()
    const limits = { importBatch: 2, importFilesAtOnce: filesAtOnce, fileBytes: 1_000 }
    const checkArchive = createArchiveCheck()
    const store = createImportStore(database)
    const files = createFileReceiver({ blobs, checkArchive, scanner: undefined, clock })
    return createImports({
      store: { ...store, ...aroundStore?.(store) },
      importFiles: createImportFiles(),
      files: { ...files, ...aroundFiles?.(files) },
      checkArchive,
      clock,
      limits,
    })
  }

  /** In the order of their IDs. */
  function stored(advertiserId: number) {
    return services()
      .database.reader.selectFrom('applications')
      .select(['job_seeker_id', 'submitted_at'])
      .where('advertiser_id', '=', advertiserId)
      .orderBy('id')
      .execute()
  }

  return {
    folder: () => folder,
    importsWith,
    stored,

    async run(request: ImportRequest, imports = importsWith()) {
      const told: string[] = []
      const onRefused = ({ line, reason }: { line: number; reason: string }) =>
        told.push(`line ${line}: ${reason}`)
      return { ...(await imports.run({ ...request, onRefused })), told }
    },

    fileOf(...lines: string[]): Promise<string> {
      names += 1
      return folder.write(`history-${names}.ndjson`, `${lines.join('\n')}\n`)
    },

    addAdvertiser: async () => (await services().advertisers.add('Import')).id,

    async applyAt(advertiserId: number, at: number): Promise<void> {
      const application = prepareApplication(plainDraft())
      await createSubmissionStore(services().database).add(advertiserId, application, at)
    },

    seekers: async (advertiserId: number) =>
      (await stored(advertiserId)).map(row => row.job_seeker_id.replace('seeker-', '')),

    async blobCount(): Promise<number> {
      const { blobs } = services()
      let count = 0
      for (const dayName of await blobs.days('')) {
        for await (const some of blobs.uploadedOn(dayName)) count += some.length
      }
      return count
    },
  }
}

/** Between the first batch and the second. */
export const beforeSecondBatch = (act: () => Promise<void>): Between => ({
  store(store) {
    let batches = 0
    return {
      async addBatch(...args) {
        batches += 1
        if (batches === 2) await act()
        return store.addBatch(...args)
      },
    }
  },
})
