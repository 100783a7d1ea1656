import type { FastifyReply, RouteOptions } from 'fastify'
import { newUuid } from '../../core/ids.ts'
import { Problem } from '../../core/problems.ts'
import type { Callers } from '../../http/auth/callers.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { type RateLimit, rateLimited } from '../../http/rates/rate-limit.ts'
import type { SentForms } from '../../http/rates/sent-forms.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import type { Call, FormCall } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import type { InviteResult } from '../../people/members/invitations-service.ts'
import type { AnyRole, Colleague, MemberChange } from '../../people/members/ports.ts'
import type { People } from '../../people/members/service.ts'
import { stripBidi } from '../../web/bidi.ts'
import { breadcrumb, invitationLink, notice, pageHead } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import type { Navigation } from '../../web/layout.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import type { PageBuilders } from '../../web/page-routes.ts'
import {
  farewellMarkup,
  leavingPath,
  nameOf,
  type PeopleAction,
  type PeoplePage,
  peopleMarkup,
  removalPath,
} from './markup.ts'
import type { PeopleTexts } from './texts.ts'

/** Whose people they are: a company's or an agent's. */
export interface PeopleRoom<Auth extends 'console' | 'agent'> {
  /** The address of the page, with its parameter. */
  url: string
  member: PageBuilders<Auth>
  admin: PageBuilders<Auth>
  ownerOf(caller: Callers[Auth]): { id: number; name: string; path: string }
  navigation(caller: Callers[Auth]): Navigation
  /** The lowest first. */
  roles: readonly AnyRole[]
  texts: PeopleTexts
  /** Whether they need a second factor, where that can be asked of them. */
  factor?: {
    of(caller: Callers[Auth]): NonNullable<PeoplePage['factor']>
    set(ownerId: number, isRequired: boolean): Promise<unknown>
  }
}

