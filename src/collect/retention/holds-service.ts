import type { Clock } from '../../platform/core/clock.ts'
import { invalidField } from '../../platform/core/fields.ts'
import { Problem } from '../../platform/core/problems.ts'
import { textFault, textFaultInWords } from '../../platform/core/text.ts'
import type { Hold, HoldStore } from './hold-store.ts'

/** Limit: Why an application is on hold: a paragraph. */
export const holdReasonLength = 1_000

export type Holds = ReturnType<typeof createHolds>

/** While an application is on hold for a dispute, none of it is erased, for any reason. */
export function createHolds(deps: { store: HoldStore; clock: Clock }) {
  const { store, clock } = deps
  return {
    find: (advertiserId: number, applicationId: number): Promise<Hold | undefined> =>
      store.find(advertiserId, applicationId),

    /** The holds of one advertiser, or of all. */
    list: (advertiserId?: number) => store.list(advertiserId),

    /** `by` is the admin's account; null: the operator. */
    async place(
      advertiserId: number,
      applicationId: number,
      { reason: typed, by }: { reason: string; by: string | null },
    ): Promise<void> {
      const reason = typed.trim()
      const rules = { maxLength: holdReasonLength, isRequired: true }
      const fault = textFault(reason, rules)
      if (fault !== undefined)
        throw invalidField('reason', fault, `The reason ${textFaultInWords(fault, reason, rules)}.`)
      const outcome = await store.place(advertiserId, applicationId, {
        reason,
        placedAt: clock(),
        placedBy: by,
      })
      if (outcome === 'missing') throw new Problem('not-found', noApplication(advertiserId, applicationId))
      if (outcome === 'placed') return
      throw invalidField(
        'reason',
        outcome,
        outcome === 'already'
          ? 'This application is already on hold. Release it first to give another reason.'
          : 'This application has been erased.',
      )
    },

    /** Returns false if the application was not on hold. */
    release: (advertiserId: number, applicationId: number, by: string | null): Promise<boolean> =>
      store.release(advertiserId, applicationId, { actorId: by, at: clock() }),
  }
}

const noApplication = (advertiserId: number, applicationId: number) =>
  `Advertiser ${advertiserId} has no application ${applicationId}.`
