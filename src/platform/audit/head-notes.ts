import type { BlobPlace } from '../blobs/ports.ts'
import type { HeadNotes, NotedHeads } from './ports.ts'

/** Per database, because a wrong setting may lead two databases to one place. */
const noteOf = (databaseId: string) => `audit/${databaseId}`

/** Records the heads of the audit log beside the files, out of reach of changes to the database alone. */
export function createHeadNotes(places: readonly BlobPlace[]): HeadNotes {
  return {
    async read(databaseId) {
      const texts = await Promise.all(places.map(({ notes }) => notes.read(noteOf(databaseId))))
      const found = texts.flatMap(text => (text === undefined ? [] : (JSON.parse(text) as NotedHeads)))
      return found.toSorted((a, b) => b.at - a.at)[0]
    },
    async write(databaseId, noted) {
      for (const { notes } of places) await notes.write(noteOf(databaseId), `${JSON.stringify(noted)}\n`)
    },
    async remove(databaseId) {
      for (const { notes } of places) await notes.remove(noteOf(databaseId))
    },
  }
}
