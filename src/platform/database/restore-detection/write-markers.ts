import type { BlobPlace } from '../../blobs/ports.ts'
import type { Database } from '../tables.ts'
import { lastIds, lockGeneration } from './generation.ts'
import { type Ceilings, highestOf, noGeneration, readMarks, writeMarks } from './place-markers.ts'

/**
 * Records beside the files the committed state of the database: its generation and its raised IDs. Returns the new
 * ceilings.
 */
export function writeMarkers({ writer, dialect }: Database, places: readonly BlobPlace[]): Promise<Ceilings> {
  return writer.transaction().execute(async trx => {
    const { generations, databaseId } = await lockGeneration(trx, dialect)
    const marks = await readMarks(places, databaseId)
    const ceilings = highestOf(marks?.ceilings ?? {}, await lastIds(trx, dialect))
    const [generation = noGeneration] = generations
    const isNoted =
      marks?.generation.name === generation.name &&
      Object.entries(ceilings).every(([name, id]) => marks.ceilings[name] === id)
    if (!isNoted) await writeMarks(places, databaseId, { generation, ceilings })
    return ceilings
  })
}

/**
 * Restarts the markers of a database that was emptied, whose IDs begin again: the first block of each kind counts as
 * assigned.
 */
export function restartMarkers(
  { writer, dialect }: Database,
  places: readonly BlobPlace[],
  idBlock: number,
): Promise<void> {
  return writer.transaction().execute(async trx => {
    const { databaseId } = await lockGeneration(trx, dialect)
    const marks = await readMarks(places, databaseId)
    if (marks === undefined) return
    for (const [name, id] of Object.entries(marks.ceilings)) marks.ceilings[name] = Math.min(id, idBlock)
    await writeMarks(places, databaseId, marks)
  })
}
