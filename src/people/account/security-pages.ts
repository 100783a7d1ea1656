import type { FastifyReply, RouteOptions } from 'fastify'
import { type FieldError, Problem } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { type RateLimit, rateLimited } from '../../http/rates/rate-limit.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import type { Call } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { badge, notice } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { icon } from '../../web/icons.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { accountPage } from '../../web/page-routes.ts'
import { timeElement } from '../../web/time.ts'
import type { Factors } from '../factors/service.ts'
import type { NoticeStore } from '../mail/ports.ts'
import { accountField, faultSummary } from './form-markup.ts'
import type { AccountLinks } from './links-service.ts'
import { accountNavigation } from './navigation-markup.ts'
import type { SessionOnList } from './ports.ts'
import { securityTexts as texts } from './security-texts.ts'
import type { Accounts } from './service.ts'
import { callerOf, waitText } from './sign-in-pages.ts'

export interface SecurityPageDeps {
  accounts: Accounts
  links: AccountLinks
  factors: Pick<Factors, 'hasSecondFactor'>
  /** Addresses that the mail server rejects. */
  refusals: Pick<NoticeStore, 'findRefusal' | 'clearRefusal'>
  sessions: Sessions
  isDemo: boolean
  limits: Pick<Limits, 'passwordLeast'>
  /** Limits changes of address per candidate. */
  forms: RateLimit
}

const path = '/account/security'

type PageCall = Call<'session'>

/** All forms of the page post to its own path, so that a candidate whose session has ended returns here after signing in. */
type Action = 'password' | 'email' | 'mail-again' | 'end-session' | 'end-other-sessions'

interface Trouble {
  action: Action
  status: number
  errors: FieldError[]
  retryAfterSeconds?: number
  /** As it was typed. */
  email?: string
}

/** Field IDs for forms whose field names occur twice on the page. */
const fieldIds: Partial<Record<Action, Record<string, string>>> = {
  email: { email: 'new-email', password: 'email-password' },
}

export function securityRoutes(deps: SecurityPageDeps): RouteOptions[] {
  const { accounts, links, sessions } = deps

  async function send({ request, reply, caller }: PageCall, trouble?: Trouble): Promise<FastifyReply> {
    const token = (action: Action) => sessions.formToken(reply, path, action)
    const done = new FormFields(searchOf(request.url)).get('done') ?? ''
    const refusal = links.isOn ? await deps.refusals.findRefusal(caller.candidateId) : undefined
    const errorsOf = (action: Action) => (trouble?.action === action ? trouble.errors : [])
    return sendPage(reply, {
      status: trouble?.status ?? 200,
      title: texts.title,
      navigation: accountNavigation(path),
      body: html`${trouble === undefined && doneMarkup(done, deps)}
${refusal && refusalMarkup(refusal, caller.email, token('mail-again'))}
${trouble && faultSummary(trouble.errors, fieldIds[trouble.action])}
${passwordForm(token('password'), caller.email, deps.limits.passwordLeast, errorsOf('password'))}
${links.isOn ? emailForm(token('email'), caller.email, trouble?.email, errorsOf('email')) : emailOff(caller.email)}
${twoStep(await deps.factors.hasSecondFactor(caller.candidateId))}
${sessionList(await accounts.sessionsOf(caller.candidateId), caller.sessionId, token)}
${dataMarkup}`,
    })
  }

  const handlers: Record<Action, (call: PageCall, fields: FormFields) => Promise<string | Trouble>> = {
    async password({ request, caller }, fields) {
      const mails = links.passwordChangedMail(caller.candidateId)
      const result = await accounts.changePassword(caller, {
        mails,
        current: fields.get('current') ?? '',
        password: fields.get('password') ?? '',
        ...callerOf(request, sessions),
      })
      if (result.outcome === 'changed-before') return 'password'
      if (result.outcome !== 'changed') return troubleOf('password', 'current', result)
      links.attempt(mails)
      return 'password'
    },

    async email({ request, caller }, fields) {
      if (!links.isOn) throw new Problem('unavailable', texts.noMail)
      // Each request may email any address, so an account is allowed only a few.
      const usage = await deps.forms.hit(caller.candidateId)
      if (usage.isExceeded) throw rateLimited(usage)
      const email = fields.get('email') ?? ''
      const attempt = { email, password: fields.get('password') ?? '', ...callerOf(request, sessions) }
      const result = await links.askToChangeEmail(caller, attempt)
      if (result.outcome === 'sent') return 'email-asked'
      return { ...troubleOf('email', 'password', result), email }
    },

    async 'mail-again'({ caller }) {
      await deps.refusals.clearRefusal(caller.candidateId)
      return 'mail-again'
    },

    async 'end-session'({ caller }, fields) {
      await accounts.endSession(caller.candidateId, fields.get('session') ?? '')
      return 'session'
    },

    async 'end-other-sessions'({ caller }) {
      await accounts.endOtherSessions(caller.candidateId, caller.sessionId)
      return 'sessions'
    },
  }

  return [
    accountPage.get(path, call => send(call)),
    accountPage.post(path, async call => {
      const action = call.fields.get('action') ?? ''
      const fields = sessions.checkForm(call, path, action)
      if (!Object.hasOwn(handlers, action)) throw new Problem('bad-request')
      const result = await handlers[action as Action](call, fields)
      if (typeof result === 'string') return redirect(call.reply, `${path}?done=${result}`)
      if (result.retryAfterSeconds !== undefined)
        call.reply.header('retry-after', String(result.retryAfterSeconds))
      return send(call, result)
    }),
  ]
}

