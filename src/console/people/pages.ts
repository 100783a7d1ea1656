import type { FastifyReply, RouteOptions } from 'fastify'
import { newUuid } from '../../core/ids.ts'
import { Problem } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { type RateLimit, rateLimited } from '../../http/rates/rate-limit.ts'
import type { SentForms } from '../../http/rates/sent-forms.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import type { Call, FormCall } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import { type Role, roles } from '../../model/principal.ts'
import type { Invitations, InviteResult } from '../../people/members/invitations-service.ts'
import type { MemberChange } from '../../people/members/ports.ts'
import type { Members } from '../../people/members/service.ts'
import { stripBidi } from '../../web/bidi.ts'
import { breadcrumb, notice, pageHead } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { adminPage, memberPage } from '../../web/page-routes.ts'
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

type PageCall = Call<'console'>

/** Thrown so that the same form can be corrected and submitted again. */
class InvitationNotSent extends Error {}

/** The members of an advertiser. All members see the list; admins change it. */
export function peoplePages(deps: PeoplePageDeps): RouteOptions[] {
  const { members, invitations, sessions } = deps

  async function sendPeople({ reply, caller }: PageCall, result: PageResult = {}) {
    const path = consolePath(caller.advertiserId, 'people')
    return sendPage(reply, {
      status: result.status ?? 200,
      title: texts.title,
      isWide: true,
      navigation: consoleNavigation(caller, 'people'),
      body: html`${result.above}${peopleMarkup({
        member: caller,
        ownId: caller.candidateId,
        people: await members.people(caller.advertiserId),
        token: action => sessions.formToken(reply, path, action),
        formKey: newUuid(),
        isMailOn: invitations.isMailOn,
        invitationDays: Math.floor(deps.limits.invitationSeconds / 86_400),
        typed: result.typed ?? { email: '', role: 'recruiter', errors: [] },
      })}`,
    })
  }

  const refuse = (call: PageCall, status: number, text: string) =>
    sendPeople(call, { status, above: notice('problem', text) })

  const back = ({ reply, caller }: PageCall, done: string) =>
    redirect(reply, `${consolePath(caller.advertiserId, 'people')}?done=${done}`)

  const refusals: Record<Exclude<MemberChange, 'done'>, string> = {
    missing: texts.notThere,
    'last-admin': texts.isLastAdmin,
  }

  /**
   * Sends one email even if the form is submitted twice. Without email, a second submission creates a new link, which
   * replaces the first, so the link shown last is the one that works.
   */
  async function inviteOnce(
    call: FormCall<'console'>,
    { email, role }: { email: string; role: Role },
  ): Promise<InviteResult> {
    const { advertiserId } = call.caller
    const invite = () => invitations.invite(advertiserId, email, role)
    if (!invitations.isMailOn) return invite()
    let result: InviteResult | undefined
    try {
      await deps.sentForms.once(call, call.fields, async () => {
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

  const handlers: Record<PeopleAction, (call: FormCall<'console'>) => Promise<FastifyReply>> = {
    async invite(call) {
      const { fields, caller } = call
      const typed = { email: fields.get('email') ?? '', role: roleIn(fields) }
      const usage = await deps.forms.hit(String(caller.advertiserId))
      if (usage.isExceeded) throw rateLimited(usage)
      const result = await inviteOnce(call, typed)
      if (result.outcome === 'sent') return back(call, deps.isDemo ? 'invited-demo' : 'invited')
      if (result.outcome === 'link') return sendPeople(call, { above: linkMarkup(result) })
      const errors = result.outcome === 'invalid' ? result.errors : []
      return sendPeople(call, {
        status: result.outcome === 'invalid' ? 422 : 503,
        typed: { ...typed, errors },
        ...(result.outcome === 'not-sent' ? { above: notice('problem', texts.notSent) } : {}),
      })
    },

    async 'take-back'(call) {
      const { caller, fields } = call
      const isDone = await members.takeBack(caller.advertiserId, fields.get('invitation') ?? '')
      return isDone ? back(call, 'taken-back') : refuse(call, 409, texts.notThere)
    },

    async role(call) {
      const { caller, fields } = call
      const change = await members.setRole(caller.advertiserId, fields.get('person') ?? '', roleIn(fields))
      return change === 'done' ? back(call, 'role') : refuse(call, 409, refusals[change])
    },
  }

  function sendFarewell(
    { reply, caller }: PageCall,
    page: { path: string; title: string; text: Html; label: string },
  ) {
    const people = consolePath(caller.advertiserId, 'people')
    const token = sessions.formToken(reply, page.path)
    return sendPage(reply, {
      title: stripBidi(page.title),
      heading: pageHead(stripBidi(page.title), false, breadcrumb([{ href: people, label: texts.title }])),
      navigation: consoleNavigation(caller, 'people'),
      body: farewellMarkup({ ...page, back: people, token }),
    })
  }

  return [
    memberPage.get('/console/:advertiserId/people', async call => {
      const done = new FormFields(searchOf(call.request.url)).get('done') ?? ''
      const text = Object.hasOwn(texts.done, done) ? texts.done[done] : undefined
      return sendPeople(call, text === undefined ? {} : { above: notice('good', text) })
    }),
    adminPage.fresh.post('/console/:advertiserId/people', async call => {
      const action = call.fields.get('action') ?? ''
      const path = consolePath(call.caller.advertiserId, 'people')
      sessions.checkForm(call, path, action)
      if (!Object.hasOwn(handlers, action)) throw new Problem('bad-request')
      return handlers[action as PeopleAction](call)
    }),
    adminPage.get('/console/:advertiserId/people/:personId/remove', async call => {
      const { advertiserId, advertiserName } = call.caller
      const colleague = await members.findColleague(advertiserId, call.params.personId)
      if (colleague === undefined) throw new Problem('not-found')
      const name = nameOf(colleague)
      return sendFarewell(call, {
        path: removalPath(advertiserId, colleague.candidateId),
        title: texts.removeTitle(name),
        text: texts.removeText(name, colleague.email, advertiserName),
        label: texts.removeButton,
      })
    }),
    adminPage.fresh.post('/console/:advertiserId/people/:personId/remove', async call => {
      const { advertiserId } = call.caller
      const { personId } = call.params
      sessions.checkForm(call, removalPath(advertiserId, personId))
      const change = await members.remove(advertiserId, personId)
      if (change !== 'done') return refuse(call, 409, refusals[change])
      if (personId === call.caller.candidateId) return redirect(call.reply, '/console')
      return back(call, 'removed')
    }),
    memberPage.get('/console/:advertiserId/people/leave', async call => {
      const { advertiserId, advertiserName } = call.caller
      return sendFarewell(call, {
        path: leavingPath(advertiserId),
        title: texts.leaveTitle(advertiserName),
        text: texts.leaveText(advertiserName),
        label: texts.leaveButton,
      })
    }),
    memberPage.post('/console/:advertiserId/people/leave', async call => {
      const { advertiserId } = call.caller
      sessions.checkForm(call, leavingPath(advertiserId))
      const change = await members.remove(advertiserId, call.caller.candidateId)
      if (change !== 'done') return refuse(call, 409, refusals[change])
      return redirect(call.reply, '/console')
    }),
  ]
}

function roleIn(fields: FormFields): Role {
  const role = roles.find(each => each === fields.get('role'))
  if (role === undefined) throw new Problem('bad-request', 'There is no such role.')
  return role
}
