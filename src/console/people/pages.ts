import type { RouteOptions } from 'fastify'
import { agentRoles, roles } from '../../model/principal.ts'
import type { InviteResult } from '../../people/members/invitations-service.ts'
import { inviteForm, isLast, nameOf, peopleMarkup } from '../../people/members/people-pages.ts'
import type { AnyRole, Colleague, MemberChange } from '../../people/members/rules.ts'
import type { People } from '../../people/members/service.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { SessionOwner } from '../../platform/core/session-owner.ts'
import type { Callers } from '../../platform/http/auth/callers.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { type Limit, rateLimited } from '../../platform/http/rates/rate-limit.ts'
import type { SentForms } from '../../platform/http/rates/sent-forms.ts'
import { isolateBidi, stripBidi } from '../../platform/web/bidi.ts'
import { invitationLink, linkButton } from '../../platform/web/components.ts'
import type { Forms } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { type ActCall, questionPage, refusal } from '../../platform/web/tab.ts'
import { agentPath } from '../agent-navigation-markup.ts'
import { consolePath } from '../navigation-markup.ts'
import { agentTab, consoleTab, type WorkplaceTab } from '../tab-pages.ts'

type Workplace = 'console' | 'agent'

/** The workplace whose people they are: a company or an agent. */
interface PeopleRoom<Auth extends Workplace> {
  /** Everyone sees the list; admins change it. */
  tab: WorkplaceTab<Auth>
  /** Everyone may leave. */
  leaving: WorkplaceTab<Auth>
  /** The URL of the page, with its parameter. */
  url: string
  ownerOf(caller: Callers[Auth]): { id: number; name: string; path: string }
  /** Lowest role first. */
  roles: readonly AnyRole[]
  /** Prefix of the key that counts invitations. */
  countedAs: string
  words: {
    caption: string
    admin: string
    removed: string
    lastAdmin: string
    leave: string
    leaveNow: string
  }
  factor?: FactorRule<Auth>
}

/** Whether the workplace requires a second factor, and whether the reader has signed in with one. */
interface FactorRule<Auth extends Workplace> {
  of(caller: Callers[Auth]): { isRequired: boolean; hasOwn: boolean }
  set(ownerId: number, isRequired: boolean): Promise<unknown>
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
  forms: Limit
  isDemo: boolean
}

/** Thrown so that the same form can be corrected and submitted again. */
class InvitationNotSent extends Error {}

const title = 'People'
const removal = ':personId/remove'
const gone = 'This person is no longer a member, or the invitation is no longer open.'

export const companyPeoplePages = (
  deps: PeoplePageDeps,
  factor: {
    set(advertiserId: number, isRequired: boolean): Promise<unknown>
    enrolmentOf(owner: SessionOwner): string | undefined
  },
): RouteOptions[] =>
  peoplePages<'console'>(deps, {
    tab: consoleTab(deps.sessions, 'people', { view: 'member', change: 'admin', proof: 'fresh' }),
    leaving: consoleTab(deps.sessions, 'people', { view: 'member' }),
    url: '/console/:advertiserId/people',
    ownerOf: ({ advertiserId: id, advertiserName: name }) => ({ id, name, path: consolePath(id, 'people') }),
    roles,
    countedAs: '',
    words: {
      caption: 'Members of this company',
      admin: 'Admin: can see and change everything, including people and API access',
      removed: 'Person removed. They no longer have access to this company.',
      lastAdmin:
        'This is the only admin. Make another person an admin first, because a company needs one to invite people and change settings.',
      leave: 'Leave this company',
      leaveNow: 'Leave company',
    },
    factor: {
      of: caller => ({
        isRequired: caller.requiresFactor,
        hasOwn: factor.enrolmentOf(caller) === undefined,
      }),
      set: factor.set,
    },
  })

export const agentPeoplePages = (deps: PeoplePageDeps): RouteOptions[] =>
  peoplePages<'agent'>(deps, {
    tab: agentTab(deps.sessions, 'people', { view: 'member', change: 'admin', proof: 'fresh' }),
    leaving: agentTab(deps.sessions, 'people', { view: 'member' }),
    url: '/agent/:agentId/people',
    ownerOf: ({ agentId: id, agentName: name }) => ({ id, name, path: agentPath(id, 'people') }),
    roles: agentRoles,
    countedAs: 'agent ',
    words: {
      caption: 'People of this agent',
      admin: 'Admin: can see and change everything, including people and client secrets',
      removed: 'Person removed. They no longer have access to this agent’s pages.',
      lastAdmin:
        'This is the only admin. Make another person an admin first, because an agent needs one to invite people and change settings.',
      leave: 'Leave this agent',
      leaveNow: 'Leave agent',
    },
  })

