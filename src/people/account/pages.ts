import type { FastifyReply, RouteOptions } from 'fastify'
import type { FieldError } from '../../platform/core/problems.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { addressKey, type RateLimit } from '../../platform/http/rates/rate-limit.ts'
import { FormFields, searchOf } from '../../platform/http/requests/form.ts'
import type { Call, FormCall } from '../../platform/http/routes.ts'
import { notice } from '../../platform/web/components.ts'
import { type Form, row, usernameOf } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { linkTokenIn, sendLinkForm } from '../../platform/web/link-form.ts'
import { redirect, sendPage } from '../../platform/web/page-response.ts'
import { visitorPage } from '../../platform/web/page-routes.ts'
import type { Factors } from '../factors/service.ts'
import type { Providers } from '../identities/service.ts'
import {
  boldEmail,
  currentPasswordInput,
  type FormPage,
  factorsAtReset,
  linkTowards,
  newPasswordInput,
  ownInput,
  sendFormPage,
} from './form-markup.ts'
import type { AccountLinks, Asked, Confirmation } from './links-service.ts'
import type { Departure } from './records.ts'
import { continueTarget, pathTowards } from './rules.ts'
import type { Accounts } from './service.ts'
import { knownBrowserSeconds } from './sign-in-delay.ts'
import { callerOf, type SignInDeps, signInBrowser, waitText } from './sign-in-pages.ts'

export interface AccountPageDeps {
  accounts: Pick<Accounts, 'signIn'>
  links: AccountLinks
  factors: Pick<Factors, 'listAtReset'>
  sessions: Sessions
  /** Limits sign-ups and password resets per network address, because each may send an email. */
  forms: RateLimit
  formTargetOf: SignInDeps['formTargetOf']
  providers: Pick<Providers, 'isOnly'>
  isDemo: boolean
}

type PageCall = Call<'public'>

/** A form that asks for an email with a link. */
interface AskPage {
  title: string
  text?: string
  fields(reply: FastifyReply): NonNullable<Form['fields']>
  label: string
  below(continueTo: string): Html
  ask(value: (name: string) => string, departure: Departure): Promise<Asked>
  sent(email: Html): Html
}

const emailInput = (hint?: string) => ownInput('email', 'Email address', 'username', { type: 'email', hint })

const targetIn = (fields: FormFields) => continueTarget(fields.get('continue'))

const emailOnly = {
  fields: () => [emailInput()],
  label: 'Send link',
  below: (continueTo: string) => linkTowards('/sign-in', 'Back to sign in', continueTo),
}

