import { NotOurFiles } from './faults.ts'
import type { BlobPlace, BlobReferences } from './ports.ts'

/**
 * A sample of this size shows whose files they are: nearly all of our own have a row, because the clean-up removes the
 * rest.
 */
const sampleSize = 1_000

type PlaceState =
  /** The place is marked as ours. */
  | { is: 'ours' }
  /** The place is not marked yet, but the database knows some of its files. */
  | { is: 'known' }
  | { is: 'empty' }
  /** The place is not marked, and the database knows none of its files. */
  | { is: 'strange' }
  | { is: 'foreign'; owner: string }

export type Ownership = ReturnType<typeof createOwnership>

/**
 * Checks whether the files belong to this database. Only their own database may remove files without a row: for any
 * other, such as a new and empty one, that would be all files. So each database has an ID, and each place with its
 * files is marked with it. An unmarked place is marked if it can only be ours. Uploads and downloads do not check the
 * mark, because the names of blobs are unique.
 */
export function createOwnership(deps: {
  references: Pick<BlobReferences, 'page' | 'named' | 'loose' | 'databaseId' | 'makeDatabaseId'>
  places: readonly BlobPlace[]
  newId(): string
}) {
  const { references, places, newId } = deps

  async function stateOf(place: BlobPlace, id: string | undefined): Promise<PlaceState> {
    const owner = await place.owner()
    if (owner !== undefined) return owner === id ? { is: 'ours' } : { is: 'foreign', owner }
    const names = await place.sample(sampleSize)
    if (names.length === 0) return { is: 'empty' }
    return { is: (await isKnown(names)) ? 'known' : 'strange' }
  }

  async function isKnown(names: readonly string[]): Promise<boolean> {
    if ((await references.named(names)).size > 0) return true
    const loose = new Set((await references.loose(sampleSize)).map(({ blob }) => blob))
    return names.some(name => loose.has(name))
  }

  async function readStates() {
    const id = await references.databaseId()
    return Promise.all(places.map(async place => ({ place, state: await stateOf(place, id) })))
  }

  /** If rows refer to files, an empty place means a disk that is not mounted, unless the files are in another place. */
  async function mayBeEmpty(found: readonly { state: PlaceState }[]): Promise<boolean> {
    if (found.some(({ state: { is } }) => is === 'ours' || is === 'known')) return true
    return (await references.page('', 1)).length === 0
  }

  /** Marks every place as ours, whatever it contains. */
  async function claim(): Promise<string> {
    const id = await references.makeDatabaseId(newId())
    for (const place of places) await place.setOwner(id)
    return id
  }

  return {
    claim,
    places,

    /** Marks places that can only be ours. If files must not be removed, returns why. */
    async reconcile(): Promise<{ objection: NotOurFiles; isForeign: boolean } | undefined> {
      const found = await readStates()
      const isEmptyOurs = await mayBeEmpty(found)
      for (const { place, state } of found) {
        if (state.is === 'known' || (state.is === 'empty' && isEmptyOurs))
          await place.setOwner(await references.makeDatabaseId(newId()))
      }
      const odd = found.find(({ state: { is } }) => is === 'foreign' || is === 'strange')
      const other = odd ?? (isEmptyOurs ? undefined : found.find(({ state: { is } }) => is === 'empty'))
      return other && { objection: objectionTo(other), isForeign: other.state.is === 'foreign' }
    },

    /** Like `reconcile`, but changes nothing, and leaves missing files to the check of each file. */
    async objection(): Promise<NotOurFiles | undefined> {
      const odd = (await readStates()).find(({ state: { is } }) => is === 'foreign' || is === 'strange')
      return odd && objectionTo(odd)
    },
  }
}

function objectionTo({ place, state }: { place: BlobPlace; state: PlaceState }): NotOurFiles {
  const found =
    state.is === 'foreign'
      ? `contains the files of another database, ${state.owner}`
      : state.is === 'empty'
        ? 'is empty, but the database refers to files'
        : 'contains files, but the database knows none of them'
  return new NotOurFiles(
    `${place.name} ${found}, so nothing is removed. Check that DATABASE_URL, DATA_DIR and BLOBS_URL belong together and that the disk is mounted. If they do, run "dossier blobs claim"`,
  )
}
