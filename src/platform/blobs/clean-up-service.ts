import type { Clock } from '../core/clock.ts'
import type { GoesOn, LookAtTime, WorkDone } from '../core/task-ports.ts'
import type { Ownership } from './ownership-service.ts'
import type { BlobReferences, BlobStore } from './ports.ts'
import { isJustRestored, isPastCleanUp } from './upload-age.ts'

/** Limit: Files checked and removed together: a short burst of disk work. */
const cleanUpBatch = 200

export type CleanUp = ReturnType<typeof createCleanUp>

/**
 * Removes blobs that no row refers to. There are two kinds.
 *
 * Loose blobs have lost a reference (a row was deleted, a virus was found), and the same transaction listed them as
 * loose. They can be removed once no row refers to them, because no new reference can appear:
 * - A row gets the name of a blob in three ways only: with the upload, which comes first, by copying it from another row,
 *   in a transaction that locks the owner of that row before it reads it, or by moving it from another row, in the
 *   transaction that deletes that one.
 * - A transaction that drops the other row's reference takes the same lock. So it commits either after the copy, which is
 *   then visible, or before it, and then there is nothing left to copy from.
 * - So once a blob is listed as loose, the number of references can only fall. If it is zero, it stays zero.
 * If a row still refers to the blob, dropping that reference later lists the blob again. That changes the entry, and an
 * entry is deleted only in the state in which it was read, so a reference dropped in between is not missed. The bytes
 * are removed before the entry: after a crash in between, the next run finds no bytes and deletes the entry. Concurrent
 * runs do the same things and do not disturb each other.
 *
 * Abandoned uploads were never referred to, because the upload broke off, was rejected or the process ended. Their names
 * contain the day of the upload, and each day is swept once, when the clean-up window after it has passed. An upload
 * gets its row within minutes, once the rest of its request has arrived and been scanned, and the window is a day. So
 * when a day is swept, none of its uploads is still waiting for a row.
 *
 * Both run only if the files belong to this database. With another database's files, no row would refer to any of them,
 * and entries for loose blobs would be deleted although their bytes are elsewhere.
 *
 * While a backup runs, nothing is removed: its copy of the database may refer to files that no row refers to any longer.
 * It is asked after the rows were read. So if no backup runs, a copy that is made later does not refer to them either.
 */
export function createCleanUp(deps: {
  references: BlobReferences
  blobs: Pick<BlobStore, 'remove' | 'days' | 'uploadedOn' | 'tidyDay'>
  ownership: Pick<Ownership, 'reconcile'>
  isBackupRunning?: () => Promise<boolean>
  lookAtTime: LookAtTime
  clock: Clock
  batch?: number
}) {
  const { isBackupRunning = async () => false } = deps
  const { references, blobs, ownership, clock, batch: maxBatch = cleanUpBatch } = deps

  /** Removes every loose blob that it can. If one fails, it stays on the list, and its error is thrown at the end. */
  async function removeLoose(did: { loose: number }): Promise<boolean> {
    const loose = await references.loose(maxBatch)
    if (loose.length === 0) return false
    const named = await references.named(loose.map(({ blob }) => blob))
    if (await isBackupRunning()) return false
    const results = await Promise.allSettled(
      loose.map(async entry => {
        if (!named.has(entry.blob)) {
          await blobs.remove(entry.blob)
          did.loose += 1
        }
        return entry
      }),
    )
    await references.forgetLoose(
      results.flatMap(result => (result.status === 'fulfilled' ? result.value : [])),
    )
    for (const result of results) if (result.status === 'rejected') throw result.reason
    return true
  }

  /** Returns false if it was interrupted. */
  async function sweep(day: string, goesOn: GoesOn, did: { uploads: number }): Promise<boolean> {
    for await (const names of blobs.uploadedOn(day)) {
      for (let start = 0; start < names.length; start += maxBatch) {
        if (!(await goesOn())) return false
        const batch = names.slice(start, start + maxBatch)
        const named = await references.named(batch)
        if (await isBackupRunning()) return false
        const unnamed = batch.filter(blob => !named.has(blob))
        await Promise.all(unnamed.map(blob => blobs.remove(blob)))
        did.uploads += unnamed.length
      }
    }
    await blobs.tidyDay(day)
    return true
  }

  async function dueDays(): Promise<string[]> {
    // If the clock were ahead, this would sweep uploads that have no row yet.
    if ((await deps.lookAtTime()).pausedMs > 0) return []
    if (isJustRestored(await references.restoredAt(), clock())) return []
    const days = await blobs.days(await references.sweptUntil())
    return days.filter(day => isPastCleanUp(day, clock()))
  }

  /**
   * Returns false if there is no work. Unknown files are then no error, because a new board may have an upload before
   * its first row.
   */
  async function mayRemove(): Promise<boolean> {
    const found = await ownership.reconcile()
    if (found === undefined) return true
    const isIdle = (await references.loose(1)).length === 0 && (await dueDays()).length === 0
    if (found.isForeign || !isIdle) throw found.objection
    return false
  }

  return {
    async run(goesOn: GoesOn = async () => true): Promise<WorkDone> {
      const did = { loose: 0, uploads: 0 }
      if (!(await mayRemove())) return { did }
      let stuck: unknown
      try {
        do {
          if (!(await goesOn())) return { did }
        } while (await removeLoose(did))
      } catch (error) {
        // A blob that cannot be removed must not prevent the sweep; its error is thrown at the end.
        stuck = error
      }
      for (const day of await dueDays()) {
        if (!(await sweep(day, goesOn, did))) return { did }
        await references.setSweptUntil(day)
      }
      if (stuck !== undefined) throw stuck
      return { did }
    },
  }
}
