import { FileLost, NotAsDescribed } from '../blobs/faults.ts'
import type { BlobStore, StoredBlob } from '../blobs/ports.ts'
import type { LeaseStore } from '../core/async/leases.ts'
import { createPace } from '../core/async/pace.ts'
import { type Bytes, pack } from '../core/bytes/packing.ts'
import { type Clock, steadyClock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Task } from '../core/task-ports.ts'
import { leaseSeconds } from '../work/service.ts'
import type { BackupRecords } from './backup-record-store.ts'
import { BackupRefused } from './faults.ts'
import { type Manifest, nextSetName, partsOf, writeManifest } from './manifest-rules.ts'
import type { OnProgress, Place } from './ports.ts'
import { type Pruned, pruneSets } from './pruning-service.ts'
import { blobPath, byDay, findSets, listLine, sizesOf } from './sets-service.ts'
import type { NewSnapshot, Snapshot, Snapshots } from './snapshots.ts'

/** Limit: How long to wait after a failed backup: each attempt copies the whole database. */
export const backupRetrySeconds = 900
/** Limit: How often a process checks whether a backup to BACKUP_URL is due. */
const backupLookSeconds = 60

const askMs = 1_000

/**
 * Makes a set whenever the last one in the place is old enough, on whichever node checks first; after `makeNext`,
 * whatever the age of the last set.
 */
export function createBackupTask(deps: {
  backups: Backups
  openPlace(): Promise<Place>
  clock: Clock
  limits: { backupHours: number; backupKeep: number }
  log: Log
}): Task & { makeNext(): void } {
  const { backups, clock, limits, log } = deps
  let pauseUntil = 0
  let isWanted = false

  async function isDue({ name }: Place): Promise<boolean> {
    const last = (await backups.last())[name]
    // A set dated far into the future by an incorrect clock does not count.
    return last === undefined || Math.abs(clock() - last.at) >= limits.backupHours * 3_600_000
  }

  return {
    name: 'backup',
    everySeconds: backupLookSeconds,
    makeNext() {
      isWanted = true
    },
    async run(goesOn) {
      const isAsked = isWanted
      isWanted = false
      if (!isAsked && clock() < pauseUntil) return { did: {} }
      const place = await deps.openPlace()
      const stop = new AbortController()
      const timer = setInterval(async () => {
        if (!(await goesOn())) stop.abort(new Error('the process is stopping'))
      }, askMs)
      try {
        if (!isAsked && !(await isDue(place))) return { did: {} }
        const { manifest, copied, pruned } = await backups.run({
          place,
          keep: limits.backupKeep,
          signal: stop.signal,
          onProgress() {},
          onLost: blob => log.warn({ blob }, 'a file is missing or damaged and not in the backup'),
        })
        if (pruned.left.length > 0)
          log.warn(
            { sets: pruned.left },
            'files of old sets could not be removed: the next backup tries again',
          )
        log.info({ set: manifest.set, place: place.name }, 'a backup was made and verified')
        return { did: { sets: 1, files: copied.files, removedSets: pruned.sets, removedFiles: pruned.files } }
      } catch (error) {
        if (stop.signal.aborted) return { did: {} }
        pauseUntil = clock() + backupRetrySeconds * 1000
        throw error
      } finally {
        clearInterval(timer)
        place.close()
      }
    },
  }
}

/** Limit: Files that a backup or restore copies in parallel. */
export const backupFilesAtOnce = 8
/** Limit: Names of files read together for a backup: some hundred kilobytes. */
const backupPage = 1_000

/** Held and renewed while a set is made: files to which a row refers in the meantime are not removed. */
export const backupLease = 'backup-set'

export interface BackupOptions {
  place: Place
  /** Number of sets to keep, including this one. */
  keep: number
  signal: AbortSignal
  onProgress: OnProgress
  /** Called for files that cannot be copied because the store lacks them or has different content. */
  onLost(blob: string): void
}

export interface BackupReport {
  manifest: Manifest
  /** Files that earlier sets lacked. */
  copied: { files: number; bytes: number }
  pruned: Pruned
}

export type Backups = ReturnType<typeof createBackups>

/**
 * Makes sets while the service runs. It takes the lease, then copies the database, then the files that it names: so no
 * file that the copy names is removed before it has been copied. The manifest comes last, after the written parts have
 * been read back: a set that has one is complete.
 */
