import type { Clock, EpochMs } from '../../platform/core/clock.ts'
import { newUuid } from '../../platform/core/ids.ts'
import { hashSecret, newSecret } from '../../platform/core/secrets.ts'
import type { DeliveryHandler, NewDelivery } from '../../platform/work/delivery-ports.ts'
import { accountEmails } from '../mail/account-texts.ts'
import type { Post } from '../mail/post-service.ts'
import type { AgentMemberStore } from './agent-member-store.ts'
import { invitationSeconds } from './links-service.ts'
import type { MemberStore } from './member-store.ts'
import type { Owner } from './rules.ts'

type Content = Owner & { invitationId: string }

export function newInvitationMail(content: Content, giveUpAt: EpochMs): NewDelivery {
  return { id: newUuid(), kind: 'invitation', content: JSON.stringify(content), giveUpAt }
}

/** Sends invitations, each attempt with a new link. Previous links stay valid, because their email may have arrived. */
export function createInvitationHandler(deps: {
  store: Pick<MemberStore, 'issueLink'>
  agentStore: Pick<AgentMemberStore, 'issueLink'>
  post: Post
  board: string
  authUrl(): string
  clock: Clock
}): DeliveryHandler {
  return {
    async deliver({ id, content }) {
      const { invitationId, ...owner } = JSON.parse(content) as Content
      const token = newSecret('link')
      const link = [invitationId, hashSecret(token), deps.clock()] as const
      const invited =
        'agentId' in owner
          ? await deps.agentStore.issueLink(owner.agentId, ...link)
          : await deps.store.issueLink(owner.advertiserId, ...link)
      if (invited === undefined) return { outcome: 'dropped' }
      const { email, ownerName, role } = invited
      const url = `${deps.authUrl()}/invitations#${token}`
      const days = Math.floor(invitationSeconds / 86_400)
      const message = accountEmails.invitation(
        { url, ownerName, role, days, isOfAgent: 'agentId' in owner },
        deps.board,
      )
      return deps.post.send(id, email, message)
    },
  }
}
