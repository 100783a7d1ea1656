import type { StoredBlob } from '../blobs/ports.ts'
import { partsOf } from './manifest-rules.ts'
import type { Place } from './ports.ts'
import { blobPath, filesOf, findSets, type RepositorySet } from './sets-service.ts'

export interface Pruned {
  sets: number
  files: number
  /** Sets with files that could not be removed, because a list or the place failed: the next run tries again. */
  left: string[]
}

/**
 * Removes all but the newest `keep` finished sets, the remains of unfinished ones, and files that no remaining set
 * names. A set's list is written before its files and removed after them: so every file of the repository is in a list,
 * and an interrupted run continues where it ended.
 */
export async function pruneSets(place: Place, keep: number): Promise<Pruned> {
  const sets = await findSets(place)
  const kept = sets.filter(({ manifest }) => manifest !== undefined).slice(-keep)
  // Keep unusable sets: an operator may repair them, or a newer version use them.
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
      // Without its list, these files could never be found again, and erased data would stay.
      pruned.left.push(found.set)
    }
  }
  return pruned
}

/** The files of this set that none of the others names. After a restore, any later set may name such a file again. */
async function unnamed(
  place: Place,
  found: RepositorySet,
  others: readonly RepositorySet[],
): Promise<Set<string>> {
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

/** Both are ordered by name, so neither has to be in memory. */
async function* missingIn(
  files: AsyncIterable<StoredBlob>,
  others: AsyncGenerator<StoredBlob>,
): AsyncGenerator<string> {
  let other = await others.next()
  for await (const { blob } of files) {
    while (!other.done && other.value.blob < blob) other = await others.next()
    if (other.done || other.value.blob !== blob) yield blob
  }
  // Stops reading from the place.
  await others.return(undefined)
}
