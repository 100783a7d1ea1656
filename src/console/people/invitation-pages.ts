import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { parseNumericId } from '../../core/ids.ts'
import type { FieldError } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { addressKey } from '../../http/rates/rate-limit.ts'
import type { FormFields } from '../../http/requests/form.ts'
import type { Call, FormCall } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import type { SessionOwner } from '../../model/candidate.ts'
import type {
  AcceptResult,
  InvitationLinks,
  NewcomersBrowser,
} from '../../people/members/invitations-service.ts'
import type { Owner } from '../../people/members/ports.ts'
import { linkTokenIn, sendLinkForm } from '../../web/link-form.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { visitorPage } from '../../web/page-routes.ts'
import { agentPath } from '../agent-navigation-markup.ts'
import { consolePath } from '../navigation-markup.ts'
import { goneMarkup, joinMarkup, newAccountMarkup, othersMarkup, signInMarkup } from './invitation-markup.ts'
import { invitationTexts as texts } from './invitation-texts.ts'

export interface InvitationPageDeps {
  invitations: InvitationLinks
  isMemberOf(owner: Owner, candidateId: string): Promise<boolean>
  accounts: {
    signIn(
      attempt: NewcomersBrowser & { email: string; password: string; address: string },
    ): Promise<
      | { outcome: 'signed-in'; session: string; browser: string }
      | { outcome: 'wrong' }
      | { outcome: 'second-step' }
      | { outcome: 'wait'; seconds: number }
    >
    findSession(value: string): Promise<{ candidateId: string; email: string } | undefined>
  }
  waitText(seconds: number): string
  sessions: Sessions
  limits: Pick<Limits, 'knownBrowserSeconds' | 'passwordLeast'>
}

const path = '/invitations'

