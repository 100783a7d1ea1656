import type { Clock } from '../core/clock.ts'
import { Problem } from '../core/problems.ts'
import { reasonOf } from '../core/reason.ts'
import type { Ownership } from './ownership-service.ts'
import type { BlobReferences, StoredBlob } from './ports.ts'
import type { BlobMove } from './s3/blob-move.ts'
import { dayOf, isJustRestored, isPastCleanUp } from './upload-age.ts'

/** Limit: Files that `blobs move` copies before it checks which of them still have a row. */
const moveBatch = 100
/** Limit: Files that `blobs move` copies in parallel, alongside the uploads. */
const movesAtOnce = 8
/** Limit: Consecutive failures after which `blobs move` ends, because the next file would fail too. */
const moveFailures = 16

const bounds = { moveBatch, movesAtOnce, moveFailures }

export interface MoveSummary {
  outcome: 'finished' | 'stopped'
  moved: number
  bytes: number
  /** Blobs without a row, too old to get one, that were removed from the folder. */
  removed: number
  /** Blobs without a row that may get one, or that a backup may refer to. They stay in the folder. */
  unnamed: number
  /** Blobs whose bytes differ from the upload. They stay in the folder. */
  damaged: string[]
  /** Blobs that the store rejected. They stay in the folder. */
  failed: string[]
}

export interface MoveOptions {
  stop: AbortSignal
  onProgress(done: number, total: number): void
  /** Called for a file that stays in the folder, with the reason. */
  onLeft(blob: string, reason: string): void
}

type Fate = 'copied' | 'gone' | 'damaged' | 'failed'
type Run = MoveOptions & { failuresInARow: number; onDone(files: number): void }

/**
 * Moves every file that a row refers to from the folder to the store, while other processes read, upload and delete.
 *
 * No file is lost. A file is removed from the folder only once the store has all of it, and readers try the folder first
 * and then the store, so they always find it in one of the two. Names are unique to an upload and never reused, so a copy
 * repeated after a crash writes the same bytes under the same name.
 *
 * No deleted file comes back. A deletion removes the blob from both places, but a copy may arrive after it. So the rows
 * are read again once the copies are complete. A file that no row refers to then is never referred to again (see
 * clean-up-service.ts), so its copy is removed. If a row still refers to it, any deletion is yet to come and will find
 * the copy. A process killed between copying and reading the rows has left a note of what it was about to copy, and the
 * next process checks those blobs. That is safe only if no copy of the first process can still arrive, so only one
 * process at a time moves files out of a folder.
 *
 * Files that no row refers to are removed once they are older than the clean-up window. The clean-up cannot be relied on
 * for that: it sweeps each day once, perhaps on a node that does not have this folder. While a backup runs, and for some
 * days after a restore, nothing without a row is removed from either place, as in clean-up-service.ts; notes of copies stay
 * until then.
 */
