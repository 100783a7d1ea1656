import type { Clock, EpochMs } from '../../core/clock.ts'
import { isEmail, spellEmail } from '../../core/email.ts'
import { newUuid } from '../../core/ids.ts'
import { hashPassword } from '../../core/password.ts'
import type { FieldError } from '../../core/problems.ts'
import { hashSecret, newSecret } from '../../core/secrets.ts'
import type { Limits } from '../../limits.ts'
import type { OperatorRole } from '../../model/principal.ts'
import { emptyProfile } from '../../model/profile.ts'
import { type AccountLimits, nameFault, passwordFault } from '../../people/account/rules.ts'
import type { OpenOperatorInvitation, OperatorStore } from './ports.ts'

export type OperatorInvited =
  /** The link is shown once. */
  | { outcome: 'link'; email: string; role: OperatorRole; url: string; expiresAt: EpochMs }
  | { outcome: 'invalid'; errors: FieldError[] }

export type OperatorJoined =
  | { outcome: 'joined'; candidateId: string }
  | { outcome: 'gone' }
  | { outcome: 'has-account' }
  | { outcome: 'invalid'; errors: FieldError[] }

export type Operators = ReturnType<typeof createOperators>

/**
 * The people who run the board. A person becomes one only by a link that is bound to an email address and works once;
 * there is no open set-up page and no shared password.
 */
export function createOperators(deps: {
  store: OperatorStore
  clock: Clock
  limits: AccountLimits & Pick<Limits, 'invitationSeconds' | 'tokenLength'>
}) {
  const { store, clock, limits } = deps
  const invalid = (code: string, message: string): OperatorInvited => ({
    outcome: 'invalid',
    errors: [{ field: 'email', code, message }],
  })

  return {
    find: store.find,
    isAny: store.isAny,
    list: store.list,
    listInvitations: () => store.listInvitations(clock()),

    async invite(typed: string, role: OperatorRole, authUrl: string): Promise<OperatorInvited> {
      const email = spellEmail(typed)
      if (!isEmail(email, limits))
        return invalid('not-an-email', 'Enter an email address such as name@example.com.')
      const token = newSecret('link')
      const createdAt = clock()
      const expiresAt = createdAt + limits.invitationSeconds * 1000
      const invitation = { id: newUuid(), hash: hashSecret(token), email, role, createdAt, expiresAt }
      if ((await store.invite(invitation)) === 'operator')
        return invalid('operator', 'This person is an operator or a viewer already. Remove them first.')
      return { outcome: 'link', email, role, url: `${authUrl}/operator/join#${token}`, expiresAt }
    },

    takeBack: (id: string) => store.takeBack({ id }),

    remove: store.remove,

    /** By the address that the list shows, or that was invited. */
    async removeByEmail(
      typed: string,
      options: { mayBeLast: boolean },
    ): Promise<'done' | 'missing' | 'last-operator' | 'taken-back'> {
      const email = spellEmail(typed)
      const operator = (await store.list()).find(each => each.email === email)
      if (operator !== undefined) return store.remove(operator.candidateId, options)
      return (await store.takeBack({ email })) ? 'taken-back' : 'missing'
    },

    /** Returns the invitation without using it up. */
    async findInvitation(token: string): Promise<OpenOperatorInvitation | undefined> {
      return token.length > limits.tokenLength ? undefined : store.findInvitation(hashSecret(token), clock())
    },

    /** Joins a person who is signed in. An invitation to another address is not found. */
    async join(token: string, person: { candidateId: string; email: string }): Promise<OperatorJoined> {
      const joined = await store.join(hashSecret(token), person, clock())
      return joined === undefined ? { outcome: 'gone' } : { outcome: 'joined', ...joined }
    },

    /** Creates an account for the invited person and joins with it. */
    async joinWithNewAccount(
      token: string,
      typed: { firstName: string; lastName: string; password: string },
    ): Promise<OperatorJoined> {
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
      const passwordHash = await hashPassword(typed.password)
      const profile = JSON.stringify(emptyProfile)
      const account = { candidateId: newUuid(), passwordHash, firstName, lastName, profile }
      const joined = await store.joinWithAccount(hash, account, clock())
      if (joined === undefined) return { outcome: 'gone' }
      return joined === 'taken' ? { outcome: 'has-account' } : { outcome: 'joined', ...joined }
    },
  }
}
