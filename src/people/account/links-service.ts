import type { Background } from '../../core/async/background.ts'
import type { Clock } from '../../core/clock.ts'
import { spellEmail } from '../../core/email.ts'
import { newUuid } from '../../core/ids.ts'
import { hashPassword } from '../../core/password.ts'
import type { FieldError } from '../../core/problems.ts'
import { hashSecret, isSameHash, newSecret } from '../../core/secrets.ts'
import type { SessionOwner } from '../../model/candidate.ts'
import { emptyProfile } from '../../model/profile.ts'
import {
  accountRemovedNotice,
  alreadyRegisteredMail,
  changeEmailMail,
  changeEmailNotice,
  confirmationMail,
  type LinkMail,
  type Mail,
  passwordChangedNotice,
  resetMail,
} from '../mail/messages.ts'
import type { Mailer } from '../mail/ports.ts'
import type { Caller, PasswordCheck } from './password-service.ts'
import type {
  Account,
  AccountStore,
  Departure,
  LinkPurpose,
  NewLink,
  OpenLink,
  Registration,
} from './ports.ts'
import { type AccountLimits, emailFault, nameFault, passwordFault } from './rules.ts'
import { type Accounts, newBrowser, type SignedIn, type SignInAttempt } from './service.ts'

export interface SignUp {
  firstName: string
  lastName: string
  email: string
  password: string
}

export type Asked =
  | { outcome: 'sent' }
  | { outcome: 'invalid'; errors: FieldError[] }
  /** No email can be sent at present. */
  | { outcome: 'unavailable' }

/** `gone`: the link was used, is too old, or never was. */
export type Refused = { outcome: 'gone' } | { outcome: 'wrong' } | { outcome: 'wait'; seconds: number }

export type ResetResult =
  | { outcome: 'reset'; browser: string; continueTo: string | null }
  | { outcome: 'gone' }
  | { outcome: 'invalid'; errors: FieldError[] }

type MailKind = LinkPurpose | 'notice'

/** All that a sign-in comes with, but for the address: that one is known by the link. */
export type LinkAttempt = Omit<SignInAttempt, 'email'>

export interface Confirmation {
  purpose: 'confirm' | 'change-email'
  email: string
  continueTo: string | null
  /** Whether the sign-up was made in this browser, which then confirms without the password. */
  isOfThisBrowser: boolean
}

export type AccountLinks = ReturnType<typeof createAccountLinks>

/**
 * Everything that goes by a link in a mail. No answer tells whether an address has an account, by its words or
 * by the time it takes: looking up, writing and mailing happen behind the answer.
 *
 * Confirming takes the link and, in another browser than that of the sign-up, the password that was typed there.
 * So somebody who signs up with the address of another gets nowhere: the owner, who has the link, neither knows
 * the password nor has the browser, and the stranger, who does, has no link. Each sign-up waits with its own link and touches the account only
 * when that one is used; a reset by the owner replaces whatever a stranger has typed. The same holds for a new
 * address: its link wants the password of the account that asked.
 */
