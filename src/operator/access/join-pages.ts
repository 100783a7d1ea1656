import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Sessions } from '../../http/auth/sessions.ts'
import { addressKey } from '../../http/rates/rate-limit.ts'
import type { Call } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import type { NewcomersBrowser } from '../../people/members/invitations-service.ts'
import { linkTokenIn, sendLinkForm } from '../../web/link-form.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { accountPage, visitorPage } from '../../web/page-routes.ts'
import { tokensOf } from '../acting-pages.ts'
import { acceptMarkup, goneMarkup, newOperatorMarkup, otherMarkup, type TypedName } from './join-markup.ts'
import { joinTexts as texts } from './join-texts.ts'
import type { Operators } from './service.ts'

export interface JoinPageDeps {
  operators: Operators
  /** Throws unless the request comes from OPERATOR_NETWORKS. */
  fence(request: FastifyRequest): void
  startSession(
    candidateId: string,
    browser: NewcomersBrowser,
  ): Promise<{ session: string; browser: string } | undefined>
  sessions: Sessions
  limits: Pick<Limits, 'knownBrowserSeconds' | 'passwordLeast'>
}

const path = '/operator/join'
const nothingTyped: TypedName = { firstName: '', lastName: '', errors: [] }

/** The target of the link that "dossier operator invite" prints. Opening it does not use it up. */
export function operatorJoinPages(deps: JoinPageDeps): RouteOptions[] {
  const { operators, fence, sessions, limits } = deps

  async function send({ request, reply }: Call<'public'>, link: string, typed = nothingTyped) {
    const invitation = await operators.findInvitation(link)
    if (invitation === undefined) return sendGone(reply)
    const session = await sessions.of(request)
    const page = { invitation, link, token: tokensOf(sessions, reply) }
    const isOwn = session?.email === invitation.email
    const body =
      session !== undefined && !isOwn
        ? otherMarkup(page, session.email)
        : invitation.hasAccount || isOwn
          ? acceptMarkup(page, isOwn)
          : newOperatorMarkup(page, typed, limits.passwordLeast)
    const status = typed.errors.length > 0 ? 422 : 200
    return sendPage(reply, { isFocused: true, status, title: texts.title, body })
  }

  return [
    visitorPage.get(path, ({ request, reply }) => {
      fence(request)
      return sendLinkForm(reply, { action: path, formToken: sessions.formToken(reply, path) })
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
      if (result.outcome === 'invalid') {
        return send(call, link, { firstName, lastName, errors: result.errors })
      }
      const signedIn = await deps.startSession(result.candidateId, {
        address: addressKey(request.ip),
        browser: sessions.browserOf(request),
        userAgent: request.headers['user-agent'],
        formerSession: sessions.valueOf(request),
      })
      if (signedIn !== undefined) {
        sessions.start(reply, signedIn.session)
        sessions.rememberBrowser(reply, signedIn.browser, limits.knownBrowserSeconds)
      }
      return redirect(reply, '/operator')
    }),
    accountPage.fresh.post(
      '/operator/join/accept',
      async call => {
        const { request, reply, caller } = call
        fence(request)
        const fields = sessions.checkForm(call, '/operator/join/accept')
        // The second request of a double click finds the invitation used up.
        if ((await operators.find(caller.candidateId)) !== undefined) return redirect(reply, '/operator')
        const { outcome } = await operators.join(linkTokenIn(fields.get('token')), caller)
        return outcome === 'joined' ? redirect(reply, '/operator') : sendGone(reply)
      },
      { formPage: path },
    ),
  ]
}

function sendGone(reply: FastifyReply): FastifyReply {
  return sendPage(reply, { isFocused: true, status: 404, title: texts.goneTitle, body: goneMarkup() })
}
