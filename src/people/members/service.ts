import type { AdvertiserStore, AgentStore } from '../../advertisers/ports.ts'
import type { Clock } from '../../core/clock.ts'
import { spellEmail } from '../../core/email.ts'
import { Problem } from '../../core/problems.ts'
import type {
  AgentMemberStore,
  AnyRole,
  Colleague,
  Invitation,
  MemberChange,
  MemberStore,
  PeopleStore,
} from './ports.ts'

export interface People {
  colleagues: Colleague[]
  invitations: Invitation[]
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
  const { store, clock } = deps
  return {
    ...createColleagues(store, 'advertiser', deps.advertisers.find, clock),
    workplacesOf: store.workplacesOf,
    async find(advertiserId: number, candidateId: string) {
      const found = await store.find(advertiserId, candidateId)
      return found && { ...found, timeZone: found.timeZone ?? deps.timeZone }
    },
  }
}

/** The people of an agent and their roles. */
export function createAgentMembers(deps: {
  store: AgentMemberStore
  agents: Pick<AgentStore, 'find'>
  clock: Clock
}) {
  const { store, clock } = deps
  return {
    ...createColleagues(store, 'agent', deps.agents.find, clock),
    workplacesOf: store.workplacesOf,
    find: store.find,
  }
}

function createColleagues<R extends AnyRole>(
  store: PeopleStore<R>,
  kind: 'advertiser' | 'agent',
  findOwner: (ownerId: number) => Promise<unknown>,
  clock: Clock,
) {
  async function people(ownerId: number): Promise<People> {
    const [colleagues, invitations] = await Promise.all([
      store.list(ownerId),
      store.listInvitations(ownerId, clock()),
    ])
    return { colleagues, invitations }
  }

  return {
    people,

    /** For the operator. Throws if there is no such advertiser or agent. */
    async peopleOf(ownerId: number): Promise<People> {
      if ((await findOwner(ownerId)) !== undefined) return people(ownerId)
      throw new Problem('not-found', `There is no ${kind} ${ownerId}.`)
    },

    async findColleague(ownerId: number, candidateId: string): Promise<Colleague | undefined> {
      return (await store.list(ownerId)).find(colleague => colleague.candidateId === candidateId)
    },

    takeBack: (ownerId: number, invitationId: string): Promise<boolean> =>
      store.takeBack(ownerId, invitationId),

    setRole: (ownerId: number, candidateId: string, role: R): Promise<MemberChange> =>
      store.setRole(ownerId, candidateId, role),

    remove: (ownerId: number, candidateId: string): Promise<MemberChange> =>
      store.remove(ownerId, candidateId),

    /** For the operator: removes the member or the open invitation with this email address. */
    async removeByEmail(
      ownerId: number,
      typed: string,
      options: { mayBeLast: boolean },
    ): Promise<MemberChange | 'taken-back'> {
      const email = spellEmail(typed)
      const { colleagues, invitations } = await people(ownerId)
      const colleague = colleagues.find(each => each.email === email)
      if (colleague !== undefined) return store.remove(ownerId, colleague.candidateId, options)
      const invitation = invitations.find(each => each.email === email)
      const isTaken = invitation !== undefined && (await store.takeBack(ownerId, invitation.id))
      return isTaken ? 'taken-back' : 'missing'
    },
  }
}
