import { Problem } from '../core/problems.ts'
import type { RandomReader } from '../core/random-reader.ts'
import { isAbsent } from './blob-faults.ts'
import type { FolderBlobs } from './folder.ts'
import type { BlobStore, KeptFile } from './ports.ts'

/**
 * Uses S3 while an older folder still contains files: uploads go to S3, reads try both. A file leaves the folder only
 * once S3 has it, and the folder is read first, so a reader finds a file even while it moves. Deletions apply to both.
 */
export function createMovingBlobs(folder: FolderBlobs, s3: BlobStore): BlobStore {
  /** If neither has the file, the folder's fault is more informative than S3's. */
  async function orFromS3<T>(inFolder: unknown, read: () => Promise<T>): Promise<T> {
    return read().catch(inS3 => {
      throw isAbsent(inFolder) || !(inS3 instanceof Problem) ? inS3 : inFolder
    })
  }

  async function examine<T>(file: KeptFile, look: (content: RandomReader) => Promise<T>): Promise<T> {
    let isFound = false
    try {
      return await folder.examine(file, content => {
        isFound = true
        return look(content)
      })
    } catch (error) {
      if (isFound) throw error
      return orFromS3(error, () => s3.examine(file, look))
    }
  }

  async function* uploadedOn(day: string): AsyncGenerator<string[]> {
    yield* folder.uploadedOn(day)
    yield* s3.uploadedOn(day)
  }

  return {
    ...s3,
    places: [...folder.places, ...s3.places],
    open: (file, range) =>
      folder.open(file, range).catch(error => orFromS3(error, () => s3.open(file, range))),
    // Without borrowed bytes, the caller uses `open`.
    acquire: (file, range) => folder.acquire(file, range).catch(() => undefined),
    async delegateDownload(file, request) {
      const isInFolder = await folder.assertWhole(file).then(
        () => true,
        () => false,
      )
      return isInFolder ? undefined : s3.delegateDownload?.(file, request)
    },
    examine,
    async remove(blob) {
      await folder.remove(blob)
      await s3.remove(blob)
    },
    async days(after) {
      const both = await Promise.all([folder.days(after), s3.days(after)])
      return [...new Set(both.flat())].toSorted()
    },
    uploadedOn,
    async tidyDay(day) {
      await folder.tidyDay(day)
      await s3.tidyDay(day)
    },
  }
}
