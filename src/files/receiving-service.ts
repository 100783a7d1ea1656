import type { Clock } from '../core/clock.ts'
import { safeFileName } from '../core/file-name.ts'
import { sha256OfNothing } from '../core/hashing.ts'
import type { RandomReader } from '../core/random-reader.ts'
import type { ScanState } from '../model/scan-state.ts'
import type { ReceivedFile } from '../model/stored-file.ts'
import { type ArchiveCheck, acceptedKind, contentTypes, type FileKind, nameOfKind } from './file-kinds.ts'
import type { BlobStore, FileReceiver, Scanner, UploadedFile } from './ports.ts'

/** Receives files: stores them while they arrive, detects their kind from the content, and scans them before use. */
export function createFileReceiver(deps: {
  blobs: Pick<BlobStore, 'put' | 'remove'>
  checkArchive: ArchiveCheck
  /** If undefined, files stay unscanned. */
  scanner: Pick<Scanner, 'scan'> | undefined
  clock: Clock
}): FileReceiver {
  const { blobs, checkArchive, scanner, clock } = deps

  async function store(
    { name, content }: UploadedFile,
    kindOf: (file: RandomReader) => Promise<FileKind>,
  ): Promise<ReceivedFile> {
    let kind: FileKind | undefined
    let scan: ScanState = 'unscanned'
    const stored = await blobs.put(content, async file => {
      kind = await kindOf(file)
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
  }

  return {
    receive: (file, field = 'file') =>
      store(file, content => acceptedKind(content, { name: file.name, field }, checkArchive)),

    receiveText: (name, text) => store({ name, content: chunksOf(text) }, async () => 'txt'),

    async discard({ blob }) {
      if (blob !== null) await blobs.remove(blob)
    },
  }
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
