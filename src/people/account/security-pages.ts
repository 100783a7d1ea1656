import type { FastifyReply, RouteOptions } from 'fastify'
import { type FieldError, Problem } from '../../platform/core/problems.ts'
import type { ProofKind, SessionOwner } from '../../platform/core/session-owner.ts'
import { confirmPath } from '../../platform/http/auth/fresh-proof.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { type RateLimit, rateLimited } from '../../platform/http/rates/rate-limit.ts'
import { isolateBidi, stripBidi } from '../../platform/web/bidi.ts'
import { badge, card, notice } from '../../platform/web/components.ts'
import { usernameOf } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { icon } from '../../platform/web/icons.ts'
import { type ActCall, type PageCall, refusal, type Shown } from '../../platform/web/tab.ts'
import { timeElement } from '../../platform/web/time.ts'
import type { Factors } from '../factors/service.ts'
import type { LinkedIdentity } from '../identities/records.ts'
import type { Providers } from '../identities/service.ts'
import type { NoticeStore } from '../mail/notice-store.ts'
import { boldEmail, currentPasswordInput, newPasswordInput, ownInput } from './form-markup.ts'
import type { AccountLinks } from './links-service.ts'
import type { Accounts } from './service.ts'
import type { SessionOnList } from './session-store.ts'
import { callerOf, waitText } from './sign-in-pages.ts'
import { accountTab } from './tab-pages.ts'

export interface SecurityPageDeps {
  accounts: Accounts
  links: AccountLinks
  factors: Pick<Factors, 'hasSecondFactor'>
  providers: Providers
  /** Whether the person has a second factor but has not used it in the last few minutes. */
  needsFactor(owner: SessionOwner): Promise<boolean>
  /** Addresses that the mail server rejects. */
  refusals: Pick<NoticeStore, 'findRefusal' | 'clearRefusal'>
  sessions: Sessions
  isDemo: boolean
  /** Limits email changes per candidate. */
  forms: RateLimit
}

const path = '/account/security'

/** All forms of the page post to its own path, so that a person whose session has ended returns here after signing in. */
export function securityPages(deps: SecurityPageDeps): RouteOptions[] {
  const { accounts, links, sessions } = deps

  async function changePassword({ request, reply, caller, value }: ActCall<'session'>) {
    const mails = links.passwordChangedMail(caller.candidateId)
    const result = await accounts.changePassword(caller, {
      mails,
      current: value('current'),
      password: value('password'),
      ...callerOf(request, sessions),
    })
    if (result.outcome !== 'changed' && result.outcome !== 'changed-before')
      return rejected(reply, 'current', result)
    if (result.outcome === 'changed') links.attempt(mails)
    return 'password'
  }

  async function changeEmail({ request, reply, caller, value }: ActCall<'session'>) {
    if (!links.isOn) throw new Problem('unavailable', 'This service isn’t set up to send email.')
    // Each request may send an email to any address, so limit them per account.
    const usage = await deps.forms.hit(caller.candidateId)
    if (usage.isExceeded) throw rateLimited(usage)
    const attempt = { email: value('email'), password: value('password'), ...callerOf(request, sessions) }
    const result = await links.askToChangeEmail(caller, attempt)
    return result.outcome === 'sent'
      ? 'email-asked'
      : { ...rejected(reply, 'password', result), ids: emailFieldIds }
  }

  return accountTab(sessions, path)(path, {
    async show(call) {
      const { candidateId, email, sessionId } = call.caller
      const refusal = links.isOn ? await deps.refusals.findRefusal(candidateId) : undefined
      const needsFactor = await deps.needsFactor(call.caller)
      const isTwoStep = await deps.factors.hasSecondFactor(candidateId)
      const list = await accounts.sessionsOf(candidateId)
      const hasPassword = await accounts.hasPassword(candidateId)
      const identities = await deps.providers.list(candidateId)
      return {
        title: 'Sign-in and security',
        failed: '',
        body: html`${refusal && refusalNotice(refusal, call)}
${hasPassword ? (needsFactor ? confirmFirst(email) : html`${passwordForm(call)}${links.isOn ? emailForm(call) : emailOff(email)}`) : noPassword(email, links.isOn)}
${providerCard(identities, await deps.providers.offeredTo(candidateId), call, deps.providers.nameOfIssuer)}
${linkCard('two-step', 'Passkeys and two-step sign-in', isTwoStep ? (hasPassword ? 'On: a password alone doesn’t sign you in.' : 'On: signing in takes a second step.') : hasPassword ? 'Off: signing in takes your password only.' : 'Off: signing in takes one step.', html`<a class="button second" href="${path}/two-step">Manage passkeys and two-step sign-in</a>`)}
${sessionList(list, sessionId, call, deps.providers.nameOfIssuer)}
${linkCard('data', 'Your data', 'Download everything we hold about you, or delete your account.', html`<a class="button second" href="/account/data">Go to your data</a>`)}`,
      }
    },
    namedActs: {
      password: { proof: 'factor', run: changePassword },
      email: { proof: 'factor', run: changeEmail },
      'unlink-provider': {
        proof: 'sign-in',
        async run({ caller, value }) {
          const mails = links.securityMail(caller.candidateId, 'provider-unlinked')
          const removed = await deps.providers.unlink(caller, value('issuer'), mails)
          if (removed === 'removed') links.attempt(mails)
          return removed === 'last' ? 'last-way' : 'unlinked'
        },
      },
      'mail-again': {
        async run({ caller }) {
          await deps.refusals.clearRefusal(caller.candidateId)
          return 'mail-again'
        },
      },
      'end-session': {
        async run({ caller, value }) {
          await accounts.endSession(caller.candidateId, value('session'))
          return 'session'
        },
      },
      'end-other-sessions': {
        async run({ caller }) {
          await accounts.endOtherSessions(caller.candidateId, caller.sessionId)
          return 'sessions'
        },
      },
    },
    done: {
      password: 'Password changed. You’re signed out everywhere else.',
      'email-asked': html`<p>We sent an email to the new address. Nothing changes until you open the link in it.${deps.isDemo && html` <a href="/demo/outbox">Open the demo inbox</a>`}</p>`,
      email: 'Email address changed.',
      linked: 'It’s linked, and opens your account from now on.',
      unlinked: 'It no longer opens your account.',
      'last-way': refusal('It’s the only way into your account. Set a password or add a passkey first.'),
      taken: refusal('Your sign-in there is already linked to another account here.'),
      'has-one': refusal('Your account is already linked to another sign-in there. Remove that one first.'),
      'not-for-it': refusal('That sign-in can’t be linked to this account.'),
      'link-expired': refusal('That took too long. Please begin again.'),
      declined: refusal('You didn’t sign in there, so nothing has changed.'),
      refused: refusal('We couldn’t accept the answer, so nothing has changed. Please try again.'),
      'not-proved': refusal(
        'That didn’t confirm that it’s you: it was another person’s sign-in, or we weren’t told when you last signed in there. Use another way.',
      ),
      away: refusal(
        'We can’t reach it right now, so nothing has changed. Please try again in a few minutes.',
        503,
      ),
      'mail-again': 'We’ll send emails to your address again.',
      session: 'That browser is signed out.',
      sessions: 'You’re signed out everywhere else.',
    },
  })
}

