import type { EpochMs } from '../../core/clock.ts'
import { allCategories } from '../../model/categories.ts'
import type { Grant } from '../protocol/ports.ts'

const dayMs = 86_400_000

/**
 * May the page be skipped? Only when the candidate released everything, nothing has come into the profile
 * that was not there to be seen then, it was not long ago, and the client does not ask for the page.
 */
export function isConsentRemembered(
  grant: Grant | undefined,
  asked: { scope: string; filled: number; promptsConsent: boolean; now: EpochMs; consentDays: number },
): grant is Grant {
  return (
    grant !== undefined &&
    !asked.promptsConsent &&
    grant.scope === asked.scope &&
    grant.released === allCategories &&
    (asked.filled & ~grant.filled) === 0 &&
    asked.now - grant.decidedAt < asked.consentDays * dayMs
  )
}

/** The boxes as they are first shown: as remembered, and those that nobody has seen yet as the operator has decided. */
export function initialTicks(grant: Grant | undefined, isPreticked: boolean): number {
  const unseen = isPreticked ? allCategories : 0
  return grant === undefined ? unseen : grant.released & (grant.filled | unseen)
}

/** What a decision releases: of the boxes that were shown those that are ticked. The rest was not cleared by it. */
export function releasedBy(grant: Grant | undefined, { ticked, shown }: { ticked: number; shown: number }) {
  return (ticked & shown) | ((grant?.released ?? allCategories) & ~shown)
}
