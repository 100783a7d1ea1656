import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { isFromOwnPage, unsealHeldForm } from '../../http/auth/held-form.ts'
import { FormExpired, type Sessions } from '../../http/auth/sessions.ts'
import { addressKey } from '../../http/rates/rate-limit.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import type { Limits } from '../../limits.ts'
import { notice as noticeMarkup } from '../../web/components.ts'
import { sendHeldForm } from '../../web/held-form.ts'
import { html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { visitorPage } from '../../web/page-routes.ts'
import type { Passkeys } from '../factors/passkey-service.ts'
import type { PasskeyRefusal } from '../factors/ports.ts'
import type { AccountLinks } from './links-service.ts'
import { passkeyButton, passkeyScripts, sentPasskey } from './passkey-markup.ts'
import { passkeyTexts } from './passkey-texts.ts'
import { continueTarget, pathTowards } from './rules.ts'
import type { Accounts, SignedIn, SignInResult } from './service.ts'
import { signInTexts as texts } from './sign-in-texts.ts'

/** The client whose authorization request continues after the sign-in. */
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
  isMailOn: boolean
}): SendSignInPage {
  return (reply, options) => {
    const { continueTo, formTarget, clientName, status = 200, fault, notice, email = '', held } = options
    const linkTo = (path: string) => (label: string) =>
      html`<a href="${pathTowards(path, continueTo)}">${label}</a>`
    const token = deps.sessions.browserToken(reply, '/sign-in')
    return sendPage(reply, {
      isFocused: true,
      status,
      formTarget,
      title: clientName === undefined ? texts.title : texts.titleFor(clientName),
      scripts: passkeyScripts,
      body: html`${fault && noticeMarkup('problem', fault)}
${notice && noticeMarkup('info', notice)}
<form class="card" method="post" action="/sign-in" novalidate>
<input type="hidden" name="form_token" value="${token}">
<input type="hidden" name="continue" value="${continueTo}">
${held !== undefined && html`<input type="hidden" name="held" value="${held}">`}
<div class="field"><label for="email">${texts.email}</label>
<input id="email" name="email" type="email" autocomplete="username webauthn" required value="${email}"></div>
<div class="field"><label for="password">${texts.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required></div>
<div class="actions"><button type="submit">${texts.submit}</button></div>
${passkeyButton(deps.passkeys.request('sign-in'), { label: passkeyTexts.signIn, isOffered: true })}
</form>
${
  deps.isMailOn
    ? html`<p>${linkTo('/forgotten')(texts.forgotten)}</p>
<p>${texts.again(linkTo('/confirm/again'))}</p>
<p>${texts.signUp(linkTo('/sign-up'))}</p>`
    : html`<p class="quiet">${texts.noMail}</p>`
}`,
    })
  }
}

/** Responds to a form that was sent without a session with the sign-in page. */
export function askAgain(sendSignInPage: SendSignInPage) {
  return (
    reply: FastifyReply,
    { continueTo, held, text }: { continueTo: string; held: string | undefined; text: string | undefined },
  ): FastifyReply =>
    sendSignInPage(reply, {
      status: 401,
      continueTo: continueTarget(continueTo),
      notice: text ?? (held === undefined ? texts.tooLargeToHold : texts.held),
      held,
    })
}

export interface SignInDeps {
  accounts: Accounts
  sessions: Sessions
  passkeys: Passkeys
  sendSignInPage: SendSignInPage
  isMailOn: boolean
  links: Pick<AccountLinks, 'securityMail'>
  sendSecondStep(
    reply: FastifyReply,
    step: {
      ticket: string
      continueTo: string
      formTarget?: string | undefined
      held?: string | undefined
    },
  ): Promise<FastifyReply>
  /** Finds the client of an authorization request, which the page names again after a failed attempt. */
  formTargetOf(continueTo: string): Promise<WaitingClient | undefined>
  limits: Pick<Limits, 'knownBrowserSeconds' | 'formBytes' | 'heldFormBytes'>
}

export function signInRoutes(deps: SignInDeps): RouteOptions[] {
  const { accounts, sessions, sendSignInPage } = deps

  /** A passkey in the form takes the place of what was typed. */
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

  /** Whether the form comes from an outdated page of ours; forms from elsewhere are rejected. */
  function isStale(request: FastifyRequest, fields: FormFields): boolean {
    if (sessions.isBrowserToken(request, fields.get('form_token'), '/sign-in')) return false
    if (isFromOwnPage(request)) return true
    throw new FormExpired()
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
        const sealed = fields.get('held')
        const again = { continueTo, email, held: sealed, ...(await deps.formTargetOf(continueTo)) }
        if (isStale(request, fields)) {
          return sendSignInPage(reply, { ...again, status: 403, fault: texts.expired })
        }
        // Checked even if a session exists, because the page may be older than a sign-in in another tab.
        const result = await signIn(request, fields)
        if (typeof result === 'string')
          return sendSignInPage(reply, { ...again, status: 401, fault: passkeyTexts.refused[result] })
        if (result.outcome === 'signed-in') {
          signInBrowser(reply, deps, result)
          const held = unsealHeldForm(sessions, request, sealed)
          if (held === undefined) return redirect(reply, continueTo)
          const token = sessions.heldToken(reply, held.action, result.session)
          const account = (await accounts.findSession(result.session))?.email ?? ''
          return sendHeldForm(reply, { held, token, account, status: 200 })
        }
        if (result.outcome === 'second-step')
          return deps.sendSecondStep(reply, { ...again, ticket: result.ticket })
        if (result.outcome === 'wait') {
          reply.header('retry-after', String(result.seconds))
          return sendSignInPage(reply, { ...again, status: 429, fault: texts.wait(result.seconds) })
        }
        return sendSignInPage(reply, { ...again, status: 401, fault: texts.wrong })
      },
      { bodyLimit: deps.limits.formBytes + deps.limits.heldFormBytes },
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
  if (query.has('signed-out')) return { notice: texts.signedOut }
  if (query.has('password-set')) return { notice: texts.passwordSet }
  return {}
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
  deps: { sessions: Sessions; limits: Pick<Limits, 'knownBrowserSeconds'> },
  { session, browser }: SignedIn,
): void {
  deps.sessions.start(reply, session)
  deps.sessions.rememberBrowser(reply, browser, deps.limits.knownBrowserSeconds)
}

export const waitText = texts.wait
