import { emptyProfile } from '../../model/profile.ts'
import type { Clock, EpochMs } from '../../platform/core/clock.ts'
import { isEmail, normaliseEmail } from '../../platform/core/email.ts'
import { newUuid } from '../../platform/core/ids.ts'
import { hashPassword } from '../../platform/core/password.ts'
import { type FieldError, Problem } from '../../platform/core/problems.ts'
import { hashSecret, newSecret, tokenLength } from '../../platform/core/secrets.ts'
import type { NewDelivery } from '../../platform/work/delivery-ports.ts'
import { nameFault, passwordFault } from '../account/rules.ts'
import type { NewInvitation, WorkplaceRole } from './rules.ts'
import type { WorkplaceStore } from './workplace-store.ts'

/** Limit: Lifetime of an invitation to an advertiser: people may be away for a few days. */
export const invitationSeconds = 7 * 86_400
/** Limit: People of one advertiser, including open invitations: they are shown on one page. */
const peoplePerAdvertiser = 200

export interface Invalid {
  outcome: 'invalid'
  errors: FieldError[]
}

/** The link is shown once. */
export interface InvitedByLink<R extends WorkplaceRole> {
  outcome: 'link'
  email: string
  role: R
  url: string
  expiresAt: EpochMs
}

interface Draft<R extends WorkplaceRole> {
  outcome: 'draft'
  /** The secret in the link. */
  token: string
  invitation: NewInvitation<R>
}

/** Details that a person without an account enters. */
export interface Newcomer {
  firstName: string
  lastName: string
  password: string
}

export interface LinksDeps<R extends WorkplaceRole> {
  store: Omit<WorkplaceStore<R>, 'setRole' | 'issueLink'>
  /** The workplace that people join. */
  kind: 'advertiser' | 'agent' | 'board'
  clock: Clock
}

export const invalid = (code: string, message: string): Invalid => ({
  outcome: 'invalid',
  errors: [{ field: 'email', code, message }],
})

/**
 * People join a company, an agent or the board only by a link that is bound to an email address and works once. A person
 * who is signed in with that address joins; a person without an account creates one, and the link confirms the address in
 * place of a confirmation email. An unconfirmed account with the address has no proven owner, so the invited person's
 * details replace all of it.
 */
export function createLinks<R extends WorkplaceRole>({ store, kind, clock }: LinksDeps<R>) {
  const isBoard = kind === 'board'
  const max = isBoard ? Number.POSITIVE_INFINITY : peoplePerAdvertiser

  return {
    draft(typed: string, role: R): Draft<R> | Invalid {
      const email = normaliseEmail(typed)
      if (email === '' && !isBoard) return invalid('empty', 'Enter your colleague’s email address.')
      if (!isEmail(email)) {
        return invalid('not-an-email', 'Enter an email address such as name@example.com.')
      }
      const token = newSecret('link')
      const createdAt = clock()
      const expiresAt = createdAt + invitationSeconds * 1000
      const invitation = { id: newUuid(), hash: hashSecret(token), email, role, createdAt, expiresAt }
      return { outcome: 'draft', token, invitation }
    },

    async invite(
      ownerId: number,
      { token, invitation }: Draft<R>,
      authUrl: string,
      mails?: readonly NewDelivery[],
    ): Promise<InvitedByLink<R> | Invalid> {
      const result = await store.invite(ownerId, invitation, max, mails)
      if (result === 'missing') throw new Problem('not-found', `There is no ${kind} ${ownerId}.`)
      if (result === 'member') {
        return invalid(
          'member',
          isBoard
            ? 'This person is an operator or a viewer already. Remove them first.'
            : 'This person is already a member. You can change their role in the list.',
        )
      }
      if (result === 'too-many') {
        const subject = kind === 'agent' ? 'An agent' : 'A company'
        return invalid('too-many', `${subject} can have at most ${max} people, including open invitations.`)
      }
      const { email, role, expiresAt } = invitation
      const url = `${authUrl}${isBoard ? '/operator/join' : '/invitations'}#${token}`
      return { outcome: 'link', email, role, url, expiresAt }
    },

    /** Returns the invitation without using it up, because mail scanners open links too. */
    async find(token: string) {
      return token.length > tokenLength ? undefined : store.findInvitation(hashSecret(token), clock())
    },

    /** Joins a person who is signed in. An invitation to another address is not found. */
    async join(token: string, person: { candidateId: string; email: string }) {
      const joined = await store.join(hashSecret(token), person, clock())
      return joined === undefined ? { outcome: 'gone' as const } : { outcome: 'joined' as const, ...joined }
    },

    /** Creates an account for the invited person and joins with it. */
    async joinWithNewAccount(token: string, typed: Newcomer) {
      const hash = hashSecret(token)
      const open = await store.findInvitation(hash, clock())
      if (open === undefined) return { outcome: 'gone' as const }
      // Checked before the password is hashed, because hashing is slow.
      if (open.hasAccount) return { outcome: 'has-account' as const }
      const [firstName, lastName] = [typed.firstName.trim(), typed.lastName.trim()]
      const errors = [
        ...nameFault('firstName', 'first name', firstName),
        ...nameFault('lastName', 'last name', lastName),
        ...passwordFault('password', typed.password, open.email),
      ]
      if (errors.length > 0) return { outcome: 'invalid' as const, errors }
      const passwordHash = await hashPassword(typed.password)
      const profile = JSON.stringify(emptyProfile)
      const account = { candidateId: newUuid(), passwordHash, firstName, lastName, profile }
      const joined = await store.joinWithAccount(hash, account, clock())
      if (joined === undefined) return { outcome: 'gone' as const }
      if (joined === 'taken') return { outcome: 'has-account' as const }
      return { outcome: 'joined' as const, ...joined }
    },
  }
}