/** Pages for people who have no account yet, or cannot sign in to theirs. */
export function accountRoutes(deps: AccountPageDeps): RouteOptions[] {
  const { links, sessions } = deps

  /** Derived from the browser's cookie, so that no other browser can produce it. */
  const browserMark = ({ reply }: PageCall) => sessions.browserToken(reply, 'signed up in this browser')

  const sendMailed = (reply: FastifyReply, text: Html, again: string, continueTo: string) =>
    sendPage(reply, {
      isFocused: true,
      title: 'Check your email',
      body: html`${notice('info', html`<p>${text}</p>`)}
<p>Nothing there? Check your spam folder, and check that the address is right. You can also ${linkTowards(again, 'resend the email', continueTo)}. The link works once, within half an hour.</p>
<p>Opened the link in another browser? ${linkTowards('/sign-in', 'Sign in here', continueTo)} to continue.</p>
${deps.isDemo && html`<p><a class="button" href="/demo/outbox">Open the demo inbox</a></p>`}`,
    })

  /** The response is the same whether or not the address has an account. */
  function askPage(url: string, again: string, { title, text, fields, label, below, ask, sent }: AskPage) {
    const send = (
      call: PageCall,
      typed: FormFields,
      shown?: Pick<FormPage, 'status' | 'errors' | 'message' | 'values'>,
    ) => {
      const continueTo = targetIn(typed)
      return sendFormPage(sessions, call.reply, {
        ...shown,
        title,
        draw: form => html`${form({
          action: url,
          hidden: { continue: continueTo },
          text,
          fields: fields(call.reply),
          label,
        })}
<p>${below(continueTo)}</p>`,
      })
    }
    return page(
      url,
      call => send(call, new FormFields(searchOf(call.request.url))),
      async call => {
        const { request, reply, fields: typed } = call
        await deps.forms.take(reply, addressKey(request.ip))
        const value = (name: string) => typed.get(name) ?? ''
        const continueTo = targetIn(typed)
        const result = await ask(value, { continueTo, browserMark: browserMark(call) })
        if (result.outcome === 'sent')
          return sendMailed(reply, sent(boldEmail(value('email').trim())), again, continueTo)
        const values = Object.fromEntries(typed.pairs())
        if (result.outcome === 'invalid') return send(call, typed, { values, errors: result.errors })
        const message =
          'We can’t send email right now, so nothing has been sent. Please try again in a few minutes.'
        return send(call, typed, { values, status: 503, message })
      },
    )
  }

  async function sendConfirm(
    reply: FastifyReply,
    { token, purpose, email, continueTo }: Confirmation & { token: string },
    again?: { status: number; message: string },
  ) {
    const isNew = purpose === 'confirm'
    const close = isNew
      ? html`Didn’t sign up? Just close this page. Forgot the password you chose? ${linkTowards('/forgotten', 'Choose a new one', continueTo ?? undefined)}`
      : 'Didn’t ask for this? Just close this page.'
    return sendFormPage(sessions, reply, {
      ...again,
      formTarget: (await deps.formTargetOf(continueTo ?? ''))?.formTarget,
      title: isNew ? 'Confirm your email address' : 'Confirm your new email address',
      draw: form => html`${form({
        action: '/confirm',
        hidden: { token, ...(isNew && { continue: continueTo ?? '' }) },
        text: isNew
          ? html`To confirm that ${boldEmail(email)} is yours, enter the password you chose when you signed up.`
          : html`To use ${boldEmail(email)} for your account from now on, enter your account password.`,
        fields: [isNew && usernameOf(email), currentPasswordInput('password', 'Password')],
        label: 'Confirm and sign in',
      })}
<p class="quiet">${close}</p>`,
    })
  }

  /** After a double click, the browser shows only the second response, so the second must also sign the person in. */
  async function sendUsed({ request, reply, fields }: FormCall<'public'>) {
    const [email = '', password = ''] = [fields.get('username'), fields.get('password')]
    if (email === '' || password === '') return sendGone(reply)
    const caller = { ...callerOf(request, sessions), securityMail: links.securityMail }
    const result = await deps.accounts.signIn({ email, password, ...caller })
    if (result.outcome !== 'signed-in') return sendGone(reply)
    signInBrowser(reply, deps, result)
    return redirect(reply, targetIn(fields))
  }

  async function sendReset(
    reply: FastifyReply,
    link: { token: string; email: string; candidateId: string },
    errors: readonly FieldError[] = [],
  ) {
    const factors = await deps.factors.listAtReset(link.candidateId)
    return sendFormPage(sessions, reply, {
      title: 'Choose a new password',
      errors,
      draw: form =>
        form({
          action: '/reset',
          hidden: { token: link.token },
          text: html`For the account of ${boldEmail(link.email)}. You’ll be signed out everywhere.`,
          fields: [
            usernameOf(link.email),
            newPasswordInput(),
            factorsAtReset(
              factors,
              'What was added since an email link last set your password is removed: someone who knew the password could have added it. You can add it again afterwards.',
            ),
          ],
          label: 'Set password',
        }),
    })
  }

  const isClosed = (url: string) => deps.providers.isOnly && (url === '/sign-up' || url === '/confirm/again')

  const page = (
    url: string,
    get: (call: PageCall) => unknown,
    post: (call: FormCall<'public'>) => unknown,
  ): RouteOptions[] => [
    visitorPage.get(url, async call => {
      if (isClosed(url))
        return redirect(
          call.reply,
          pathTowards('/sign-in', targetIn(new FormFields(searchOf(call.request.url)))),
        )
      return links.isOn ? get(call) : sendSwitchedOff(call.reply, 200)
    }),
    visitorPage.post(url, async call => {
      if (isClosed(url)) return redirect(call.reply, pathTowards('/sign-in', targetIn(call.fields)))
      if (!links.isOn) return sendSwitchedOff(call.reply, 503)
      sessions.checkForm(call, url)
      return post(call)
    }),
  ]

  /** Opening a link does not use it up, because mail scanners open links too. */
  const linkPage = (url: '/confirm' | '/reset', post: (call: FormCall<'public'>, token: string) => unknown) =>
    page(
      url,
      ({ reply }) => sendLinkForm(sessions, reply, url),
      call => post(call, linkTokenIn(call.fields.get('token'))),
    )

  return [
    ...askPage('/sign-up', '/confirm/again', {
      title: 'Sign up',
      fields: ({
        server: {
          board: { termsUrl, privacyUrl },
        },
      }) => [
        row(
          ownInput('firstName', 'First name', 'given-name'),
          ownInput('lastName', 'Last name', 'family-name'),
        ),
        emailInput('We’ll email you a link to confirm it’s yours.'),
        newPasswordInput(),
        (termsUrl ?? privacyUrl) &&
          html`<p class="hint">${termsUrl && html`By signing up, you accept the <a href="${termsUrl}">terms</a>. `}${privacyUrl && html`See our <a href="${privacyUrl}">privacy notice</a>.`}</p>`,
      ],
      label: 'Sign up',
      below: continueTo => html`Already have an account? ${linkTowards('/sign-in', 'Sign in', continueTo)}`,
      ask(value, departure) {
        const [firstName, lastName] = [value('firstName'), value('lastName')]
        return links.signUp(
          { firstName, lastName, email: value('email'), password: value('password') },
          departure,
        )
      },
      sent: email => html`We sent an email to ${email}. Open the link in it to finish signing up.`,
    }),
    ...askPage('/confirm/again', '/confirm/again', {
      ...emailOnly,
      title: 'Resend the email',
      text: 'We’ll email a new link to the address you signed up with. You’ll need the password you chose.',
      ask: (value, departure) => links.sendConfirmationAgain(value('email'), departure),
      sent: email => html`If ${email} has signed up but isn’t confirmed yet, we sent it a new link.`,
    }),
    ...askPage('/forgotten', '/forgotten', {
      ...emailOnly,
      title: 'Forgot your password?',
      text: 'Enter the email address of your account. We’ll email you a link to choose a new password.',
      ask: (value, departure) => links.askToReset(value('email'), departure),
      sent: email =>
        html`If ${email} has an account, we sent it an email. Open the link in it to choose a new password.`,
    }),

    ...linkPage('/confirm', async (call, token) => {
      const { reply, fields } = call
      const mark = browserMark(call)
      const link = await links.findConfirmation(token, mark)
      if (link === undefined) return sendUsed(call)
      const password = fields.get('password')
      if (link.isWithoutPassword && !link.isOfThisBrowser) return sendElsewhere(reply)
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
      // The link has been used; the session takes both steps.
      if (result.outcome === 'second-step') return redirect(reply, '/sign-in?continue=/account/security')
      if (result.outcome === 'wait') {
        reply.header('retry-after', String(result.seconds))
        const again = { status: 429, message: waitText(result.seconds) }
        return sendConfirm(reply, { token, ...link }, again)
      }
      const again = { status: 401, message: 'The password is wrong.' }
      return sendConfirm(reply, { token, ...link }, again)
    }),

    ...linkPage('/reset', async (call, token) => {
      const { reply, fields } = call
      const link = await links.findReset(token)
      if (link === undefined) return sendGone(reply)
      const password = fields.get('password')
      if (password === undefined) return sendReset(reply, { ...link, token })
      const result = await links.reset(token, password, sessions.browserOf(call.request))
      if (result.outcome === 'gone') return sendGone(reply)
      if (result.outcome === 'invalid') return sendReset(reply, { ...link, token }, result.errors)
      sessions.end(reply)
      sessions.rememberBrowser(reply, result.browser, knownBrowserSeconds)
      return redirect(reply, pathTowards('/sign-in?password-set', result.continueTo ?? '/account'))
    }),
  ]
}