export function createAccountLinks(deps: {
  store: AccountStore
  accounts: Accounts
  passwords: PasswordCheck
  mailer: Mailer | undefined
  authUrl(): string
  background: Background
  clock: Clock
  limits: AccountLimits & { linkSeconds: number; mailsPerHour: number; tokenLength: number }
  onLostMail(error: unknown): void
}) {
  const { store, accounts, passwords, mailer, authUrl, clock, limits } = deps

  /**
   * A bound per recipient and kind, whoever asks: the forms must not become a way to flood somebody. Each kind
   * has its own, so that what strangers cause does not use up the owner's way back in, which is the reset.
   */
  async function mayMail(email: string, kind: MailKind): Promise<boolean> {
    const hour = Math.floor(clock() / 3_600_000)
    return (await store.countMail(hashSecret(`${kind} ${email}`), hour)) <= limits.mailsPerHour
  }

  async function send(mail: Mail): Promise<void> {
    await mailer?.send(mail)
  }

  async function sendLink(
    path: '/confirm' | '/reset',
    link: Omit<NewLink, 'hash' | 'expiresAt'>,
    write: (mail: LinkMail) => Mail,
  ): Promise<void> {
    const token = newSecret('link')
    await store.addLink({
      ...link,
      hash: hashSecret(token),
      expiresAt: clock() + limits.linkSeconds * 1000,
    })
    const url = `${authUrl()}${path}#${token}`
    await send(write({ to: link.email, url, minutes: Math.floor(limits.linkSeconds / 60) }))
  }

  /**
   * The mail server is asked and the count is written before the answer, for every address alike: without a mail
   * server or a database nobody is told "sent".
   */
  async function behindTheAnswer(
    email: string,
    kind: MailKind,
    work: () => Promise<void>,
  ): Promise<{ outcome: 'sent' | 'unavailable' }> {
    if (mailer === undefined) throw new Error('the pages do not offer this without a mailer')
    try {
      await mailer.check()
    } catch (error) {
      deps.onLostMail(error)
      return { outcome: 'unavailable' }
    }
    if (await mayMail(email, kind)) deps.background.run(work(), deps.onLostMail)
    return { outcome: 'sent' }
  }

  /** A notice only: where there is no mail server, what it tells of stands all the same. */
  function notify(mail: Mail): void {
    const tell = async () => {
      if (await mayMail(mail.to, 'notice')) await send(mail)
    }
    if (mailer !== undefined) deps.background.run(tell(), deps.onLostMail)
  }

  const sendConfirmation = (
    candidateId: string,
    email: string,
    registration: Registration,
    departure: Departure,
  ) =>
    sendLink(
      '/confirm',
      { purpose: 'confirm', candidateId, email, registration, ...departure },
      confirmationMail,
    )

  const sendReset = (
    { candidateId, email }: Account,
    continueTo: string | undefined,
    write: (mail: LinkMail) => Mail,
  ) => sendLink('/reset', { purpose: 'reset', candidateId, email, continueTo }, write)

  async function register(email: string, registration: Registration, departure: Departure): Promise<void> {
    const candidateId = newUuid()
    const profile = JSON.stringify(emptyProfile)
    const isNew = await store.add({ ...registration, candidateId, email, profile, createdAt: clock() })
    const account = isNew ? undefined : await store.findByEmail(email)
    if (isNew) await sendConfirmation(candidateId, email, registration, departure)
    else if (account?.emailConfirmedAt === null)
      await sendConfirmation(account.candidateId, email, registration, departure)
    else if (account !== undefined) await sendReset(account, departure.continueTo, alreadyRegisteredMail)
  }

  async function startSession(candidateId: string, attempt: LinkAttempt): Promise<SignedIn | Refused> {
    const account = await store.find(candidateId)
    return (account && (await accounts.startSession(account, attempt))) ?? { outcome: 'wrong' }
  }

  const isOfBrowser = (link: Pick<OpenLink, 'browserMark'>, browserMark: string) =>
    link.browserMark !== null && isSameHash(link.browserMark, browserMark)

  const isLong = (token: string) => token.length > limits.tokenLength

  return {
    isOn: mailer !== undefined,

    async signUp({ password, ...typed }: SignUp, departure: Departure): Promise<Asked> {
      const email = spellEmail(typed.email)
      const [firstName, lastName] = [typed.firstName.trim(), typed.lastName.trim()]
      const errors = [
        ...nameFault('firstName', 'first name', firstName, limits),
        ...nameFault('lastName', 'last name', lastName, limits),
        ...emailFault('email', email, limits),
        ...passwordFault('password', password, email, limits),
      ]
      if (errors.length > 0) return { outcome: 'invalid', errors }
      const registration = { passwordHash: await hashPassword(password), firstName, lastName }
      return behindTheAnswer(email, 'confirm', () => register(email, registration, departure))
    },

    async sendConfirmationAgain(typed: string, { continueTo, browserMark = '' }: Departure): Promise<Asked> {
      const email = spellEmail(typed)
      const errors = emailFault('email', email, limits)
      if (errors.length > 0) return { outcome: 'invalid', errors }
      return behindTheAnswer(email, 'confirm', async () => {
        const account = await store.findByEmail(email)
        if (account?.emailConfirmedAt !== null) return
        const { candidateId } = account
        // The account holds what was typed first, perhaps by a stranger: that is never confirmed without its password.
        const own = await store.findRegistration(candidateId, browserMark)
        const departure = own === undefined ? { continueTo } : { continueTo, browserMark }
        await sendConfirmation(candidateId, email, own ?? account, departure)
      })
    },

    /** What a link would do, without using it up: mail scanners open links, too. */
    async findConfirmation(token: string, browserMark: string): Promise<Confirmation | undefined> {
      if (isLong(token)) return undefined
      for (const purpose of ['confirm', 'change-email'] as const) {
        const link = await store.findLink(hashSecret(token), purpose, clock())
        if (link === undefined) continue
        const { email, continueTo } = link
        return { purpose, email, continueTo, isOfThisBrowser: isOfBrowser(link, browserMark) }
      }
      return undefined
    },

    async confirm(token: string, attempt: LinkAttempt, browserMark = ''): Promise<SignedIn | Refused> {
      const hash = hashSecret(token)
      const link = await store.findLink(hash, 'confirm', clock())
      if (link?.registration === undefined) return { outcome: 'gone' }
      if (!isOfBrowser(link, browserMark)) {
        const typed = { ...attempt, email: link.email }
        const checked = await passwords.check(typed, link.registration.passwordHash)
        if (checked.outcome !== 'right') return checked
      }
      const confirmed = await store.confirm(hash, clock())
      return confirmed === undefined ? { outcome: 'gone' } : startSession(confirmed.candidateId, attempt)
    },

    tellPasswordChanged: (email: string): void =>
      notify(passwordChangedNotice({ to: email, forgottenUrl: `${authUrl()}/forgotten` })),

    /** The last mail to a former owner, who may not be the one who deleted the account. */
    tellAccountRemoved: (email: string): void => notify(accountRemovedNotice({ to: email })),

    /** Nothing changes until the link is used; whether the new address has an account is not told. */
    async askToChangeEmail(
      owner: SessionOwner,
      { email: typed, ...attempt }: Caller & { email: string; password: string },
    ): Promise<Asked | Refused> {
      const email = spellEmail(typed)
      const errors = emailFault('email', email, limits)
      if (email === owner.email) {
        const message = 'This is the address that you have already.'
        errors.push({ field: 'email', code: 'unchanged', message })
      }
      if (errors.length > 0) return { outcome: 'invalid', errors }
      const checked = await passwords.check({ ...attempt, email: owner.email })
      if (checked.outcome !== 'right') return checked
      return behindTheAnswer(email, 'change-email', async () => {
        await send(changeEmailNotice({ to: owner.email, securityUrl: `${authUrl()}/account/security` }))
        const other = await store.findByEmail(email)
        if (other !== undefined && other.emailConfirmedAt !== null) {
          await sendReset(other, undefined, alreadyRegisteredMail)
        } else {
          const link = { purpose: 'change-email', candidateId: owner.candidateId, email } as const
          await sendLink('/confirm', link, changeEmailMail)
        }
      })
    },

    async changeEmail(token: string, attempt: LinkAttempt): Promise<SignedIn | Refused> {
      const hash = hashSecret(token)
      const link = await store.findLink(hash, 'change-email', clock())
      const account = link && (await store.find(link.candidateId))
      if (account === undefined) return { outcome: 'gone' }
      const checked = await passwords.check({ ...attempt, email: account.email })
      if (checked.outcome !== 'right') return checked
      const changed = await store.changeEmail(hash, clock())
      return changed === undefined ? { outcome: 'gone' } : startSession(changed.candidateId, attempt)
    },

    async askToReset(typed: string, { continueTo }: Departure): Promise<Asked> {
      const email = spellEmail(typed)
      const errors = emailFault('email', email, limits)
      if (errors.length > 0) return { outcome: 'invalid', errors }
      return behindTheAnswer(email, 'reset', async () => {
        const account = await store.findByEmail(email)
        if (account !== undefined) await sendReset(account, continueTo, resetMail)
      })
    },

    async findReset(token: string): Promise<{ email: string } | undefined> {
      return isLong(token) ? undefined : store.findLink(hashSecret(token), 'reset', clock())
    },

    /** Ends every session and every other link: whoever else was in is out. */
    async reset(token: string, password: string, browser = newBrowser()): Promise<ResetResult> {
      const hash = hashSecret(token)
      const link = await store.findLink(hash, 'reset', clock())
      if (link === undefined) return { outcome: 'gone' }
      const errors = passwordFault('password', password, link.email, limits)
      if (errors.length > 0) return { outcome: 'invalid', errors }
      const done = await store.resetPassword(hash, await hashPassword(password), clock())
      if (done === undefined) return { outcome: 'gone' }
      await passwords.forgiveAccount(done.email)
      await passwords.trustBrowser(done.email, browser)
      return { outcome: 'reset', browser, continueTo: link.continueTo }
    },
  }
}
