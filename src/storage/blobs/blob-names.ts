import { randomUUID } from 'node:crypto'

/** What a resume in plain text has, and most others: these are looked at in memory, and stored in one go. */
export const smallBytes = 128 * 1024

/** In the order of time: what is stored together lies together, in the store and in the index of the names. */
export function newBlobName(now: number): string {
  const [day = '', hour = '', ...moment] = new Date(now).toISOString().split(/[T:.Z]/)
  return `${day.replaceAll('-', '')}/${hour}/${moment.join('')}-${randomUUID()}`
}

/** Neither dots nor anything that means something in an address: such a name cannot lead out of a folder. */
export const isBlobName = (name: string) => /^[\w-]+(\/[\w-]+)*$/.test(name)

/** Where blobs begin: with their day, or, from the time before that, with the start of their hash. */
export const isBlobFolder = (name: string) => /^(\d{8}|[0-9a-f]{2})$/.test(name)

/** Beside the blobs, and named like none: the ID of the database whose files they are. */
export const ownerMark = 'database'