const sendGone = (reply: FastifyReply): FastifyReply =>
  sendPage(reply, {
    isFocused: true,
    status: 404,
    title: 'This link has expired',
    body: html`${notice('problem', 'A link works once, within half an hour. If you copied it, check that you have all of it.')}
<p>Already used it? ${linkTowards('/sign-in', 'Sign in')}. Otherwise, ${linkTowards('/forgotten', 'reset your password')} or ${linkTowards('/sign-up', 'sign up')} again.</p>`,
  })

const sendElsewhere = (reply: FastifyReply): FastifyReply =>
  sendPage(reply, {
    isFocused: true,
    status: 403,
    title: 'Open this link in your other browser',
    body: html`${notice('info', 'Open the link in the browser in which you signed in with the other service. It still works there.')}
<p>Can’t? ${linkTowards('/sign-in', 'Sign in')} here with the other service to begin again.</p>`,
  })

const sendSwitchedOff = (reply: FastifyReply, status: number): FastifyReply =>
  sendPage(reply, {
    isFocused: true,
    status,
    title: 'Not available here',
    body: html`${notice('info', 'You can’t sign up, reset your password or change your email address here, because this service isn’t set up to send email. Contact the operator.')}
<p>${linkTowards('/sign-in', 'Sign in')} if you have an account.</p>`,
  })
