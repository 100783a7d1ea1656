import type { BlobPlace } from '../../blobs/ports.ts'

/** Ceilings by kind of ID: see idNames. A missing kind has no ID yet. */
export type Ceilings = Record<string, number>

/**
 * Raised by each start and orderly stop. The name is new each time: after a restore, two histories may reach the same
 * number. The number is 0 if there was no generation yet.
 */
export interface Generation {
  number: number
  name: string
}

export const noGeneration: Generation = { number: 0, name: '' }

/** Markers beside the files that describe the database they belong to. */
export interface Marks {
  /** The database has it before the files have it. */
  generation: Generation
  /** No ID that was ever assigned exceeds these. */
  ceilings: Ceilings
}

export const highestOf = (...each: readonly Ceilings[]): Ceilings =>
  Object.fromEntries(
    each.flatMap(Object.keys).map(name => [name, Math.max(...each.map(ceilings => ceilings[name] ?? 0))]),
  )

/** Per database, because a wrong setting may lead two databases to one place. */
const noteOf = (databaseId: string) => `ids/${databaseId}`

/** During a move there are two places, and each may have been used alone before. */
export async function readMarks(
  places: readonly BlobPlace[],
  databaseId: string,
): Promise<Marks | undefined> {
  const texts = await Promise.all(places.map(({ notes }) => notes.read(noteOf(databaseId))))
  const found = texts.flatMap(text => (text === undefined ? [] : (JSON.parse(text) as Marks)))
  if (found.length === 0) return undefined
  const [newest] = found.toSorted((a, b) => b.generation.number - a.generation.number)
  return {
    generation: newest?.generation ?? noGeneration,
    ceilings: highestOf(...found.map(({ ceilings }) => ceilings)),
  }
}

/** The highest ceilings of all databases that have used these places. */
export async function readAllCeilings(places: readonly BlobPlace[]): Promise<Ceilings | undefined> {
  const found: Ceilings[] = []
  for (const { notes } of places)
    for (const name of await notes.list('ids/'))
      found.push((JSON.parse((await notes.read(name)) ?? '{"ceilings":{}}') as Marks).ceilings)
  return found.length === 0 ? undefined : highestOf(...found)
}

/** Call under the lock of the generation: see generation.ts. */
export async function writeMarks(
  places: readonly BlobPlace[],
  databaseId: string,
  { generation, ceilings }: Marks,
): Promise<void> {
  const text = `${JSON.stringify({ generation, ceilings })}\n`
  for (const { notes } of places) await notes.write(noteOf(databaseId), text)
}
