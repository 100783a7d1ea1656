import { createHash } from 'node:crypto'
import { FileLost } from './faults.ts'
import type { BlobReferences, BlobStore, StoredBlob } from './ports.ts'

const pageSize = 500

export interface FileExamination {
  checked: number
  /** Blobs that are missing, too short or changed. */
  damaged: string[]
}

/**
 * Checks that every file in the database is in the store and, if `isDeep`, that its bytes are unchanged. Rejects if the
 * store is unavailable.
 */
export async function examineFiles(
  deps: { references: BlobReferences; blobs: BlobStore },
  isDeep: boolean,
): Promise<FileExamination> {
  const damaged: string[] = []
  let checked = 0
  for (let last = ''; ; ) {
    const page = await deps.references.page(last, pageSize)
    for (const blob of page) {
      if (!(await isIntact(deps.blobs, blob, isDeep))) damaged.push(blob.blob)
    }
    checked += page.length
    const end = page.at(-1)
    if (end === undefined) return { checked, damaged }
    last = end.blob
  }
}

/**
 * Returns files that the store lacks although rows refer to them, and files of the store without a row; reads no
 * content.
 */
export async function compareFiles({
  references,
  blobs,
}: {
  references: BlobReferences
  blobs: BlobStore
}): Promise<{ missing: number; unnamed: number }> {
  let [present, unnamed, known] = [0, 0, 0]
  for (const day of await blobs.days(''))
    for await (const batch of blobs.uploadedOn(day)) {
      for (let start = 0; start < batch.length; start += pageSize) {
        const some = batch.slice(start, start + pageSize)
        const named = await references.named(some)
        present += named.size
        unnamed += some.length - named.size
      }
    }
  for (let last = ''; ; ) {
    const page = await references.page(last, pageSize)
    known += page.length
    const end = page.at(-1)
    if (end === undefined) return { missing: Math.max(0, known - present), unnamed }
    last = end.blob
  }
}

async function isIntact(blobs: BlobStore, blob: StoredBlob, isDeep: boolean): Promise<boolean> {
  try {
    const content = await blobs.open(blob, isDeep ? undefined : { start: 0, end: 0 })
    const hash = createHash('sha256')
    for await (const chunk of content) hash.update(chunk as Buffer)
    return !isDeep || hash.digest('hex') === blob.sha256
  } catch (error) {
    // If the store is unavailable, every file would time out in turn, so stop at the first.
    if (!(error instanceof FileLost)) await blobs.check()
    return false
  }
}
