import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { heldFormBytes, isFromOwnPage, unsealHeldForm } from '../../platform/http/auth/held-form.ts'
import { FormExpired, type Sessions } from '../../platform/http/auth/sessions.ts'
import { addressKey } from '../../platform/http/rates/rate-limit.ts'
import { FormFields, searchOf } from '../../platform/http/requests/form.ts'
import { notice } from '../../platform/web/components.ts'
import type { Forms } from '../../platform/web/forms.ts'
import { sendHeldForm } from '../../platform/web/held-form.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { redirect } from '../../platform/web/page-response.ts'
import { visitorPage } from '../../platform/web/page-routes.ts'
import type { Passkeys } from '../factors/passkey-service.ts'
import type { PasskeyRefusal } from '../factors/records.ts'
import { providerPath } from '../identities/records.ts'
import type { Providers } from '../identities/service.ts'
import { currentPasswordInput, linkTowards, ownInput, sendFormPage } from './form-markup.ts'
import type { AccountLinks } from './links-service.ts'
import { passkeyButton, passkeyRefusals, passkeyScripts, sentPasskey } from './passkey-markup.ts'
import { continueTarget } from './rules.ts'
import type { Accounts, SignedIn, SignInResult } from './service.ts'
import { knownBrowserSeconds } from './sign-in-delay.ts'

/** The client whose authorization request continues after the sign-in. */
export interface WaitingClient {
  formTarget: string
  clientName: string
}

export interface SignInPageOptions {
  /** One of our paths: see `continueTarget`. */
  continueTo: string
  formTarget?: string | undefined
  clientName?: string | undefined
  status?: number
  fault?: string | Html
  notice?: string | undefined
  email?: string | undefined
  /** A form held until after the sign-in, encrypted for this browser. */
  held?: string | undefined
}

export type SendSignInPage = (reply: FastifyReply, options: SignInPageOptions) => FastifyReply

/** The sign-in form, also shown in place by the authorization endpoint. */
export function createSignInPage(deps: {
  sessions: Sessions
  passkeys: Pick<Passkeys, 'request'>
  providers: Pick<Providers, 'offered' | 'isOnly'>
  isMailOn: boolean
  /** Whether codes are offered by email. */
  hasCodes: boolean
}): SendSignInPage {
  return (reply, options) => {
    const { continueTo, clientName, status = 200, fault, notice: text, email, held, formTarget } = options
    const link = (path: string, label: string) => linkTowards(path, label, continueTo)
    const hidden = { continue: continueTo, ...(held !== undefined && { held }) }
    const offered = deps.providers.offered(continueTo)
    return sendFormPage({ formToken: deps.sessions.browserToken }, reply, {
      status,
      // The form leads to the provider, which then leads to the client.
      formTarget: formTarget ?? offered[0]?.issuer,
      title: clientName === undefined ? 'Sign in' : `Sign in to share your profile with ${clientName}`,
      scripts: passkeyScripts,
      message: fault,
      draw: form => html`${text !== undefined && notice('info', text)}
${offered.map(({ key, name }, index) =>
  form({
    action: providerPath(key),
    hidden,
    label: `Continue with ${name}`,
    kind: deps.providers.isOnly && index === 0 ? 'first' : 'second',
  }),
)}
${deps.providers.isOnly ? html`<details><summary>Sign in another way</summary><p>For accounts that aren’t linked to ${offered[0]?.name ?? ''} yet, and for people who work here.</p>${own(form)}</details>` : own(form)}`,
    })

    function own(form: Forms['form']): Html {
      return html`${form({
        action: '/sign-in',
        hidden,
        fields: [
          ownInput('email', 'Email address', 'username webauthn', { type: 'email', value: email ?? '' }),
          currentPasswordInput('password', 'Password'),
        ],
        label: 'Sign in',
        beside:
          deps.hasCodes &&
          html` <button class="second" type="submit" formaction="/sign-in/email">Email me a code</button>`,
        below: passkeyButton(deps.passkeys.request('sign-in'), {
          label: 'Sign in with a passkey',
          isOffered: true,
        }),
      })}
${
  deps.isMailOn
    ? html`<p>${link('/forgotten', 'Forgot your password?')}</p>
${
  !deps.providers.isOnly &&
  html`<p>Didn’t get our email? ${link('/confirm/again', 'Resend it')}</p>
<p>No account yet? ${link('/sign-up', 'Sign up')}</p>`
}`
    : html`<p class="quiet">You can’t sign up or reset a password here, because this service isn’t set up to send email. Contact the operator.</p>`
}`
    }
  }
}

