import { randomUUID } from 'node:crypto'

/** Most files are smaller: they are checked in memory and stored in one write. */
export const smallBytes = 128 * 1024

/** Names sort by time, so that files stored together are adjacent in the store and in the index of names. */
export function newBlobName(now: number): string {
  const [day = '', hour = '', ...moment] = new Date(now).toISOString().split(/[T:.Z]/)
  return `${day.replaceAll('-', '')}/${hour}/${moment.join('')}-${randomUUID()}`
}

/** Excludes dots and characters with a special meaning in URLs, so that a name cannot lead out of its folder. */
export const isBlobName = (name: string) => /^[\w-]+(\/[\w-]+)*$/.test(name)

/** The first part of a blob's name: its day or, in old names, the start of its hash. */
export const isBlobFolder = (name: string) => /^(\d{8}|[0-9a-f]{2})$/.test(name)

/** Name of a file beside the blobs that contains the ID of their database; no blob can have this name. */
export const ownerMark = 'database'
