import type { Clock } from '../core/clock.ts'
import { safeFileName } from '../core/file-name.ts'
import { sha256OfNothing } from '../core/hashing.ts'
import type { RandomReader } from '../core/random-reader.ts'
import {
  type ArchiveCheck,
  acceptedKind,
  contentTypes,
  type FileKind,
  nameOfKind,
} from '../documents/file-kinds.ts'
import type { BlobStore, Scanner, UploadedFile } from './ports.ts'
import type { ScanState } from './scan-state.ts'
import type { ReceivedFile } from './stored-file.ts'

export type FileReceiver = ReturnType<typeof createFileReceiver>

/** Receives files: stores them while they arrive, detects their kind from the content, and scans them before use. */
export function createFileReceiver(deps: {
  blobs: Pick<BlobStore, 'put' | 'remove'>
  checkArchive: ArchiveCheck
  /** If undefined, files stay unscanned. */
  scanner: Pick<Scanner, 'scan'> | undefined
  clock: Clock
}) {
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
    /** Stores, checks and scans the file. A rejected file is reported at `field`, and nothing is kept. */
    receive: (file: UploadedFile, field = 'file'): Promise<ReceivedFile> =>
      store(file, content => acceptedKind(content, { name: file.name, field }, checkArchive)),

    /** Stores and scans text as a file, which counts as plain text whatever it begins with. */
    receiveText: (name: string, text: string): Promise<ReceivedFile> =>
      store({ name, content: chunksOf(text) }, async () => 'txt'),

    /** Removes an unused upload. */
    async discard({ blob }: Pick<ReceivedFile, 'blob'>): Promise<void> {
      if (blob !== null) await blobs.remove(blob)
    },
  }
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
