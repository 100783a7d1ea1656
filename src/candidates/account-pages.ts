import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { FieldError } from '../core/problems.ts'
import { FormFields, searchOf } from '../http/form.ts'
import { addressKey, type RateLimit, rateLimited } from '../http/rate-limit.ts'
import type { Sessions } from '../http/sessions.ts'
import { type Html, html } from '../web/html.ts'
import { redirect, sendPage } from '../web/page-response.ts'
import { accountField, fault, faultSummary } from './account-form.ts'
import type { AccountLinks, Asked } from './account-links.ts'
import { callerOf, signInBrowser, waitText } from './sign-in-pages.ts'

export interface AccountPageDeps {
  links: AccountLinks
  sessions: Sessions
  /** Sign-ups and forgotten passwords by address: each may send a mail. */
  forms: RateLimit
  isDemo: boolean
  knownBrowserSeconds: number
  passwordLeast: number
}

const config = { auth: 'public', errors: 'page', isOnAuthUrl: true } as const
const formConfig = { ...config, body: 'form' } as const
const schema = { hide: true }

interface MailForm {
  action: string
  title: string
  text: string
}

const confirmAgain: MailForm = {
  action: '/confirm/again',
  title: 'Send the link again',
  text: 'We send a new link to the address that you signed up with. You will need the password that you chose.',
}

const forgotten: MailForm = {
  action: '/forgotten',
  title: 'Forgotten your password?',
  text: 'We send a link to the e-mail address of your account, with which you can choose a new password.',
}

