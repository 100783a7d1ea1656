import type { BlobPlace, StoredBlob } from '../blobs/ports.ts'
import { backupFilesAtOnce } from './backup-service.ts'
import { BackupRefused } from './faults.ts'
import { type Manifest, partsOf } from './manifest-rules.ts'
import type { Adopted, OnProgress, Place, PutKeys, RestoreTarget } from './ports.ts'
import {
  blobPath,
  byDay,
  differenceTo,
  filesOf,
  type RepositorySet,
  readDatabase,
  sizesOf,
} from './sets-service.ts'
import type { Snapshots } from './snapshots.ts'

export interface RestoreReport extends Adopted {
  manifest: Manifest
  /** Files that the target lacked. */
  copied: number
  /** Files that the set lacks: they were lost before it was made, or since then. */
  missing: string[]
}

/**
 * Restores a set. First the database is unpacked and compared with the manifest, then the files are copied, and only
 * then does the database take its place: so no row ever refers to a file that has not yet arrived.
 */
export async function restoreSet(options: {
  place: Place
  found: RepositorySet
  isReplacing: boolean
  target: RestoreTarget
  /** Place of the target's files. */
  files: { place: Place; mark: BlobPlace }
  snapshots: Snapshots
  /** The migrations known to this version. */
  knownSchema: readonly string[]
  /** Decrypts the keys of the set; returns a function that puts them in place. Undefined without a passphrase. */
  openKeys: ((sealed: string, about: Manifest) => Promise<() => PutKeys>) | undefined
  signal: AbortSignal
  onProgress: OnProgress
}): Promise<RestoreReport> {
  const { place, found, target, files, snapshots, signal, onProgress } = options
  const { manifest, set } = found
  if (manifest === undefined)
    throw new BackupRefused(`The set ${set} cannot be restored: ${found.fault ?? 'it was never finished'}.`)
  const unknown = manifest.schema.filter(name => !options.knownSchema.includes(name))
  if (unknown.length > 0)
    throw new BackupRefused(
      `The set ${set} was made by version ${manifest.version}, which is newer than this one (${unknown.join(', ')}). Restore it with that version.`,
    )
  const putKeys = await openKeys(manifest)
  await target.prepare(options.isReplacing)
  const owner = await files.mark.owner()
  if (owner !== undefined && owner !== manifest.databaseId)
    throw new BackupRefused(
      `The files in ${files.mark.name} belong to another database, ${owner}. Restore into an empty DATA_DIR or BLOBS_URL.`,
    )

  const showUnpacking: OnProgress = (phase, done) => onProgress(phase, done, manifest.database.plain.size)
  const content = await readDatabase(place, manifest)
  const copy = await snapshots.unpack(content, showUnpacking, signal)
  try {
    const difference = differenceTo(manifest, copy)
    if (difference !== undefined) throw new BackupRefused(`The set ${set} cannot be restored: ${difference}.`)
    const { copied, missing } = await copyFiles()
    await files.place.flush()
    signal.throwIfAborted()
    // First, so that a database never starts without the keys in its set.
    const ofKeys = putKeys()
    const adopted = await target.adopt(copy.path, onProgress).catch(error => {
      // The existing database stays, and needs the former keys.
      ofKeys.undo()
      throw error
    })
    if (owner === undefined) await files.mark.setOwner(manifest.databaseId)
    return { manifest, copied, missing, ...adopted, advice: [...ofKeys.advice, ...adopted.advice] }
  } finally {
    await copy.remove()
  }

  async function openKeys(about: Manifest): Promise<() => PutKeys> {
    const putNone = (...advice: string[]) => ({ advice, undo() {} })
    if (about.keys === undefined) return () => putNone()
    if (options.openKeys === undefined)
      return () =>
        putNone(
          'The keys of the service are in the set, encrypted, and were not restored: BACKUP_PASSPHRASE is not set.',
        )
    return options.openKeys((await place.readText(partsOf(set).keys)) ?? '', about)
  }

  async function copyFiles(): Promise<{ copied: number; missing: string[] }> {
    const missing: string[] = []
    let [copied, done] = [0, 0]
    async function copyFile({ blob, sha256, size }: StoredBlob): Promise<void> {
      const content = await place.read(blobPath(blob), { sha256, size }).catch(error => {
        missing.push(blob)
        // The place itself must be intact: otherwise every file would be missing.
        if ((missing.length - 1) % 100 === 0)
          return place.readText(partsOf(set).manifest).then(() => undefined)
        return void error
      })
      if (content === undefined) return
      await files.place.write(blob, content, { sha256, size })
      copied += 1
    }
    for await (const { day, files: ofDay } of byDay(filesOf(place, found))) {
      const sizes = await sizesOf(files.place, '', day)
      const waiting = ofDay.values()
      const work = async () => {
        for (const file of waiting) {
          signal.throwIfAborted()
          if (sizes.get(file.blob) !== file.size) await copyFile(file)
          done += 1
          onProgress('files', done, manifest?.files.count ?? done)
        }
      }
      await Promise.all(Array.from({ length: backupFilesAtOnce }, work))
    }
    return { copied, missing }
  }
}
