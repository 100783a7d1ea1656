import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { minPasswordLength } from '../../people/account/rules.ts'
import { knownBrowserSeconds } from '../../people/account/sign-in-delay.ts'
import type { NewcomersBrowser } from '../../people/members/invitations-service.ts'
import type { Operators } from '../../people/members/operators-service.ts'
import type { OpenOperatorInvitation } from '../../people/members/rules.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { addressKey } from '../../platform/http/rates/rate-limit.ts'
import type { Call } from '../../platform/http/routes.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { notice } from '../../platform/web/components.ts'
import { type FormState, type Forms, formsOf } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { newAccountForm, sendInvitationGone } from '../../platform/web/invitation-form.ts'
import { linkTokenIn, sendLinkForm } from '../../platform/web/link-form.ts'
import { redirect, sendPage } from '../../platform/web/page-response.ts'
import { accountPage, visitorPage } from '../../platform/web/page-routes.ts'

export interface JoinPageDeps {
  operators: Operators
  /** Throws unless the request comes from OPERATOR_NETWORKS. */
  fence(request: FastifyRequest): void
  startSession(
    candidateId: string,
    browser: NewcomersBrowser,
  ): Promise<{ session: string; browser: string } | undefined>
  sessions: Sessions
}

const path = '/operator/join'

/** The target of the link that "dossier operator invite" prints. Opening it does not use it up. */
export function operatorJoinPages(deps: JoinPageDeps): RouteOptions[] {
  const { operators, fence, sessions } = deps

  async function send(
    { request, reply }: Call<'public'>,
    link: string,
    state: FormState = { values: {}, errors: [] },
  ) {
    const invitation = await operators.findInvitation(link)
    if (invitation === undefined) return sendGone(reply)
    const session = await sessions.of(request)
    const forms = formsOf(sessions, reply, state)
    const isOwn = session?.email === invitation.email
    const body =
      session !== undefined && !isOwn
        ? otherMarkup(invitation, session.email, forms)
        : invitation.hasAccount || isOwn
          ? acceptMarkup(invitation, link, isOwn, forms)
          : newAccountForm(
              {
                action: path,
                email: invitation.email,
                hidden: { token: link },
                lead: lead(invitation),
                minPasswordLength,
                label: 'Create account and accept',
                failed: 'You haven’t accepted yet.',
              },
              forms,
              state.errors,
            )
    const status = state.errors.length > 0 ? 422 : 200
    return sendPage(reply, { isFocused: true, status, title: 'Run this job board', body })
  }

  return [
    visitorPage.get(path, ({ request, reply }) => {
      fence(request)
      return sendLinkForm(sessions, reply, path)
    }),
    visitorPage.post(path, async call => {
      const { request, reply } = call
      fence(request)
      const fields = sessions.checkForm(call, path)
      const link = linkTokenIn(fields.get('token'))
      const [firstName = '', lastName = ''] = [fields.get('firstName'), fields.get('lastName')]
      const password = fields.get('password')
      if (password === undefined) return send(call, link)
      const result = await operators.joinWithNewAccount(link, { firstName, lastName, password })
      if (result.outcome === 'gone') return sendGone(reply)
      if (result.outcome === 'has-account') return send(call, link)
      if (result.outcome === 'invalid')
        return send(call, link, { values: { firstName, lastName }, errors: result.errors })
      const signedIn = await deps.startSession(result.candidateId, {
        address: addressKey(request.ip),
        browser: sessions.browserOf(request),
        userAgent: request.headers['user-agent'],
        formerSession: sessions.valueOf(request),
      })
      if (signedIn !== undefined) {
        sessions.start(reply, signedIn.session)
        sessions.rememberBrowser(reply, signedIn.browser, knownBrowserSeconds)
      }
      return redirect(reply, '/operator')
    }),
    accountPage.fresh.post(
      '/operator/join/accept',
      async call => {
        const { request, reply, caller } = call
        fence(request)
        const fields = sessions.checkForm(call, '/operator/join/accept')
        // The second request of a double click finds the invitation already used.
        if ((await operators.find(caller.candidateId)) !== undefined) return redirect(reply, '/operator')
        // A code from an email must not lead to these pages, not even together with a code from an app.
        if (caller.isByCode && caller.provedBy !== 'password' && caller.provedBy !== 'passkey') {
          sessions.end(reply)
          return redirect(reply, '/sign-in?continue=/operator')
        }
        const { outcome } = await operators.join(linkTokenIn(fields.get('token')), caller)
        return outcome === 'joined' ? redirect(reply, '/operator') : sendGone(reply)
      },
      { formPage: path },
    ),
  ]
}

const strong = (email: string) => html`<strong>${isolateBidi(email)}</strong>`

function lead({ email, role }: OpenOperatorInvitation): Html {
  const invited =
    role === 'operator'
      ? html`${strong(email)} has been invited to run this job board as an operator. You’ll be able to see how the service runs and to change it.`
      : html`${strong(email)} has been invited to run this job board as a viewer. You’ll be able to see how the service runs, but not to change anything.`
  return html`<p>${invited}</p><p>Next, you’ll add a second factor to your account, such as a passkey or an authenticator app. Operators can’t do without one.</p>`
}

/** Shown to a person who has an account; they sign in first unless they already are. */
function acceptMarkup(
  invitation: OpenOperatorInvitation,
  link: string,
  isSignedIn: boolean,
  { button }: Forms,
): Html {
  const label = isSignedIn ? 'Accept invitation' : 'Sign in and accept'
  return html`<div class="card">${lead(invitation)}
${!isSignedIn && html`<p>${isolateBidi(invitation.email)} already has an account. Sign in with it to accept the invitation.</p>`}
<div class="actions">${button({ action: '/operator/join/accept', fields: { token: link }, label, kind: 'first' })}</div></div>`
}

function otherMarkup(invitation: OpenOperatorInvitation, current: string, { button }: Forms): Html {
  return html`${notice('warning', html`<p>You’re signed in as ${strong(current)}, but the invitation is for ${strong(invitation.email)}. Sign out, then open the invitation again.</p>`)}
<div class="actions">${button({ action: '/sign-out', label: 'Sign out', kind: 'first' })}</div>`
}

const sendGone = (reply: FastifyReply) => {
  const pages = html`<a href="/operator">Open the operator’s pages</a>`
  return sendInvitationGone(
    reply,
    html`Already an operator? ${pages}. Otherwise, run “dossier operator invite” again, or ask the operator who invited you.`,
  )
}
