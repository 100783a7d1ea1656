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
import { t } from '../../platform/web/t.ts'
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
    if (!links.isOn) throw new Problem('unavailable', t`This service isn’t set up to send email.`)
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
        title: t`Sign-in and security`,
        failed: '',
        body: html`${refusal && refusalNotice(refusal, call)}
${hasPassword ? (needsFactor ? confirmFirst(email) : html`${passwordForm(call)}${links.isOn ? emailForm(call) : emailOff(email)}`) : noPassword(email, links.isOn)}
${providerCard(identities, await deps.providers.offeredTo(candidateId), call, deps.providers.nameOfIssuer)}
${linkCard('two-step', t`Passkeys and two-step sign-in`, isTwoStep ? (hasPassword ? t`On: a password alone doesn’t sign you in.` : t`On: signing in takes a second step.`) : hasPassword ? t`Off: signing in takes your password only.` : t`Off: signing in takes one step.`, html`<a class="button second" href="${path}/two-step">${t`Manage passkeys and two-step sign-in`}</a>`)}
${sessionList(list, sessionId, call, deps.providers.nameOfIssuer)}
${linkCard('data', t`Your data`, t`Download everything we hold about you, or delete your account.`, html`<a class="button second" href="/account/data">${t`Go to your data`}</a>`)}`,
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
      password: t`Password changed. You’re signed out everywhere else.`,
      'email-asked': html`<p>${t`We sent an email to the new address. Nothing changes until you open the link in it.`}${deps.isDemo && html` <a href="/demo/outbox">${t`Open the demo inbox`}</a>`}</p>`,
      email: t`Email address changed.`,
      linked: t`It’s linked, and opens your account from now on.`,
      unlinked: t`It no longer opens your account.`,
      'last-way': refusal(t`It’s the only way into your account. Set a password or add a passkey first.`),
      taken: refusal(t`Your sign-in there is already linked to another account here.`),
      'has-one': refusal(t`Your account is already linked to another sign-in there. Remove that one first.`),
      'not-for-it': refusal(t`That sign-in can’t be linked to this account.`),
      'link-expired': refusal(t`That took too long. Please begin again.`),
      declined: refusal(t`You didn’t sign in there, so nothing has changed.`),
      refused: refusal(t`We couldn’t accept the answer, so nothing has changed. Please try again.`),
      'not-proved': refusal(
        t`That didn’t confirm that it’s you: it was another person’s sign-in, or we weren’t told when you last signed in there. Use another way.`,
      ),
      away: refusal(
        t`We can’t reach it right now, so nothing has changed. Please try again in a few minutes.`,
        503,
      ),
      'mail-again': t`We’ll send emails to your address again.`,
      session: t`That browser is signed out.`,
      sessions: t`You’re signed out everywhere else.`,
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
    return { errors: [{ field, code: 'wrong', message: t`Your current password is wrong.` }] }
  const message = t`We can’t send email right now, so nothing has changed. Please try again in a few minutes.`
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
    t`Password`,
    form({
      action: path,
      act: 'password',
      isInCard: true,
      fields: [
        usernameOf(caller.email),
        currentPasswordInput('current', t`Current password`),
        newPasswordInput(t`New password`),
      ],
      label: t`Change password`,
      beside: html`<span class="hint">${t`You’ll be signed out everywhere else.`}</span>`,
    }),
    'password-title',
  )

/** Shown in place of the forms that ask for the password. */
const noPassword = (email: string, isMailOn: boolean): Html =>
  linkCard(
    'no-password',
    t`Password and email address`,
    html`${t`Your account, ${boldEmail(email)}, has no password.`} ${isMailOn && t`You can set one with a link that we email to you. Then you can also change your email address.`}`,
    html`${isMailOn && html`<a class="button second" href="/forgotten?continue=${encodeURIComponent(path)}">${t`Set a password`}</a>`}`,
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
      label: t`Remove`,
      describedAs: t`Remove the sign-in with ${name}`,
    })
    return html`<li class="row">${icon('key')}<div><strong>${isolateBidi(name)}</strong>
<span class="hint">${t`Linked ${timeElement(linkedAt)}, last used ${timeElement(lastUsedAt)}.`}</span></div>
${action}</li>`
  })
  return (
    (rows.length > 0 || open.length > 0) &&
    card(
      t`Single sign-on`,
      html`<p>${t`Sign in here with an account that you have elsewhere.`}</p>
${rows.length > 0 && html`<ul class="plain">${rows}</ul>`}
${open.map(({ key, name }) => html`<p class="actions"><a class="button second" href="${path}/provider/${key}">${t`Link ${isolateBidi(name)}`}</a></p>`)}`,
      'providers-title',
    )
  )
}

