import type { StoredBlob } from '../blobs/ports.ts'
import { atMost, type Bytes, type Content, isSame, linesOf, measure, unpack } from '../core/bytes/packing.ts'
import { reasonOf } from '../core/reason.ts'
import { BackupRefused } from './faults.ts'
import { isSetName, type Manifest, partsOf, readManifest } from './manifest-rules.ts'
import type { OnProgress, Place } from './ports.ts'
import type { Snapshots } from './snapshots.ts'

/** A set in a repository, oldest first. Without a manifest it is unfinished. */
export interface RepositorySet {
  set: string
  manifest?: Manifest
  /** Why a finished set cannot be used. */
  fault?: string
  /** Size of its list of files; undefined if there is none. */
  listSize?: number
}

export const blobPath = (blob: string) => `blobs/${blob}`

/** Reads the sets of a repository from its manifests and lists. */
export async function findSets(place: Place): Promise<RepositorySet[]> {
  const parts = new Map<string, Map<string, number>>()
  for await (const list of place.list('sets/')) {
    for (const { name, size } of list) {
      const [, set = ''] = name.split('/')
      if (isSetName(set)) parts.set(set, (parts.get(set) ?? new Map()).set(name, size))
    }
  }
  const names = [...parts.keys()].toSorted()
  return Promise.all(
    names.map(async (set): Promise<RepositorySet> => {
      const paths = partsOf(set)
      const listSize = parts.get(set)?.get(paths.list)
      const found = { set, ...(listSize === undefined ? {} : { listSize }) }
      const text = await place.readText(paths.manifest)
      if (text === undefined) return found
      try {
        return { ...found, manifest: readManifest(text, set) }
      } catch (error) {
        return { ...found, fault: reasonOf(error) }
      }
    }),
  )
}

/** A line in the list of a set. */
export const listLine = ({ blob, sha256, size }: StoredBlob) => `${blob} ${sha256} ${size}\n`

/** Longer than any line of a list. */
const lineBytes = 512
/** Above the possible compression ratio of a list with random hashes. */
const listRatio = 64

/** Unpacks a part of a set, up to the size in the manifest. */
const unpackPart = (packed: Bytes, max: number, { set, what }: { set: string; what: string }) =>
  atMost(
    max,
    unpack(packed),
    () => new BackupRefused(`The ${what} of the set ${set} is larger than its manifest says.`),
  )

export const readDatabase = async (place: Place, { set, database }: Manifest) =>
  unpackPart(await place.read(partsOf(set).database, database.packed), database.plain.size, {
    set,
    what: 'database',
  })

/** The files of a set, in order of their names. */
export async function* filesOf(
  place: Place,
  { set, manifest, listSize }: RepositorySet,
): AsyncGenerator<StoredBlob> {
  const content = manifest?.list.packed ?? { size: listSize ?? 0 }
  const max = manifest === undefined ? content.size * listRatio : manifest.files.count * lineBytes
  const packed = await place.read(partsOf(set).list, content)
  for await (const line of linesOf(unpackPart(packed, max, { set, what: 'list' }))) {
    const [blob = '', sha256 = '', size = ''] = line.split(' ')
    yield { blob, sha256, size: Number(size) }
  }
}

/** Groups files by the first part of their names, which is their day: a place lists one day at a time. */
export async function* byDay(
  files: AsyncIterable<StoredBlob>,
): AsyncGenerator<{ day: string; files: StoredBlob[] }> {
  let group: { day: string; files: StoredBlob[] } | undefined
  for await (const file of files) {
    const [day = ''] = file.blob.split('/')
    if (group !== undefined && group.day !== day) yield group
    if (group?.day !== day) group = { day, files: [] }
    group.files.push(file)
  }
  if (group !== undefined) yield group
}

/** The sizes of one day's files in a place, by blob. */
export async function sizesOf(place: Place, folder: string, day: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for await (const list of place.list(`${folder}${day}/`))
    for (const { name, size } of list) sizes.set(name.slice(folder.length), size)
  return sizes
}

/** Faults of a set; none if it can be restored. Unless `isDeep`, files are not read. */
export async function verifySet(
  place: Place,
  found: RepositorySet,
  { snapshots, isDeep, signal, onProgress }: VerifyOptions,
): Promise<string[]> {
  const { manifest, fault } = found
  if (manifest === undefined) return [fault ?? 'it was never finished']
  const { database } = manifest
  const faults: string[] = []
  const attempt = (check: Promise<void>) => check.catch(error => void faults.push(reasonOf(error)))

  async function verifyDatabase(): Promise<void> {
    const onBytes = (size: number) => onProgress('verifying', size, database.plain.size)
    if (!isSame(await measure(await readDatabase(place, manifest as Manifest), onBytes), database.plain))
      throw new Error('its database is not the one that was copied')
  }

  async function examineDatabase(): Promise<void> {
    const snapshot = await snapshots.unpack(
      await readDatabase(place, manifest as Manifest),
      onProgress,
      signal,
    )
    try {
      const difference = differenceTo(manifest as Manifest, snapshot)
      if (difference !== undefined) throw new Error(difference)
    } finally {
      await snapshot.remove()
    }
  }

  async function verifyFiles(): Promise<void> {
    let done = 0
    let missing = 0
    for await (const { day, files } of byDay(filesOf(place, found))) {
      const sizes = await sizesOf(place, 'blobs/', day)
      for (const { blob, size, sha256 } of files) {
        signal.throwIfAborted()
        const isThere = sizes.get(blob) === size
        const isWhole = isThere && (!isDeep || (await isReadable(place, { blob, size, sha256 })))
        if (!isThere) missing += 1
        else if (!isWhole) faults.push(`the file ${blob} is damaged`)
        onProgress('files', ++done, manifest?.files.count ?? done)
      }
    }
    // Files lost before the set was made are known.
    if (missing > (manifest?.files.lost ?? 0)) faults.push(`${missing} files are missing`)
    if (done !== manifest?.files.count) faults.push('its list of files is not complete')
  }

  async function verifyKeys(keys: Content): Promise<void> {
    await measure(await place.read(partsOf(found.set).keys, keys))
  }

  if (manifest.keys !== undefined) await attempt(verifyKeys(manifest.keys))
  await attempt(isDeep ? examineDatabase() : verifyDatabase())
  await attempt(verifyFiles())
  signal.throwIfAborted()
  return faults
}

export interface VerifyOptions {
  snapshots: Snapshots
  isDeep: boolean
  signal: AbortSignal
  onProgress: OnProgress
}

async function isReadable(place: Place, { blob, ...content }: StoredBlob): Promise<boolean> {
  try {
    await measure(await place.read(blobPath(blob), content))
    return true
  } catch {
    return false
  }
}

/** How an unpacked database differs from its manifest. */
export function differenceTo(
  manifest: Manifest,
  found: Awaited<ReturnType<Snapshots['unpack']>>,
): string | undefined {
  if (!isSame(found.plain, manifest.database.plain)) return 'its database is not the one that was copied'
  if (found.faults.length > 0) return `its database is damaged (${found.faults.join('; ')})`
  const named = (facts: Pick<Manifest, 'tables' | 'ids' | 'schema'>) =>
    JSON.stringify([facts.tables, facts.ids, facts.schema])
  return named(found) === named(manifest) ? undefined : 'its database has other rows than its manifest says'
}
