import type { EpochMs } from '../../core/clock.ts'
import type { AgentMember, AgentRole, Member, Role } from '../../model/principal.ts'
import type { NewDelivery } from '../../work/delivery-ports.ts'
import type { NewAccount } from '../account/ports.ts'

/** The people of an advertiser or of an agent have roles of their own. */
export type AnyRole = Role | AgentRole

/** Where people work. */
export type Owner = { advertiserId: number } | { agentId: number }

export interface Colleague<R extends AnyRole = AnyRole> {
  candidateId: string
  email: string
  firstName: string
  lastName: string
  role: R
  since: EpochMs
  /** Whether the account has a second factor: for the people of a company. */
  hasFactor?: boolean
}

export interface Invitation<R extends AnyRole = AnyRole> {
  id: string
  email: string
  role: R
  createdAt: EpochMs
  expiresAt: EpochMs
}

export interface NewInvitation<R extends AnyRole> extends Invitation<R> {
  /** Hash of the secret in the link. */
  hash: string
}

/** What the holder of the link may see. */
export interface OpenInvitation {
  owner: Owner
  ownerName: string
  role: AnyRole
  email: string
  /** Whether the address has a confirmed account. */
  hasAccount: boolean
}

export interface Workplace extends Member {
  status: 'active' | 'hold'
  /** Null: the operator's time zone. */
  timeZone: string | null
}

/** Whether its people need a second factor. */
export type StrictWorkplace = Workplace & { requiresFactor: boolean }

/** An account created by an invitation, whose link confirms the address. */
export type InvitedAccount = Omit<NewAccount, 'email' | 'createdAt'>

export interface Joined {
  owner: Owner
  candidateId: string
}

export type MemberChange = 'done' | 'missing' | 'last-admin'

/** The people of advertisers or of agents: the first argument is the ID of their advertiser or agent. */
export interface PeopleStore<R extends AnyRole> {
  /** Longest-standing members first. */
  list(ownerId: number): Promise<Colleague<R>[]>
  /** Invitations that can still be used, oldest first. */
  listInvitations(ownerId: number, now: EpochMs): Promise<Invitation<R>[]>
  /** Replaces an open invitation to the same address. `most` limits members and open invitations together. */
  invite(
    ownerId: number,
    invitation: NewInvitation<R>,
    most: number,
    /** Queued with the invitation. */
    mails?: readonly NewDelivery[],
  ): Promise<'invited' | 'missing' | 'member' | 'too-many'>
  /** Gives an open invitation another link, for an email. The link before stays valid; undefined when it is gone. */
  drawLink(
    ownerId: number,
    invitationId: string,
    hash: string,
    now: EpochMs,
  ): Promise<{ email: string; role: R; ownerName: string } | undefined>
  /** False when there is no such invitation. */
  takeBack(ownerId: number, invitationId: string): Promise<boolean>
  /** Never leaves an owner without an admin, even under concurrent requests. */
  setRole(ownerId: number, candidateId: string, role: R): Promise<MemberChange>
  /** `mayBeLast`: allowed for the operator, who can invite a new admin at any time. */
  remove(ownerId: number, candidateId: string, options?: { mayBeLast?: boolean }): Promise<MemberChange>

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

/** The members of advertisers. */
export interface MemberStore extends PeopleStore<Role> {
  /** Undefined when this person is not a member, or there is no such advertiser. */
  find(advertiserId: number, candidateId: string): Promise<StrictWorkplace | undefined>
  /** Sorted by the advertiser's name. */
  workplacesOf(candidateId: string): Promise<Workplace[]>
}

/** The people of agents. */
export interface AgentMemberStore extends PeopleStore<AgentRole> {
  /** Undefined when this person does not work for the agent, or there is no such agent. */
  find(agentId: number, candidateId: string): Promise<AgentMember | undefined>
  /** Sorted by the agent's name. */
  workplacesOf(candidateId: string): Promise<AgentMember[]>
}