const signInWith = (email: string) => t`You sign in with ${boldEmail(email)}.`

/** Shown until a second factor unlocks the forms. */
const confirmFirst = (email: string): Html =>
  linkCard(
    'confirm',
    t`Password and email address`,
    html`${signInWith(email)} ${t`To change your password or your email address, first confirm with a passkey or your authenticator app.`}`,
    html`<a class="button" href="${confirmPath(path, 'factor')}">${t`Confirm that it’s you`}</a>`,
  )

const emailForm = ({ form, caller }: PageCall<'session'>): Html =>
  card(
    t`Email address`,
    html`<p>${signInWith(caller.email)}</p>
${form({
  action: path,
  act: 'email',
  isInCard: true,
  fields: [
    ownInput('email', t`New email address`, 'email', {
      id: emailFieldIds.email,
      type: 'email',
      hint: t`We’ll email you a link. Nothing changes until you open it.`,
    }),
    currentPasswordInput('password', t`Current password`, emailFieldIds.password),
  ],
  label: t`Change email address`,
})}`,
    'email-title',
  )

const emailOff = (email: string): Html =>
  card(
    t`Email address`,
    html`<p>${signInWith(email)} ${t`You can’t change it here, because this service isn’t set up to send email.`}</p>`,
    'email-title',
  )

const refusalNotice = (
  { at, words }: { at: number; words: string },
  { form, caller }: PageCall<'session'>,
): Html =>
  notice(
    'warning',
    html`<p>${t`Our email to ${boldEmail(caller.email)} was rejected on ${timeElement(at)}. Until this is sorted out, you won’t hear about your applications by email.`}</p>${words !== '' && html`<p class="quiet">${t`The mail server said: ${isolateBidi(words)}`}</p>`}<p>${t`If the address is wrong, change it below. If it’s right, check that your mailbox works, then try again.`}</p>${form({ action: path, act: 'mail-again', isInCard: true, label: t`Try again`, kind: 'second' })}`,
  )

const factorNames: Record<ProofKind, string> = {
  password: t`password`,
  passkey: t`passkey`,
  totp: t`authenticator code`,
  recovery: t`recovery code`,
  link: t`email link`,
  code: t`emailed code`,
  provider: t`single sign-on`,
  'provider-mfa': t`single sign-on in two steps`,
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
          return factor === 'provider' ? by : t`${by} in two steps`
        })
        .join(t` and `)
      return html`<li class="row">${icon('system')}<div><strong>${isolateBidi(browser)}</strong>${isThis && html` ${badge('good', t`This browser`)}`}
<span class="hint">${isThis ? t`Signed in ${since}` : t`Signed in ${since}, last used ${used}`}</span>
<span class="hint">${network === null ? t`With ${how}` : t`With ${how}, from ${shortened(network)}`}${provedAt > createdAt && t`, last confirmed ${timeElement(provedAt)}`}</span></div>
${
  !isThis &&
  button({
    action: path,
    act: 'end-session',
    fields: { session: sessionId },
    label: t`Sign out`,
    describedAs: t`Sign out ${browser}, signed in ${new Date(createdAt).toUTCString()}`,
  })
}</li>`
    },
  )
  const isElsewhere = list.length > 1
  return card(
    t`Where you’re signed in`,
    html`${isElsewhere && html`<p class="hint">${t`Don’t recognise a browser? Sign it out and change your password.`}</p>`}
<ul class="plain">${items}</ul>
${
  isElsewhere
    ? form({
        action: path,
        act: 'end-other-sessions',
        isInCard: true,
        label: t`Sign out everywhere else`,
        kind: 'second',
      })
    : html`<p class="quiet">${t`Nowhere else.`}</p>`
}`,
    'sessions-title',
  )
}

/** An IPv6 network in its usual short form, from its first four groups. */
const shortened = (network: string): string =>
  network.includes(':') ? `${new URL(`http://[${network}::]`).hostname.slice(1, -1)}/64` : network
