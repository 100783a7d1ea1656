import type { ApplicationFile } from '../../model/application.ts'
import type { FileReceiver } from '../../platform/blobs/receiving-service.ts'
import { invalidField } from '../../platform/core/fields.ts'
import { type ArchiveCheck, acceptedKind } from '../../platform/documents/file-kinds.ts'
import type { AttachedFault, AttachedFile, ImportSource } from './import-file-adapter.ts'
import type { LineFile } from './line.ts'

const faults: Record<AttachedFault, string> = {
  missing: 'does not exist',
  outside: 'is outside the files folder',
  'not-a-file': 'is not a file',
  unreadable: 'cannot be read',
}

interface AttachmentDeps {
  files: FileReceiver
  checkArchive: ArchiveCheck
  limits: { fileBytes: number }
}

/** Receives or checks the files that lines refer to. */
export function createAttachments({ files, checkArchive, limits }: AttachmentDeps) {
  async function withFile<T>(
    source: ImportSource,
    { path }: LineFile,
    field: string,
    use: (file: AttachedFile) => Promise<T>,
  ): Promise<T> {
    const opened = await source.openAttached(path)
    if ('fault' in opened) throw refused(`${field}.path`, opened.fault, faults[opened.fault])
    try {
      if (opened.size > limits.fileBytes) {
        throw refused(`${field}.path`, 'too-large', `is larger than ${limits.fileBytes} bytes`)
      }
      return await use(opened)
    } finally {
      await opened.close()
    }
  }

  return {
    /** Receives all files or none: if one is rejected or the import is stopped, those already received are discarded. */
    async receive(
      source: ImportSource,
      named: readonly LineFile[],
      stop: AbortSignal | undefined,
    ): Promise<ApplicationFile[]> {
      const received: ApplicationFile[] = []
      try {
        for (const [index, file] of named.entries()) {
          stop?.throwIfAborted()
          const field = `files[${index}]`
          const { type, fileName: name, uploadedAt } = file
          const kept = await withFile(source, file, field, opened =>
            files.receive({ name, content: opened.content() }, `${field}.path`),
          )
          received.push({ ...kept, type, uploadedAt })
        }
        return received
      } catch (error) {
        await this.discard(received)
        throw error
      }
    },

    /** Makes the same checks as `receive`, but keeps nothing. */
    async check(source: ImportSource, named: readonly LineFile[]): Promise<void> {
      for (const [index, file] of named.entries()) {
        const field = `files[${index}]`
        await withFile(source, file, field, opened =>
          acceptedKind(opened, { name: file.fileName, field: `${field}.path` }, checkArchive),
        )
      }
    },

    async discard(received: readonly ApplicationFile[]): Promise<void> {
      await Promise.all(received.map(file => files.discard(file)))
    },
  }
}

export type Attachments = ReturnType<typeof createAttachments>

function refused(field: string, code: string, is: string) {
  return invalidField(field, code, `${field} ${is}.`)
}
