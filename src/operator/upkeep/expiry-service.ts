import { agentCallDays } from '../../companies/rules.ts'
import { unconfirmedAccountSeconds } from '../../people/account/rules.ts'
import { knownBrowserSeconds, signInFailuresForgottenSeconds } from '../../people/account/sign-in-delay.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { type Counts, expiryBatch, type GoesOn, type WorkDone } from '../../platform/core/task-ports.ts'
import type { ExpiryStore } from './expiry-store.ts'

/** Limit: Days for which reports of jobs and decisions about ads are kept, counted from the decision: three years, as Ontario demands of job boards. */
export const reportDays = 1_096

const hourMs = 3_600_000

/** Removes expired rows. Other queries never find them, so this only keeps the tables small. */
export function createExpiry(deps: {
  store: ExpiryStore
  clock: Clock
  limits: {
    tokenSeconds: number
    readDays: number
    deliveryKeptDays: number
    eventDays: number
    adVersionMonths: number
  }
  batch?: number
}) {
  const { store, clock, limits } = deps
  const { batch: max = expiryBatch } = deps
  function removals(now: number): Record<string, () => Promise<number>> {
    const ago = (seconds: number) => now - seconds * 1000
    /** The last day whose rows are removed. */
    const dayBefore = (days: number) => new Date(ago((days + 1) * 86_400)).toISOString().slice(0, 10)
    return {
      tokens: () => store.removeTokens(now, max),
      codes: () => store.removeCodes(ago(limits.tokenSeconds), now, max),
      sessions: () => store.removeSessions(now, max),
      links: () => store.removeLinks(now, max),
      emailCodes: () => store.removeEmailCodes(now, max),
      undoLinks: () => store.removeUndoLinks(now, max),
      invitations: () => store.removeInvitations(now, max),
      // After the links, because an account stays while one of its links is valid.
      accounts: () => store.removeUnconfirmed(ago(unconfirmedAccountSeconds), max),
      mailCounts: () => store.removeMailCounts(Math.floor(now / hourMs) - 1, max),
      signInFailures: () => store.removeSignInFailures(ago(signInFailuresForgottenSeconds) - 1, max),
      knownBrowsers: () => store.removeKnownBrowsers(ago(knownBrowserSeconds) - 1, max),
      intakeKeys: () => store.removeIntakeKeys(now, max),
      deliveries: () => store.removeDeliveries(ago(limits.deliveryKeptDays * 86_400), max),
      sentForms: () => store.removeSentForms(now, max),
      recentDecisions: () => store.removeRecentDecisions(now - hourMs, max),
      jobReports: () => store.removeJobReports(ago(reportDays * 86_400), max),
      adDecisions: () => store.removeAdDecisions(ago(reportDays * 86_400), max),
      adVersions: () => store.removeAdVersions(ago(limits.adVersionMonths * 31 * 86_400), max),
      drafts: () => store.removeDrafts(now, max),
      rateCounts: () => store.removeRateCounts(now, max),
      reads: () => store.removeReads(dayBefore(limits.readDays), max),
      listReads: () => store.removeListReads(dayBefore(limits.readDays), max),
      agentCalls: () => store.removeAgentCalls(dayBefore(agentCallDays), max),
      events: () => store.removeEvents(ago(limits.eventDays * 86_400), max),
      // Live holders renew their leases in time, so expired leases belong to dead nodes.
      leases: () => store.removeLeases(now - hourMs, max),
    }
  }

  return {
    async run(goesOn: GoesOn = async () => true): Promise<WorkDone> {
      const did: Counts = {}
      for (const [what, remove] of Object.entries(removals(clock()))) {
        let removed: number
        do {
          if (!(await goesOn())) return { did }
          removed = await remove()
          did[what] = (did[what] ?? 0) + removed
        } while (removed === max)
      }
      return { did }
    },
  }
}
