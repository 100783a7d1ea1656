import type { Clock, EpochMs } from '../../core/clock.ts'
import { isEmail, spellEmail } from '../../core/email.ts'
import { newUuid } from '../../core/ids.ts'
import { hashPassword } from '../../core/password.ts'
import { type FieldError, Problem } from '../../core/problems.ts'
import { hashSecret, newSecret } from '../../core/secrets.ts'
import type { Role } from '../../model/principal.ts'
import { emptyProfile } from '../../model/profile.ts'
import { type AccountLimits, nameFault, passwordFault } from '../account/rules.ts'
import { invitationMail } from '../mail/messages.ts'
import type { Mailer } from '../mail/ports.ts'
import type { MemberStore, OpenInvitation } from './ports.ts'

export type InviteResult =
  /** By mail: nobody but the owner of the address gets to see the link. */
  | { outcome: 'sent'; email: string }
  /** Without a mail server: shown now and never again. */
  | { outcome: 'link'; email: string; role: Role; url: string; expiresAt: EpochMs }
  /** The mail server did not take it: nobody is invited. */
  | { outcome: 'not-sent' }
  | { outcome: 'invalid'; errors: FieldError[] }

/** What a browser says of itself when a sign-in begins. */
export interface NewcomersBrowser {
  browser: string | undefined
  userAgent: string | undefined
  formerSession: string | undefined
}

/** `signedIn`: the cookies of whoever was not; they sign in themselves should it be undefined. */
export type AcceptResult =
  | { outcome: 'joined'; advertiserId: number; signedIn: { session: string; browser: string } | undefined }
  | { outcome: 'gone' }
  | { outcome: 'has-account' }
  | { outcome: 'invalid'; errors: FieldError[] }

export type Invitations = ReturnType<typeof createInvitations>

/**
 * Everybody who works for an advertiser has come by a link that is bound to an address. Whoever opens it and is
 * signed in with that address joins; whoever has no account yet makes one, and the link stands for the mail that
 * would otherwise have to prove the address. An account that was registered with the address and never confirmed
 * is nobody's: what the invited person types replaces all of it.
 */
export function createInvitations(deps: {
  store: MemberStore
  mailer: Pick<Mailer, 'send'> | undefined
  authUrl(): string
  /** How many mails this recipient has had in this hour, this one counted. */
  countMail(recipientHash: string, hour: number): Promise<number>
  startSession(
    candidateId: string,
    browser: NewcomersBrowser,
  ): Promise<{ session: string; browser: string } | undefined>
  clock: Clock
  limits: AccountLimits & {
    invitationSeconds: number
    peoplePerAdvertiser: number
    mailsPerHour: number
    tokenLength: number
  }
  onLostMail(error: unknown): void
}) {
  const { store, mailer, clock, limits } = deps

  const invalid = (code: string, message: string): InviteResult => ({
    outcome: 'invalid',
    errors: [{ field: 'email', code, message }],
  })

  /** A bound per recipient, whoever asks: an advertiser's form must not become a way to flood somebody. */
  async function mayMail(email: string): Promise<boolean> {
    const hour = Math.floor(clock() / 3_600_000)
    return (await deps.countMail(hashSecret(`invitation ${email}`), hour)) <= limits.mailsPerHour
  }

  return {
    isMailOn: mailer !== undefined,

    async invite(advertiserId: number, typed: string, role: Role): Promise<InviteResult> {
      const email = spellEmail(typed)
      if (email === '') return invalid('empty', 'Enter the e-mail address of your colleague.')
      if (!isEmail(email, limits)) {
        return invalid('not-an-email', 'Enter an e-mail address such as name@example.com.')
      }
      if (mailer !== undefined && !(await mayMail(email))) {
        return invalid('too-many-mails', 'This address has had several invitations just now. Wait an hour.')
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
      const invited = await store.invite(advertiserId, invitation, limits.peoplePerAdvertiser)
      if (invited === 'missing') throw new Problem('not-found', `There is no advertiser ${advertiserId}.`)
      if (invited === 'member') {
        return invalid(
          'member',
          'This person works for the advertiser already. Their role is changed in the list.',
        )
      }
      if (invited === 'too-many') {
        const most = limits.peoplePerAdvertiser
        return invalid('too-many', `An advertiser has at most ${most} people, open invitations counted.`)
      }
      const url = `${deps.authUrl()}/invitations#${token}`
      const { expiresAt } = invitation
      if (mailer === undefined) return { outcome: 'link', email, role, url, expiresAt }
      const open = await store.findInvitation(invitation.hash, clock())
      const days = Math.floor(limits.invitationSeconds / 86_400)
      try {
        const advertiserName = open?.advertiserName ?? ''
        await mailer.send(invitationMail({ to: email, url, advertiserName, role, days }))
      } catch (error) {
        deps.onLostMail(error)
        await store.takeBack(advertiserId, invitation.id)
        return { outcome: 'not-sent' }
      }
      return { outcome: 'sent', email }
    },

    /** What a link would do, without using it up: mail scanners open links, too. */
    async find(token: string): Promise<OpenInvitation | undefined> {
      return token.length > limits.tokenLength ? undefined : store.findInvitation(hashSecret(token), clock())
    },

    /** For somebody who is signed in. An invitation of another address does not exist for them. */
    async join(token: string, person: { candidateId: string; email: string }): Promise<AcceptResult> {
      const joined = await store.join(hashSecret(token), person, clock())
      if (joined === undefined) return { outcome: 'gone' }
      return { outcome: 'joined', advertiserId: joined.advertiserId, signedIn: undefined }
    },

    /** For somebody without an account. */
    async joinAnew(
      token: string,
      typed: { firstName: string; lastName: string; password: string },
      browser: NewcomersBrowser,
    ): Promise<AcceptResult> {
      const hash = hashSecret(token)
      const open = await store.findInvitation(hash, clock())
      if (open === undefined) return { outcome: 'gone' }
      // Before the password is hashed, which takes its time.
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
      return { outcome: 'joined', advertiserId: joined.advertiserId, signedIn }
    },
  }
}
