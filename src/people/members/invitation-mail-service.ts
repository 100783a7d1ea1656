import type { Clock, EpochMs } from '../../core/clock.ts'
import { newUuid } from '../../core/ids.ts'
import { hashSecret, newSecret } from '../../core/secrets.ts'
import type { Limits } from '../../limits.ts'
import type { Courier, NewDelivery } from '../../work/delivery-ports.ts'
import { accountLetters } from '../mail/account-texts.ts'
import type { Post } from '../mail/post-service.ts'
import type { AgentMemberStore, MemberStore, Owner } from './ports.ts'

type Content = Owner & { invitationId: string }

export function newInvitationMail(content: Content, giveUpAt: EpochMs): NewDelivery {
  return { id: newUuid(), kind: 'invitation', content: JSON.stringify(content), giveUpAt }
}

/** Sends invitations, each attempt with a link of its own; the one before stays valid, because it may have arrived. */
export function createInvitationCourier(deps: {
  store: Pick<MemberStore, 'drawLink'>
  agentStore: Pick<AgentMemberStore, 'drawLink'>
  post: Post
  board: string
  authUrl(): string
  clock: Clock
  limits: Pick<Limits, 'invitationSeconds'>
}): Courier {
  return {
    async deliver({ id, content }) {
      const { invitationId, ...owner } = JSON.parse(content) as Content
      const token = newSecret('link')
      const link = [invitationId, hashSecret(token), deps.clock()] as const
      const invited =
        'agentId' in owner
          ? await deps.agentStore.drawLink(owner.agentId, ...link)
          : await deps.store.drawLink(owner.advertiserId, ...link)
      if (invited === undefined) return { outcome: 'dropped' }
      const { email, ownerName, role } = invited
      const url = `${deps.authUrl()}/invitations#${token}`
      const days = Math.floor(deps.limits.invitationSeconds / 86_400)
      const letter = accountLetters.invitation(
        { url, ownerName, role, days, isOfAgent: 'agentId' in owner },
        deps.board,
      )
      return deps.post.send(id, email, letter)
    },
  }
}
