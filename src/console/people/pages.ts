import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { newUuid } from '../../core/ids.ts'
import { Problem } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { type RateLimit, rateLimited } from '../../http/rates/rate-limit.ts'
import type { SentForms } from '../../http/rates/sent-forms.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import type { Limits } from '../../limits.ts'
import { type Role, roles } from '../../model/principal.ts'
import type { Invitations, InviteResult } from '../../people/members/invitations-service.ts'
import type { MemberChange } from '../../people/members/ports.ts'
import type { Members } from '../../people/members/service.ts'
import { stripBidi } from '../../web/bidi.ts'
import { breadcrumb, notice, pageHead } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'
import {
  farewellMarkup,
  leavingPath,
  linkMarkup,
  nameOf,
  type PeopleAction,
  type PeoplePage,
  peopleMarkup,
  removalPath,
} from './markup.ts'
import { peopleTexts as texts } from './texts.ts'

export interface PeoplePageDeps {
  members: Members
  invitations: Invitations
  sentForms: SentForms
  sessions: Sessions
  /** Rate of invitations per advertiser. */
  forms: RateLimit
  isDemo: boolean
  limits: Pick<Limits, 'invitationSeconds'>
}

/** The result of the last action, shown above the lists. */
interface PageResult {
  status?: number
  above?: Html
  typed?: PeoplePage['typed']
}

/** Thrown so that the same form can be corrected and submitted again. */
class InvitationNotSent extends Error {}

const memberRoute = { auth: 'console', role: 'recruiter', errors: 'page', isOnAuthUrl: true } as const
const adminRoute = { ...memberRoute, role: 'admin' } as const
const schema = { hide: true }

