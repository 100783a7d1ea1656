import type { Background } from '../../platform/core/async/background.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { hasPassword } from '../../platform/core/password.ts'
import type { SessionOwner } from '../../platform/core/session-owner.ts'
import type { NewDelivery } from '../../platform/work/delivery-ports.ts'
import type { AccountStore } from '../account/account-store.ts'
import type { Caller, PasswordCheck } from '../account/password-service.ts'
import type { AccountRemovalStore, Led } from './account-removal-store.ts'
import type { OwnDataStore, Recipient } from './own-data-store.ts'

/** Limit: Companies named on the page that deletes an account; the data download lists all. */
export const recipientsShown = 50

const dayMs = 86_400_000

/** Consequences that a candidate should know before deleting the account. */
export interface Outlook {
  /** Advertisers that would be left without an admin; the account is not deleted until each has another. */
  lastAdminOf: Led[]
  /** Names of the advertisers that have the candidate's applications. */
  advertisers: string[]
  /** Websites that have received data. */
  recipients: Recipient[]
}

export type RemovalResult =
  /** `isFirst`: removed by this attempt; false for the second request of a double click. */
  | { outcome: 'removed'; isFirst: boolean }
  | { outcome: 'wrong' }
  | { outcome: 'wait'; seconds: number }
  | { outcome: 'last-admin' }

/** `password`: undefined if the account has none and its owner was just verified. `mails` are queued with the removal. */
type RemovalAttempt = Caller & { password: string | undefined; mails?: readonly NewDelivery[] }

export type AccountRemoval = ReturnType<typeof createAccountRemoval>

export function createAccountRemoval(deps: {
  store: AccountRemovalStore
  ownData: Pick<OwnDataStore, 'recipients' | 'advertisersAppliedTo'>
  accounts: Pick<AccountStore, 'find'>
  passwords: PasswordCheck
  /** Erases personal data from the applications that are due. */
  erasure: { run(): Promise<unknown> }
  background: Background
  clock: Clock
  retentionDays: number
}) {
  const { store, ownData, accounts, passwords, background, clock, retentionDays } = deps

  /** If the work fails, the background tasks complete it. */
  function afterResponse(work: Promise<unknown>): void {
    background.run(work, 'the background work after deleting an account did not finish', { level: 'error' })
  }

  async function attemptRemoval(owner: SessionOwner, attempt: RemovalAttempt): Promise<RemovalResult> {
    const { password } = attempt
    const own = password === undefined ? await accounts.find(owner.candidateId) : undefined
    if (password === undefined && (own === undefined || hasPassword(own.passwordHash)))
      return { outcome: 'wrong' }
    const checked =
      own === undefined
        ? await passwords.check({ ...attempt, password: password ?? '', email: owner.email })
        : ({ outcome: 'right', account: own } as const)
    if (checked.outcome !== 'right') return checked
    const { candidateId, email, passwordHash } = checked.account
    // Another account now has this address: the session belongs to a deleted account.
    if (candidateId !== owner.candidateId) return { outcome: 'wrong' }
    const now = clock()
    const result = await store.remove(candidateId, passwordHash, {
      now,
      eraseAt: now + retentionDays * dayMs,
      mails: attempt.mails ?? [],
    })
    if (result.outcome === 'changed') return { outcome: 'wrong' }
    if (result.outcome === 'last-admin') return { outcome: 'last-admin' }
    afterResponse(passwords.forget(email, attempt.browser))
    if (retentionDays === 0) afterResponse(deps.erasure.run())
    return { outcome: 'removed', isFirst: true }
  }

  return {
    retentionDays,

    async outlook(candidateId: string): Promise<Outlook> {
      const [lastAdminOf, advertisers, recipients] = await Promise.all([
        store.lastAdminOf(candidateId),
        ownData.advertisersAppliedTo(candidateId, recipientsShown),
        ownData.recipients(candidateId, recipientsShown),
      ])
      return { lastAdminOf, advertisers, recipients }
    },

    async remove(owner: SessionOwner, attempt: RemovalAttempt): Promise<RemovalResult> {
      const result = await attemptRemoval(owner, attempt)
      if (result.outcome === 'removed' || result.outcome === 'last-admin') return result
      // A deleted account has no right password.
      const isThere = (await accounts.find(owner.candidateId)) !== undefined
      return isThere ? result : { outcome: 'removed', isFirst: false }
    },
  }
}
