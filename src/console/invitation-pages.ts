import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { FieldError } from '../core/problems.ts'
import { FormFields, searchOf } from '../http/form.ts'
import type { Sessions } from '../http/sessions.ts'
import { redirect, sendPage } from '../web/page-response.ts'
import { consolePath } from './console-navigation.ts'
import {
  goneMarkup,
  joinMarkup,
  newAccountMarkup,
  othersMarkup,
  pathOf,
  signInMarkup,
} from './invitation-markup.ts'
import { invitationTexts as texts } from './invitation-texts.ts'
import type { AcceptResult, Invitations } from './invitations.ts'

export interface InvitationPageDeps {
  invitations: Invitations
  sessions: Sessions
  limits: { knownBrowserSeconds: number; passwordLeast: number }
}

const config = { auth: 'public', errors: 'page', isOnAuthUrl: true } as const
const schema = { hide: true }
const path = '/invitations'

/** Where the link of an invitation leads. Opening it uses nothing up: mail scanners open links, too. */
export function invitationPages({ invitations, sessions, limits }: InvitationPageDeps): RouteOptions[] {
  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    link: string,
    typed: { firstName: string; lastName: string; errors: readonly FieldError[] } = nothingTyped,
  ) {
    const invitation = await invitations.find(link)
    if (invitation === undefined) return sendGone(reply)
    const title = texts.title(invitation.advertiserName)
    const session = await sessions.of(request)
    if (session !== undefined && session.email !== invitation.email) {
      const formToken = sessions.formToken(request, reply, '/sign-out')
      const body = othersMarkup({ invitation, link, formToken, current: session.email })
      return sendPage(reply, { title: texts.othersTitle, body })
    }
    if (session === undefined && invitation.hasAccount) {
      return sendPage(reply, { title, body: signInMarkup({ invitation, link }) })
    }
    const page = { invitation, link, formToken: sessions.formToken(request, reply, path) }
    const { passwordLeast } = limits
    return sendPage(reply, {
      status: typed.errors.length === 0 ? 200 : 422,
      title,
      body: session === undefined ? newAccountMarkup({ ...page, passwordLeast, typed }) : joinMarkup(page),
    })
  }

  function accept(request: FastifyRequest, link: string, fields: FormFields): Promise<AcceptResult> {
    const value = (name: string) => fields.get(name) ?? ''
    const typed = {
      firstName: value('firstName'),
      lastName: value('lastName'),
      password: value('password'),
    }
    return invitations.joinAnew(link, typed, {
      browser: sessions.browserOf(request),
      userAgent: request.headers['user-agent'],
      formerSession: sessions.valueOf(request),
    })
  }

  return [
    {
      method: 'GET',
      url: path,
      config,
      schema,
      handler: (request, reply) =>
        send(request, reply, new FormFields(searchOf(request.url)).get('token') ?? ''),
    },
    {
      method: 'POST',
      url: path,
      config: { ...config, body: 'form' },
      schema,
      async handler(request, reply) {
        const fields = sessions.checkForm(request, path)
        const link = fields.get('token') ?? ''
        const session = await sessions.of(request)
        // Signed in as somebody else in the meantime: the page says so.
        if (session !== undefined && (await invitations.find(link))?.email !== session.email) {
          return send(request, reply, link)
        }
        const result = await (session === undefined
          ? accept(request, link, fields)
          : invitations.join(link, session))
        if (result.outcome === 'gone') return sendGone(reply)
        if (result.outcome === 'has-account') return redirect(reply, pathOf(link))
        if (result.outcome === 'invalid') {
          const [firstName = '', lastName = ''] = [fields.get('firstName'), fields.get('lastName')]
          return send(request, reply, link, { firstName, lastName, errors: result.errors })
        }
        if (result.signedIn !== undefined) {
          sessions.start(reply, result.signedIn.session)
          sessions.rememberBrowser(reply, result.signedIn.browser, limits.knownBrowserSeconds)
        }
        return redirect(reply, consolePath(result.advertiserId, 'applications'))
      },
    },
  ]
}

const nothingTyped = { firstName: '', lastName: '', errors: [] }

function sendGone(reply: FastifyReply): FastifyReply {
  return sendPage(reply, { status: 404, title: texts.goneTitle, body: goneMarkup() })
}
