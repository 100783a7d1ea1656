import type { Log } from '../../platform/core/log.ts'
import type { ConsumeEmailQuota, Mailer } from '../mail/ports.ts'
import { newInvitationMail } from './invitation-mail-service.ts'
import {
  createLinks,
  type Invalid,
  type InvitedByLink,
  invalid,
  type LinksDeps,
  type Newcomer,
} from './links-service.ts'
import type { AnyRole, OpenInvitation, Owner } from './rules.ts'

const giveUpMs = 3 * 86_400_000

export type InviteResult =
  /** Sent by email, so only the owner of the address sees the link. */
  | { outcome: 'sent'; email: string }
  /** Without a mail server, the inviter passes the link on. */
  | InvitedByLink<AnyRole>
  /** The mail server rejected the email or is unavailable: no invitation remains. */
  | { outcome: 'not-sent' }
  | Invalid

/** The browser in which a newly invited person signs in. */
export interface NewcomersBrowser {
  address: string
  browser: string | undefined
  userAgent: string | undefined
  formerSession: string | undefined
}

/** `signedIn`: cookies for a person who had no session; if undefined, they sign in themselves. */
export type AcceptResult =
  | { outcome: 'joined'; owner: Owner; signedIn: { session: string; browser: string } | undefined }
  | { outcome: 'gone' }
  | { outcome: 'has-account' }
  | Invalid

export type Invitations<R extends AnyRole> = ReturnType<typeof createInvitations<R>>

/** Operations for a person who has a link. */
export type InvitationLinks = Pick<Invitations<AnyRole>, 'find' | 'join' | 'joinWithNewAccount'>

/** Invitations to an advertiser or an agent, by email if there is a mail server. */
export function createInvitations<R extends AnyRole>(
  deps: LinksDeps<R> & {
    kind: 'advertiser' | 'agent'
    mailer: Mailer | undefined
    authUrl(): string
    mayMail: ConsumeEmailQuota
    startSession(
      candidateId: string,
      browser: NewcomersBrowser,
    ): Promise<{ session: string; browser: string } | undefined>
    log: Log
  },
) {
  const { store, mailer } = deps
  const links = createLinks(deps)
  const ownerOf = (id: number): Owner => (deps.kind === 'agent' ? { agentId: id } : { advertiserId: id })

  async function isMailPossible(): Promise<boolean> {
    try {
      await mailer?.check()
      return true
    } catch (error) {
      deps.log.error({ err: error }, 'the mail server is unavailable')
      return false
    }
  }

  return {
    isMailOn: mailer !== undefined,

    async invite(ownerId: number, typed: string, role: R): Promise<InviteResult> {
      const draft = links.draft(typed, role)
      if (draft.outcome === 'invalid') return draft
      const { id: invitationId, email, createdAt, expiresAt } = draft.invitation
      // Limits emails per recipient across all workplaces, so that the form cannot be used to flood a mailbox.
      if (mailer !== undefined && !(await deps.mayMail(`invitation ${email}`))) {
        return invalid(
          'too-many-mails',
          'This address has just received several invitations. Try again in an hour.',
        )
      }
      if (!(await isMailPossible())) return { outcome: 'not-sent' }
      const giveUpAt = Math.min(expiresAt, createdAt + giveUpMs)
      const mail = newInvitationMail({ ...ownerOf(ownerId), invitationId }, giveUpAt)
      const invited = await links.invite(ownerId, draft, deps.authUrl(), mailer === undefined ? [] : [mail])
      if (mailer === undefined || invited.outcome === 'invalid') return invited
      // The email has its own link, issued when it is sent.
      if ((await mailer.outcomeOf(mail)) === 'dead') {
        await store.takeBack(ownerId, invitationId)
        return { outcome: 'not-sent' }
      }
      return { outcome: 'sent', email }
    },

    async find(token: string): Promise<OpenInvitation | undefined> {
      const open = await links.find(token)
      if (open === undefined) return undefined
      const { ownerId, ...invitation } = open
      return { ...invitation, owner: ownerOf(ownerId) }
    },

    async join(token: string, person: { candidateId: string; email: string }): Promise<AcceptResult> {
      const result = await links.join(token, person)
      if (result.outcome === 'gone') return result
      return { outcome: 'joined', owner: ownerOf(result.ownerId), signedIn: undefined }
    },

    async joinWithNewAccount(
      token: string,
      typed: Newcomer,
      browser: NewcomersBrowser,
    ): Promise<AcceptResult> {
      const result = await links.joinWithNewAccount(token, typed)
      if (result.outcome !== 'joined') return result
      const signedIn = await deps.startSession(result.candidateId, browser)
      return { outcome: 'joined', owner: ownerOf(result.ownerId), signedIn }
    },
  }
}

/** A link does not say which kind of invitation it is, so each kind is tried in turn. */
export function joinEither(...kinds: readonly [InvitationLinks, InvitationLinks]): InvitationLinks {
  const [first, second] = kinds
  const either = async (attempt: (links: InvitationLinks) => Promise<AcceptResult>) => {
    const result = await attempt(first)
    return result.outcome === 'gone' ? attempt(second) : result
  }
  return {
    find: async token => (await first.find(token)) ?? (await second.find(token)),
    join: (token, person) => either(links => links.join(token, person)),
    joinWithNewAccount: (token, typed, browser) =>
      either(links => links.joinWithNewAccount(token, typed, browser)),
  }
}