export function createBackups(deps: {
  snapshots: Snapshots
  records: BackupRecords
  blobs: Pick<BlobStore, 'open'>
  leases: LeaseStore
  /** Assigns the database an ID if it has none. */
  databaseId(): Promise<string>
  clock: Clock
  /** Unique to each process. */
  holder: string
  about: Pick<Manifest, 'version' | 'engine'>
  /** The service's keys, encrypted for this set; undefined if it has none, or they must not be part of sets. */
  sealKeys(about: { databaseId: string; set: string }): Promise<string | undefined>
}) {
  const { snapshots, records, leases, clock, holder } = deps
  const leaseMs = leaseSeconds * 1000

  async function* filesIn(snapshot: Snapshot): AsyncGenerator<StoredBlob> {
    for (let last: StoredBlob | undefined; ; ) {
      const page = snapshot.files(last?.blob ?? '', backupPage)
      yield* page
      last = page.at(-1)
      if (last === undefined) return
    }
  }

  async function writeList(place: Place, name: string, snapshot: Snapshot) {
    const files = { count: 0, bytes: 0, lost: 0 }
    async function* lines(): AsyncGenerator<Uint8Array> {
      let gathered = ''
      for await (const file of filesIn(snapshot)) {
        files.count += 1
        files.bytes += file.size
        gathered += listLine(file)
        if (gathered.length < 64 * 1024) continue
        yield Buffer.from(gathered)
        gathered = ''
      }
      yield Buffer.from(gathered)
    }
    return { packed: await place.write(name, pack(lines())), files }
  }

  /** Copies the files that the repository lacks; returns how many. */
  async function copyFiles(snapshot: Snapshot, files: Manifest['files'], options: BackupOptions) {
    const { place, signal, onProgress, onLost } = options
    const copied = { files: 0, bytes: 0 }
    let done = 0
    async function copy(file: StoredBlob): Promise<void> {
      try {
        const content = (await deps.blobs.open(file)) as unknown as Bytes
        await place.write(blobPath(file.blob), content, file)
        copied.files += 1
        copied.bytes += file.size
      } catch (error) {
        if (!(error instanceof FileLost || error instanceof NotAsDescribed)) throw error
        files.lost += 1
        onLost(file.blob)
      }
    }
    for await (const { day, files: ofDay } of byDay(filesIn(snapshot))) {
      const sizes = await sizesOf(place, 'blobs/', day)
      const waiting = ofDay.values()
      const work = async () => {
        for (const file of waiting) {
          signal.throwIfAborted()
          if (sizes.get(file.blob) !== file.size) await copy(file)
          onProgress('files', ++done, files.count)
        }
      }
      await Promise.all(Array.from({ length: backupFilesAtOnce }, work))
    }
    return copied
  }

  async function writeDatabase(
    name: string,
    { packed, plain, packedContent }: NewSnapshot,
    { place, signal, onProgress }: BackupOptions,
  ): Promise<Manifest['database']> {
    async function* showing(phase: 'writing' | 'verifying', content: Bytes): AsyncGenerator<Uint8Array> {
      const pace = createPace()
      let size = 0
      for await (const chunk of content) {
        signal.throwIfAborted()
        if (pace.isTired()) await new Promise(resolve => setTimeout(resolve, pace.restMs()))
        size += chunk.length
        onProgress(phase, size, packed.size)
        yield chunk
      }
    }
    await place.write(name, showing('writing', packedContent()), packed)
    // The hash was computed when the copy was packed, and the unpacked content was compared there.
    for await (const _ of showing('verifying', await place.read(name, packed)));
    return { packed, plain }
  }

  async function makeSet(options: BackupOptions): Promise<BackupReport> {
    const { place, keep, signal, onProgress } = options
    const databaseId = await deps.databaseId()
    // Sets would share a folder with a service's files, and pruning would remove these.
    if ((await place.readText('blobs/database')) !== undefined)
      throw new BackupRefused(
        `The files of a service are in ${place.name}. Choose another place for backups.`,
      )
    const before = await findSets(place)
    const foreign = before.find(
      ({ manifest }) => manifest !== undefined && manifest.databaseId !== databaseId,
    )
    if (foreign !== undefined)
      throw new BackupRefused(
        `The sets in ${place.name} are of another database (${foreign.manifest?.databaseId}). Choose another place for this one.`,
      )
    await snapshots.tidy()
    await place.tidy()
    const set = nextSetName(
      clock(),
      before.map(found => found.set),
    )
    const parts = partsOf(set)
    const snapshot = await snapshots.make(onProgress, signal)
    try {
      const { faults, schema, tables, ids } = snapshot
      if (faults.length > 0) throw new BackupRefused(`The database is damaged (${faults.join('; ')}).`)
      // First, so that the files of an unfinished set can be found and removed.
      const { packed, files } = await writeList(place, parts.list, snapshot)
      await place.flush()
      const copied = await copyFiles(snapshot, files, options)
      const database = await writeDatabase(parts.database, snapshot, options)
      const sealed = await deps.sealKeys({ databaseId, set })
      const keys = sealed === undefined ? undefined : await place.write(parts.keys, textOf(sealed))
      signal.throwIfAborted()
      const manifest: Manifest = {
        format: 1,
        set,
        ...deps.about,
        databaseId,
        schema,
        tables,
        ids,
        database,
        list: { packed },
        files,
        ...(keys && { keys }),
      }
      await place.flush()
      await place.write(parts.manifest, textOf(writeManifest(manifest)))
      await place.flush()
      await records.setLast(place.name, { set, at: clock() })
      return { manifest, copied, pruned: await pruneSets(place, keep) }
    } finally {
      await snapshot.remove()
    }
  }

  /** Renews the lease until the work ends, and aborts the work if another process may have taken it. */
  async function whileHeld<T>(stop: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const lost = new AbortController()
    let renewedAt = steadyClock()
    const lose = (cause?: unknown) =>
      lost.abort(new Error('this process was suspended, or could not reach the database', { cause }))
    const timer = setInterval(async () => {
      const now = steadyClock()
      if (now - renewedAt > leaseMs) return lose()
      const isRenewed = await leases.renew(backupLease, holder, clock() + leaseMs).catch(() => undefined)
      if (isRenewed === false) lose()
      if (isRenewed) renewedAt = now
    }, leaseMs / 6)
    try {
      return await work(AbortSignal.any([stop, lost.signal]))
    } finally {
      clearInterval(timer)
    }
  }

  return {
    last: records.last,

    async run(options: BackupOptions): Promise<BackupReport> {
      const now = clock()
      if (!(await leases.take(backupLease, holder, now, now + leaseMs)))
        throw new BackupRefused('Another process is making a backup. Wait for it to finish.')
      try {
        return await whileHeld(options.signal, signal => makeSet({ ...options, signal }))
      } finally {
        await leases.release(backupLease, holder)
      }
    },
  }
}

async function* textOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
