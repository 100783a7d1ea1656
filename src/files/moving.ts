import { reasonOf } from '../core/reason.ts'
import type { BlobMove } from './moving-ports.ts'
import type { BlobReferences, StoredBlob } from './ports.ts'

export interface MoveSummary {
  outcome: 'finished' | 'stopped'
  moved: number
  bytes: number
  /** In the folder, and in no row: the clean-up removes them when their time has come. */
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
type Run = MoveOptions & { failuresInARow: number }

/**
 * Brings every file that a row names from the folder to the store, while others read, upload and delete.
 *
 * Nothing is lost: a file leaves the folder only when the store has all of it, and readers ask the folder first and
 * then the store, so there is no moment at which they find it in neither. Names are made for one upload and never used
 * again, so a copy that is made twice, after a crash or by two who move at once, is the same bytes under the same name.
 *
 * Nothing stays that should be gone: whoever deletes removes from both, but a copy may arrive after that. So the rows
 * are asked again when the copies are there. A file that no row names by then is never named again (see clean-up.ts),
 * and its copy goes. If a row still names it, any deletion is yet to come and will find the copy. A process that is
 * killed between copy and question has left a note of what it was about to copy, and the next one asks for it.
 */
export function createMoving(deps: {
  references: Pick<BlobReferences, 'described' | 'named'>
  move: BlobMove
  limits: { moveBatch: number; movesAtOnce: number; moveFailures: number }
}) {
  const { references, move, limits } = deps

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
      }
    }
    await Promise.all(Array.from({ length: limits.movesAtOnce }, work))
    if (hopeless !== undefined) throw hopeless
    return fates
  }

  async function moveBatch(names: readonly string[], summary: MoveSummary, run: Run): Promise<void> {
    const files = await references.described(names)
    summary.unnamed += names.length - files.length
    if (files.length === 0) return
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

  return {
    /** Goes on where another run has ended: what is in the folder is what is left to do. */
    async run(options: MoveOptions): Promise<MoveSummary> {
      const summary: MoveSummary = {
        ...{ outcome: 'finished', moved: 0, bytes: 0, unnamed: 0 },
        ...{ damaged: [], failed: [] },
      }
      const run = { ...options, failuresInARow: 0 }
      await finishLeftNotes()
      const total = await move.count()
      let done = 0
      for await (const names of inBatches(move.names(), limits.moveBatch)) {
        await moveBatch(names, summary, run)
        if (run.stop.aborted) return { ...summary, outcome: 'stopped' }
        done += names.length
        run.onProgress(done, Math.max(done, total))
      }
      await move.tidy()
      return summary
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
