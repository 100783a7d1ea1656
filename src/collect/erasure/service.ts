import type { Clock } from '../../platform/core/clock.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { GoesOn, LookAtTime, WorkDone } from '../../platform/core/task-ports.ts'
import type { DueErasure, Erased, ErasureStore } from './erasure-store.ts'

/** Limit: Applications to erase read at once; each is erased in its own transaction. */
export const erasureBatch = 100

const bounds = { erasureBatch }

/**
 * Removes all personal data from applications: on a schedule once they are due, or from a single one on request. Never
 * erases an application on hold. Erasing twice is harmless.
 */
export function createErasure(deps: {
  store: ErasureStore
  /** Makes the database discard what remains of deleted rows. */
  forget(): Promise<void>
  clock: Clock
  lookAtTime: LookAtTime
  limits?: Partial<typeof bounds>
}) {
  const { store, forget, clock, lookAtTime } = deps
  const limits = { ...bounds, ...deps.limits }

  return {
    async run(goesOn: GoesOn = async () => true): Promise<WorkDone> {
      let erased = 0
      let stuck: unknown
      let last: DueErasure | undefined
      for (;;) {
        if (!(await goesOn())) break
        // Before each batch: the clock may have moved since the last one.
        const { runningMs, pausedMs } = await lookAtTime()
        if (pausedMs > 0) break
        const due = await store.due({ now: clock(), runningMs }, last, limits.erasureBatch)
        for (const { advertiserId, applicationId } of due) {
          try {
            const result = await store.erase(advertiserId, applicationId, clock(), { runningMs })
            if (typeof result === 'object' && !result.wasErased) erased += 1
          } catch (error) {
            // One failure must not delay the others; it is reported at the end and retried in the next run.
            stuck ??= error
          }
        }
        if (due.length < limits.erasureBatch) break
        last = due.at(-1)
      }
      // Run this even if nothing was due, because accounts may have been deleted since the last run.
      await forget()
      if (stuck !== undefined) throw stuck
      return { did: { erased } }
    },

    /** Erases one application immediately, whatever its source. For operators who receive an erasure request. */
    async erase(advertiserId: number, applicationId: number): Promise<Erased> {
      const erased = await store.erase(advertiserId, applicationId, clock())
      if (erased === undefined || erased === 'not-due') {
        throw new Problem(
          'not-found',
          `Advertiser ${advertiserId} has no application ${applicationId}. Version 1 lists both IDs.`,
        )
      }
      if (erased === 'on-hold') {
        throw new Problem(
          'invalid-fields',
          `Application ${applicationId} is on hold for a dispute. Release it first: dossier retention release ${advertiserId} ${applicationId}`,
        )
      }
      await forget()
      return erased
    },
  }
}
