import type { Clock } from '../core/clock.ts'
import { Problem } from '../core/problems.ts'
import { reasonOf } from '../core/reason.ts'
import type { BlobMove } from './moving-ports.ts'
import type { Ownership } from './ownership-service.ts'
import type { BlobReferences, StoredBlob } from './ports.ts'
import { dayOf, isPast } from './upload-age.ts'

export interface MoveSummary {
  outcome: 'finished' | 'stopped'
  moved: number
  bytes: number
  /** In no row, and old enough that none will come: gone from the folder. */
  removed: number
  /** In no row, and of the last two days: a row may be about to name them. They stay in the folder. */
  unnamed: number
  /** Not what was uploaded. They stay in the folder. */
  damaged: string[]
  /** The store did not take them. They stay in the folder. */
  failed: string[]
}

export interface MoveOptions {
  stop: AbortSignal
  onProgress(done: number, total: number): void
  /** A file that stays where it is, and why. */
  onLeft(blob: string, reason: string): void
}

type Fate = 'copied' | 'gone' | 'damaged' | 'failed'
type Run = MoveOptions & { failuresInARow: number; onDone(files: number): void }

/**
 * Brings every file that a row names from the folder to the store, while others read, upload and delete.
 *
 * Nothing is lost: a file leaves the folder only when the store has all of it, and readers ask the folder first and
 * then the store, so there is no moment at which they find it in neither. Names are made for one upload and never used
 * again, so a copy that is made twice, after a crash, is the same bytes under the same name.
 *
 * Nothing stays that should be gone: whoever deletes removes from both, but a copy may arrive after that. So the rows
 * are asked again when the copies are there. A file that no row names by then is never named again (see clean-up.ts),
 * and its copy goes. If a row still names it, any deletion is yet to come and will find the copy. A process that is
 * killed between copy and question has left a note of what it was about to copy, and the next one asks for it. It
 * must be dead, or its copy could still arrive: so one at a time moves files out of a folder.
 *
 * What no row names goes when it is older than the clean-up window, as in clean-up.ts. The clean-up itself looks through
 * each day once, wherever it runs: another node may have done that which does not have this folder.
 */
export function createMoving(deps: {
  references: Pick<BlobReferences, 'described' | 'named'>
  move: BlobMove
  ownership: Pick<Ownership, 'settle'>
  clock: Clock
  limits: { moveBatch: number; movesAtOnce: number; moveFailures: number; cleanUpWindowSeconds: number }
}) {
  const { references, move, ownership, clock, limits } = deps

  async function dropUnnamedCopies(blobs: readonly string[]): Promise<Set<string>> {
    const named = await references.named(blobs)
    for (const blob of blobs) if (!named.has(blob)) await move.removeCopy(blob)
    return named
  }

  async function finishLeftNotes(): Promise<void> {
    for (const { blobs, strike } of await move.leftNotes()) {
      await dropUnnamedCopies(blobs)
      await strike()
    }
  }

  /** One that fails may have bad luck. When several in a row do, the next thousand will, too. */
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

  /** No upload has had a name without a day for so long that none can be under way. */
  const isNeverNamed = (blob: string) => {
    const day = dayOf(blob)
    return day === undefined || isPast(day, clock(), limits)
  }

  async function moveBatch(names: readonly string[], summary: MoveSummary, run: Run): Promise<void> {
    const files = await references.described(names)
    const named = new Set(files.map(({ blob }) => blob))
    const unnamed = names.filter(blob => !named.has(blob))
    const old = unnamed.filter(isNeverNamed)
    await Promise.all(old.map(move.removeOriginal))
    summary.removed += old.length
    summary.unnamed += unnamed.length - old.length
    run.onDone(unnamed.length)
    if (files.length > 0) await moveNamed(files, summary, run)
  }

  async function moveNamed(files: readonly StoredBlob[], summary: MoveSummary, run: Run): Promise<void> {
    const strike = await move.note(files.map(({ blob }) => blob))
    const fates = await copyAll(files, run)
    const named = await dropUnnamedCopies(files.map(({ blob }) => blob))
    for (const [{ blob, size }, fate] of fates) {
      if (!named.has(blob)) continue
      if (fate === 'failed') summary.failed.push(blob)
      if (fate === 'damaged') {
        summary.damaged.push(blob)
        run.onLeft(blob, 'it is not what was uploaded')
      }
      if (fate === 'copied') {
        await move.removeOriginal(blob)
        summary.moved += 1
        summary.bytes += size
      }
    }
    await strike()
  }

  async function moveAll(options: MoveOptions): Promise<MoveSummary> {
    const summary: MoveSummary = {
      ...{ outcome: 'finished', moved: 0, bytes: 0, removed: 0, unnamed: 0 },
      ...{ damaged: [], failed: [] },
    }
    const found = await ownership.settle()
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
    /** How many files are still in the folder. */
    left: move.count,

    /** Goes on where another run has ended: what is in the folder is what is left to do. */
    async run(options: MoveOptions): Promise<MoveSummary> {
      const release = await move.lock()
      if (release === undefined)
        throw new Problem(
          'unavailable',
          'Another "dossier blobs move" is at work on this folder. Let it end.',
        )
      try {
        return await moveAll(options)
      } finally {
        release()
      }
    },
  }
}

/** A folder may hold one name or ten thousand. */
async function* inBatches(lists: AsyncIterable<string[]>, size: number): AsyncGenerator<string[]> {
  let gathered: string[] = []
  for await (const list of lists) {
    gathered = gathered.concat(list)
    while (gathered.length >= size) yield gathered.splice(0, size)
  }
  if (gathered.length > 0) yield gathered
}
