import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { minPasswordLength } from '../../people/account/rules.ts'
import { knownBrowserSeconds } from '../../people/account/sign-in-delay.ts'
import type {
  AcceptResult,
  InvitationLinks,
  NewcomersBrowser,
} from '../../people/members/invitations-service.ts'
import type { AnyRole, OpenInvitation, Owner } from '../../people/members/rules.ts'
import { parseNumericId } from '../../platform/core/ids.ts'
import type { SessionOwner } from '../../platform/core/session-owner.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { addressKey } from '../../platform/http/rates/rate-limit.ts'
import type { FormFields } from '../../platform/http/requests/form.ts'
import type { Call, FormCall } from '../../platform/http/routes.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { notice } from '../../platform/web/components.ts'
import { type FormState, type Forms, formsOf, passwordInput, usernameOf } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { newAccountForm, sendInvitationGone } from '../../platform/web/invitation-form.ts'
import { linkTokenIn, sendLinkForm } from '../../platform/web/link-form.ts'
import { redirect, sendPage } from '../../platform/web/page-response.ts'
import { visitorPage } from '../../platform/web/page-routes.ts'
import { agentPath } from '../agent-navigation-markup.ts'
import { consolePath } from '../navigation-markup.ts'

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
}

const path = '/invitations'

/** A session opened with a code from an email must not lead to a workplace: the person enters the password. */
const maySessionJoin = (session: SessionOwner, invited: string | undefined) =>
  session.email === invited && !session.isByCode

/** The target of an invitation link. Opening it does not use it up, because mail scanners open links too. */
export function invitationPages(deps: InvitationPageDeps): RouteOptions[] {
  const { invitations, sessions } = deps

  async function send({ request, reply }: Call<'public'>, link: string, trouble: Trouble = {}) {
    const { status = 200, message, state } = trouble
    const invitation = await invitations.find(link)
    if (invitation === undefined) return sendGone(reply)
    const { ownerName, email, hasAccount } = invitation
    const session = await sessions.of(request)
    const forms = formsOf(sessions, reply, state)
    const isOwn = session !== undefined && maySessionJoin(session, email)
    const form = hasAccount
      ? html`${message !== undefined && notice('problem', message)}
${signInForm(invitation, link, forms)}`
      : newAccountForm(
          {
            action: path,
            email,
            hidden: hiddenIn(invitation, link),
            lead: lead(invitation),
            minPasswordLength,
            label: 'Create account and join',
            failed: 'You haven’t joined yet.',
          },
          forms,
          state?.errors,
        )
    return sendPage(reply, {
      isFocused: true,
      status: isOwn ? 200 : status,
      title: `Join ${ownerName}`,
      body: html`${session !== undefined && session.email !== email && otherNotice(session.email, email)}
${isOwn ? joinMarkup(invitation, link, forms) : form}
<p class="quiet">Don’t know who invited you? Just close this page.</p>`,
    })
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
    sessions.rememberBrowser(reply, browser, knownBrowserSeconds)
  }

  /** The URL of the person's console, if an earlier submission has used up the invitation and made them a member. */
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
      return send(call, link, { status: 401, message: 'Wrong password.' })
    }
    if (result.outcome === 'second-step') {
      // With a session, the sign-in page would redirect.
      if ((await sessions.of(request))?.isByCode) sessions.end(reply)
      const message =
        'Your account has two-step sign-in. Sign in on the sign-in page first, then open the link in the invitation again.'
      return send(call, link, { status: 401, message })
    }
    if (result.outcome === 'wait') {
      reply.header('retry-after', String(result.seconds))
      return send(call, link, { status: 429, message: deps.waitText(result.seconds) })
    }
    start(reply, result)
    const owner = await deps.accounts.findSession(result.session)
    const joined = owner && (await invitations.join(link, owner))
    return redirect(reply, joined?.outcome === 'joined' ? homeOf(joined.owner) : '/console')
  }

  const signIn = (request: FastifyRequest, email: string, password: string) =>
    deps.accounts.signIn({ email, password, ...browserOf(request) })

  /** After a double click, the browser shows only the second response, so the second must also sign in. */
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
    visitorPage.get(path, async ({ reply }) => sendLinkForm(sessions, reply, path)),
    visitorPage.post(path, async call => {
      const session = await sessions.of(call.request)
      // Checked before the form token, which may have been issued before sign-in.
      const joined = session && (await findConsole(session, call.fields))
      if (joined !== undefined) return redirect(call.reply, joined)
      const fields = sessions.checkForm(call, path)
      const link = linkIn(fields)
      const invitation = await invitations.find(link)
      const password = fields.get('password')
      const isOwn = session !== undefined && maySessionJoin(session, invitation?.email)
      // The link has just been opened, or a sign-in in another tab has changed the form's fields.
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
        const state = { values: { firstName, lastName }, errors: result.errors }
        return send(call, link, { status: 422, state })
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

/** Why the page is shown again. */
interface Trouble {
  status?: number
  message?: string
  state?: FormState
}

const asRole: Record<AnyRole, string> = {
  reader: 'as a reader. You’ll be able to see its pages',
  recruiter: 'as a recruiter. You’ll be able to see its applications',
  admin: 'as an admin. You’ll be able to see and change everything, including people and API access',
}

const strong = (email: string) => html`<strong>${isolateBidi(email)}</strong>`

/** The invitation itself, the same for every reader. */
const lead = ({ ownerName, email, role }: OpenInvitation) =>
  html`<p>${strong(email)} has been invited to join ${isolateBidi(ownerName)} ${asRole[role]}.</p>`

/** Hidden fields: the link, and the workplace to join. */
const hiddenIn = ({ owner }: OpenInvitation, token: string): Record<string, string> =>
  'agentId' in owner
    ? { token, agentId: String(owner.agentId) }
    : { token, advertiserId: String(owner.advertiserId) }

function joinMarkup(invitation: OpenInvitation, link: string, { button }: Forms): Html {
  const isOfAgent = 'agentId' in invitation.owner
  return html`<div class="card">${lead(invitation)}
<p>You’re signed in as ${isolateBidi(invitation.email)}.</p>
<div class="actions">${button({
    action: path,
    fields: hiddenIn(invitation, link),
    label: isOfAgent ? 'Join agent' : 'Join company',
    kind: 'first',
  })}</div></div>`
}

/** Warns a person signed in with another address that the form signs them in with the invited one. */
const otherNotice = (current: string, invited: string): Html =>
  notice(
    'warning',
    html`<p>You’re signed in as ${strong(current)}, but the invitation is for ${strong(invited)}. If you join, we’ll sign you out and sign you in with the invited address. To join with your current address instead, ask for an invitation to it.</p>`,
  )

function signInForm(invitation: OpenInvitation, link: string, { form }: Forms): Html {
  const forgotten = html`<a href="/forgotten">Forgot your password?</a>`
  return html`${form({
    action: path,
    hidden: hiddenIn(invitation, link),
    lead: html`${usernameOf(invitation.email)}\n${lead(invitation)}`,
    text: html`${isolateBidi(invitation.email)} already has an account. Enter its password to join.`,
    fields: [passwordInput({ name: 'password', label: 'Password', autocomplete: 'current-password' })],
    label: 'Sign in and join',
  })}
<p>${forgotten} Set a new one, then open the invitation again.</p>`
}

const sendGone = (reply: FastifyReply) => {
  const pages = html`<a href="/console">Open the console</a>`
  return sendInvitationGone(
    reply,
    html`Already joined? ${pages}. Otherwise, ask the person who invited you for a new invitation.`,
  )
}