export function createMoving(deps: {
  references: Pick<BlobReferences, 'described' | 'named' | 'restoredAt'>
  move: BlobMove
  ownership: Pick<Ownership, 'reconcile'>
  isBackupRunning?: () => Promise<boolean>
  clock: Clock
  limits?: typeof bounds
}) {
  const { references, move, ownership, clock, limits = bounds, isBackupRunning = async () => false } = deps

  /** Call after reading the rows. */
  async function mayRemove(): Promise<boolean> {
    if (await isBackupRunning()) return false
    return !isJustRestored(await references.restoredAt(), clock())
  }

  async function dropUnnamedCopies(blobs: readonly string[]) {
    const named = await references.named(blobs)
    const unnamed = blobs.filter(blob => !named.has(blob))
    const areDropped = unnamed.length === 0 || (await mayRemove())
    if (areDropped) for (const blob of unnamed) await move.removeCopy(blob)
    return { named, areDropped }
  }

  async function finishLeftNotes(): Promise<void> {
    for (const { blobs, strike } of await move.leftNotes()) {
      const { areDropped } = await dropUnnamedCopies(blobs)
      if (areDropped) await strike()
    }
  }

  /** Copies the files. A single failure is recorded; several in a row end the run, because the rest would fail too. */
  async function copyAll(files: readonly StoredBlob[], run: Run): Promise<Map<StoredBlob, Fate>> {
    const fates = new Map<StoredBlob, Fate>()
    const waiting = files.values()
    let hopeless: unknown
    async function work(): Promise<void> {
      for (const file of waiting) {
        if (run.stop.aborted || hopeless !== undefined) return
        try {
          fates.set(file, await move.copy(file))
          run.failuresInARow = 0
        } catch (error) {
          fates.set(file, 'failed')
          run.onLeft(file.blob, reasonOf(error))
          run.failuresInARow += 1
          if (run.failuresInARow >= limits.moveFailures) hopeless = error
        }
        run.onDone(1)
      }
    }
    await Promise.all(Array.from({ length: limits.movesAtOnce }, work))
    if (hopeless !== undefined) throw hopeless
    return fates
  }

  /** Whether the blob is too old to get a row. Names without a day are from earlier releases, so they are old. */
  const isNeverNamed = (blob: string) => {
    const day = dayOf(blob)
    return day === undefined || isPastCleanUp(day, clock())
  }

  async function moveBatch(names: readonly string[], summary: MoveSummary, run: Run): Promise<void> {
    const files = await references.described(names)
    const named = new Set(files.map(({ blob }) => blob))
    const unnamed = names.filter(blob => !named.has(blob))
    const old = (await mayRemove()) ? unnamed.filter(isNeverNamed) : []
    await Promise.all(old.map(move.removeOriginal))
    summary.removed += old.length
    summary.unnamed += unnamed.length - old.length
    run.onDone(unnamed.length)
    if (files.length > 0) await moveNamed(files, summary, run)
  }

  async function moveNamed(files: readonly StoredBlob[], summary: MoveSummary, run: Run): Promise<void> {
    const strike = await move.note(files.map(({ blob }) => blob))
    const fates = await copyAll(files, run)
    const { named, areDropped } = await dropUnnamedCopies(files.map(({ blob }) => blob))
    for (const [{ blob, size }, fate] of fates) {
      if (!named.has(blob)) continue
      if (fate === 'failed') summary.failed.push(blob)
      if (fate === 'damaged') {
        summary.damaged.push(blob)
        run.onLeft(blob, 'its content is not what was uploaded')
      }
      if (fate === 'copied') {
        await move.removeOriginal(blob)
        summary.moved += 1
        summary.bytes += size
      }
    }
    if (areDropped) await strike()
  }

  async function moveAll(options: MoveOptions): Promise<MoveSummary> {
    const summary: MoveSummary = {
      outcome: 'finished',
      moved: 0,
      bytes: 0,
      removed: 0,
      unnamed: 0,
      damaged: [],
      failed: [],
    }
    const found = await ownership.reconcile()
    if (found !== undefined) throw found.objection
    await finishLeftNotes()
    const total = await move.count()
    let done = 0
    const onDone = (files: number) => {
      done += files
      options.onProgress(done, Math.max(done, total))
    }
    const run = { ...options, failuresInARow: 0, onDone }
    for await (const names of inBatches(move.names(), limits.moveBatch)) {
      await moveBatch(names, summary, run)
      if (run.stop.aborted) return { ...summary, outcome: 'stopped' }
    }
    await move.tidy()
    return summary
  }

  return {
    /** The number of files still in the folder. */
    left: move.count,

    /** Continues where the last run ended: the files still in the folder are the remaining work. */
    async run(options: MoveOptions): Promise<MoveSummary> {
      const release = await move.lock()
      if (release === undefined)
        throw new Problem(
          'unavailable',
          'Another "dossier blobs move" is running on this folder. Wait for it to finish.',
        )
      try {
        return await moveAll(options)
      } finally {
        release()
      }
    },
  }
}

/** Regroups lists of any length into batches of equal size. */
async function* inBatches(lists: AsyncIterable<string[]>, size: number): AsyncGenerator<string[]> {
  let gathered: string[] = []
  for await (const list of lists) {
    gathered = gathered.concat(list)
    while (gathered.length >= size) yield gathered.splice(0, size)
  }
  if (gathered.length > 0) yield gathered
}
