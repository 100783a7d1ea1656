import type { AgentRole, Member, OperatorRole, Role } from '../../model/principal.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { NewAccount } from '../account/records.ts'

/** Roles of an advertiser's people, or of an agent's. */
export type AnyRole = Role | AgentRole

/** Includes the roles of those who run the board. */
export type WorkplaceRole = AnyRole | OperatorRole

/** The ID used for the board, which has no row. */
export const boardId = 0

/** A workplace other than the board. */
export type Owner = { advertiserId: number } | { agentId: number }

export interface Colleague<R extends WorkplaceRole = AnyRole> {
  candidateId: string
  email: string
  firstName: string
  lastName: string
  role: R
  since: EpochMs
  /** Whether the account has a second factor; only for a company's people. */
  hasFactor?: boolean
}

export interface Invitation<R extends WorkplaceRole = AnyRole> {
  id: string
  email: string
  role: R
  createdAt: EpochMs
  expiresAt: EpochMs
}

export interface NewInvitation<R extends WorkplaceRole> extends Invitation<R> {
  /** Hash of the secret in the link. */
  hash: string
}

/** The part of an invitation that the holder of its link may see. */
export interface OpenInvitation {
  owner: Owner
  ownerName: string
  role: AnyRole
  email: string
  /** Whether the address has a confirmed account. */
  hasAccount: boolean
}

/** The part of an invitation to the operator's pages that the holder of its link may see. */
export type OpenOperatorInvitation = Pick<OpenInvitation, 'email' | 'hasAccount'> & { role: OperatorRole }

export interface Workplace extends Member {
  status: 'active' | 'hold'
  /** Null: the operator's time zone. */
  timeZone: string | null
}

/** An account created by an invitation, whose link confirms the address. */
export type InvitedAccount = Omit<NewAccount, 'email' | 'createdAt'>

export type MemberChange = 'done' | 'missing' | 'last-admin'