/** Pages for those who have no account yet, or cannot get into theirs. */
export function accountRoutes(deps: AccountPageDeps): RouteOptions[] {
  const { links, sessions } = deps

  function countForm(request: FastifyRequest, reply: FastifyReply): void {
    const usage = deps.forms.hit(addressKey(request.ip))
    deps.forms.writeHeaders(reply, usage)
    if (usage.isExceeded) throw rateLimited(usage)
  }

  const sendMailed = (reply: FastifyReply, text: Html) =>
    sendPage(reply, {
      title: 'Look into your mail',
      body: html`<div class="notice" role="status"><p>${text}</p></div>
<p>Nothing there? Look among the unwanted mails, too, and check that the address is right. A link works for half an hour, and only once.</p>
${deps.isDemo && html`<p><a class="button" href="/demo/outbox">Open the outbox of the demo</a></p>`}`,
    })

  function sendSignUp(
    request: FastifyRequest,
    reply: FastifyReply,
    fields?: FormFields,
    errors: readonly FieldError[] = [],
  ) {
    const value = (name: string) => fields?.get(name) ?? ''
    return sendPage(reply, {
      status: errors.length === 0 ? 200 : 422,
      title: 'Sign up',
      body: html`${faultSummary(errors)}
<form class="card" method="post" action="/sign-up">
<input type="hidden" name="form_token" value="${sessions.formToken(request, reply, '/sign-up')}">
<div class="fields">${accountField({ name: 'firstName', label: 'First name', type: 'text', autocomplete: 'given-name', value: value('firstName') }, errors)}
${accountField({ name: 'lastName', label: 'Last name', type: 'text', autocomplete: 'family-name', value: value('lastName') }, errors)}</div>
${accountField({ name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username', value: value('email'), hint: 'We send a link there, to see that it is yours.' }, errors)}
${newPassword(deps, errors)}
<div class="actions"><button type="submit">Sign up</button></div>
</form>
<p>You have an account already? <a href="/sign-in">Sign in</a></p>`,
    })
  }

  /** A form with nothing but an address in it, to which a mail goes. */
  function sendMailForm(
    request: FastifyRequest,
    reply: FastifyReply,
    { action, title, text }: MailForm,
    email = '',
    errors: readonly FieldError[] = [],
  ) {
    return sendPage(reply, {
      status: errors.length === 0 ? 200 : 422,
      title,
      body: html`${faultSummary(errors)}
<form class="card" method="post" action="${action}">
<input type="hidden" name="form_token" value="${sessions.formToken(request, reply, action)}">
<p>${text}</p>
${accountField({ name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username', value: email }, errors)}
<div class="actions"><button type="submit">Send the link</button></div>
</form>
<p><a href="/sign-in">Back to signing in</a></p>`,
    })
  }

  /** Answers alike, whatever there is behind the address. */
  const mailFormPage = (
    form: MailForm,
    ask: (email: string) => Promise<Asked>,
    answer: (email: string) => Html,
  ) =>
    page(
      form.action,
      (request, reply) => sendMailForm(request, reply, form),
      async (request, reply, fields) => {
        countForm(request, reply)
        const email = fields.get('email') ?? ''
        const result = await ask(email)
        if (result.outcome === 'invalid') return sendMailForm(request, reply, form, email, result.errors)
        return sendMailed(reply, answer(email.trim()))
      },
    )

  function sendConfirm(
    request: FastifyRequest,
    reply: FastifyReply,
    link: { token: string; purpose: 'confirm' | 'change-email'; email: string },
    again?: { status: number; message: string },
  ) {
    const isNew = link.purpose === 'confirm'
    return sendPage(reply, {
      status: again?.status ?? 200,
      title: isNew ? 'Confirm your e-mail address' : 'Confirm your new e-mail address',
      body: html`${again && fault(again.message)}
<form class="card" method="post" action="/confirm">
<input type="hidden" name="form_token" value="${sessions.formToken(request, reply, '/confirm')}">
<input type="hidden" name="token" value="${link.token}">
<p>${
        isNew
          ? html`To confirm that <strong>${link.email}</strong> is yours, enter the password that you chose when you signed up.`
          : html`To use <strong>${link.email}</strong> for your account from now on, enter the password of the account.`
      }</p>
${accountField({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' })}
<div class="actions"><button type="submit">Confirm and sign in</button></div>
</form>
<p class="quiet">${
        isNew
          ? html`You did not sign up? Close this page, and nothing happens. You have forgotten the password that you chose? <a href="/forgotten">Choose a new one</a>`
          : 'You have not asked for this? Close this page, and nothing happens.'
      }</p>`,
    })
  }

  function sendReset(
    request: FastifyRequest,
    reply: FastifyReply,
    link: { token: string; email: string },
    errors: readonly FieldError[] = [],
  ) {
    return sendPage(reply, {
      status: errors.length === 0 ? 200 : 422,
      title: 'Choose a new password',
      body: html`${faultSummary(errors)}
<form class="card" method="post" action="/reset">
<input type="hidden" name="form_token" value="${sessions.formToken(request, reply, '/reset')}">
<input type="hidden" name="token" value="${link.token}">
<p>For the account of <strong>${link.email}</strong>. You will be signed out everywhere.</p>
<input type="text" name="username" autocomplete="username" value="${link.email}" hidden>
${newPassword(deps, errors)}
<div class="actions"><button type="submit">Set the password</button></div>
</form>`,
    })
  }

  const page = (
    url: string,
    get: (request: FastifyRequest, reply: FastifyReply) => unknown,
    post: (request: FastifyRequest, reply: FastifyReply, fields: FormFields) => unknown,
  ): RouteOptions[] => [
    {
      method: 'GET',
      url,
      config,
      schema,
      handler: async (request, reply) => (links.isOn ? get(request, reply) : sendSwitchedOff(reply, 200)),
    },
    {
      method: 'POST',
      url,
      config: formConfig,
      schema,
      handler: async (request, reply) => {
        if (!links.isOn) return sendSwitchedOff(reply, 503)
        return post(request, reply, sessions.checkForm(request, url))
      },
    },
  ]

  const tokenOf = (request: FastifyRequest) => new FormFields(searchOf(request.url)).get('token') ?? ''

  return [
    ...page('/sign-up', sendSignUp, async (request, reply, fields) => {
      countForm(request, reply)
      const value = (name: string) => fields.get(name) ?? ''
      const result = await links.signUp({
        firstName: value('firstName'),
        lastName: value('lastName'),
        email: value('email'),
        password: value('password'),
      })
      if (result.outcome === 'invalid') return sendSignUp(request, reply, fields, result.errors)
      return sendMailed(
        reply,
        html`We have sent a mail to <strong>${value('email').trim()}</strong>. Open the link in it to finish signing up.`,
      )
    }),

    ...page(
      '/confirm',
      async (request, reply) => {
        const token = tokenOf(request)
        const link = await links.findConfirmation(token)
        return link === undefined ? sendGone(reply) : sendConfirm(request, reply, { token, ...link })
      },
      async (request, reply, fields) => {
        const token = fields.get('token') ?? ''
        const link = await links.findConfirmation(token)
        if (link === undefined) return sendGone(reply)
        const isNew = link.purpose === 'confirm'
        const attempt = { password: fields.get('password') ?? '', ...callerOf(request, sessions) }
        const result = await (isNew ? links.confirm(token, attempt) : links.changeEmail(token, attempt))
        if (result.outcome === 'gone') return sendGone(reply)
        if (result.outcome === 'signed-in') {
          signInBrowser(reply, deps, result)
          return redirect(reply, isNew ? '/account' : '/account/security?done=email')
        }
        if (result.outcome === 'wait') {
          reply.header('retry-after', String(result.seconds))
          const again = { status: 429, message: waitText(result.seconds) }
          return sendConfirm(request, reply, { token, ...link }, again)
        }
        const again = { status: 401, message: 'The password is wrong.' }
        return sendConfirm(request, reply, { token, ...link }, again)
      },
    ),
    ...mailFormPage(
      confirmAgain,
      links.sendConfirmationAgain,
      email =>
        html`If <strong>${email}</strong> has signed up and is not confirmed yet, we have sent a new link there.`,
    ),

    ...mailFormPage(
      forgotten,
      links.askToReset,
      email =>
        html`If <strong>${email}</strong> has an account, we have sent a mail there. Open the link in it to choose a new password.`,
    ),

    ...page(
      '/reset',
      async (request, reply) => {
        const token = tokenOf(request)
        const link = await links.findReset(token)
        return link === undefined ? sendGone(reply) : sendReset(request, reply, { token, email: link.email })
      },
      async (request, reply, fields) => {
        const token = fields.get('token') ?? ''
        const link = await links.findReset(token)
        if (link === undefined) return sendGone(reply)
        const result = await links.reset(token, fields.get('password') ?? '', sessions.browserOf(request))
        if (result.outcome === 'gone') return sendGone(reply)
        if (result.outcome === 'invalid')
          return sendReset(request, reply, { token, email: link.email }, result.errors)
        sessions.end(reply)
        sessions.rememberBrowser(reply, result.browser, deps.knownBrowserSeconds)
        return redirect(reply, '/sign-in?password-set')
      },
    ),
  ]
}

function newPassword({ passwordLeast }: AccountPageDeps, errors: readonly FieldError[]): Html {
  const hint = `At least ${passwordLeast} characters. A few words that do not belong together do well.`
  return accountField(
    { name: 'password', label: 'Password', type: 'password', autocomplete: 'new-password', hint },
    errors,
  )
}

function sendGone(reply: FastifyReply): FastifyReply {
  return sendPage(reply, {
    status: 404,
    title: 'This link does not work any more',
    body: html`<div class="problem" role="alert"><p>A link works once, and for half an hour. It may also be that only a part of it was copied.</p></div>
<p><a href="/sign-in">Sign in</a> if it has done its work already. Otherwise <a href="/forgotten">ask for a new password</a> or <a href="/sign-up">sign up</a> once more.</p>`,
  })
}

function sendSwitchedOff(reply: FastifyReply, status: number): FastifyReply {
  return sendPage(reply, {
    status,
    title: 'Not available here',
    body: html`<div class="notice"><p>Signing up, resetting a password and changing the e-mail address need mails, and this service has no mail server. Ask whoever runs it.</p></div>
<p><a href="/sign-in">Sign in</a> if you have an account.</p>`,
  })
}