export interface PeoplePageDeps {
  members: {
    people(ownerId: number): Promise<People>
    findColleague(ownerId: number, candidateId: string): Promise<Colleague | undefined>
    takeBack(ownerId: number, invitationId: string): Promise<boolean>
    setRole(ownerId: number, candidateId: string, role: AnyRole): Promise<MemberChange>
    remove(ownerId: number, candidateId: string): Promise<MemberChange>
  }
  invitations: {
    isMailOn: boolean
    invite(ownerId: number, email: string, role: AnyRole): Promise<InviteResult>
  }
  sentForms: SentForms
  sessions: Sessions
  /** Rate of invitations per company or agent. */
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

interface Farewell {
  path: string
  title: string
  text: Html
  label: string
}

/** Thrown so that the same form can be corrected and submitted again. */
class InvitationNotSent extends Error {}

/** The people of a company or an agent. All of them see the list; admins change it. */
export function peoplePages<Auth extends 'console' | 'agent'>(
  deps: PeoplePageDeps,
  room: PeopleRoom<Auth>,
): RouteOptions[] {
  type PageCall = Call<Auth>
  const { members, invitations, sessions } = deps
  const { url, texts, ownerOf, roles } = room
  const pathOf = ({ caller }: PageCall) => ownerOf(caller).path
  const idOf = ({ caller }: PageCall) => ownerOf(caller).id

  async function sendPeople({ reply, caller }: PageCall, result: PageResult = {}) {
    const { id, path } = ownerOf(caller)
    return sendPage(reply, {
      status: result.status ?? 200,
      title: texts.title,
      isWide: true,
      navigation: room.navigation(caller),
      body: html`${result.above}${peopleMarkup({
        ...{ path, texts, roles, isAdmin: caller.role === 'admin' },
        ownId: caller.candidateId,
        factor: room.factor?.of(caller),
        people: await members.people(id),
        token: action => sessions.formToken(reply, path, action),
        formKey: newUuid(),
        isMailOn: invitations.isMailOn,
        invitationDays: Math.floor(deps.limits.invitationSeconds / 86_400),
        typed: result.typed ?? { email: '', role: roles[0] ?? 'admin', errors: [] },
      })}`,
    })
  }

  function roleIn(fields: FormFields): AnyRole {
    const role = roles.find(each => each === fields.get('role'))
    if (role === undefined) throw new Problem('bad-request', 'There is no such role.')
    return role
  }

  const refuse = (call: PageCall, status: number, text: string) =>
    sendPeople(call, { status, above: notice('problem', text) })

  const back = (call: PageCall, done: string) => redirect(call.reply, `${pathOf(call)}?done=${done}`)

  const refusals: Record<Exclude<MemberChange, 'done'>, string> = {
    missing: texts.notThere,
    'last-admin': texts.isLastAdmin,
  }

  /**
   * Sends one email even if the form is submitted twice. Without email, a second submission creates a new link, which
   * replaces the first, so the link shown last is the one that works.
   */
  async function inviteOnce(
    call: FormCall<Auth>,
    { email, role }: { email: string; role: AnyRole },
  ): Promise<InviteResult> {
    const invite = () => invitations.invite(idOf(call), email, role)
    if (!invitations.isMailOn) return invite()
    let result: InviteResult | undefined
    try {
      await deps.sentForms.once(call, call.fields, async () => {
        result = await invite()
        if (result.outcome !== 'sent') throw new InvitationNotSent()
        return pathOf(call)
      })
    } catch (error) {
      if (!(error instanceof InvitationNotSent)) throw error
    }
    // The first submission of this form has already sent the email.
    return result ?? { outcome: 'sent', email }
  }

  const handlers: Record<PeopleAction, (call: FormCall<Auth>) => Promise<FastifyReply>> = {
    async invite(call) {
      const { fields } = call
      const typed = { email: fields.get('email') ?? '', role: roleIn(fields) }
      const usage = await deps.forms.hit(`${url.startsWith('/agent/') ? 'agent ' : ''}${idOf(call)}`)
      if (usage.isExceeded) throw rateLimited(usage)
      const result = await inviteOnce(call, typed)
      if (result.outcome === 'sent') return back(call, deps.isDemo ? 'invited-demo' : 'invited')
      if (result.outcome === 'link') return sendPeople(call, { above: invitationLink(result) })
      const errors = result.outcome === 'invalid' ? result.errors : []
      return sendPeople(call, {
        status: result.outcome === 'invalid' ? 422 : 503,
        typed: { ...typed, errors },
        ...(result.outcome === 'not-sent' ? { above: notice('problem', texts.notSent) } : {}),
      })
    },

    async 'take-back'(call) {
      const isDone = await members.takeBack(idOf(call), call.fields.get('invitation') ?? '')
      return isDone ? back(call, 'taken-back') : refuse(call, 409, texts.notThere)
    },

    async role(call) {
      const { fields } = call
      const change = await members.setRole(idOf(call), fields.get('person') ?? '', roleIn(fields))
      return change === 'done' ? back(call, 'role') : refuse(call, 409, refusals[change])
    },

    async 'second-factor'(call) {
      if (room.factor === undefined) throw new Problem('bad-request')
      const isRequired = call.fields.get('required') === 'yes'
      // Otherwise the admin who requires it would be the first to be locked out.
      if (isRequired && !room.factor.of(call.caller).hasOwn) return refuse(call, 409, texts.factor.needsOwn)
      await room.factor.set(idOf(call), isRequired)
      return back(call, isRequired ? 'factor-required' : 'factor-optional')
    },
  }

  function sendFarewell(
    { reply, caller }: PageCall,
    { status = 200, above, ...page }: Farewell & Pick<PageResult, 'status' | 'above'>,
  ) {
    const people = ownerOf(caller).path
    const token = sessions.formToken(reply, page.path)
    return sendPage(reply, {
      status,
      title: stripBidi(page.title),
      heading: pageHead(stripBidi(page.title), false, breadcrumb([{ href: people, label: texts.title }])),
      navigation: room.navigation(caller),
      body: html`${above}${farewellMarkup({ ...page, back: people, token })}`,
    })
  }

  function sendLeaving(call: PageCall, result: Pick<PageResult, 'status' | 'above'> = {}) {
    const { name, path } = ownerOf(call.caller)
    const [title, text] = [texts.leaveTitle(name), texts.leaveText(name)]
    return sendFarewell(call, { path: leavingPath(path), title, text, label: texts.leaveButton, ...result })
  }

  return [
    room.member.get(url, async call => {
      const done = new FormFields(searchOf(call.request.url)).get('done') ?? ''
      const text = Object.hasOwn(texts.done, done) ? texts.done[done] : undefined
      return sendPeople(call, text === undefined ? {} : { above: notice('good', text) })
    }),
    room.admin.fresh.post(url, async call => {
      const action = call.fields.get('action') ?? ''
      sessions.checkForm(call, pathOf(call), action)
      if (!Object.hasOwn(handlers, action)) throw new Problem('bad-request')
      return handlers[action as PeopleAction](call)
    }),
    room.admin.get(`${url}/:personId/remove`, async call => {
      const owner = ownerOf(call.caller)
      const colleague = await members.findColleague(owner.id, personIn(call))
      if (colleague === undefined) throw new Problem('not-found')
      const name = nameOf(colleague)
      return sendFarewell(call, {
        path: removalPath(owner.path, colleague.candidateId),
        title: texts.removeTitle(name),
        text: texts.removeText(name, colleague.email, owner.name),
        label: texts.removeButton,
      })
    }),
    room.admin.fresh.post(`${url}/:personId/remove`, async call => {
      const personId = personIn(call)
      sessions.checkForm(call, removalPath(pathOf(call), personId))
      const change = await members.remove(idOf(call), personId)
      if (change !== 'done') return refuse(call, 409, refusals[change])
      if (personId === call.caller.candidateId) return redirect(call.reply, '/console')
      return back(call, 'removed')
    }),
    room.member.get(`${url}/leave`, call => sendLeaving(call), leaving),
    room.member.post(
      `${url}/leave`,
      async call => {
        sessions.checkForm(call, leavingPath(pathOf(call)))
        const change = await members.remove(idOf(call), call.caller.candidateId)
        // Not with the list: a person without a second factor may see nothing else.
        if (change !== 'done')
          return sendLeaving(call, { status: 409, above: notice('problem', refusals[change]) })
        return redirect(call.reply, '/console')
      },
      leaving,
    ),
  ]
}

/** A person who is to add a second factor may leave instead. */
const leaving = { isForLeaving: true } as const

const personIn = ({ params }: { params: object }) => (params as { personId: string }).personId