function peoplePages<Auth extends Workplace>(deps: PeoplePageDeps, room: PeopleRoom<Auth>): RouteOptions[] {
  type AuditContext = ActCall<Auth>
  const { members, invitations } = deps
  const { url, words, ownerOf } = room
  const idOf = ({ caller }: Pick<AuditContext, 'caller'>) => ownerOf(caller).id

  function roleIn({ value }: AuditContext): AnyRole {
    const role = room.roles.find(each => each === value('role'))
    if (role === undefined) throw new Problem('bad-request', 'There is no such role.')
    return role
  }

  const refused = (change: Exclude<MemberChange, 'done'>) =>
    refusal(change === 'missing' ? gone : words.lastAdmin)

  /**
   * Sends one email even if the form is submitted twice. Without email, a second submission creates a new link, which
   * replaces the first, so the link shown last is the one that works.
   */
  async function inviteOnce(call: AuditContext, email: string, role: AnyRole): Promise<InviteResult> {
    const invite = () => invitations.invite(idOf(call), email, role)
    if (!invitations.isMailOn) return invite()
    let result: InviteResult | undefined
    try {
      await deps.sentForms.once(call, call.fields, async () => {
        result = await invite()
        if (result.outcome !== 'sent') throw new InvitationNotSent()
        return ownerOf(call.caller).path
      })
    } catch (error) {
      if (!(error instanceof InvitationNotSent)) throw error
    }
    // The first submission of this form has already sent the email.
    return result ?? { outcome: 'sent', email }
  }

  return [
    ...room.tab(url, {
      async show({ caller, canChange, form, button }) {
        const { id, path } = ownerOf(caller)
        const { colleagues: people, invitations: open } = await members.people(id)
        const factor = canChange ? room.factor?.of(caller) : undefined
        const act = (name: string, fields: Record<string, string>, label: string, about: string) =>
          button({
            action: path,
            act: name,
            fields,
            label,
            describedAs: `${label}: ${stripBidi(about)}`,
          })
        return {
          title,
          failed: 'No invitation has been sent yet.',
          body: html`${peopleMarkup({
            caption: words.caption,
            ownId: caller.candidateId,
            people,
            invitations: open,
            canChange,
            readOnly: 'Only admins can invite people, remove them or change their roles.',
            hasFactors: factor !== undefined,
            actionsOf(colleague) {
              const { candidateId, role } = colleague
              if (isLast(people, 'admin', candidateId)) return html`<span class="quiet">Only admin</span>`
              const other = room.roles.find(each => each !== role) ?? 'admin'
              const name = nameOf(colleague)
              return html`<div class="actions tight">${act('role', { person: candidateId, role: other }, makeLabels[other], name)}${
                candidateId !== caller.candidateId &&
                html`<a class="button second" href="${removalPath(path, candidateId)}" aria-label="Remove: ${stripBidi(name)}">Remove</a>`
              }</div>`
            },
            revoke: ({ id: invitation, email }) => act('take-back', { invitation }, 'Revoke', email),
          })}
${
  canChange &&
  inviteForm(form, {
    action: path,
    isOnce: true,
    act: 'invite',
    title: 'Invite people',
    text: days =>
      invitations.isMailOn
        ? `They get an email with a link that works once, within ${days} days. Sending a new invitation cancels the previous one.`
        : `This service doesn’t send email, so you get a link to pass on yourself. It works once, within ${days} days. A new invitation cancels the previous one.`,
    roles: room.roles.map(role => ({
      id: role,
      description: role === 'admin' ? words.admin : roleMeanings[role],
    })),
    label: invitations.isMailOn ? 'Send invitation' : 'Create invitation',
  })
}
${factor && factorForm(path, factor, button)}
${!isLast(people, 'admin', caller.candidateId) && html`<p><a href="${path}/leave">${words.leave}</a></p>`}`,
        }
      },
      // All forms post to one path, so that a person whose session ends in between returns to the page.
      namedActs: {
        invite: {
          async run(call) {
            const [email, role] = [call.value('email'), roleIn(call)]
            const usage = await deps.forms.hit(`${room.countedAs}${idOf(call)}`)
            if (usage.isExceeded) throw rateLimited(usage)
            const result = await inviteOnce(call, email, role)
            if (result.outcome === 'sent') return deps.isDemo ? 'invited-demo' : 'invited'
            if (result.outcome === 'link') return { above: invitationLink(result) }
            return result.outcome === 'invalid'
              ? { errors: result.errors }
              : { ...notSent, values: { email, role } }
          },
        },
        'take-back': {
          run: async call =>
            (await members.takeBack(idOf(call), call.value('invitation'))) ? 'taken-back' : refusal(gone),
        },
        role: {
          async run(call) {
            const change = await members.setRole(idOf(call), call.value('person'), roleIn(call))
            return change === 'done' ? 'role' : refused(change)
          },
        },
        'second-factor': {
          async run(call) {
            if (room.factor === undefined) throw new Problem('bad-request')
            const isRequired = call.value('required') === 'yes'
            // Otherwise the admin who requires a second factor would be the first one locked out.
            if (isRequired && !room.factor.of(call.caller).hasOwn) return refusal(needsOwn)
            await room.factor.set(idOf(call), isRequired)
            return isRequired ? 'factor-required' : 'factor-optional'
          },
        },
      },
      acts: {
        [removal]: {
          async ask(call: OfPerson<Auth>) {
            const { id, name: owner, path } = ownerOf(call.caller)
            const colleague = await members.findColleague(id, call.params.personId)
            if (colleague === undefined) throw new Problem('not-found')
            const name = nameOf(colleague)
            return {
              title: `Remove ${name}?`,
              crumbs: [{ href: path, label: title }],
              text: html`${isolateBidi(name)} (${isolateBidi(colleague.email)}) will immediately lose access to ${isolateBidi(owner)}. Their own account and everything they have done here stay. You can invite them again.`,
              label: 'Remove person',
              back: path,
            }
          },
          async run(call: OfPerson<Auth>) {
            const { personId } = call.params
            const change = await members.remove(idOf(call), personId)
            if (change !== 'done') return refused(change)
            return personId === call.caller.candidateId ? { location: '/console' } : 'removed'
          },
        },
      },
      done: {
        invited: 'Invitation sent.',
        'invited-demo': html`<p>Invitation sent. In the demo, you’ll find it in the ${inbox}.</p>`,
        'taken-back': 'Invitation revoked. Its link no longer works.',
        role: 'Role changed.',
        'factor-required':
          'Two-step sign-in is now required. Members without it set it up before they see these pages again.',
        'factor-optional': 'Two-step sign-in is no longer required.',
        removed: words.removed,
      },
    }),
    ...room.leaving(`${url}/leave`, {
      // A person who has to add a second factor may leave instead.
      config: { isForLeaving: true },
      show(call) {
        const { name, path } = ownerOf(call.caller)
        const question = {
          title: `Leave ${name}?`,
          crumbs: [{ href: path, label: title }],
          text: html`You’ll lose access to ${isolateBidi(name)}. Your own account stays. To come back, you need a new invitation from an admin.`,
          label: words.leaveNow,
          back: path,
        }
        return questionPage(question, `${path}/leave`, call)
      },
      acts: {
        '': {
          async run(call) {
            const change = await members.remove(idOf(call), call.caller.candidateId)
            // Not the page with the list: a person without a second factor may see nothing else.
            return change === 'done' ? { location: '/console' } : refused(change)
          },
        },
      },
    }),
  ]
}

