import type { Clock } from '../../core/clock.ts'
import { Problem } from '../../core/problems.ts'
import type { GoesOn, WorkDone } from '../../work/ports.ts'
import type { DueErasure, Erased, ErasureStore } from './ports.ts'

export type Erasure = ReturnType<typeof createErasure>

/**
 * Takes everything personal out of applications: of those whose candidate has deleted the account, once the
 * operator's time for it is over, and of a single one when the operator is asked to. Erasing twice is harmless.
 */
export function createErasure(deps: {
  store: ErasureStore
  /** Makes the database let go of what it keeps of rows that are gone. */
  forget(): Promise<void>
  clock: Clock
  limits: { erasureBatch: number }
}) {
  const { store, forget, clock, limits } = deps

  return {
    async run(goesOn: GoesOn = async () => true): Promise<WorkDone> {
      let erased = 0
      let stuck: unknown
      let last: DueErasure | undefined
      for (;;) {
        if (!(await goesOn())) break
        const due = await store.due(clock(), last, limits.erasureBatch)
        for (const { advertiserId, applicationId } of due) {
          try {
            const result = await store.erase(advertiserId, applicationId, clock())
            if (result?.wasErased === false) erased += 1
          } catch (error) {
            // One that cannot be erased must not keep the others; it is told at the end and tried again.
            stuck ??= error
          }
        }
        if (due.length < limits.erasureBatch) break
        last = due.at(-1)
      }
      // Also when nothing was due: accounts may have been deleted since the last time.
      await forget()
      if (stuck !== undefined) throw stuck
      return { did: { erased } }
    },

    /** For the operator, whom a candidate or the law has asked: at once, whoever brought the application. */
    async erase(advertiserId: number, applicationId: number): Promise<Erased> {
      const erased = await store.erase(advertiserId, applicationId, clock())
      if (erased === undefined) {
        throw new Problem(
          'not-found',
          `Advertiser ${advertiserId} has no application ${applicationId}. Both IDs are in the list of version 1.`,
        )
      }
      await forget()
      return erased
    },
  }
}