/** Both forms have a field `password`. */
const emailFieldIds = { email: 'new-email', password: 'email-password' }

type Refusal =
  | { outcome: 'invalid'; errors: FieldError[] }
  | { outcome: 'wait'; seconds: number }
  | { outcome: 'wrong' | 'gone' | 'unavailable' | 'second-step' }

/** `field`: the field with the current password. */
function rejected(reply: FastifyReply, field: string, result: Refusal): Shown {
  if (result.outcome === 'invalid') return { errors: result.errors }
  if (result.outcome === 'wait') {
    reply.header('retry-after', String(result.seconds))
    return { status: 429, errors: [{ field, code: 'wait', message: waitText(result.seconds) }] }
  }
  if (result.outcome !== 'unavailable')
    return { errors: [{ field, code: 'wrong', message: 'Your current password is wrong.' }] }
  const message = 'We can’t send email right now, so nothing has changed. Please try again in a few minutes.'
  return { status: 503, errors: [{ field: 'email', code: 'unavailable', message }] }
}

const linkCard = (name: string, title: string, text: Html | string, link: Html): Html =>
  card(
    title,
    html`<p>${text}</p>
<p class="actions">${link}</p>`,
    `${name}-title`,
  )

const passwordForm = ({ form, caller }: PageCall<'session'>): Html =>
  card(
    'Password',
    form({
      action: path,
      act: 'password',
      isInCard: true,
      fields: [
        usernameOf(caller.email),
        currentPasswordInput('current', 'Current password'),
        newPasswordInput('New password'),
      ],
      label: 'Change password',
      beside: html`<span class="hint">You’ll be signed out everywhere else.</span>`,
    }),
    'password-title',
  )

/** Shown in place of the forms that ask for the password. */
const noPassword = (email: string, isMailOn: boolean): Html =>
  linkCard(
    'no-password',
    'Password and email address',
    html`Your account, ${boldEmail(email)}, has no password. ${isMailOn && 'You can set one with a link that we email to you. Then you can also change your email address.'}`,
    html`${isMailOn && html`<a class="button second" href="/forgotten?continue=${encodeURIComponent(path)}">Set a password</a>`}`,
  )

function providerCard(
  identities: readonly LinkedIdentity[],
  offered: Awaited<ReturnType<Providers['offeredTo']>>,
  { button }: PageCall<'session'>,
  nameOf: Providers['nameOfIssuer'],
): Html | false {
  const open = offered.filter(({ issuer }) => !identities.some(each => each.issuer === issuer))
  const rows = identities.map(({ issuer, linkedAt, lastUsedAt }) => {
    const name = nameOf(issuer)
    const action = button({
      action: path,
      act: 'unlink-provider',
      fields: { issuer },
      label: 'Remove',
      describedAs: `Remove the sign-in with ${name}`,
    })
    return html`<li class="row">${icon('key')}<div><strong>${isolateBidi(name)}</strong>
<span class="hint">Linked ${timeElement(linkedAt)}, last used ${timeElement(lastUsedAt)}.</span></div>
${action}</li>`
  })
  return (
    (rows.length > 0 || open.length > 0) &&
    card(
      'Single sign-on',
      html`<p>Sign in here with an account that you have elsewhere.</p>
${rows.length > 0 && html`<ul class="plain">${rows}</ul>`}
${open.map(({ key, name }) => html`<p class="actions"><a class="button second" href="${path}/provider/${key}">Link ${isolateBidi(name)}</a></p>`)}`,
      'providers-title',
    )
  )
}

