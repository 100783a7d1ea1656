import type { FastifyReply, RouteOptions } from 'fastify'
import type { FieldError } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { addressKey, type RateLimit } from '../../http/rates/rate-limit.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import type { Call, FormCall } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import { type Html, html } from '../../web/html.ts'
import { linkTokenIn, sendLinkForm } from '../../web/link-form.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { visitorPage } from '../../web/page-routes.ts'
import { accountField, fault, faultSummary } from './form-markup.ts'
import type { AccountLinks, Asked, Confirmation } from './links-service.ts'
import type { Departure } from './ports.ts'
import { continueTarget, pathTowards } from './rules.ts'
import type { Accounts } from './service.ts'
import { callerOf, type SignInDeps, signInBrowser } from './sign-in-pages.ts'
import { signInTexts } from './sign-in-texts.ts'
import { accountTexts as texts } from './texts.ts'

export interface AccountPageDeps {
  accounts: Pick<Accounts, 'signIn'>
  links: AccountLinks
  sessions: Sessions
  /** Limits sign-ups and password resets per network address, because each may send an email. */
  forms: RateLimit
  formTargetOf: SignInDeps['formTargetOf']
  isDemo: boolean
  limits: Pick<Limits, 'knownBrowserSeconds' | 'passwordLeast'>
}

type PageCall = Call<'public'>

interface MailForm {
  action: string
  texts: { title: string; text: string; sent(email: string): Html }
}

/** Why a form is shown again. */
interface Trouble {
  status: number
  errors: readonly FieldError[]
  message?: string
}

const noTrouble: Trouble = { status: 200, errors: [] }

const confirmAgain: MailForm = { action: '/confirm/again', texts: texts.confirmAgain }
const forgotten: MailForm = { action: '/forgotten', texts: texts.forgotten }
const linkTo =
  (path: string, continueTo = '/account') =>
  (label: string) =>
    html`<a href="${pathTowards(path, continueTo)}">${label}</a>`
const targetIn = (fields: FormFields) => continueTarget(fields.get('continue'))
const queryOf = ({ request }: PageCall) => new FormFields(searchOf(request.url))