const heldText =
  'You were signed out before this could be sent. Sign in to send it again: nothing you typed is lost.'
const tooLargeToHold =
  'You were signed out before this could be sent, and it is too long for us to keep while you sign in. Sign in on another tab, then go back to the form in this one and send it again: what you typed is still there.'

/** Responds with the sign-in page to a form that was sent without a session. */
export function askAgain(sendSignInPage: SendSignInPage) {
  return (
    reply: FastifyReply,
    { continueTo, held, text }: { continueTo: string; held: string | undefined; text: string | undefined },
  ): FastifyReply =>
    sendSignInPage(reply, {
      status: 401,
      continueTo: continueTarget(continueTo),
      notice: text ?? (held === undefined ? tooLargeToHold : heldText),
      held,
    })
}

export interface SecondStep extends Pick<SignInPageOptions, 'continueTo' | 'formTarget' | 'held' | 'status'> {
  ticket: string
  fault?: string
}

export interface SignInDeps {
  accounts: Accounts
  sessions: Sessions
  passkeys: Passkeys
  sendSignInPage: SendSignInPage
  isMailOn: boolean
  /** Whether the database was restored in the last weeks. */
  wasRestored(): Promise<boolean>
  providers: Pick<Providers, 'isOnly' | 'offered'>
  links: Pick<AccountLinks, 'securityMail'>
  sendSecondStep(reply: FastifyReply, step: SecondStep): Promise<FastifyReply>
  /** Finds the client of an authorization request, which the page names again after a failed attempt. */
  formTargetOf(continueTo: string): Promise<WaitingClient | undefined>
  limits: { formBytes: number }
}

export function signInRoutes(deps: SignInDeps): RouteOptions[] {
  const { accounts, sessions, sendSignInPage } = deps

  /** A passkey in the form replaces the typed credentials. */
  async function signIn(request: FastifyRequest, fields: FormFields): Promise<SignInResult | PasskeyRefusal> {
    const caller = { ...callerOf(request, sessions), securityMail: deps.links.securityMail }
    const sent = sentPasskey(fields)
    if (sent === undefined) {
      const [email = '', password = ''] = [fields.get('email'), fields.get('password')]
      return accounts.signIn({ email, password, ...caller })
    }
    const passkey = await deps.passkeys.check('sign-in', sent)
    if (typeof passkey === 'string') return passkey
    return (await accounts.signInByPasskey(caller, passkey)) ?? 'wrong'
  }

  /**
   * The text is the same for every cause and every address: a more exact one would reveal whether the address has an
   * account.
   */
  async function wrongText(continueTo: string): Promise<string | Html> {
    const [only] = deps.providers.isOnly ? deps.providers.offered('') : []
    const wrong =
      only === undefined
        ? 'The email address or password is wrong, or the address hasn’t been confirmed yet.'
        : `The email address or password is wrong, or this account signs in with ${only.name}.`
    if (!deps.isMailOn || !(await deps.wasRestored()))
      return `${wrong} If you’ve just signed up, open the link in our email first.`
    const link = linkTowards('/forgotten', 'get a link to choose a new password', continueTo)
    return html`${wrong} This service was restored from a backup a short while ago: passwords that were changed since the backup don’t work, neither the old nor the new one. If that’s yours, ${link}.`
  }

  return [
    visitorPage.get('/sign-in', async ({ request, reply }) => {
      const query = new FormFields(searchOf(request.url))
      const continueTo = continueTarget(query.get('continue'))
      if ((await sessions.of(request)) !== undefined) return redirect(reply, continueTo)
      return sendSignInPage(reply, {
        continueTo,
        ...noticeOf(query),
        ...(await deps.formTargetOf(continueTo)),
      })
    }),
    visitorPage.post(
      '/sign-in',
      async ({ request, reply, fields }) => {
        const email = fields.get('email') ?? ''
        const continueTo = continueTarget(fields.get('continue'))
        const again = {
          continueTo,
          email,
          held: fields.get('held'),
          ...(await deps.formTargetOf(continueTo)),
        }
        if (isStale(sessions, request, fields, '/sign-in')) {
          return sendSignInPage(reply, { ...again, status: 403, fault: expired })
        }
        // Checked even if a session exists, because the page may be older than a sign-in in another tab.
        const result = await signIn(request, fields)
        if (typeof result === 'string')
          return sendSignInPage(reply, { ...again, status: 401, fault: passkeyRefusals[result] })
        if (result.outcome === 'signed-in') return finishSignIn(deps, { request, reply }, result, again)
        if (result.outcome === 'second-step')
          return deps.sendSecondStep(reply, { ...again, ticket: result.ticket })
        if (result.outcome === 'wait') {
          reply.header('retry-after', String(result.seconds))
          return sendSignInPage(reply, { ...again, status: 429, fault: waitText(result.seconds) })
        }
        return sendSignInPage(reply, { ...again, status: 401, fault: await wrongText(continueTo) })
      },
      { bodyLimit: deps.limits.formBytes + heldFormBytes },
    ),
    // Requires no session, so that a person whose session has already ended is not asked to sign in to sign out.
    visitorPage.post('/sign-out', async call => {
      const session = sessions.valueOf(call.request)
      // Already signed out in another tab.
      if (session === undefined) return redirect(call.reply, '/sign-in?signed-out')
      const continueTo = sessions.checkForm(call, '/sign-out').get('continue')
      await accounts.signOut(session)
      sessions.end(call.reply)
      return redirect(
        call.reply,
        continueTo === undefined ? '/sign-in?signed-out' : continueTarget(continueTo),
      )
    }),
  ]
}