type Refusal =
  | { outcome: 'invalid'; errors: FieldError[] }
  | { outcome: 'wait'; seconds: number }
  | { outcome: 'wrong' | 'gone' | 'unavailable' | 'second-step' }

function troubleOf(action: Action, field: string, result: Refusal): Trouble {
  if (result.outcome === 'invalid') return { action, status: 422, errors: result.errors }
  if (result.outcome === 'wait') {
    const errors = [{ field, code: 'wait', message: waitText(result.seconds) }]
    return { action, status: 429, errors, retryAfterSeconds: result.seconds }
  }
  if (result.outcome === 'unavailable') {
    return {
      action,
      status: 503,
      errors: [{ field: 'email', code: 'unavailable', message: texts.unavailable }],
    }
  }
  return {
    action,
    status: 422,
    errors: [{ field, code: 'wrong', message: texts.wrongPassword }],
  }
}

function doneMarkup(done: string, { isDemo }: SecurityPageDeps): Html | false {
  if (!Object.hasOwn(texts.done, done)) return false
  const text = texts.done[done as keyof typeof texts.done]
  return notice('good', html`<p>${text}${isDemo && done === 'email-asked' && texts.openOutbox}</p>`)
}

function hidden(action: Action, token: string): Html {
  return html`<input type="hidden" name="form_token" value="${token}">
<input type="hidden" name="action" value="${action}">`
}

function passwordForm(token: string, email: string, least: number, errors: readonly FieldError[]): Html {
  return html`<section class="card" aria-labelledby="password-title"><h2 class="first" id="password-title">${texts.password}</h2>
<form method="post" action="${path}" novalidate>${hidden('password', token)}
<input type="text" name="username" autocomplete="username" value="${email}" hidden>
${accountField({ name: 'current', label: texts.currentPassword, type: 'password', autocomplete: 'current-password' }, errors)}
${accountField({ name: 'password', label: texts.newPassword, type: 'password', autocomplete: 'new-password', hint: texts.newPasswordHint(least) }, errors)}
<div class="actions"><button type="submit">${texts.changePassword}</button><span class="hint">${texts.changePasswordHint}</span></div>
</form></section>`
}