const signInWith = (email: string) => html`You sign in with ${boldEmail(email)}.`

/** Shown until a second factor unlocks the forms. */
const confirmFirst = (email: string): Html =>
  linkCard(
    'confirm',
    'Password and email address',
    html`${signInWith(email)} To change your password or your email address, first confirm with a passkey or your authenticator app.`,
    html`<a class="button" href="${confirmPath(path, 'factor')}">Confirm that it’s you</a>`,
  )

const emailForm = ({ form, caller }: PageCall<'session'>): Html =>
  card(
    'Email address',
    html`<p>${signInWith(caller.email)}</p>
${form({
  action: path,
  act: 'email',
  isInCard: true,
  fields: [
    ownInput('email', 'New email address', 'email', {
      id: emailFieldIds.email,
      type: 'email',
      hint: 'We’ll email you a link. Nothing changes until you open it.',
    }),
    currentPasswordInput('password', 'Current password', emailFieldIds.password),
  ],
  label: 'Change email address',
})}`,
    'email-title',
  )

const emailOff = (email: string): Html =>
  card(
    'Email address',
    html`<p>${signInWith(email)} You can’t change it here, because this service isn’t set up to send email.</p>`,
    'email-title',
  )

const refusalNotice = (
  { at, words }: { at: number; words: string },
  { form, caller }: PageCall<'session'>,
): Html =>
  notice(
    'warning',
    html`<p>Our email to ${boldEmail(caller.email)} was rejected on ${timeElement(at)}. Until this is sorted out, you won’t hear about your applications by email.</p>${words !== '' && html`<p class="quiet">The mail server said: ${isolateBidi(words)}</p>`}<p>If the address is wrong, change it below. If it’s right, check that your mailbox works, then try again.</p>${form({ action: path, act: 'mail-again', isInCard: true, label: 'Try again', kind: 'second' })}`,
  )

const factorNames: Record<ProofKind, string> = {
  password: 'password',
  passkey: 'passkey',
  totp: 'authenticator code',
  recovery: 'recovery code',
  link: 'email link',
  code: 'emailed code',
  provider: 'single sign-on',
  'provider-mfa': 'single sign-on in two steps',
}

function sessionList(
  list: readonly SessionOnList[],
  currentId: string,
  { form, button }: PageCall<'session'>,
  nameOf: Providers['nameOfIssuer'],
): Html {
  const items = list.map(
    ({ sessionId, browser, network, factors, provedAt, createdAt, lastUsedAt, providerIssuer }) => {
      const isThis = sessionId === currentId
      const [since, used] = [timeElement(createdAt), timeElement(lastUsedAt)]
      const by = providerIssuer && stripBidi(nameOf(providerIssuer))
      const how = factors
        .map(factor => {
          if (!by || (factor !== 'provider' && factor !== 'provider-mfa')) return factorNames[factor]
          return factor === 'provider' ? by : `${by} in two steps`
        })
        .join(' and ')
      return html`<li class="row">${icon('system')}<div><strong>${isolateBidi(browser)}</strong>${isThis && html` ${badge('good', 'This browser')}`}
<span class="hint">${isThis ? html`Signed in ${since}` : html`Signed in ${since}, last used ${used}`}</span>
<span class="hint">${network === null ? `With ${how}` : `With ${how}, from ${shortened(network)}`}${provedAt > createdAt && html`, last confirmed ${timeElement(provedAt)}`}</span></div>
${
  !isThis &&
  button({
    action: path,
    act: 'end-session',
    fields: { session: sessionId },
    label: 'Sign out',
    describedAs: `Sign out ${browser}, signed in ${new Date(createdAt).toUTCString()}`,
  })
}</li>`
    },
  )
  const isElsewhere = list.length > 1
  return card(
    'Where you’re signed in',
    html`${isElsewhere && html`<p class="hint">Don’t recognise a browser? Sign it out and change your password.</p>`}
<ul class="plain">${items}</ul>
${
  isElsewhere
    ? form({
        action: path,
        act: 'end-other-sessions',
        isInCard: true,
        label: 'Sign out everywhere else',
        kind: 'second',
      })
    : html`<p class="quiet">Nowhere else.</p>`
}`,
    'sessions-title',
  )
}

/** An IPv6 network in its usual short form, from its first four groups. */
const shortened = (network: string): string =>
  network.includes(':') ? `${new URL(`http://[${network}::]`).hostname.slice(1, -1)}/64` : network
