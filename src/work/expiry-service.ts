import type { Clock } from '../core/clock.ts'
import type { Limits } from '../limits.ts'
import type { Counts, ExpiryStore, GoesOn, WorkDone } from './ports.ts'

const hourMs = 3_600_000

/** Removes expired rows. They are never found by other queries, so this only keeps the tables small. */
export function createExpiry(deps: {
  store: ExpiryStore
  clock: Clock
  limits: Pick<
    Limits,
    | 'tokenSeconds'
    | 'unconfirmedAccountSeconds'
    | 'signInFailuresForgottenSeconds'
    | 'knownBrowserSeconds'
    | 'expiryBatch'
    | 'readDays'
    | 'agentCallDays'
    | 'deliveryKeptDays'
    | 'eventDays'
  >
}) {
  const { store, clock, limits } = deps
  const most = limits.expiryBatch
  const dayAgo = (now: number, days: number) => new Date(now - days * 24 * hourMs).toISOString().slice(0, 10)

  function removals(now: number): Record<string, () => Promise<number>> {
    const ago = (seconds: number) => now - seconds * 1000
    return {
      tokens: () => store.removeTokens(now, most),
      codes: () => store.removeCodes(ago(limits.tokenSeconds), now, most),
      sessions: () => store.removeSessions(now, most),
      links: () => store.removeLinks(now, most),
      invitations: () => store.removeInvitations(now, most),
      // After the links, because an account is kept while one of its links is valid.
      accounts: () => store.removeUnconfirmed(ago(limits.unconfirmedAccountSeconds), most),
      mailCounts: () => store.removeMailCounts(Math.floor(now / hourMs), most),
      signInFailures: () => store.removeSignInFailures(ago(limits.signInFailuresForgottenSeconds), most),
      knownBrowsers: () => store.removeKnownBrowsers(ago(limits.knownBrowserSeconds), most),
      intakeKeys: () => store.removeIntakeKeys(now, most),
      deliveries: () => store.removeDeliveries(ago(limits.deliveryKeptDays * 86_400), most),
      sentForms: () => store.removeSentForms(now, most),
      rateCounts: () => store.removeRateCounts(now, most),
      reads: () => store.removeReads(dayAgo(now, limits.readDays), most),
      listReads: () => store.removeListReads(dayAgo(now, limits.readDays), most),
      agentCalls: () => store.removeAgentCalls(dayAgo(now, limits.agentCallDays), most),
      events: () => store.removeEvents(ago(limits.eventDays * 86_400), most),
      // Live holders renew their leases in time; these belong to dead nodes.
      leases: () => store.removeLeases(now - hourMs, most),
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
        } while (removed === most)
      }
      return { did }
    },
  }
}