/** Pages for people who have no account yet, or cannot sign in to theirs. */
export function accountRoutes(deps: AccountPageDeps): RouteOptions[] {
  const { links, sessions } = deps

  const countForm = ({ request, reply }: PageCall) => deps.forms.take(reply, addressKey(request.ip))

  /** Derived from the browser's cookie, so that no other browser can produce it. */
  const browserMark = ({ reply }: PageCall) => sessions.browserToken(reply, 'signed up in this browser')

  const sendMailed = (reply: FastifyReply, text: Html, again: string, continueTo: string) =>
    sendPage(reply, {
      isFocused: true,
      title: texts.mailed.title,
      body: html`<div class="notice" role="status"><p>${text}</p></div>
<p>${texts.mailed.nothing(linkTo(again, continueTo))}</p>
<p>${texts.mailed.elsewhere(linkTo('/sign-in', continueTo))}</p>
${deps.isDemo && html`<p><a class="button" href="/demo/outbox">${texts.mailed.outbox}</a></p>`}`,
    })

  function sendSignUp(
    call: PageCall,
    fields: FormFields = queryOf(call),
    { status, errors, message }: Trouble = noTrouble,
  ) {
    const value = (name: string) => (status === 200 ? '' : (fields.get(name) ?? ''))
    const continueTo = targetIn(fields)
    const { termsUrl, privacyUrl } = call.reply.server.board
    return sendPage(call.reply, {
      isFocused: true,
      status,
      title: texts.signUp.title,
      body: html`${message && fault(message)}${faultSummary(errors)}
<form class="card" method="post" action="/sign-up" novalidate>
<input type="hidden" name="form_token" value="${sessions.formToken(call.reply, '/sign-up')}">
<input type="hidden" name="continue" value="${continueTo}">
<div class="fields">${accountField({ name: 'firstName', label: texts.firstName, type: 'text', autocomplete: 'given-name', value: value('firstName') }, errors)}
${accountField({ name: 'lastName', label: texts.lastName, type: 'text', autocomplete: 'family-name', value: value('lastName') }, errors)}</div>
${accountField({ name: 'email', label: texts.email, type: 'email', autocomplete: 'username', value: value('email'), hint: texts.signUp.emailHint }, errors)}
${newPassword(deps, errors)}
${(termsUrl ?? privacyUrl) && html`<p class="hint">${texts.signUp.accept(termsUrl, privacyUrl)}</p>`}
<div class="actions"><button type="submit">${texts.signUp.submit}</button></div>
</form>
<p>${texts.signUp.hasAccount(linkTo('/sign-in', continueTo))}</p>`,
    })
  }

  /** Shows a form that asks only for an email address. */
  function sendMailForm(
    call: PageCall,
    { action, texts: { title, text } }: MailForm,
    fields: FormFields = queryOf(call),
    { status, errors, message }: Trouble = noTrouble,
  ) {
    const email = status === 200 ? '' : (fields.get('email') ?? '')
    const continueTo = targetIn(fields)
    return sendPage(call.reply, {
      isFocused: true,
      status,
      title,
      body: html`${message && fault(message)}${faultSummary(errors)}
<form class="card" method="post" action="${action}" novalidate>
<input type="hidden" name="form_token" value="${sessions.formToken(call.reply, action)}">
<input type="hidden" name="continue" value="${continueTo}">
<p>${text}</p>
${accountField({ name: 'email', label: texts.email, type: 'email', autocomplete: 'username', value: email }, errors)}
<div class="actions"><button type="submit">${texts.sendLink}</button></div>
</form>
<p>${linkTo('/sign-in', continueTo)(texts.backToSignIn)}</p>`,
    })
  }

  /** Responds alike whether or not the address has an account. */
  const mailFormPage = (form: MailForm, ask: (email: string, departure: Departure) => Promise<Asked>) =>
    page(
      form.action,
      call => sendMailForm(call, form),
      async call => {
        const { fields } = call
        await countForm(call)
        const email = fields.get('email') ?? ''
        const continueTo = targetIn(fields)
        const result = await ask(email, { continueTo, browserMark: browserMark(call) })
        if (result.outcome !== 'sent') return sendMailForm(call, form, fields, troubleOf(result))
        return sendMailed(call.reply, form.texts.sent(email.trim()), form.action, continueTo)
      },
    )

  async function sendConfirm(
    reply: FastifyReply,
    link: Confirmation & { token: string },
    again?: { status: number; message: string },
  ) {
    const isNew = link.purpose === 'confirm'
    return sendPage(reply, {
      isFocused: true,
      status: again?.status ?? 200,
      formTarget: (await deps.formTargetOf(link.continueTo ?? ''))?.formTarget,
      title: isNew ? texts.confirm.title : texts.confirm.titleOfNew,
      body: html`${again && fault(again.message)}
<form class="card" method="post" action="/confirm" novalidate>
<input type="hidden" name="form_token" value="${sessions.formToken(reply, '/confirm')}">
<input type="hidden" name="token" value="${link.token}">
<p>${isNew ? texts.confirm.lead(link.email) : texts.confirm.leadOfNew(link.email)}</p>
${isNew && html`<input type="hidden" name="continue" value="${link.continueTo ?? ''}"><input type="text" name="username" autocomplete="username" value="${link.email}" hidden>`}
${accountField({ name: 'password', label: texts.password, type: 'password', autocomplete: 'current-password' })}
<div class="actions"><button type="submit">${texts.confirm.submit}</button></div>
</form>
<p class="quiet">${isNew ? texts.confirm.notYou(linkTo('/forgotten', link.continueTo ?? undefined)) : texts.confirm.notAsked}</p>`,
    })
  }

  /** Pressed twice, a browser shows the answer to the second press alone, and that has to sign in, too. */
  async function sendUsed({ request, reply, fields }: FormCall<'public'>) {
    const [email = '', password = ''] = [fields.get('username'), fields.get('password')]
    if (email === '' || password === '') return sendGone(reply)
    const caller = { ...callerOf(request, sessions), securityMail: links.securityMail }
    const result = await deps.accounts.signIn({ email, password, ...caller })
    if (result.outcome !== 'signed-in') return sendGone(reply)
    signInBrowser(reply, deps, result)
    return redirect(reply, targetIn(fields))
  }

  function sendReset(
    reply: FastifyReply,
    link: { token: string; email: string },
    errors: readonly FieldError[] = [],
  ) {
    return sendPage(reply, {
      isFocused: true,
      status: errors.length === 0 ? 200 : 422,
      title: texts.reset.title,
      body: html`${faultSummary(errors)}
<form class="card" method="post" action="/reset" novalidate>
<input type="hidden" name="form_token" value="${sessions.formToken(reply, '/reset')}">
<input type="hidden" name="token" value="${link.token}">
<p>${texts.reset.lead(link.email)}</p>
<input type="text" name="username" autocomplete="username" value="${link.email}" hidden>
${newPassword(deps, errors)}
<div class="actions"><button type="submit">${texts.reset.submit}</button></div>
</form>`,
    })
  }

  const page = (
    url: string,
    get: (call: PageCall) => unknown,
    post: (call: FormCall<'public'>) => unknown,
  ): RouteOptions[] => [
    visitorPage.get(url, async call => (links.isOn ? get(call) : sendSwitchedOff(call.reply, 200))),
    visitorPage.post(url, async call => {
      if (!links.isOn) return sendSwitchedOff(call.reply, 503)
      sessions.checkForm(call, url)
      return post(call)
    }),
  ]

  /** Opening a link does not use it up, because mail scanners open links too. */
  const linkPage = (url: '/confirm' | '/reset', post: (call: FormCall<'public'>, token: string) => unknown) =>
    page(
      url,
      ({ reply }) => sendLinkForm(reply, { action: url, formToken: sessions.formToken(reply, url) }),
      call => post(call, linkTokenIn(call.fields.get('token'))),
    )

  return [
    ...page('/sign-up', sendSignUp, async call => {
      const { fields } = call
      await countForm(call)
      const value = (name: string) => fields.get(name) ?? ''
      const continueTo = targetIn(fields)
      const result = await links.signUp(
        {
          firstName: value('firstName'),
          lastName: value('lastName'),
          email: value('email'),
          password: value('password'),
        },
        { continueTo, browserMark: browserMark(call) },
      )
      if (result.outcome !== 'sent') return sendSignUp(call, fields, troubleOf(result))
      return sendMailed(call.reply, texts.signUp.sent(value('email').trim()), confirmAgain.action, continueTo)
    }),

    ...linkPage('/confirm', async (call, token) => {
      const { reply, fields } = call
      const mark = browserMark(call)
      const link = await links.findConfirmation(token, mark)
      if (link === undefined) return sendUsed(call)
      const password = fields.get('password')
      if (password === undefined && !link.isOfThisBrowser) {
        return sendConfirm(reply, { token, ...link })
      }
      const isNew = link.purpose === 'confirm'
      const attempt = { password: password ?? '', ...callerOf(call.request, sessions) }
      const result = await (isNew ? links.confirm(token, attempt, mark) : links.changeEmail(token, attempt))
      if (result.outcome === 'gone') return sendUsed(call)
      if (result.outcome === 'signed-in') {
        signInBrowser(reply, deps, result)
        return redirect(reply, isNew ? (link.continueTo ?? '/account') : '/account/security?done=email')
      }
      // The link did its work; the session takes both steps.
      if (result.outcome === 'second-step') return redirect(reply, '/sign-in?continue=/account/security')
      if (result.outcome === 'wait') {
        reply.header('retry-after', String(result.seconds))
        const again = { status: 429, message: signInTexts.wait(result.seconds) }
        return sendConfirm(reply, { token, ...link }, again)
      }
      const again = { status: 401, message: texts.confirm.wrong }
      return sendConfirm(reply, { token, ...link }, again)
    }),
    ...mailFormPage(confirmAgain, links.sendConfirmationAgain),
    ...mailFormPage(forgotten, links.askToReset),

    ...linkPage('/reset', async (call, token) => {
      const { reply, fields } = call
      const link = await links.findReset(token)
      if (link === undefined) return sendGone(reply)
      const { email } = link
      const password = fields.get('password')
      if (password === undefined) return sendReset(reply, { token, email })
      const result = await links.reset(token, password, sessions.browserOf(call.request))
      if (result.outcome === 'gone') return sendGone(reply)
      if (result.outcome === 'invalid') return sendReset(reply, { token, email }, result.errors)
      sessions.end(reply)
      sessions.rememberBrowser(reply, result.browser, deps.limits.knownBrowserSeconds)
      return redirect(reply, pathTowards('/sign-in?password-set', result.continueTo ?? '/account'))
    }),
  ]
}

function troubleOf(result: Exclude<Asked, { outcome: 'sent' }>): Trouble {
  return result.outcome === 'invalid'
    ? { status: 422, errors: result.errors }
    : { status: 503, errors: [], message: texts.unavailable }
}

function newPassword({ limits }: AccountPageDeps, errors: readonly FieldError[]): Html {
  const hint = texts.passwordHint(limits.passwordLeast)
  return accountField(
    { name: 'password', label: texts.password, type: 'password', autocomplete: 'new-password', hint },
    errors,
  )
}

function sendGone(reply: FastifyReply): FastifyReply {
  return sendPage(reply, {
    isFocused: true,
    status: 404,
    title: texts.gone.title,
    body: html`${fault(texts.gone.text)}
<p>${texts.gone.ways(linkTo('/sign-in'), linkTo('/forgotten'), linkTo('/sign-up'))}</p>`,
  })
}

function sendSwitchedOff(reply: FastifyReply, status: number): FastifyReply {
  return sendPage(reply, {
    isFocused: true,
    status,
    title: texts.switchedOff.title,
    body: html`<div class="notice"><p>${texts.switchedOff.text}</p></div>
<p>${texts.switchedOff.signIn(linkTo('/sign-in'))}</p>`,
  })
}
