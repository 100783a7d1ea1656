import type { EpochMs } from '../../core/clock.ts'
import type { Member, Role } from '../../model/principal.ts'
import type { NewDelivery } from '../../work/delivery-ports.ts'
import type { NewAccount } from '../account/ports.ts'

export interface Colleague {
  candidateId: string
  email: string
  firstName: string
  lastName: string
  role: Role
  since: EpochMs
}

export interface Invitation {
  id: string
  email: string
  role: Role
  createdAt: EpochMs
  expiresAt: EpochMs
}

export interface NewInvitation extends Invitation {
  /** Hash of the secret in the link. */
  hash: string
}

/** What the holder of the link may see. */
export interface OpenInvitation extends Member {
  email: string
  /** Whether the address has a confirmed account. */
  hasAccount: boolean
}

export interface Workplace extends Member {
  status: 'active' | 'hold'
  /** Null: the operator's time zone. */
  timeZone: string | null
}

/** An account created by an invitation, whose link confirms the address. */
export type InvitedAccount = Omit<NewAccount, 'email' | 'createdAt'>

export interface Joined {
  advertiserId: number
  candidateId: string
}

export type MemberChange = 'done' | 'missing' | 'last-admin'

/** The members of advertisers. */
export interface MemberStore {
  /** Undefined when this person is not a member, or there is no such advertiser. */
  find(advertiserId: number, candidateId: string): Promise<Workplace | undefined>
  /** Sorted by the advertiser's name. */
  workplacesOf(candidateId: string): Promise<Workplace[]>
  /** Longest-standing members first. */
  list(advertiserId: number): Promise<Colleague[]>
  /** Invitations that can still be used, oldest first. */
  listInvitations(advertiserId: number, now: EpochMs): Promise<Invitation[]>
  /** Replaces an open invitation to the same address. `most` limits members and open invitations together. */
  invite(
    advertiserId: number,
    invitation: NewInvitation,
    most: number,
    /** Queued with the invitation. */
    mails?: readonly NewDelivery[],
  ): Promise<'invited' | 'missing' | 'member' | 'too-many'>
  /** Gives an open invitation another link, for an email. The link before stays valid; undefined when it is gone. */
  drawLink(
    advertiserId: number,
    invitationId: string,
    hash: string,
    now: EpochMs,
  ): Promise<{ email: string; role: Role; advertiserName: string } | undefined>
  /** False when there is no such invitation. */
  takeBack(advertiserId: number, invitationId: string): Promise<boolean>
  /** Never leaves an advertiser without an admin, even under concurrent requests. */
  setRole(advertiserId: number, candidateId: string, role: Role): Promise<MemberChange>
  /** `mayBeLast`: allowed for the operator, who can invite a new admin at any time. */
  remove(advertiserId: number, candidateId: string, options?: { mayBeLast?: boolean }): Promise<MemberChange>

  findInvitation(hash: string, now: EpochMs): Promise<OpenInvitation | undefined>
  /** These two use up the invitation in one transaction; undefined when it no longer exists. */
  join(
    hash: string,
    member: { candidateId: string; email: string },
    now: EpochMs,
  ): Promise<Joined | undefined>
  /** `taken`: the address has a confirmed account by now; the invitation remains. */
  joinWithAccount(hash: string, account: InvitedAccount, now: EpochMs): Promise<Joined | 'taken' | undefined>
}