function noticeOf(query: FormFields): { notice?: string } {
  if (query.has('signed-out')) return { notice: 'You’re signed out.' }
  if (query.has('password-set')) return { notice: 'Your new password is set. Sign in with it.' }
  return {}
}

/** Whether the form comes from an outdated page of ours; forms from elsewhere are rejected. */
export function isStale(
  sessions: Sessions,
  request: FastifyRequest,
  fields: FormFields,
  path: string,
): boolean {
  if (sessions.isBrowserToken(request, fields.get('form_token'), path)) return false
  if (isFromOwnPage(request)) return true
  throw new FormExpired()
}

/** Continues, or offers the form that was held until after the sign-in. */
export async function finishSignIn(
  deps: Pick<SignInDeps, 'accounts' | 'sessions'>,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  signedIn: SignedIn,
  { held: sealed, continueTo }: { held: string | undefined; continueTo: string },
): Promise<FastifyReply> {
  signInBrowser(reply, deps, signedIn)
  const held = unsealHeldForm(deps.sessions, request, sealed)
  if (held === undefined) return redirect(reply, continueTo)
  const token = deps.sessions.heldToken(reply, held.action, signedIn.session)
  const account = (await deps.accounts.findSession(signedIn.session))?.email ?? ''
  return sendHeldForm(reply, { held, token, account, status: 200 })
}

export function callerOf(request: FastifyRequest, sessions: Sessions) {
  return {
    address: addressKey(request.ip),
    browser: sessions.browserOf(request),
    userAgent: request.headers['user-agent'],
    formerSession: sessions.valueOf(request),
  }
}

export function signInBrowser(
  reply: FastifyReply,
  deps: { sessions: Sessions },
  { session, browser }: SignedIn,
): void {
  deps.sessions.start(reply, session)
  deps.sessions.rememberBrowser(reply, browser, knownBrowserSeconds)
}

export const expired = 'This page was open for too long. Please enter your password again.'

export const waitText = (seconds: number): string =>
  `Too many wrong passwords. Try again in ${inWords(seconds)}.`

export function inWords(seconds: number): string {
  if (seconds === 1) return '1 second'
  return seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`
}
