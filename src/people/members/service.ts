import type { AdvertiserStore } from '../../advertisers/ports.ts'
import type { Clock } from '../../core/clock.ts'
import { spellEmail } from '../../core/email.ts'
import { Problem } from '../../core/problems.ts'
import type { Role } from '../../model/principal.ts'
import type { Colleague, Invitation, MemberChange, MemberStore } from './ports.ts'

/** The people with access to an advertiser's data, and those invited. */
export interface People {
  colleagues: Colleague[]
  invitations: Invitation[]
}

export type Members = ReturnType<typeof createMembers>

/** The members of an advertiser and their roles. `invitations-service.ts` adds them. */
export function createMembers(deps: {
  store: MemberStore
  advertisers: Pick<AdvertiserStore, 'find'>
  clock: Clock
  /** Used for advertisers that have not chosen one. */
  timeZone: string
}) {
  const { store, clock } = deps

  async function people(advertiserId: number): Promise<People> {
    const [colleagues, invitations] = await Promise.all([
      store.list(advertiserId),
      store.listInvitations(advertiserId, clock()),
    ])
    return { colleagues, invitations }
  }

  return {
    async find(advertiserId: number, candidateId: string) {
      const found = await store.find(advertiserId, candidateId)
      return found && { ...found, timeZone: found.timeZone ?? deps.timeZone }
    },
    workplacesOf: store.workplacesOf,
    people,

    /** For the operator. Throws if there is no such advertiser. */
    async peopleOf(advertiserId: number): Promise<People> {
      if ((await deps.advertisers.find(advertiserId)) !== undefined) return people(advertiserId)
      throw new Problem('not-found', `There is no advertiser ${advertiserId}.`)
    },

    async findColleague(advertiserId: number, candidateId: string): Promise<Colleague | undefined> {
      return (await store.list(advertiserId)).find(colleague => colleague.candidateId === candidateId)
    },

    takeBack: (advertiserId: number, invitationId: string): Promise<boolean> =>
      store.takeBack(advertiserId, invitationId),

    setRole: (advertiserId: number, candidateId: string, role: Role): Promise<MemberChange> =>
      store.setRole(advertiserId, candidateId, role),

    remove: (advertiserId: number, candidateId: string): Promise<MemberChange> =>
      store.remove(advertiserId, candidateId),

    /** For the operator: removes the member or the open invitation with this email address. */
    async removeByEmail(
      advertiserId: number,
      typed: string,
      options: { mayBeLast: boolean },
    ): Promise<MemberChange | 'taken-back'> {
      const email = spellEmail(typed)
      const { colleagues, invitations } = await people(advertiserId)
      const colleague = colleagues.find(each => each.email === email)
      if (colleague !== undefined) return store.remove(advertiserId, colleague.candidateId, options)
      const invitation = invitations.find(each => each.email === email)
      const isTaken = invitation !== undefined && (await store.takeBack(advertiserId, invitation.id))
      return isTaken ? 'taken-back' : 'missing'
    },
  }
}
