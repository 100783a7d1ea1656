import type { EpochMs } from '../../core/clock.ts'
import type { Member, Role } from '../../model/principal.ts'

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
  /** Of the secret in the link. */
  hash: string
}

/** What whoever has the link may know. */
export interface OpenInvitation extends Member {
  email: string
  /** Whether the address has an account that somebody has proved to be theirs. */
  hasAccount: boolean
}

export interface Workplace extends Member {
  status: 'active' | 'hold'
  /** Null for that of the operator. */
  timeZone: string | null
}

/** An account that an invitation makes: its link proves the address. */
export interface InvitedAccount {
  candidateId: string
  passwordHash: string
  firstName: string
  lastName: string
  /** JSON */
  profile: string
}

export interface Joined {
  advertiserId: number
  candidateId: string
}

export type MemberChange = 'done' | 'missing' | 'last-admin'

/** Who works for which advertiser. */
export interface MemberStore {
  /** Undefined when this person does not work for this advertiser, or there is none. */
  find(advertiserId: number, candidateId: string): Promise<Workplace | undefined>
  /** By name of the advertiser. */
  workplacesOf(candidateId: string): Promise<Workplace[]>
  /** The longest there first. */
  list(advertiserId: number): Promise<Colleague[]>
  /** Those that can still be used, the oldest first. */
  listInvitations(advertiserId: number, now: EpochMs): Promise<Invitation[]>
  /** In place of the open one to the same address. `most` bounds members and open invitations together. */
  invite(
    advertiserId: number,
    invitation: NewInvitation,
    most: number,
  ): Promise<'invited' | 'missing' | 'member' | 'too-many'>
  /** False when there is no such invitation. */
  takeBack(advertiserId: number, invitationId: string): Promise<boolean>
  /** With the last of its admins an advertiser would be nobody's: refused, however many ask at once. */
  setRole(advertiserId: number, candidateId: string, role: Role): Promise<MemberChange>
  /** `mayBeLast`: the operator, who can invite anybody, may remove whom they want. */
  remove(advertiserId: number, candidateId: string, options?: { mayBeLast?: boolean }): Promise<MemberChange>

  findInvitation(hash: string, now: EpochMs): Promise<OpenInvitation | undefined>
  /** These two use the invitation up, in one step; undefined when it is not there any more. */
  join(
    hash: string,
    member: { candidateId: string; email: string },
    now: EpochMs,
  ): Promise<Joined | undefined>
  /** `taken`: the address has a confirmed account by now, and the invitation stays. */
  joinWithAccount(hash: string, account: InvitedAccount, now: EpochMs): Promise<Joined | 'taken' | undefined>
}