interface OfPerson<Auth extends Workplace> {
  caller: Callers[Auth]
  params: { personId: string }
}

const inbox = html`<a href="/demo/outbox">demo inbox</a>`
const notSent = refusal(
  'The email couldn’t be sent, so there is no invitation. Try again in a few minutes.',
  503,
)
const needsOwn = 'To require it, set it up for yourself first and sign in with it.'

const roleMeanings: Record<Exclude<AnyRole, 'admin'>, string> = {
  recruiter: 'Recruiter: can see applications',
  reader: 'Reader: can see everything here',
}
const makeLabels: Record<AnyRole, string> = {
  recruiter: 'Make recruiter',
  reader: 'Make reader',
  admin: 'Make admin',
}

/** Below the path of the page. */
const removalPath = (path: string, candidateId: string) => `${path}/${encodeURIComponent(candidateId)}/remove`

function factorForm(
  action: string,
  { isRequired, hasOwn }: { isRequired: boolean; hasOwn: boolean },
  button: Forms['button'],
): Html {
  const change = button({
    action,
    act: 'second-factor',
    fields: { required: isRequired ? 'no' : 'yes' },
    label: isRequired ? 'Stop requiring it' : 'Require two-step sign-in',
  })
  const enrol = html`<p class="hint">${needsOwn}</p><p class="actions">${linkButton('/account/security/two-step', 'Set up two-step sign-in')}</p>`
  return html`<section class="card" aria-labelledby="factor-title"><h2 class="first" id="factor-title">Two-step sign-in</h2>
<p>${
    isRequired
      ? 'Required: members without a passkey or two-step sign-in set it up before they see the company’s pages. API credentials aren’t affected.'
      : 'You can require a passkey or two-step sign-in of everyone here. Members without it set it up before they see the company’s pages again. API credentials aren’t affected.'
  }</p>
${isRequired || hasOwn ? html`<div class="actions">${change}</div>` : enrol}</section>`
}
