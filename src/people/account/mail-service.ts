import { emptyProfile } from '../../model/profile.ts'
import type { Clock, EpochMs } from '../../platform/core/clock.ts'
import { newUuid } from '../../platform/core/ids.ts'
import { hashSecret, newSecret } from '../../platform/core/secrets.ts'
import type { ClaimedDelivery, DeliveryHandler, DeliveryOutcome } from '../../platform/work/delivery-ports.ts'
import { accountEmails } from '../mail/account-texts.ts'
import type { EmailMessage } from '../mail/email-message.ts'
import type { ConsumeEmailQuota } from '../mail/ports.ts'
import type { Post } from '../mail/post-service.ts'
import type { AccountMailKind, AccountMails, GatheredNotice } from './account-mail.ts'
import type { AccountStore } from './account-store.ts'
import { linkSeconds } from './links-service.ts'
import type { Account, Departure, NewLink, Registration } from './records.ts'
import type { UndoableChange, UndoStore } from './undo-store.ts'

const dropped: DeliveryOutcome = { outcome: 'dropped' }
const hourMs = 3_600_000
const digestMs = 7 * 24 * hourMs

/** Codes have their own handler. */
type LinkMailKind = Exclude<AccountMailKind, 'sign-in-code'>

type Sent = Pick<ClaimedDelivery, 'id' | 'attempt' | 'createdAt'>
type LinkEmail = 'confirmation' | 'already-registered' | 'reset' | 'change-email'

/**
 * Sends the emails about accounts. Each attempt looks up the account and issues its own link; the links of earlier
 * attempts stay valid, because their email may have arrived although the server's response did not.
 */
