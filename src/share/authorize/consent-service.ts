import { allCategories } from '../../model/categories.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Grant } from '../protocol/records.ts'

const dayMs = 86_400_000

/**
 * Whether the consent page may be skipped: the scope is the same, all categories were released, none has been filled
 * since, no other resume is the default, the consent is recent, and the client does not ask for the page.
 */
export function isConsentRemembered(
  grant: Grant | undefined,
  asked: {
    scope: string
    filled: number
    /** The default resume; null if the candidate has none. */
    resumeId: string | null
    promptsConsent: boolean
    now: EpochMs
    consentDays: number
  },
): grant is Grant {
  return (
    grant !== undefined &&
    !asked.promptsConsent &&
    grant.scope === asked.scope &&
    grant.released === allCategories &&
    (asked.filled & ~grant.filled) === 0 &&
    (asked.resumeId === null || asked.resumeId === grant.resumeId) &&
    asked.now - grant.decidedAt < asked.consentDays * dayMs
  )
}

/**
 * The initial ticks: the remembered ones and, for categories that the candidate has not seen yet, the operator's
 * default.
 */
export function initialTicks(grant: Grant | undefined, isPreticked: boolean): number {
  const unseen = isPreticked ? allCategories : 0
  return grant === undefined ? unseen : grant.released & (grant.filled | unseen)
}

/**
 * Returns the categories that a decision releases: those shown and ticked. Categories that were not shown keep their
 * state.
 */
export function releasedBy(grant: Grant | undefined, { ticked, shown }: { ticked: number; shown: number }) {
  return (ticked & shown) | ((grant?.released ?? allCategories) & ~shown)
}
