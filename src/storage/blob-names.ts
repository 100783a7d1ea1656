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

/** The first part of a blob's name, where that is a day: names from before have a part of a hash there. */
export function dayOf(blob: string): string | undefined {
  return /^\d{8}(?=\/)/.exec(blob)?.[0]
}
