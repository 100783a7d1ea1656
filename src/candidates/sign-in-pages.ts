import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { FormFields, searchOf } from '../http/form.ts'
import { addressKey } from '../http/rate-limit.ts'
import type { Sessions } from '../http/sessions.ts'
import { html } from '../web/html.ts'
import { redirect, sendPage } from '../web/page-response.ts'
import { continueTarget } from './account-rules.ts'
import type { Accounts, SignedIn } from './accounts.ts'

/** The client that waits behind the sign-in, when there is one. */
export interface WaitingClient {
  formTarget: string
  clientName: string
}

export interface SignInPageOptions {
  /** A path of ours: see `continueTarget`. */
  continueTo: string
  formTarget?: string | undefined
  clientName?: string | undefined
  status?: number
  fault?: string
  notice?: string
  email?: string
}

export type SendSignInPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  options: SignInPageOptions,
) => FastifyReply

/** The one form with which anybody signs in. Also shown in place by the authorization endpoint. */
export function createSignInPage(deps: { sessions: Sessions; isMailOn: boolean }): SendSignInPage {
  return (request, reply, options) => {
    const { continueTo, formTarget, clientName, status = 200, fault, notice, email = '' } = options
    const token = deps.sessions.formToken(request, reply, '/sign-in')
    return sendPage(reply, {
      status,
      formTarget,
      title: clientName === undefined ? 'Sign in' : `Sign in to share your profile with ${clientName}`,
      body: html`${fault && html`<div class="problem" role="alert" id="fault"><p>${fault}</p></div>`}
${notice && html`<div class="notice" role="status"><p>${notice}</p></div>`}
<form class="card" method="post" action="/sign-in">
<input type="hidden" name="form_token" value="${token}">
<input type="hidden" name="continue" value="${continueTo}">
<div class="field"><label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${email}"></div>
<div class="field"><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required></div>
<div class="actions"><button type="submit">Sign in</button></div>
</form>
${
  deps.isMailOn
    ? html`<p><a href="/forgotten">Forgotten your password?</a></p>
<p>Signed up, but no mail? <a href="/confirm/again">Send the link again</a></p>
<p>No account yet? <a href="/sign-up">Sign up</a></p>`
    : html`<p class="quiet">Signing up and resetting passwords are switched off here, because this service sends no mail. Ask whoever runs it.</p>`
}`,
    })
  }
}

export interface SignInDeps {
  accounts: Accounts
  sessions: Sessions
  sendSignInPage: SendSignInPage
  isMailOn: boolean
  /** Who waits behind an authorization request; the page has to name it again after a failed attempt. */
  formTargetOf?: ((continueTo: string) => Promise<WaitingClient | undefined>) | undefined
  knownBrowserSeconds: number
}

const config = { auth: 'public', errors: 'page', isOnAuthUrl: true } as const

export function signInRoutes(deps: SignInDeps): RouteOptions[] {
  const { accounts, sessions, sendSignInPage } = deps

  const waitingClient = async (continueTo: string) =>
    continueTo.startsWith('/account') ? undefined : deps.formTargetOf?.(continueTo)

  return [
    {
      method: 'GET',
      url: '/sign-in',
      config,
      schema: { hide: true },
      async handler(request, reply) {
        const query = new FormFields(searchOf(request.url))
        const continueTo = continueTarget(query.get('continue'))
        if ((await sessions.of(request)) !== undefined) return redirect(reply, continueTo)
        return sendSignInPage(request, reply, {
          continueTo,
          ...noticeOf(query),
          ...(await waitingClient(continueTo)),
        })
      },
    },
    {
      method: 'POST',
      url: '/sign-in',
      config: { ...config, body: 'form' },
      schema: { hide: true },
      async handler(request, reply) {
        const continueTo = continueTarget((request.body as FormFields).get('continue'))
        // Signed in meanwhile, in another tab: the form is stale, and nobody needs it.
        if ((await sessions.of(request)) !== undefined) return redirect(reply, continueTo)
        const fields = sessions.checkForm(request, '/sign-in')
        const email = fields.get('email') ?? ''
        const result = await accounts.signIn({
          email,
          password: fields.get('password') ?? '',
          ...callerOf(request, sessions),
        })
        if (result.outcome === 'signed-in') {
          signInBrowser(reply, deps, result)
          return redirect(reply, continueTo)
        }
        const again = { continueTo, email, ...(await waitingClient(continueTo)) }
        if (result.outcome === 'wait') {
          reply.header('retry-after', String(result.seconds))
          return sendSignInPage(request, reply, { ...again, status: 429, fault: waitText(result.seconds) })
        }
        return sendSignInPage(request, reply, { ...again, status: 401, fault: wrongText })
      },
    },
    {
      method: 'POST',
      url: '/sign-out',
      // Not for the signed-in alone: whose session has ended elsewhere is not asked to sign in for signing out.
      config: { ...config, body: 'form' },
      schema: { hide: true },
      async handler(request, reply) {
        const continueTo = sessions.checkForm(request, '/sign-out').get('continue')
        const session = sessions.valueOf(request)
        if (session !== undefined) await accounts.signOut(session)
        sessions.end(reply)
        return redirect(reply, continueTo === undefined ? '/sign-in?signed-out' : continueTarget(continueTo))
      },
    },
  ]
}

function noticeOf(query: FormFields): { notice?: string } {
  if (query.has('signed-out')) return { notice: 'You are signed out.' }
  if (query.has('password-set')) return { notice: 'Your new password is set. Sign in with it.' }
  return {}
}

/** One text for all of them: which one it was would tell a stranger whether the address has an account. */
const wrongText =
  'The e-mail address or the password is wrong, or the address has not been confirmed yet. If you have just signed up, open the link in our mail first.'

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
  deps: Pick<SignInDeps, 'sessions' | 'knownBrowserSeconds'>,
  { session, browser }: SignedIn,
): void {
  deps.sessions.start(reply, session)
  deps.sessions.rememberBrowser(reply, browser, deps.knownBrowserSeconds)
}

export function waitText(seconds: number): string {
  const time = seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`
  return `There were too many wrong passwords. Try again in ${seconds === 1 ? '1 second' : time}.`
}
