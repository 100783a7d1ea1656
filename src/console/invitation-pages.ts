import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { parseNumericId } from '../core/ids.ts'
import type { FieldError } from '../core/problems.ts'
import { FormFields, searchOf } from '../http/form.ts'
import { addressKey } from '../http/rate-limit.ts'
import type { Session, Sessions } from '../http/sessions.ts'
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
import type { AcceptResult, Invitations, NewcomersBrowser } from './invitations.ts'
import type { Members } from './members.ts'

export interface InvitationPageDeps {
  invitations: Invitations
  members: Pick<Members, 'find'>
  signIn(
    attempt: NewcomersBrowser & { email: string; password: string; address: string },
  ): Promise<{ outcome: 'signed-in'; session: string; browser: string } | { outcome: 'wrong' | 'wait' }>
  sessions: Sessions
  limits: { knownBrowserSeconds: number; passwordLeast: number }
}

const config = { auth: 'public', errors: 'page', isOnAuthUrl: true } as const
const schema = { hide: true }
const path = '/invitations'

/** Where the link of an invitation leads. Opening it uses nothing up: mail scanners open links, too. */
export function invitationPages(deps: InvitationPageDeps): RouteOptions[] {
  const { invitations, sessions, limits } = deps

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
    return invitations.joinAnew(link, typed, browserOf(request))
  }

  const browserOf = (request: FastifyRequest): NewcomersBrowser => ({
    browser: sessions.browserOf(request),
    userAgent: request.headers['user-agent'],
    formerSession: sessions.valueOf(request),
  })

  function start(reply: FastifyReply, { session, browser }: { session: string; browser: string }): void {
    sessions.start(reply, session)
    sessions.rememberBrowser(reply, browser, limits.knownBrowserSeconds)
  }

  /** Where a press before this one has led: the invitation is used up, and they work for its advertiser. */
  async function findConsole(session: Session, fields: FormFields): Promise<string | undefined> {
    const advertiserId = parseNumericId(fields.get('advertiserId') ?? '')
    if (advertiserId === undefined || (await invitations.find(linkIn(fields))) !== undefined) return undefined
    const member = await deps.members.find(advertiserId, session.candidateId)
    return member && consolePath(member.advertiserId, 'applications')
  }

  /** Pressed twice, a browser shows the answer to the second press alone, and that has to sign in, too. */
  async function sendUsed(
    request: FastifyRequest,
    reply: FastifyReply,
    session: Session | undefined,
    fields: FormFields,
  ): Promise<FastifyReply> {
    if (session !== undefined) {
      const joined = await findConsole(session, fields)
      return joined === undefined ? sendGone(reply) : redirect(reply, joined)
    }
    const [email = '', password = ''] = [fields.get('username'), fields.get('password')]
    if (email === '' || password === '') return sendGone(reply)
    const address = addressKey(request.ip)
    const result = await deps.signIn({ email, password, address, ...browserOf(request) })
    if (result.outcome !== 'signed-in') return sendGone(reply)
    start(reply, result)
    return redirect(reply, '/console')
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
        const session = await sessions.of(request)
        // Before the token is looked at, which may have been made when nobody was signed in.
        const joined = session && (await findConsole(session, request.body as FormFields))
        if (joined !== undefined) return redirect(reply, joined)
        const fields = sessions.checkForm(request, path)
        const link = linkIn(fields)
        // Signed in as somebody else in the meantime: the page says so.
        const invitation = await invitations.find(link)
        if (session !== undefined && invitation !== undefined && invitation.email !== session.email) {
          return send(request, reply, link)
        }
        const result = await (session === undefined
          ? accept(request, link, fields)
          : invitations.join(link, session))
        if (result.outcome === 'gone') return sendUsed(request, reply, session, fields)
        if (result.outcome === 'has-account') return redirect(reply, pathOf(link))
        if (result.outcome === 'invalid') {
          const [firstName = '', lastName = ''] = [fields.get('firstName'), fields.get('lastName')]
          return send(request, reply, link, { firstName, lastName, errors: result.errors })
        }
        if (result.signedIn !== undefined) start(reply, result.signedIn)
        return redirect(reply, consolePath(result.advertiserId, 'applications'))
      },
    },
  ]
}

function linkIn(fields: FormFields): string {
  return fields.get('token') ?? ''
}

const nothingTyped = { firstName: '', lastName: '', errors: [] }

function sendGone(reply: FastifyReply): FastifyReply {
  return sendPage(reply, { status: 404, title: texts.goneTitle, body: goneMarkup() })
}
