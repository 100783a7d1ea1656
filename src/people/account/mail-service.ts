import type { Clock, EpochMs } from '../../core/clock.ts'
import { newUuid } from '../../core/ids.ts'
import { hashSecret, newSecret } from '../../core/secrets.ts'
import type { Limits } from '../../limits.ts'
import { emptyProfile } from '../../model/profile.ts'
import type { ClaimedDelivery, Courier, DeliveryOutcome } from '../../work/delivery-ports.ts'
import { accountLetters } from '../mail/account-texts.ts'
import type { Letter } from '../mail/letter.ts'
import type { Post } from '../mail/post-service.ts'
import type { AccountMailKind, AccountMails } from './account-mail.ts'
import type { Account, AccountStore, Departure, NewLink, Registration } from './ports.ts'

const dropped: DeliveryOutcome = { outcome: 'dropped' }

type Sent = Pick<ClaimedDelivery, 'id' | 'attempt' | 'createdAt'>
type LinkLetter = 'confirmation' | 'already-registered' | 'reset' | 'change-email'

/**
 * Sends the emails about accounts. Each attempt looks the account up and draws a link of its own; the links of earlier
 * attempts stay valid, because such an email may have arrived although the server's answer did not.
 */
export function createAccountCouriers(deps: {
  accounts: AccountStore
  post: Post
  /** Counts an email of this kind to the address; false when it has had as many as it may in this hour. */
  mayMail(email: string, kind: 'notice' | 'sign-in'): Promise<boolean>
  /** A time in words. */
  time(at: EpochMs): string
  board: string
  authUrl(): string
  clock: Clock
  limits: Pick<Limits, 'linkSeconds'>
}): Record<AccountMailKind, Courier> {
  const { accounts, post, board, authUrl, clock, limits } = deps

  async function sendLink(
    id: string,
    path: '/confirm' | '/reset',
    link: Omit<NewLink, 'hash' | 'expiresAt'>,
    letter: LinkLetter,
  ): Promise<DeliveryOutcome> {
    const token = newSecret('link')
    const expiresAt = clock() + limits.linkSeconds * 1000
    await accounts.addLink({ ...link, hash: hashSecret(token), expiresAt })
    const url = `${authUrl()}${path}#${token}`
    const minutes = Math.floor(limits.linkSeconds / 60)
    return post.send(id, link.email, accountLetters[letter]({ url, minutes }, board))
  }

  const sendConfirmation = (
    id: string,
    { candidateId, email }: Pick<Account, 'candidateId' | 'email'>,
    registration: Registration,
    { continueTo, browserMark }: Departure,
  ) =>
    sendLink(
      id,
      '/confirm',
      { purpose: 'confirm', candidateId, email, registration, continueTo, browserMark },
      'confirmation',
    )

  const sendReset = (
    id: string,
    { candidateId, email }: Account,
    continueTo: string | undefined,
    letter: LinkLetter,
  ) => sendLink(id, '/reset', { purpose: 'reset', candidateId, email, continueTo }, letter)

  /** A notice about the account. Limited, so that a stranger with the password cannot flood the owner's mailbox. */
  async function sendNotice(
    { id, attempt }: Sent,
    email: string,
    letter: Letter,
    kind: 'notice' | 'sign-in' = 'notice',
  ): Promise<DeliveryOutcome> {
    if (attempt === 1 && !(await deps.mayMail(email, kind))) return dropped
    return post.send(id, email, letter)
  }

  type Senders = {
    [Kind in AccountMailKind]: (content: AccountMails[Kind], delivery: Sent) => Promise<DeliveryOutcome>
  }
  const senders: Senders = {
    async 'sign-up'({ email, registration, ...departure }, { id, createdAt }) {
      const profile = JSON.stringify(emptyProfile)
      await accounts.add({ ...registration, candidateId: newUuid(), email, profile, createdAt: clock() })
      const account = await accounts.findByEmail(email)
      if (account === undefined) return dropped
      const { emailConfirmedAt } = account
      if (emailConfirmedAt === null) return sendConfirmation(id, account, registration, departure)
      // Confirmed by an earlier attempt of this email, whose success was not recorded.
      if (emailConfirmedAt >= createdAt) return dropped
      return sendReset(id, account, departure.continueTo, 'already-registered')
    },

    async 'confirm-again'({ email, continueTo, browserMark = '' }, { id }) {
      const account = await accounts.findByEmail(email)
      if (account?.emailConfirmedAt !== null) return dropped
      // The account holds what was typed first, perhaps by a stranger, so it is confirmed only with its password.
      const own = await accounts.findRegistration(account.candidateId, browserMark)
      const departure = own === undefined ? { continueTo } : { continueTo, browserMark }
      return sendConfirmation(id, account, own ?? account, departure)
    },

    async reset({ email, continueTo }, { id }) {
      const account = await accounts.findByEmail(email)
      return account === undefined ? dropped : sendReset(id, account, continueTo, 'reset')
    },

    async 'change-email'({ candidateId, email }, { id }) {
      const [own, other] = [await accounts.find(candidateId), await accounts.findByEmail(email)]
      if (own === undefined || own.email === email) return dropped
      if (other !== undefined && other.emailConfirmedAt !== null) {
        return sendReset(id, other, undefined, 'already-registered')
      }
      return sendLink(id, '/confirm', { purpose: 'change-email', candidateId, email }, 'change-email')
    },

    'email-changing'({ email }, delivery) {
      const url = `${authUrl()}/account/security`
      return sendNotice(delivery, email, accountLetters['email-changing']({ url }, board))
    },

    async 'password-changed'({ candidateId }, delivery) {
      const account = await accounts.find(candidateId)
      const letter = accountLetters['password-changed']({ url: `${authUrl()}/forgotten` }, board)
      return account === undefined ? dropped : sendNotice(delivery, account.email, letter)
    },

    async security({ candidateId, what, browser }, delivery) {
      const account = await accounts.find(candidateId)
      const about = { what, browser, time: deps.time(delivery.createdAt) }
      const letter = accountLetters.security({ url: `${authUrl()}/account/security`, ...about }, board)
      // Counted apart: sign-ins from many browsers do not use up the notices of what is done after them.
      const kind = what === 'new-browser' ? 'sign-in' : 'notice'
      return account === undefined ? dropped : sendNotice(delivery, account.email, letter, kind)
    },

    'account-removed': ({ email }, delivery) =>
      sendNotice(delivery, email, accountLetters['account-removed']({}, board)),
  }

  const courierOf = <Kind extends AccountMailKind>(kind: Kind): Courier => ({
    deliver: delivery => senders[kind](JSON.parse(delivery.content) as AccountMails[Kind], delivery),
    isPersonal: kind !== 'password-changed' && kind !== 'security',
  })
  return {
    'sign-up': courierOf('sign-up'),
    'confirm-again': courierOf('confirm-again'),
    reset: courierOf('reset'),
    'change-email': courierOf('change-email'),
    'email-changing': courierOf('email-changing'),
    'password-changed': courierOf('password-changed'),
    security: courierOf('security'),
    'account-removed': courierOf('account-removed'),
  }
}
