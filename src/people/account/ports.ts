import type { EpochMs } from '../../core/clock.ts'
import type { ProofKind, SessionOwner, SessionProof } from '../../model/candidate.ts'
import type { NewDelivery } from '../../work/delivery-ports.ts'
import type { Spend } from '../factors/ports.ts'
import type { Failures } from './sign-in-delay.ts'

export interface Account {
  candidateId: string
  email: string
  emailConfirmedAt: EpochMs | null
  passwordHash: string
  firstName: string
  lastName: string
}

export interface NewAccount extends Omit<Account, 'emailConfirmedAt'> {
  /** JSON */
  profile: string
  createdAt: EpochMs
}

export type LinkPurpose = 'confirm' | 'change-email' | 'reset'

export interface Link {
  candidateId: string
  /** The address the link was sent to, which using it confirms. */
  email: string
}

/** The details typed at one sign-up; they become the account's when it is confirmed. */
export interface Registration {
  passwordHash: string
  firstName: string
  lastName: string
}

/** Where a person was when they asked for an email. */
export interface Departure {
  /** Where the person was going: see `continueTarget`. */
  continueTo: string
  /** Identifies the browser of the sign-up, which may confirm without the password. */
  browserMark?: string | undefined
}

export interface NewLink extends Link {
  hash: string
  purpose: LinkPurpose
  expiresAt: EpochMs
  /** Only for `confirm`. */
  registration?: Registration
  continueTo?: string | undefined
  browserMark?: string | undefined
}

export interface OpenLink extends Link {
  registration: Registration | undefined
  continueTo: string | null
  browserMark: string | null
}

export interface AccountStore {
  find(candidateId: string): Promise<Account | undefined>
  findByEmail(email: string): Promise<Account | undefined>
  /** False when the address already has an account. */
  add(account: NewAccount): Promise<boolean>
  addLink(link: NewLink): Promise<void>
  findLink(hash: string, purpose: LinkPurpose, now: EpochMs): Promise<OpenLink | undefined>
  /** The latest sign-up details typed in this browser; undefined when its links have been removed. */
  findRegistration(candidateId: string, browserMark: string): Promise<Registration | undefined>
  /** These three use up the link, each in one transaction; undefined when the link no longer exists. */
  confirm(hash: string, now: EpochMs): Promise<Link | undefined>
  changeEmail(hash: string, now: EpochMs): Promise<Link | undefined>
  resetPassword(hash: string, passwordHash: string, now: EpochMs): Promise<Link | undefined>
  /** False when the password is no longer `formerHash`. Ends every session but `keptSessionId`. */
  changePassword(
    candidateId: string,
    change: {
      formerHash: string
      passwordHash: string
      keptSessionId: string
      /** Queued with the change. */
      mails?: readonly NewDelivery[]
      now: EpochMs
    },
  ): Promise<boolean>
  /** Counts an email to this recipient and returns the count for this hour, including this one. */
  countMail(recipientHash: string, hour: number): Promise<number>
}

export interface NewSession {
  hash: string
  sessionId: string
  browser: string
  /** The last is the one that completed the sign-in. */
  factors: readonly [ProofKind, ...ProofKind[]]
  /** The second factor, used up with it. */
  spend?: Spend | undefined
  /** Queued with it. */
  mails?: readonly NewDelivery[]
  /** Marks the browser as known to the account. */
  browserKey?: string
  /** Queued if the browser was not known. */
  mailsIfNew?: readonly NewDelivery[]
  network: string
  /** Wrong attempts before it, since the last sign-in. */
  failures?: number
  createdAt: EpochMs
  expiresAt: EpochMs
}

export interface SessionOnList extends SessionProof {
  sessionId: string
  browser: string
  network: string | null
  createdAt: EpochMs
  lastUsedAt: EpochMs
}

export interface SessionStore {
  /**
   * False when the password is no longer `passwordHash`, because a reset also ends sign-ins that are in progress; when
   * the second factor has been used up; and when there is one by now, but the session was opened without it.
   */
  add(candidateId: string, passwordHash: string, session: NewSession): Promise<boolean>
  find(hash: string, now: EpochMs): Promise<(SessionOwner & { lastUsedAt: EpochMs }) | undefined>
  /** Records that the owner proved who they are; false when the session has ended. */
  prove(
    candidateId: string,
    sessionId: string,
    proof: { at: EpochMs; by: ProofKind; spend?: Spend },
  ): Promise<boolean>
  recordUse(hash: string, at: EpochMs, since: EpochMs): Promise<void>
  list(candidateId: string, now: EpochMs): Promise<SessionOnList[]>
  endByHash(hash: string): Promise<void>
  end(candidateId: string, sessionId: string): Promise<void>
  endOthers(candidateId: string, keptSessionId: string): Promise<void>
}

export interface FailureStore {
  find(key: string): Promise<Failures | undefined>
  /** False when another attempt was counted in between. */
  replace(key: string, found: Failures | undefined, next: Failures): Promise<boolean>
  set(key: string, failures: Failures): Promise<void>
  remove(key: string): Promise<void>
  /** Takes back one counted attempt that was not a guess. */
  takeBack(key: string): Promise<void>
}