/** The members of an advertiser. All members see the list; admins change it. */
export function peoplePages(deps: PeoplePageDeps): RouteOptions[] {
  const { members, invitations, sessions } = deps

  async function sendPeople(request: FastifyRequest, reply: FastifyReply, result: PageResult = {}) {
    const { member, session } = request
    const path = consolePath(member.advertiserId, 'people')
    return sendPage(reply, {
      status: result.status ?? 200,
      title: texts.title,
      isWide: true,
      navigation: consoleNavigation(request.member, 'people'),
      body: html`${result.above}${peopleMarkup({
        member,
        ownId: session.candidateId,
        people: await members.people(member.advertiserId),
        token: action => sessions.formToken(request, reply, path, action),
        formKey: newUuid(),
        isMailOn: invitations.isMailOn,
        invitationDays: Math.floor(deps.limits.invitationSeconds / 86_400),
        typed: result.typed ?? { email: '', role: 'recruiter', errors: [] },
      })}`,
    })
  }

  const refuse = (request: FastifyRequest, reply: FastifyReply, status: number, text: string) =>
    sendPeople(request, reply, { status, above: notice('problem', text) })

  const back = ({ member }: FastifyRequest, reply: FastifyReply, done: string) =>
    redirect(reply, `${consolePath(member.advertiserId, 'people')}?done=${done}`)

  const refusals: Record<Exclude<MemberChange, 'done'>, string> = {
    missing: texts.notThere,
    'last-admin': texts.isLastAdmin,
  }

  /**
   * Sends one email even if the form is submitted twice. Without email, a second submission creates a new link, which
   * replaces the first, so the link shown last is the one that works.
   */
  async function inviteOnce(
    request: FastifyRequest,
    fields: FormFields,
    { email, role }: { email: string; role: Role },
  ): Promise<InviteResult> {
    const { advertiserId } = request.member
    const invite = () => invitations.invite(advertiserId, email, role)
    if (!invitations.isMailOn) return invite()
    let result: InviteResult | undefined
    try {
      await deps.sentForms.once(request, fields, async () => {
        result = await invite()
        if (result.outcome !== 'sent') throw new InvitationNotSent()
        return consolePath(advertiserId, 'people')
      })
    } catch (error) {
      if (!(error instanceof InvitationNotSent)) throw error
    }
    // The first submission of this form has already sent the email.
    return result ?? { outcome: 'sent', email }
  }

  const handlers: Record<
    PeopleAction,
    (request: FastifyRequest, reply: FastifyReply, fields: FormFields) => Promise<FastifyReply>
  > = {
    async invite(request, reply, fields) {
      const typed = { email: fields.get('email') ?? '', role: roleIn(fields) }
      const usage = await deps.forms.hit(String(request.member.advertiserId))
      if (usage.isExceeded) throw rateLimited(usage)
      const result = await inviteOnce(request, fields, typed)
      if (result.outcome === 'sent') return back(request, reply, deps.isDemo ? 'invited-demo' : 'invited')
      if (result.outcome === 'link') return sendPeople(request, reply, { above: linkMarkup(result) })
      const errors = result.outcome === 'invalid' ? result.errors : []
      return sendPeople(request, reply, {
        status: result.outcome === 'invalid' ? 422 : 503,
        typed: { ...typed, errors },
        ...(result.outcome === 'not-sent' ? { above: notice('problem', texts.notSent) } : {}),
      })
    },

    async 'take-back'(request, reply, fields) {
      const isDone = await members.takeBack(request.member.advertiserId, fields.get('invitation') ?? '')
      return isDone ? back(request, reply, 'taken-back') : refuse(request, reply, 409, texts.notThere)
    },

    async role(request, reply, fields) {
      const { advertiserId } = request.member
      const change = await members.setRole(advertiserId, fields.get('person') ?? '', roleIn(fields))
      return change === 'done' ? back(request, reply, 'role') : refuse(request, reply, 409, refusals[change])
    },
  }

  function sendFarewell(
    request: FastifyRequest,
    reply: FastifyReply,
    page: { path: string; title: string; text: Html; label: string },
  ) {
    const people = consolePath(request.member.advertiserId, 'people')
    const token = sessions.formToken(request, reply, page.path)
    return sendPage(reply, {
      title: stripBidi(page.title),
      heading: pageHead(stripBidi(page.title), false, breadcrumb([{ href: people, label: texts.title }])),
      navigation: consoleNavigation(request.member, 'people'),
      body: farewellMarkup({ ...page, back: people, token }),
    })
  }

  return [
    {
      method: 'GET',
      url: '/console/:advertiserId/people',
      config: memberRoute,
      schema,
      async handler(request, reply) {
        const done = new FormFields(searchOf(request.url)).get('done') ?? ''
        const text = Object.hasOwn(texts.done, done) ? texts.done[done] : undefined
        return sendPeople(request, reply, text === undefined ? {} : { above: notice('good', text) })
      },
    },
    {
      method: 'POST',
      url: '/console/:advertiserId/people',
      config: { ...adminRoute, body: 'form' },
      schema,
      async handler(request, reply) {
        const action = (request.body as FormFields).get('action') ?? ''
        const path = consolePath(request.member.advertiserId, 'people')
        const fields = sessions.checkForm(request, path, action)
        if (!Object.hasOwn(handlers, action)) throw new Problem('bad-request')
        return handlers[action as PeopleAction](request, reply, fields)
      },
    },
    {
      method: 'GET',
      url: '/console/:advertiserId/people/:personId/remove',
      config: adminRoute,
      schema,
      async handler(request, reply) {
        const { advertiserId, advertiserName } = request.member
        const colleague = await members.findColleague(advertiserId, personIn(request))
        if (colleague === undefined) throw new Problem('not-found')
        const name = nameOf(colleague)
        return sendFarewell(request, reply, {
          path: removalPath(advertiserId, colleague.candidateId),
          title: texts.removeTitle(name),
          text: texts.removeText(name, colleague.email, advertiserName),
          label: texts.removeButton,
        })
      },
    },
    {
      method: 'POST',
      url: '/console/:advertiserId/people/:personId/remove',
      config: { ...adminRoute, body: 'form' },
      schema,
      async handler(request, reply) {
        const { advertiserId } = request.member
        const personId = personIn(request)
        sessions.checkForm(request, removalPath(advertiserId, personId))
        const change = await members.remove(advertiserId, personId)
        if (change !== 'done') return refuse(request, reply, 409, refusals[change])
        if (personId === request.session.candidateId) return redirect(reply, '/console')
        return back(request, reply, 'removed')
      },
    },
    {
      method: 'GET',
      url: '/console/:advertiserId/people/leave',
      config: memberRoute,
      schema,
      async handler(request, reply) {
        const { advertiserId, advertiserName } = request.member
        return sendFarewell(request, reply, {
          path: leavingPath(advertiserId),
          title: texts.leaveTitle(advertiserName),
          text: texts.leaveText(advertiserName),
          label: texts.leaveButton,
        })
      },
    },
    {
      method: 'POST',
      url: '/console/:advertiserId/people/leave',
      config: { ...memberRoute, body: 'form' },
      schema,
      async handler(request, reply) {
        const { advertiserId } = request.member
        sessions.checkForm(request, leavingPath(advertiserId))
        const change = await members.remove(advertiserId, request.session.candidateId)
        if (change !== 'done') return refuse(request, reply, 409, refusals[change])
        return redirect(reply, '/console')
      },
    },
  ]
}

function personIn({ params }: FastifyRequest): string {
  return (params as { personId: string }).personId
}

function roleIn(fields: FormFields): Role {
  const role = roles.find(each => each === fields.get('role'))
  if (role === undefined) throw new Problem('bad-request', 'There is no such role.')
  return role
}
