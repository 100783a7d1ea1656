import type { EpochMs } from '../../core/clock.ts'
import type { OperatorRole } from '../../model/principal.ts'
import type { InvitedAccount } from '../../people/members/ports.ts'

/** A person who runs the board. */
export interface Operator {
  candidateId: string
  email: string
  role: OperatorRole
  since: EpochMs
}

export interface OperatorInvitation {
  id: string
  email: string
  role: OperatorRole
  createdAt: EpochMs
  expiresAt: EpochMs
}

/** What the holder of the link may see. */
export interface OpenOperatorInvitation {
  email: string
  role: OperatorRole
  /** Whether the address has a confirmed account. */
  hasAccount: boolean
}

export interface OperatorStore {
  find(candidateId: string): Promise<OperatorRole | undefined>
  isAny(): Promise<boolean>
  /** Longest-standing first. */
  list(): Promise<Operator[]>
  /** Invitations that can still be used, oldest first. */
  listInvitations(now: EpochMs): Promise<OperatorInvitation[]>
  /** Replaces an open invitation to the same address. */
  invite(invitation: OperatorInvitation & { hash: string }): Promise<'invited' | 'operator'>
  /** The address that was invited; undefined if there is no such invitation. */
  takeBack(by: { id: string } | { email: string }): Promise<boolean>
  /** `mayBeLast`: allowed on the command line, which can invite another at any time. */
  remove(
    candidateId: string,
    options?: { mayBeLast?: boolean },
  ): Promise<'done' | 'missing' | 'last-operator'>
  findInvitation(hash: string, now: EpochMs): Promise<OpenOperatorInvitation | undefined>
  /** These two use up the invitation in one transaction; undefined when it no longer exists. */
  join(
    hash: string,
    person: { candidateId: string; email: string },
    now: EpochMs,
  ): Promise<{ candidateId: string } | undefined>
  /** `taken`: the address has a confirmed account by now; the invitation remains. */
  joinWithAccount(
    hash: string,
    account: InvitedAccount,
    now: EpochMs,
  ): Promise<{ candidateId: string } | 'taken' | undefined>
}
