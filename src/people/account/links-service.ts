import type { Clock } from '../../platform/core/clock.ts'
import { normaliseEmail } from '../../platform/core/email.ts'
import type { Log } from '../../platform/core/log.ts'
import { hashPassword, hasPassword, withoutPassword } from '../../platform/core/password.ts'
import type { FieldError } from '../../platform/core/problems.ts'
import { hashSecret, isSameHash, tokenLength } from '../../platform/core/secrets.ts'
import type { SessionOwner } from '../../platform/core/session-owner.ts'
import type { NewDelivery } from '../../platform/work/delivery-ports.ts'
import type { Factors } from '../factors/service.ts'
import type { ConsumeEmailQuota, Mailer } from '../mail/ports.ts'
import { type AccountMailKind, type AccountMails, newAccountMail, type SecurityMail } from './account-mail.ts'
import type { AccountStore } from './account-store.ts'
import type { Caller, PasswordCheck } from './password-service.ts'
import type { Departure, LinkPurpose, OpenLink } from './records.ts'
import { emailFault, nameFault, passwordFault } from './rules.ts'
import { type Accounts, newBrowser, type SignedIn, type SignInAttempt } from './service.ts'

/** Limit: Lifetime of a link in an email: half an hour. */
export const linkSeconds = 1_800

export interface SignUp {
  firstName: string
  lastName: string
  email: string
  password: string
}

export type Asked =
  | { outcome: 'sent' }
  | { outcome: 'invalid'; errors: FieldError[] }
  /** Email cannot be sent right now. */
  | { outcome: 'unavailable' }

/** `gone`: the link was used, has expired or never existed. */
export type Refused =
  | { outcome: 'gone' }
  | { outcome: 'second-step' }
  | { outcome: 'wrong' }
  | { outcome: 'wait'; seconds: number }

export type ResetResult =
  | { outcome: 'reset'; browser: string; continueTo: string | null }
  | { outcome: 'gone' }
  | { outcome: 'invalid'; errors: FieldError[] }

/** How long a change can be undone by the link in its email. */
const noticeMs = 7 * 86_400_000

/** A sign-in attempt without the email address, which the link determines. */
export type LinkAttempt = Omit<SignInAttempt, 'email' | 'securityMail'>

export interface Confirmation {
  purpose: 'confirm' | 'change-email'
  email: string
  continueTo: string | null
  /** Whether the sign-up was made in this browser, which then confirms without the password. */
  isOfThisBrowser: boolean
  /** No password to type: only the sign-up's browser can confirm. */
  isWithoutPassword?: boolean
}

export type AccountLinks = ReturnType<typeof createAccountLinks>

/**
 * Every flow that works by a link in an email. No response reveals whether an address has an account, by its text or
 * by its timing: before the response, the request is queued for every address alike, and all else happens afterwards.
 *
 * Confirming a sign-up needs the link and either the browser of the sign-up or the password typed there. So a stranger
 * who signs up with another person's address gets nowhere: the owner has the link but neither browser nor password,
 * and the stranger has both but not the link. Each sign-up has its own link and changes the account only when that
 * link is used; a reset by the owner replaces a stranger's details. A change of address works the same way: its
 * link needs the password of the account that asked for it.
 */