function emailForm(token: string, email: string, typed = '', errors: readonly FieldError[]): Html {
  const id = (name: 'email' | 'password') => fieldIds.email?.[name] ?? name
  return html`<section class="card" aria-labelledby="email-title"><h2 class="first" id="email-title">${texts.email}</h2>
<p>${texts.signInWith(email)}</p>
<form method="post" action="${path}" novalidate>${hidden('email', token)}
${accountField({ id: id('email'), name: 'email', label: texts.newEmail, type: 'email', autocomplete: 'email', value: typed, hint: texts.newEmailHint }, errors)}
${accountField({ id: id('password'), name: 'password', label: texts.currentPassword, type: 'password', autocomplete: 'current-password' }, errors)}
<div class="actions"><button type="submit">${texts.changeEmail}</button></div>
</form></section>`
}

function refusalMarkup({ at, words }: { at: number; words: string }, email: string, token: string): Html {
  const form = html`<form class="actions" method="post" action="${path}">${hidden('mail-again', token)}<button class="second" type="submit">${texts.tryAgain}</button></form>`
  return notice(
    'warning',
    html`<p>${texts.refused(email, timeElement(at))}</p>${words !== '' && html`<p class="quiet">${texts.serverSaid(words)}</p>`}<p>${texts.refusedHint}</p>${form}`,
  )
}

function emailOff(email: string): Html {
  return html`<section class="card" aria-labelledby="email-title"><h2 class="first" id="email-title">${texts.email}</h2>
<p>${texts.signInWithForNow(email)}</p></section>`
}

function sessionList(
  list: readonly SessionOnList[],
  currentId: string,
  token: (action: Action) => string,
): Html {
  const items = list.map(({ sessionId, browser, network, factors, provedAt, createdAt, lastUsedAt }) => {
    const isThis = sessionId === currentId
    const since = timeElement(createdAt)
    return html`<li class="row">${icon('system')}<div><strong>${isolateBidi(browser)}</strong>${isThis && html` ${badge('good', texts.thisBrowser)}`}
<span class="hint">${isThis ? texts.signedIn(since) : texts.signedInElsewhere(since, timeElement(lastUsedAt))}</span>
<span class="hint">${texts.how(factors.map(factor => texts.by[factor]).join(' and '), network)}${provedAt > createdAt && texts.proved(timeElement(provedAt))}</span></div>
${
  !isThis &&
  html`<form class="inline" method="post" action="${path}">${hidden('end-session', token('end-session'))}
<input type="hidden" name="session" value="${sessionId}">
<button class="second" type="submit" aria-label="${texts.signOutOf(browser, new Date(createdAt).toUTCString())}">${texts.signOut}</button></form>`
}</li>`
  })
  return html`<section class="card" aria-labelledby="sessions-title"><h2 class="first" id="sessions-title">${texts.sessions}</h2>
${list.length > 1 && html`<p class="hint">${texts.sessionsHint}</p>`}
<ul class="plain">${items}</ul>
${
  list.length > 1
    ? html`<form class="actions" method="post" action="${path}">${hidden('end-other-sessions', token('end-other-sessions'))}
<button class="second" type="submit">${texts.signOutElsewhere}</button></form>`
    : html`<p class="quiet">${texts.nowhereElse}</p>`
}</section>`
}

function twoStep(isOn: boolean): Html {
  return html`<section class="card" aria-labelledby="two-step-title"><h2 class="first" id="two-step-title">${texts.twoStep}</h2>
<p>${isOn ? texts.twoStepOn : texts.twoStepOff}</p>
<p class="actions"><a class="button second" href="/account/security/two-step">${texts.twoStepLink}</a></p></section>`
}

const dataMarkup = html`<section class="card" aria-labelledby="data-title"><h2 class="first" id="data-title">${texts.data}</h2>
<p>${texts.dataText}</p>
<p class="actions"><a class="button second" href="/account/data">${texts.dataLink}</a></p></section>`
