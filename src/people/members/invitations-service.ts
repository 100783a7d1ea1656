import type { Clock, EpochMs } from '../../core/clock.ts'
import { isEmail, spellEmail } from '../../core/email.ts'
import { newUuid } from '../../core/ids.ts'
import type { Log } from '../../core/log.ts'
import { hashPassword } from '../../core/password.ts'
import { type FieldError, Problem } from '../../core/problems.ts'
import { hashSecret, newSecret } from '../../core/secrets.ts'
import type { Limits } from '../../limits.ts'
import { emptyProfile } from '../../model/profile.ts'
import { type AccountLimits, nameFault, passwordFault } from '../account/rules.ts'
import type { Mailer } from '../mail/ports.ts'
import { newInvitationMail } from './invitation-mail-service.ts'
import type { AnyRole, OpenInvitation, Owner, PeopleStore } from './ports.ts'

const giveUpMs = 3 * 86_400_000

export type InviteResult =
  /** By email, so only the owner of the address sees the link. */
  | { outcome: 'sent'; email: string }
  /** Without a mail server: the link is shown once. */
  | { outcome: 'link'; email: string; role: AnyRole; url: string; expiresAt: EpochMs }
  /** The mail server rejected the email or is unavailable: no invitation remains. */
  | { outcome: 'not-sent' }
  | { outcome: 'invalid'; errors: FieldError[] }

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
  | { outcome: 'invalid'; errors: FieldError[] }

export type Invitations<R extends AnyRole> = ReturnType<typeof createInvitations<R>>

/** The side of the person who has a link. */
export type InvitationLinks = Pick<Invitations<AnyRole>, 'find' | 'join' | 'joinWithNewAccount'>

/**
 * People join an advertiser or an agent only by a link that is bound to an email address. A person who is signed in with that
 * address joins; a person without an account creates one, and the link confirms the address in place of a
 * confirmation email. An unconfirmed account with the address has no proven owner, so the invited person's details
 * replace all of it.
 */
export function createInvitations<R extends AnyRole>(deps: {
  store: PeopleStore<R>
  /** Whom the people join. */
  kind: 'advertiser' | 'agent'
  mailer: Mailer | undefined
  authUrl(): string
  /** Counts an email to this recipient and returns the count for this hour, including this one. */
  countMail(recipientHash: string, hour: number): Promise<number>
  startSession(
    candidateId: string,
    browser: NewcomersBrowser,
  ): Promise<{ session: string; browser: string } | undefined>
  clock: Clock
  limits: AccountLimits &
    Pick<Limits, 'invitationSeconds' | 'peoplePerAdvertiser' | 'mailsPerHour' | 'tokenLength'>
  log: Log
}) {
  const { store, mailer, clock, limits } = deps
  const ownerOf = (id: number): Owner => (deps.kind === 'agent' ? { agentId: id } : { advertiserId: id })

  const invalid = (code: string, message: string): InviteResult => ({
    outcome: 'invalid',
    errors: [{ field: 'email', code, message }],
  })

  /** Limits emails per recipient across all advertisers and agents, so that the form cannot be used to flood a mailbox. */
  async function mayMail(email: string): Promise<boolean> {
    const hour = Math.floor(clock() / 3_600_000)
    return (await deps.countMail(hashSecret(`invitation ${email}`), hour)) <= limits.mailsPerHour
  }

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
      const email = spellEmail(typed)
      if (email === '') return invalid('empty', 'Enter your colleague’s email address.')
      if (!isEmail(email, limits)) {
        return invalid('not-an-email', 'Enter an email address such as name@example.com.')
      }
      if (mailer !== undefined && !(await mayMail(email))) {
        return invalid(
          'too-many-mails',
          'This address has just received several invitations. Try again in an hour.',
        )
      }
      const token = newSecret('link')
      const createdAt = clock()
      const invitation = {
        id: newUuid(),
        hash: hashSecret(token),
        email,
        role,
        createdAt,
        expiresAt: createdAt + limits.invitationSeconds * 1000,
      }
      const { id: invitationId } = invitation
      const giveUpAt = Math.min(invitation.expiresAt, createdAt + giveUpMs)
      const mail = newInvitationMail({ ...ownerOf(ownerId), invitationId }, giveUpAt)
      if (!(await isMailPossible())) return { outcome: 'not-sent' }
      const mails = mailer === undefined ? [] : [mail]
      const invited = await store.invite(ownerId, invitation, limits.peoplePerAdvertiser, mails)
      if (invited === 'missing') throw new Problem('not-found', `There is no ${deps.kind} ${ownerId}.`)
      if (invited === 'member') {
        return invalid('member', 'This person is already a member. You can change their role in the list.')
      }
      if (invited === 'too-many') {
        const most = limits.peoplePerAdvertiser
        return invalid(
          'too-many',
          `${deps.kind === 'agent' ? 'An agent' : 'A company'} can have at most ${most} people, including open invitations.`,
        )
      }
      const { expiresAt } = invitation
      if (mailer === undefined) {
        return { outcome: 'link', email, role, url: `${deps.authUrl()}/invitations#${token}`, expiresAt }
      }
      // The email has a link of its own, drawn when it is sent.
      if ((await mailer.outcomeOf(mail)) === 'dead') {
        await store.takeBack(ownerId, invitationId)
        return { outcome: 'not-sent' }
      }
      return { outcome: 'sent', email }
    },

    /** Returns the invitation without using it up, because mail scanners open links too. */
    async find(token: string): Promise<OpenInvitation | undefined> {
      return token.length > limits.tokenLength ? undefined : store.findInvitation(hashSecret(token), clock())
    },

    /** Joins a person who is signed in. An invitation to another address is not found. */
    async join(token: string, person: { candidateId: string; email: string }): Promise<AcceptResult> {
      const joined = await store.join(hashSecret(token), person, clock())
      if (joined === undefined) return { outcome: 'gone' }
      return { outcome: 'joined', owner: joined.owner, signedIn: undefined }
    },

    /** Creates an account for the invited person and joins with it. */
    async joinWithNewAccount(
      token: string,
      typed: { firstName: string; lastName: string; password: string },
      browser: NewcomersBrowser,
    ): Promise<AcceptResult> {
      const hash = hashSecret(token)
      const open = await store.findInvitation(hash, clock())
      if (open === undefined) return { outcome: 'gone' }
      // Checked before the password is hashed, because hashing is slow.
      if (open.hasAccount) return { outcome: 'has-account' }
      const [firstName, lastName] = [typed.firstName.trim(), typed.lastName.trim()]
      const errors = [
        ...nameFault('firstName', 'first name', firstName, limits),
        ...nameFault('lastName', 'last name', lastName, limits),
        ...passwordFault('password', typed.password, open.email, limits),
      ]
      if (errors.length > 0) return { outcome: 'invalid', errors }
      const account = {
        candidateId: newUuid(),
        passwordHash: await hashPassword(typed.password),
        firstName,
        lastName,
        profile: JSON.stringify(emptyProfile),
      }
      const joined = await store.joinWithAccount(hash, account, clock())
      if (joined === undefined) return { outcome: 'gone' }
      if (joined === 'taken') return { outcome: 'has-account' }
      const signedIn = await deps.startSession(joined.candidateId, browser)
      return { outcome: 'joined', owner: joined.owner, signedIn }
    },
  }
}

/** A link does not say whom it is for, so each kind is asked in turn. */
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