export function createAccountLinks(deps: {
  store: AccountStore
  mayMail: ConsumeEmailQuota
  accounts: Accounts
  passwords: PasswordCheck
  factors: Pick<Factors, 'hasSecondFactor' | 'removeLostApp'>
  mailer: Mailer | undefined
  isDemo: boolean
  clock: Clock
  log: Log
}) {
  const { store, accounts, passwords, mailer, clock } = deps

  /**
   * Limits emails per recipient and kind across all callers, so that the forms cannot be used to flood a mailbox. Each
   * kind has its own limit, so that emails caused by strangers do not use up the owner's password resets.
   */
  const mayMail = (email: string, kind: LinkPurpose) => deps.mayMail(`${kind} ${email}`)

  /** Does not send an email whose link would have expired. */
  const linkMail = <Kind extends AccountMailKind>(kind: Kind, content: AccountMails[Kind]) =>
    newAccountMail(kind, content, clock() + linkSeconds * 1000)

  const noticeMail = <Kind extends AccountMailKind>(kind: Kind, content: AccountMails[Kind]) =>
    mailer === undefined ? [] : [newAccountMail(kind, content, clock() + noticeMs)]

  /** Demo visitors share accounts, so emails about new browsers would be noise. */
  const securityMail: SecurityMail = (candidateId, what, browser) =>
    deps.isDemo && what === 'new-browser' ? [] : noticeMail('security', { candidateId, what, browser })

  /**
   * Checks the mail server, and writes the count and the request before the response, for every address alike: so that
   * "sent" is never reported without a working mail server, and stays true even if the process dies.
   */
  async function queue(
    email: string,
    kind: LinkPurpose,
    mails: readonly NewDelivery[],
  ): Promise<{ outcome: 'sent' | 'unavailable' }> {
    if (mailer === undefined) throw new Error('the pages do not offer this without a mailer')
    try {
      await mailer.check()
    } catch (error) {
      deps.log.error({ err: error }, 'the mail server is unavailable')
      return { outcome: 'unavailable' }
    }
    if (await mayMail(email, kind)) await mailer.queue(mails)
    return { outcome: 'sent' }
  }

  async function startSession(candidateId: string, attempt: LinkAttempt): Promise<SignedIn | Refused> {
    const account = await store.find(candidateId)
    // A link never replaces the second step.
    if (account !== undefined && (await deps.factors.hasSecondFactor(candidateId)))
      return { outcome: 'second-step' }
    // Nor does it replace the provider if that is the only way to sign in.
    return (
      (account && (await accounts.startSession(account, attempt, ['link']))) ?? { outcome: 'second-step' }
    )
  }

  const isOfBrowser = (link: Pick<OpenLink, 'browserMark'>, browserMark: string) =>
    link.browserMark !== null && isSameHash(link.browserMark, browserMark)

  const isLong = (token: string) => token.length > tokenLength

  return {
    isOn: mailer !== undefined,

    async signUp({ password, ...typed }: SignUp, departure: Departure): Promise<Asked> {
      const email = normaliseEmail(typed.email)
      const [firstName, lastName] = [typed.firstName.trim(), typed.lastName.trim()]
      const errors = [
        ...nameFault('firstName', 'first name', firstName),
        ...nameFault('lastName', 'last name', lastName),
        ...emailFault('email', email),
        ...passwordFault('password', password, email),
      ]
      if (errors.length > 0) return { outcome: 'invalid', errors }
      const registration = { passwordHash: await hashPassword(password), firstName, lastName }
      return queue(email, 'confirm', [linkMail('sign-up', { email, registration, ...departure })])
    },

    /** Signs up a person whom a provider knows, with an address that the provider has not verified. */
    async signUpWithoutPassword(
      names: Pick<SignUp, 'firstName' | 'lastName'>,
      typed: string,
      departure: Departure,
    ): Promise<Asked> {
      const email = normaliseEmail(typed)
      const errors = emailFault('email', email)
      if (errors.length > 0) return { outcome: 'invalid', errors }
      const registration = { passwordHash: withoutPassword(), ...names }
      return queue(email, 'confirm', [linkMail('sign-up', { email, registration, ...departure })])
    },

    async sendConfirmationAgain(typed: string, departure: Departure): Promise<Asked> {
      const email = normaliseEmail(typed)
      const errors = emailFault('email', email)
      if (errors.length > 0) return { outcome: 'invalid', errors }
      return queue(email, 'confirm', [linkMail('confirm-again', { email, ...departure })])
    },

    /** Returns the details that a link confirms without using it up, because mail scanners open links too. */
    async findConfirmation(token: string, browserMark: string): Promise<Confirmation | undefined> {
      if (isLong(token)) return undefined
      for (const purpose of ['confirm', 'change-email'] as const) {
        const link = await store.findLink(hashSecret(token), purpose, clock())
        if (link === undefined) continue
        const { email, continueTo } = link
        const isWithout = link.registration !== undefined && !hasPassword(link.registration.passwordHash)
        return {
          purpose,
          email,
          continueTo,
          isOfThisBrowser: isOfBrowser(link, browserMark),
          ...(isWithout && { isWithoutPassword: true }),
        }
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

    /** Emails for the transactions that change a password or delete an account; none without a mail server. */
    securityMail,
    passwordChangedMail: (candidateId: string) => noticeMail('password-changed', { candidateId }),
    changeUndoneMails: (addresses: readonly string[]) =>
      addresses.flatMap((email, index) => noticeMail('change-undone', { email, isFormer: index > 0 })),
    /** An email to the former owner, in case someone else deleted the account. */
    accountRemovedMail: (email: string) => noticeMail('account-removed', { email }),
    attempt: (mails: readonly NewDelivery[]): void => mailer?.attempt(mails),

    /** Nothing changes until the link is used. The result does not reveal whether the new address has an account. */
    async askToChangeEmail(
      owner: SessionOwner,
      { email: typed, ...attempt }: Caller & { email: string; password: string },
    ): Promise<Asked | Refused> {
      const email = normaliseEmail(typed)
      const errors = emailFault('email', email)
      if (email === owner.email) {
        const message = 'This is already your email address.'
        errors.push({ field: 'email', code: 'unchanged', message })
      }
      if (errors.length > 0) return { outcome: 'invalid', errors }
      const checked = await passwords.check({ ...attempt, email: owner.email })
      if (checked.outcome !== 'right') return checked
      return queue(email, 'change-email', [
        ...noticeMail('email-changing', { email: owner.email }),
        linkMail('change-email', { candidateId: owner.candidateId, email }),
      ])
    },

    async changeEmail(token: string, attempt: LinkAttempt): Promise<SignedIn | Refused> {
      const hash = hashSecret(token)
      const link = await store.findLink(hash, 'change-email', clock())
      const account = link && (await store.find(link.candidateId))
      if (account === undefined) return { outcome: 'gone' }
      const checked = await passwords.check({ ...attempt, email: account.email })
      if (checked.outcome !== 'right') return checked
      const mails = noticeMail('email-changed', { email: account.email })
      const changed = await store.changeEmail(hash, clock(), mails)
      return changed === undefined ? { outcome: 'gone' } : startSession(changed.candidateId, attempt)
    },

    async askToReset(typed: string, { continueTo }: Departure): Promise<Asked> {
      const email = normaliseEmail(typed)
      const errors = emailFault('email', email)
      if (errors.length > 0) return { outcome: 'invalid', errors }
      return queue(email, 'reset', [linkMail('reset', { email, continueTo })])
    },

    async findReset(token: string): Promise<{ candidateId: string; email: string } | undefined> {
      return isLong(token) ? undefined : store.findLink(hashSecret(token), 'reset', clock())
    },

    /** Sets a new password and ends every session and every other link of the account. */
    async reset(token: string, password: string, browser = newBrowser()): Promise<ResetResult> {
      const hash = hashSecret(token)
      const link = await store.findLink(hash, 'reset', clock())
      if (link === undefined) return { outcome: 'gone' }
      const errors = passwordFault('password', password, link.email)
      if (errors.length > 0) return { outcome: 'invalid', errors }
      const mails = noticeMail('password-changed', { candidateId: link.candidateId })
      const done = await store.resetPassword(hash, await hashPassword(password), clock(), mails)
      if (done === undefined) return { outcome: 'gone' }
      // The lost app's codes cannot be checked, so access to the mailbox has to suffice.
      await deps.factors.removeLostApp(link.candidateId, securityMail(link.candidateId, 'app-removed'))
      await passwords.forgiveAccount(done.email)
      await passwords.trustBrowser(done.email, browser)
      return { outcome: 'reset', browser, continueTo: link.continueTo }
    },
  }
}