export function createAccountHandlers(deps: {
  accounts: AccountStore
  changes: Pick<UndoStore, 'findChange' | 'firstChange' | 'addLink'>
  post: Post
  mayMail: ConsumeEmailQuota
  /** A time in words. */
  time(at: EpochMs): string
  board: string
  authUrl(): string
  clock: Clock
}): Record<LinkMailKind, DeliveryHandler> {
  const { accounts, changes, post, board, authUrl, clock } = deps

  async function sendLink(
    id: string,
    path: '/confirm' | '/reset',
    link: Omit<NewLink, 'hash' | 'expiresAt'>,
    message: LinkEmail,
  ): Promise<DeliveryOutcome> {
    const token = newSecret('link')
    const expiresAt = clock() + linkSeconds * 1000
    await accounts.addLink({ ...link, hash: hashSecret(token), expiresAt })
    const url = `${authUrl()}${path}#${token}`
    const minutes = Math.floor(linkSeconds / 60)
    return post.send(id, link.email, accountEmails[message]({ url, minutes }, board))
  }

  /**
   * Does the same work for an address without such an account, so that activity after the response reveals nothing. It
   * connects to the mail server but sends no email.
   */
  async function pretend(id: string, email: string, message: LinkEmail): Promise<DeliveryOutcome> {
    const token = newSecret('link')
    await accounts.addDecoy({ hash: hashSecret(token), expiresAt: clock() + linkSeconds * 1000 })
    const url = `${authUrl()}/reset#${token}`
    const minutes = Math.floor(linkSeconds / 60)
    return post.pretend(id, email, accountEmails[message]({ url, minutes }, board))
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
    message: LinkEmail,
  ) => sendLink(id, '/reset', { purpose: 'reset', candidateId, email, continueTo }, message)

  /** Undefined if the change has since been undone. */
  async function issueUndoLink(change: UndoableChange | undefined): Promise<string | undefined> {
    const token = newSecret('link')
    if (change === undefined || !(await changes.addLink(change.changeId, hashSecret(token)))) return undefined
    return `${authUrl()}/undo#${token}`
  }

  /**
   * Sends a notice about the account. A stranger with the password must not flood the owner's mailbox, nor hide one
   * notice among many, so notices beyond the limit are sent together at the end of the hour. A notice of a change that
   * can be undone goes to the account's previous address: otherwise an intruder who then changes the address would get
   * the link.
   */
  async function sendNotice(
    { id, attempt, createdAt }: Sent,
    address: string,
    { what, browser }: Pick<GatheredNotice, 'what' | 'browser'>,
    message: (undoUrl: string | undefined) => EmailMessage,
  ): Promise<DeliveryOutcome> {
    const change = await changes.findChange(id, clock())
    const email = change?.email ?? address
    // Counted separately, so that sign-ins from many browsers do not use up the limit of more important notices.
    const kind = what === 'new-browser' ? 'sign-in' : 'notice'
    if (attempt > 1 || (await deps.mayMail(`${kind} ${email}`)))
      return post.send(id, email, message(await issueUndoLink(change)))
    const undo = change && { candidateId: change.candidateId, since: change.changedAt }
    const dueAt = (Math.floor(clock() / hourMs) + 1) * hourMs
    const into = {
      id: hashSecret(`digest ${dueAt} ${email}`),
      kind: 'security-digest',
      dueAt,
      giveUpAt: dueAt + digestMs,
      add: (content: string | undefined) =>
        withNotice(content, email, { what, browser, undo, at: createdAt, times: 1 }),
    }
    return { outcome: 'gathered', into }
  }

  /** Issues one link per account, which undoes all of its changes that the digest names. */
  async function issueUndoLinks({ email, notices }: AccountMails['security-digest']): Promise<string[]> {
    const firstOf = new Map<string, EpochMs>()
    for (const { undo } of notices)
      if (undo !== undefined)
        firstOf.set(undo.candidateId, Math.min(undo.since, firstOf.get(undo.candidateId) ?? undo.since))
    const urls = []
    for (const [candidateId, since] of firstOf)
      urls.push(await issueUndoLink(await changes.firstChange(candidateId, { email, since }, clock())))
    return urls.filter(url => url !== undefined)
  }

  type Senders = {
    [Kind in LinkMailKind]: (content: AccountMails[Kind], delivery: Sent) => Promise<DeliveryOutcome>
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
      if (account?.emailConfirmedAt !== null) return pretend(id, email, 'confirmation')
      // The account holds the details typed first, perhaps by a stranger, so it is confirmed only with its password.
      const own = await accounts.findRegistration(account.candidateId, browserMark)
      const departure = own === undefined ? { continueTo } : { continueTo, browserMark }
      return sendConfirmation(id, account, own ?? account, departure)
    },

    async reset({ email, continueTo }, { id }) {
      const account = await accounts.findByEmail(email)
      return account === undefined ? pretend(id, email, 'reset') : sendReset(id, account, continueTo, 'reset')
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
      return sendNotice(delivery, email, { what: 'email-changing' }, () =>
        accountEmails['email-changing']({ url }, board),
      )
    },

    'email-changed': ({ email }, delivery) =>
      sendNotice(delivery, email, { what: 'email-changed' }, undoUrl =>
        accountEmails['email-changed']({ undoUrl }, board),
      ),

    'change-undone': ({ email, isFormer }, delivery) =>
      sendNotice(delivery, email, { what: 'change-undone' }, () =>
        accountEmails['change-undone']({ isFormer }, board),
      ),

    async 'security-digest'({ email, notices }, { id }) {
      const url = `${authUrl()}/account/security`
      const listed = notices
        .toSorted((a, b) => a.at - b.at)
        .map(({ what, browser, times, at }) => ({ what, browser, times, time: deps.time(at) }))
      const undoUrls = await issueUndoLinks({ email, notices })
      return post.send(id, email, accountEmails['security-digest']({ url, notices: listed, undoUrls }, board))
    },

    async 'password-changed'({ candidateId }, delivery) {
      const account = await accounts.find(candidateId)
      if (account === undefined) return dropped
      return sendNotice(delivery, account.email, { what: 'password-changed' }, undoUrl =>
        accountEmails['password-changed']({ url: `${authUrl()}/forgotten`, undoUrl }, board),
      )
    },

    async security({ candidateId, what, browser }, delivery) {
      const account = await accounts.find(candidateId)
      if (account === undefined) return dropped
      const about = { what, browser, time: deps.time(delivery.createdAt) }
      return sendNotice(delivery, account.email, { what, browser }, undoUrl =>
        accountEmails.security({ url: `${authUrl()}/account/security`, undoUrl, ...about }, board),
      )
    },

    'account-removed': ({ email }, delivery) =>
      sendNotice(delivery, email, { what: 'account-removed' }, () =>
        accountEmails['account-removed']({}, board),
      ),
  }

  const handlerOf = <Kind extends LinkMailKind>(kind: Kind): DeliveryHandler => ({
    deliver: delivery => senders[kind](JSON.parse(delivery.content) as AccountMails[Kind], delivery),
    isPersonal: kind !== 'password-changed' && kind !== 'security',
  })
  return {
    'sign-up': handlerOf('sign-up'),
    'confirm-again': handlerOf('confirm-again'),
    reset: handlerOf('reset'),
    'change-email': handlerOf('change-email'),
    'email-changing': handlerOf('email-changing'),
    'email-changed': handlerOf('email-changed'),
    'password-changed': handlerOf('password-changed'),
    security: handlerOf('security'),
    'change-undone': handlerOf('change-undone'),
    'account-removed': handlerOf('account-removed'),
    'security-digest': handlerOf('security-digest'),
  }
}

/** Adds a notice to a digest. Equal notices are counted, so that the email stays short. */
function withNotice(content: string | undefined, email: string, notice: GatheredNotice): string {
  const digest: AccountMails['security-digest'] =
    content === undefined ? { email, notices: [] } : JSON.parse(content)
  const isSame = ({ what, browser, undo }: GatheredNotice) =>
    what === notice.what && browser === notice.browser && undo?.candidateId === notice.undo?.candidateId
  const same = digest.notices.find(isSame)
  const { undo } = notice
  const since = undo && Math.min(undo.since, same?.undo?.since ?? undo.since)
  const notices = [
    ...digest.notices.filter(each => !isSame(each)),
    {
      ...notice,
      undo: undo && { ...undo, since },
      times: (same?.times ?? 0) + 1,
      at: Math.max(notice.at, same?.at ?? 0),
    },
  ]
  return JSON.stringify({ email, notices })
}
