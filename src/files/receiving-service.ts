import type { Clock } from '../core/clock.ts'
import { safeFileName } from '../core/file-name.ts'
import { sha256OfNothing } from '../core/hashing.ts'
import type { ScanState } from '../model/scan-state.ts'
import { type ArchiveCheck, acceptedKind, contentTypes, type FileKind, nameOfKind } from './file-kinds.ts'
import type { BlobStore, FileReceiver, Scanner } from './ports.ts'

/** Receives files: stores them while they arrive, detects their kind from the content, and scans them before use. */
export function createFileReceiver(deps: {
  blobs: Pick<BlobStore, 'put' | 'remove'>
  checkArchive: ArchiveCheck
  /** If undefined, files stay unscanned. */
  scanner: Pick<Scanner, 'scan'> | undefined
  clock: Clock
}): FileReceiver {
  const { blobs, checkArchive, scanner, clock } = deps

  return {
    async receive({ name, content }, field = 'file') {
      let kind: FileKind | undefined
      let scan: ScanState = 'unscanned'
      const stored = await blobs.put(content, async file => {
        kind = await acceptedKind(file, { name, field }, checkArchive)
        if (scanner !== undefined) scan = await scanner.scan(file)
      })
      if (kind === undefined) throw new Error('the blob store did not check the file')
      const described = {
        fileName: safeFileName(nameOfKind(safeFileName(name), kind)),
        contentType: contentTypes[kind],
        uploadedAt: clock(),
      }
      if ((scan as ScanState) !== 'infected') return { ...described, ...stored, scan }
      await blobs.remove(stored.blob)
      return { ...described, blob: null, sha256: sha256OfNothing, size: 0, scan }
    },

    async discard({ blob }) {
      if (blob !== null) await blobs.remove(blob)
    },
  }
}
