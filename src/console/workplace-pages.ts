import type { RouteOptions } from 'fastify'
import type { Role } from '../model/principal.ts'
import type { Workplace } from '../people/members/ports.ts'
import type { Members } from '../people/members/service.ts'
import { isolateBidi } from '../web/bidi.ts'
import { badge, emptyState } from '../web/components.ts'
import { type Html, html } from '../web/html.ts'
import { redirect, sendPage } from '../web/page-response.ts'
import { accountPage } from '../web/page-routes.ts'
import { consolePath } from './navigation-markup.ts'

const texts = {
  title: 'Your companies',
  lead: 'Choose a company to see its applications.',
  role: { recruiter: 'Recruiter', admin: 'Admin' } satisfies Record<Role, string>,
  onHold: 'On hold',
  holdText: 'On hold: its pages are unavailable until the operator of this service lifts the hold.',
  noneTitle: 'You need an invitation',
  noneText: (email: string): Html =>
    html`This is where companies read their applications. Ask an admin of your company, or the operator of this service, to invite ${isolateBidi(email)}, then open the link in the invitation.`,
  toAccount: 'Go to your account',
} as const

/** The entry page of the console: a member of a single advertiser is redirected to it. */
export function workplacePages(deps: { members: Pick<Members, 'workplacesOf'> }): RouteOptions[] {
  return [
    accountPage.get('/console', async ({ reply, caller }) => {
      const workplaces = await deps.members.workplacesOf(caller.candidateId)
      const [first, ...others] = workplaces
      if (first?.status === 'active' && others.length === 0) {
        return redirect(reply, consolePath(first.advertiserId, 'overview'))
      }
      return sendPage(reply, {
        title: texts.title,
        body: first === undefined ? nothing(caller.email) : list(workplaces),
      })
    }),
  ]
}

function nothing(email: string): Html {
  return emptyState({
    title: texts.noneTitle,
    text: texts.noneText(email),
    action: { href: '/account', label: texts.toAccount },
  })
}

function list(workplaces: readonly Workplace[]): Html {
  return html`<p>${texts.lead}</p>
<ul class="plain card workplaces">${workplaces.map(entry)}</ul>`
}

function entry({ advertiserId, advertiserName, role, status }: Workplace): Html {
  const name = html`<strong>${isolateBidi(advertiserName)}</strong>`
  const isOpen = status === 'active'
  return html`<li><p>${isOpen ? html`<a href="${consolePath(advertiserId, 'overview')}">${name}</a>` : name} ${badge('neutral', texts.role[role])}${!isOpen && html` ${badge('warning', texts.onHold)}`}</p>
${!isOpen && html`<p class="quiet">${texts.holdText}</p>`}</li>
`
}
