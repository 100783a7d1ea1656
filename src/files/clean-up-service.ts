import type { Clock } from '../core/clock.ts'
import type { GoesOn, WorkDone } from '../work/ports.ts'
import type { Ownership } from './ownership-service.ts'
import type { BlobReferences, BlobStore } from './ports.ts'
import { isPast } from './upload-age.ts'

export type CleanUp = ReturnType<typeof createCleanUp>

/**
 * Removes the bytes that no row names, of which there are two kinds.
 *
 * Loose ones: a row has let go of them (a resume was deleted, a virus was found) and has said so in the same
 * transaction. A name gets into a row in two ways only: with the upload, which has the name first, and from a
 * resume into an application, by a transaction that locks the candidate before it reads the resume. Whoever lets
 * go of the resume takes the same lock, and so comes after that one or before it: then there is no resume to read
 * a name from. So once a blob is seen to be loose, every row that will ever name it is there: fewer can come to
 * be, never more. If none is left when we look after that, none ever will be, and the bytes can go. If one is
 * left, it will let go of the blob in its turn, and that is when we look again: being let go of a second time
 * changes the entry in the list, and an entry is struck off only as it was read, so that a row which lets go
 * between our look and our note is not missed. The bytes go before the entry: after a crash in between, the next
 * round removes nothing and strikes off the rest. Two who do this at once do the same things.
 *
 * Uploads that no row ever named: they broke off, were refused, or the process ended. The day stands in their
 * name, and each day is looked through once, when it has been over for the clean-up window. An upload waits for
 * its row as long as the rest of its request may take to arrive and its files to be scanned: minutes, where the
 * window has a day. What the window does not cover is bytes that a row names after it, and there are none.
 *
 * Both only where the files are those of this database: elsewhere it would find that no row names any of them, and would
 * strike off loose ones whose bytes are in another place.
 */
export function createCleanUp(deps: {
  references: BlobReferences
  blobs: Pick<BlobStore, 'remove' | 'days' | 'uploadedOn' | 'tidyDay'>
  ownership: Pick<Ownership, 'settle'>
  clock: Clock
  limits: { cleanUpWindowSeconds: number; cleanUpBatch: number }
}) {
  const { references, blobs, ownership, clock, limits } = deps

  /** All that can be removed are, also when one cannot: that one is told, and stays on the list. */
  async function removeLoose(did: { loose: number }): Promise<boolean> {
    const loose = await references.loose(limits.cleanUpBatch)
    if (loose.length === 0) return false
    const named = await references.named(loose.map(({ blob }) => blob))
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

  /** False when there was no time to come to its end. */
  async function sweep(day: string, goesOn: GoesOn, did: { uploads: number }): Promise<boolean> {
    for await (const names of blobs.uploadedOn(day)) {
      for (let start = 0; start < names.length; start += limits.cleanUpBatch) {
        if (!(await goesOn())) return false
        const batch = names.slice(start, start + limits.cleanUpBatch)
        const named = await references.named(batch)
        const unnamed = batch.filter(blob => !named.has(blob))
        await Promise.all(unnamed.map(blob => blobs.remove(blob)))
        did.uploads += unnamed.length
      }
    }
    await blobs.tidyDay(day)
    return true
  }

  async function dueDays(): Promise<string[]> {
    const days = await blobs.days(await references.sweptUntil())
    return days.filter(day => isPast(day, clock(), limits))
  }

  /** False when there is nothing that could be done. A new board may have an upload before it has a row. */
  async function mayRemove(): Promise<boolean> {
    const found = await ownership.settle()
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
        // One that cannot be removed must not keep the days from being swept; it is told at the end.
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
