import { NotOurFiles } from './not-our-files.ts'
import type { BlobPlace, BlobReferences } from './ports.ts'

/** So many files tell whose they are: of our own nearly all have a row, because the clean-up removes the others. */
const sampleSize = 1_000

type Standing =
  /** The mark says so. */
  | { is: 'ours' }
  /** No mark yet, and the database knows files that are there. */
  | { is: 'known' }
  | { is: 'empty' }
  /** No mark, and files of which the database knows none. */
  | { is: 'strange' }
  | { is: 'foreign'; owner: string }

export type Ownership = ReturnType<typeof createOwnership>

/**
 * Whose files are these? To remove what no row names is right only with the database whose files they are: with any other
 * one, a new and empty one for instance, that would be all of them. So the database has an ID, and each place in which
 * its files are bears it as a mark. A place without one is marked when it can only be ours. Nothing else asks for the mark:
 * whoever uploads or downloads has names that nobody else has.
 */
export function createOwnership(deps: {
  references: Pick<BlobReferences, 'page' | 'named' | 'loose' | 'databaseId' | 'makeDatabaseId'>
  places: readonly BlobPlace[]
  newId(): string
}) {
  const { references, places, newId } = deps

  async function standingOf(place: BlobPlace, id: string | undefined): Promise<Standing> {
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

  async function standings() {
    const id = await references.databaseId()
    return Promise.all(places.map(async place => ({ place, standing: await standingOf(place, id) })))
  }

  /** A place that is empty although rows name files is a disk that is not mounted, unless the files are in another one. */
  async function mayBeEmpty(found: readonly { standing: Standing }[]): Promise<boolean> {
    if (found.some(({ standing: { is } }) => is === 'ours' || is === 'known')) return true
    return (await references.page('', 1)).length === 0
  }

  /** Marks every place, whatever is there. */
  async function claim(): Promise<string> {
    const id = await references.makeDatabaseId(newId())
    for (const place of places) await place.setOwner(id)
    return id
  }

  return {
    claim,
    places,

    /** Marks what can only be ours. Then tells why nothing may be removed, if that is so. */
    async settle(): Promise<{ objection: NotOurFiles; isForeign: boolean } | undefined> {
      const found = await standings()
      const isEmptyOurs = await mayBeEmpty(found)
      for (const { place, standing } of found) {
        if (standing.is === 'known' || (standing.is === 'empty' && isEmptyOurs))
          await place.setOwner(await references.makeDatabaseId(newId()))
      }
      const odd = found.find(({ standing: { is } }) => is === 'foreign' || is === 'strange')
      const other = odd ?? (isEmptyOurs ? undefined : found.find(({ standing: { is } }) => is === 'empty'))
      return other && { objection: objectionTo(other), isForeign: other.standing.is === 'foreign' }
    },

    /** Changes nothing. That rows name files which are not there is for whoever looks at each of them. */
    async objection(): Promise<NotOurFiles | undefined> {
      const odd = (await standings()).find(({ standing: { is } }) => is === 'foreign' || is === 'strange')
      return odd && objectionTo(odd)
    },
  }
}

function objectionTo({ place, standing }: { place: BlobPlace; standing: Standing }): NotOurFiles {
  const found =
    standing.is === 'foreign'
      ? `holds the files of another database, ${standing.owner}`
      : standing.is === 'empty'
        ? 'holds no files, and the database names some'
        : 'holds files of which the database knows none'
  return new NotOurFiles(
    `${place.name} ${found}: nothing is removed. See that DATABASE_URL, DATA_DIR and BLOBS_URL go together and that the disk is mounted. If all of that is right, "dossier blobs claim" says so`,
  )
}
