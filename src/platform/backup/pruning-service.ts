import type { StoredBlob } from '../blobs/ports.ts'
import { partsOf } from './manifest-rules.ts'
import type { Place } from './ports.ts'
import { blobPath, type FoundSet, filesOf, findSets } from './sets-service.ts'

export interface Pruned {
  sets: number
  files: number
  /** Sets some of whose files could not be removed, because a list or the place failed: the next run tries again. */
  left: string[]
}

/**
 * Removes all but the newest `keep` finished sets, what unfinished ones have left, and the files that no remaining set
 * names. The list of a set is written before its files and removed after them: so every file of the repository is in a
 * list, and an interrupted run goes on where it ended.
 */
export async function pruneSets(place: Place, keep: number): Promise<Pruned> {
  const sets = await findSets(place)
  const kept = sets.filter(({ manifest }) => manifest !== undefined).slice(-keep)
  // A set that cannot be used is not removed: an operator may repair it, or a newer version use it.
  const dropped = sets.filter(found => found.fault === undefined && !kept.includes(found))
  const pruned: Pruned = { sets: 0, files: 0, left: [] }
  for (const found of dropped) {
    const { list, database, keys, manifest } = partsOf(found.set)
    await place.remove(manifest)
    await place.remove(database)
    await place.remove(keys)
    pruned.sets += 1
    try {
      for (const blob of await unnamed(place, found, [...kept, ...sets.filter(({ fault }) => fault)])) {
        await place.remove(blobPath(blob))
        pruned.files += 1
      }
      await place.remove(list)
    } catch {
      // Without its list, nothing would ever find these files again, and erased data would stay.
      pruned.left.push(found.set)
    }
  }
  return pruned
}

/** The files of this set that none of the others names. After a restore, any later set may name a file again. */
async function unnamed(place: Place, found: FoundSet, others: readonly FoundSet[]): Promise<Set<string>> {
  if (found.listSize === undefined) return new Set()
  const [first, ...rest] = others
  const left = new Set<string>()
  for await (const blob of missingIn(
    filesOf(place, found),
    first === undefined ? none() : filesOf(place, first),
  ))
    left.add(blob)
  for (const other of rest) {
    if (left.size === 0) break
    for await (const { blob } of filesOf(place, other)) left.delete(blob)
  }
  return left
}

async function* none(): AsyncGenerator<StoredBlob> {}

/** Both ascend by name, so neither has to be in memory. */
async function* missingIn(
  files: AsyncIterable<StoredBlob>,
  others: AsyncGenerator<StoredBlob>,
): AsyncGenerator<string> {
  let other = await others.next()
  for await (const { blob } of files) {
    while (!other.done && other.value.blob < blob) other = await others.next()
    if (other.done || other.value.blob !== blob) yield blob
  }
  // Ends its reading of the place.
  await others.return(undefined)
}
