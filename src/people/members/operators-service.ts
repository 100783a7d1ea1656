import type { OperatorRole } from '../../model/principal.ts'
import { createLinks, type Invalid, type InvitedByLink, type LinksDeps } from './links-service.ts'
import type { OperatorStore } from './operator-store.ts'
import { boardId, type Colleague, type Invitation, type OpenOperatorInvitation } from './rules.ts'
import { createWorkplace } from './service.ts'

export type Operator = Colleague<OperatorRole>
export type OperatorInvitation = Invitation<OperatorRole>
export type Operators = ReturnType<typeof createOperators>

/** The people who run the board: there is no open set-up page and no shared password. */
export function createOperators(deps: { store: OperatorStore } & Pick<LinksDeps<OperatorRole>, 'clock'>) {
  const { store } = deps
  // Also withdraws expired invitations, which exist until the clean-up deletes them.
  const workplace = createWorkplace(store, () => 0)
  const links = createLinks({ ...deps, kind: 'board' })

  return {
    find: store.find,
    isAny: store.isAny,
    list: (): Promise<Operator[]> => store.list(boardId),
    listInvitations: (): Promise<OperatorInvitation[]> => store.listInvitations(boardId, deps.clock()),

    async invite(
      typed: string,
      role: OperatorRole,
      authUrl: string,
    ): Promise<InvitedByLink<OperatorRole> | Invalid> {
      const draft = links.draft(typed, role)
      return draft.outcome === 'invalid' ? draft : links.invite(boardId, draft, authUrl)
    },

    takeBack: (id: string) => store.takeBack(boardId, id),

    async remove(candidateId: string) {
      const change = await store.remove(boardId, candidateId)
      return change === 'last-admin' ? 'last-operator' : change
    },

    /** Removes a person by the listed address, or an invitation by the invited address. */
    async removeByEmail(typed: string, options: { mayBeLast: boolean }) {
      const change = await workplace.removeByEmail(boardId, typed, options)
      return change === 'last-admin' ? 'last-operator' : change
    },

    async findInvitation(token: string): Promise<OpenOperatorInvitation | undefined> {
      const open = await links.find(token)
      return open && { email: open.email, role: open.role, hasAccount: open.hasAccount }
    },

    join: links.join,
    joinWithNewAccount: links.joinWithNewAccount,
  }
}