/** The target of an invitation link. Opening it does not use it up, because mail scanners open links too. */
export function invitationPages(deps: InvitationPageDeps): RouteOptions[] {
  const { invitations, sessions, limits } = deps

  async function send(
    { request, reply }: Call<'public'>,
    link: string,
    { status, typed, message }: Trouble = noTrouble,
  ) {
    const invitation = await invitations.find(link)
    if (invitation === undefined) return sendGone(reply)
    const title = texts.title(invitation.ownerName)
    const session = await sessions.of(request)
    const page = { invitation, link, formToken: sessions.formToken(reply, path) }
    if (session?.email === invitation.email)
      return sendPage(reply, { isFocused: true, title, body: joinMarkup(page) })
    const { passwordLeast } = limits
    const form = invitation.hasAccount
      ? signInMarkup({ ...page, message })
      : newAccountMarkup({ ...page, passwordLeast, typed })
    const body = session === undefined ? form : othersMarkup(session.email, invitation.email, form)
    return sendPage(reply, { isFocused: true, status, title, body })
  }

  function accept(request: FastifyRequest, link: string, fields: FormFields): Promise<AcceptResult> {
    const value = (name: string) => fields.get(name) ?? ''
    const typed = {
      firstName: value('firstName'),
      lastName: value('lastName'),
      password: value('password'),
    }
    return invitations.joinWithNewAccount(link, typed, browserOf(request))
  }

  const browserOf = (request: FastifyRequest): NewcomersBrowser => ({
    address: addressKey(request.ip),
    browser: sessions.browserOf(request),
    userAgent: request.headers['user-agent'],
    formerSession: sessions.valueOf(request),
  })

  function start(reply: FastifyReply, { session, browser }: { session: string; browser: string }): void {
    sessions.start(reply, session)
    sessions.rememberBrowser(reply, browser, limits.knownBrowserSeconds)
  }

  /** Their pages, if an earlier submission has used up the invitation and made the person a member. */
  async function findConsole(session: SessionOwner, fields: FormFields): Promise<string | undefined> {
    const owner = ownerIn(fields)
    if (owner === undefined || (await invitations.find(linkIn(fields))) !== undefined) return undefined
    return (await deps.isMemberOf(owner, session.candidateId)) ? homeOf(owner) : undefined
  }

  /** Signs in to the existing account of the invited address, then joins. */
  async function signInAndJoin(
    call: Call<'public'>,
    { link, email, password }: { link: string; email: string; password: string },
  ): Promise<FastifyReply> {
    const { request, reply } = call
    const result = await signIn(request, email, password)
    if (result.outcome === 'wrong') {
      return send(call, link, { ...noTrouble, status: 401, message: texts.wrong })
    }
    if (result.outcome === 'second-step') {
      return send(call, link, { ...noTrouble, status: 401, message: texts.secondStep })
    }
    if (result.outcome === 'wait') {
      reply.header('retry-after', String(result.seconds))
      return send(call, link, { ...noTrouble, status: 429, message: deps.waitText(result.seconds) })
    }
    start(reply, result)
    const owner = await deps.accounts.findSession(result.session)
    const joined = owner && (await invitations.join(link, owner))
    return redirect(reply, joined?.outcome === 'joined' ? homeOf(joined.owner) : '/console')
  }

  const signIn = (request: FastifyRequest, email: string, password: string) =>
    deps.accounts.signIn({ email, password, ...browserOf(request) })

  /** On a double click the browser shows only the second response, so that one must sign in as well. */
  async function sendUsed(
    { request, reply, fields }: FormCall<'public'>,
    session: SessionOwner | undefined,
  ): Promise<FastifyReply> {
    if (session !== undefined) {
      const joined = await findConsole(session, fields)
      return joined === undefined ? sendGone(reply) : redirect(reply, joined)
    }
    const [email = '', password = ''] = [fields.get('username'), fields.get('password')]
    if (email === '' || password === '') return sendGone(reply)
    const result = await signIn(request, email, password)
    if (result.outcome !== 'signed-in') return sendGone(reply)
    start(reply, result)
    return redirect(reply, '/console')
  }

  return [
    visitorPage.get(path, async ({ reply }) =>
      sendLinkForm(reply, { action: path, formToken: sessions.formToken(reply, path) }),
    ),
    visitorPage.post(path, async call => {
      const session = await sessions.of(call.request)
      // Checked before the form token, which may have been issued before sign-in.
      const joined = session && (await findConsole(session, call.fields))
      if (joined !== undefined) return redirect(call.reply, joined)
      const fields = sessions.checkForm(call, path)
      const link = linkIn(fields)
      const invitation = await invitations.find(link)
      const password = fields.get('password')
      const isOwn = session !== undefined && session.email === invitation?.email
      // The link has just been opened, or a sign-in in another tab has changed the fields of the form.
      if (ownerIn(fields) === undefined || (invitation !== undefined && !isOwn && password === undefined)) {
        return send(call, link)
      }
      if (invitation?.hasAccount && !isOwn) {
        return signInAndJoin(call, { link, email: invitation.email, password: password ?? '' })
      }
      const result = await (isOwn ? invitations.join(link, session) : accept(call.request, link, fields))
      if (result.outcome === 'gone') return sendUsed(call, session)
      if (result.outcome === 'has-account') return send(call, link)
      if (result.outcome === 'invalid') {
        const [firstName = '', lastName = ''] = [fields.get('firstName'), fields.get('lastName')]
        const typed = { firstName, lastName, errors: result.errors }
        return send(call, link, { status: 422, typed })
      }
      if (result.signedIn !== undefined) start(call.reply, result.signedIn)
      return redirect(call.reply, homeOf(result.owner))
    }),
  ]
}

function ownerIn(fields: FormFields): Owner | undefined {
  const [advertiserId, agentId] = ['advertiserId', 'agentId'].map(name =>
    parseNumericId(fields.get(name) ?? ''),
  )
  if (advertiserId !== undefined) return { advertiserId }
  return agentId === undefined ? undefined : { agentId }
}

const homeOf = (owner: Owner): string =>
  'agentId' in owner ? agentPath(owner.agentId, 'home') : consolePath(owner.advertiserId, 'applications')

function linkIn(fields: FormFields): string {
  return linkTokenIn(fields.get('token'))
}

/** The reason for showing the page again. */
interface Trouble {
  status: number
  typed: { firstName: string; lastName: string; errors: readonly FieldError[] }
  message?: string
}

const noTrouble: Trouble = { status: 200, typed: { firstName: '', lastName: '', errors: [] } }

function sendGone(reply: FastifyReply): FastifyReply {
  return sendPage(reply, { isFocused: true, status: 404, title: texts.goneTitle, body: goneMarkup() })
}
