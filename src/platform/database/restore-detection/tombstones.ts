import type { BlobPlace } from '../../blobs/ports.ts'
import type { Clock } from '../../core/clock.ts'
import { getMeta } from '../meta.ts'
import type { Database } from '../tables.ts'
import { databaseIdKey, lockGeneration } from './generation.ts'

const dayMs = 86_400_000
const mostInPart = 1_000

/** Records beside the files are lists of tombstones, one JSON array per line, in parts by day. */
const folderOf = (databaseId: string) => `tombstones/${databaseId}/`
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10).replaceAll('-', '')

/** Data that must not reappear: its kind, then IDs and times. */
type AnyTombstone = readonly [kind: string, ...what: (string | number)[]]

export type Tombstones<T extends AnyTombstone> = ReturnType<typeof createTombstones<T>>

export function createTombstones<T extends AnyTombstone>({
  database: { writer, reader, dialect },
  places,
  clock,
  keepDays,
}: {
  database: Database
  places: readonly BlobPlace[]
  clock: Clock
  keepDays: number
}) {
  /** Appends to the last part of the day. Call under the lock of the generation. */
  async function append({ notes }: BlobPlace, databaseId: string, lines: readonly string[]): Promise<void> {
    const day = `${folderOf(databaseId)}${dayOf(clock())}`
    const parts = await notes.list(day)
    const last = parts.at(-1)
    const text = last === undefined ? '' : ((await notes.read(last)) ?? '')
    const isFull = last === undefined || text.split('\n').length > mostInPart
    const name = isFull ? `${day}-${String(parts.length + 1).padStart(5, '0')}` : last
    await notes.write(name, `${isFull ? '' : text}${lines.join('\n')}\n`)
  }

  async function noteSome(): Promise<number> {
    const some = reader.selectFrom('tombstones').select('id').orderBy('id').limit(1)
    if ((await some.executeTakeFirst()) === undefined) return 0
    return writer.transaction().execute(async trx => {
      // Two processes must not append to one part.
      const { databaseId } = await lockGeneration(trx, dialect)
      const rows = await trx
        .selectFrom('tombstones')
        .select(['id', 'content'])
        .orderBy('id')
        .limit(mostInPart)
        .execute()
      const lines = rows.map(({ content }) => content)
      if (lines.length > 0) for (const place of places) await append(place, databaseId, lines)
      // If this is not committed, the lines are written twice, which does no harm.
      for (let start = 0; start < rows.length; start += 200) {
        const ids = rows.slice(start, start + 200).map(({ id }) => id)
        await trx.deleteFrom('tombstones').where('id', 'in', ids).execute()
      }
      return rows.length
    })
  }

  return {
    /** Moves the tombstones from the table to the files; returns how many. */
    async note(): Promise<number> {
      let noted = 0
      for (let more = await noteSome(); more > 0; more = await noteSome()) noted += more
      return noted
    },

    /** Yields the tombstones of the last days, part by part, and those still in the table. */
    async *read(): AsyncGenerator<T[]> {
      const databaseId = await getMeta(reader, databaseIdKey)
      if (databaseId === undefined) return
      for (const { notes } of places)
        for (const part of await notes.list(folderOf(databaseId)))
          yield tombstonesOf<T>((await notes.read(part)) ?? '')
      const rows = await reader.selectFrom('tombstones').select('content').execute()
      yield tombstonesOf<T>(rows.map(({ content }) => content).join('\n'))
    },

    /** Removes all records of a database that was emptied, whose IDs begin again. */
    async forget(): Promise<void> {
      const databaseId = await getMeta(reader, databaseIdKey)
      if (databaseId === undefined) return
      for (const { notes } of places)
        for (const part of await notes.list(folderOf(databaseId))) await notes.remove(part)
    },

    /** Removes parts that no backup needs; returns how many. */
    async prune(): Promise<number> {
      const databaseId = await getMeta(reader, databaseIdKey)
      if (databaseId === undefined) return 0
      const oldest = `${folderOf(databaseId)}${dayOf(clock() - keepDays * dayMs)}`
      let removed = 0
      for (const { notes } of places)
        for (const part of await notes.list(folderOf(databaseId)))
          if (part < oldest) {
            await notes.remove(part)
            removed += 1
          }
      return removed
    },
  }
}

/** Skips incomplete lines: their rows were not deleted and will be written again. */
function tombstonesOf<T>(text: string): T[] {
  return text.split('\n').flatMap(line => {
    try {
      return line === '' ? [] : [JSON.parse(line) as T]
    } catch {
      return []
    }
  })
}
