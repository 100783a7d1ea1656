import type { AdvertiserStore } from '../../companies/advertiser-store.ts'
import type { AgentStore } from '../../companies/agent-store.ts'
import { standardAnswerDays } from '../../model/unanswered.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { normaliseEmail } from '../../platform/core/email.ts'
import { Problem } from '../../platform/core/problems.ts'
import { zoneOr } from '../../platform/core/time/time-zone.ts'
import type { AgentMemberStore } from './agent-member-store.ts'
import type { MemberStore } from './member-store.ts'
import type { AnyRole, Colleague, Invitation, MemberChange, WorkplaceRole } from './rules.ts'
import type { WorkplaceStore } from './workplace-store.ts'

export interface People<R extends WorkplaceRole = AnyRole> {
  colleagues: Colleague<R>[]
  invitations: Invitation<R>[]
}

export type Members = ReturnType<typeof createMembers>
export type AgentMembers = ReturnType<typeof createAgentMembers>

/** The members of an advertiser and their roles. `invitations-service.ts` adds them. */
export function createMembers(deps: {
  store: MemberStore
  advertisers: Pick<AdvertiserStore, 'find'>
  clock: Clock
  /** Used for advertisers that have not chosen one. */
  timeZone: string
}) {
  const { store } = deps
  const workplace = createWorkplace(store, deps.clock)
  return {
    ...workplace,
    peopleOf: orMissing('advertiser', deps.advertisers.find, workplace.people),
    setRole: store.setRole,
    workplacesOf: store.workplacesOf,
    async find(advertiserId: number, candidateId: string) {
      const member = await store.find(advertiserId, candidateId)
      return (
        member && {
          ...member,
          timeZone: zoneOr(member.timeZone, deps.timeZone),
          answerDays: member.answerDays ?? standardAnswerDays,
        }
      )
    },
  }
}

/** An agent's people and their roles. */
export function createAgentMembers(deps: {
  store: AgentMemberStore
  agents: Pick<AgentStore, 'find'>
  clock: Clock
}) {
  const { store } = deps
  const workplace = createWorkplace(store, deps.clock)
  return {
    ...workplace,
    peopleOf: orMissing('agent', deps.agents.find, workplace.people),
    setRole: store.setRole,
    workplacesOf: store.workplacesOf,
    find: store.find,
  }
}

/** For the operator: throws if there is no such advertiser or agent. */
function orMissing<P>(
  kind: string,
  find: (ownerId: number) => Promise<unknown>,
  people: (ownerId: number) => Promise<P>,
) {
  return async (ownerId: number): Promise<P> => {
    if ((await find(ownerId)) !== undefined) return people(ownerId)
    throw new Problem('not-found', `There is no ${kind} ${ownerId}.`)
  }
}

/** The people of companies, of agents or of the board: the first argument is the workplace's ID, or `boardId`. */
export function createWorkplace<R extends WorkplaceRole>(
  store: Pick<WorkplaceStore<R>, 'list' | 'listInvitations' | 'takeBack' | 'remove'>,
  clock: Clock,
) {
  async function people(ownerId: number): Promise<People<R>> {
    const [colleagues, invitations] = await Promise.all([
      store.list(ownerId),
      store.listInvitations(ownerId, clock()),
    ])
    return { colleagues, invitations }
  }

  return {
    people,

    async findColleague(ownerId: number, candidateId: string): Promise<Colleague<R> | undefined> {
      return (await store.list(ownerId)).find(colleague => colleague.candidateId === candidateId)
    },

    takeBack: store.takeBack,
    remove: store.remove,

    /** For the operator: removes the member or the open invitation with this email address. */
    async removeByEmail(
      ownerId: number,
      typed: string,
      options: { mayBeLast: boolean },
    ): Promise<MemberChange | 'taken-back'> {
      const email = normaliseEmail(typed)
      const { colleagues, invitations } = await people(ownerId)
      const colleague = colleagues.find(each => each.email === email)
      if (colleague !== undefined) return store.remove(ownerId, colleague.candidateId, options)
      const invitation = invitations.find(each => each.email === email)
      const isTaken = invitation !== undefined && (await store.takeBack(ownerId, invitation.id))
      return isTaken ? 'taken-back' : 'missing'
    },
  }
}
