import type { RouteOptions } from 'fastify'
import type { AgentMember, AgentRole, Role } from '../model/principal.ts'
import type { Workplace } from '../people/members/rules.ts'
import type { AgentMembers, Members } from '../people/members/service.ts'
import { isolateBidi } from '../platform/web/bidi.ts'
import { badge, emptyState } from '../platform/web/components.ts'
import { type Html, html } from '../platform/web/html.ts'
import { redirect, sendPage } from '../platform/web/page-response.ts'
import { accountPage } from '../platform/web/page-routes.ts'
import { agentPath } from './agent-navigation-markup.ts'
import { consolePath } from './navigation-markup.ts'

/** The console's entry page: redirects a person with a single company or agent there. */
export function workplacePages(deps: {
  members: Pick<Members, 'workplacesOf'>
  agentMembers: Pick<AgentMembers, 'workplacesOf'>
  /** Whether there are no companies yet. */
  isNew(): Promise<boolean>
}): RouteOptions[] {
  return [
    accountPage.get('/console', async ({ reply, caller }) => {
      const [workplaces, agents] = await Promise.all([
        deps.members.workplacesOf(caller.candidateId),
        deps.agentMembers.workplacesOf(caller.candidateId),
      ])
      const [[first], [agent]] = [workplaces, agents]
      const isOnly = workplaces.length + agents.length === 1
      if (isOnly && first?.status === 'active')
        return redirect(reply, consolePath(first.advertiserId, 'overview'))
      if (isOnly && agent !== undefined) return redirect(reply, agentPath(agent.agentId, 'home'))
      const title = first === undefined && agent !== undefined ? 'Your agents' : 'Your companies'
      const body =
        first === undefined && agent === undefined
          ? nothing(caller.email, await deps.isNew())
          : html`${first !== undefined && list(workplaces)}${agent !== undefined && agentList(agents, first !== undefined)}`
      return sendPage(reply, { title, body })
    }),
  ]
}

function nothing(email: string, isNew: boolean): Html {
  const action = { href: '/account', label: 'Go to your account' }
  if (!isNew)
    return emptyState({
      title: 'You need an invitation',
      text: html`This is where companies read their applications. Ask an admin of your company, or the operator of this service, to invite ${isolateBidi(email)}, then open the link in the invitation.`,
      action,
    })
  const pages = html`<a href="/operator">open the operator’s pages</a>`
  const command = html`<code>dossier advertiser add</code>`
  return emptyState({
    title: 'This job board is new',
    text: html`There is no company yet. If you run this board, ${pages} and add the first one, or run ${command}.`,
    action,
  })
}

const roleNames: Record<Role | AgentRole, string> = {
  recruiter: 'Recruiter',
  reader: 'Reader',
  admin: 'Admin',
}

const list = (workplaces: readonly Workplace[]): Html => html`<p>Choose a company to see its applications.</p>
<ul class="plain card workplaces">${workplaces.map(entry)}</ul>`

function entry({ advertiserId, advertiserName, role, status }: Workplace): Html {
  const name = html`<strong>${isolateBidi(advertiserName)}</strong>`
  const isOpen = status === 'active'
  return html`<li><p>${isOpen ? html`<a href="${consolePath(advertiserId, 'overview')}">${name}</a>` : name} ${badge('neutral', roleNames[role])}${!isOpen && html` ${badge('warning', 'On hold')}`}</p>
${!isOpen && html`<p class="quiet">On hold: its pages are unavailable until the operator of this service lifts the hold.</p>`}</li>
`
}

function agentList(agents: readonly AgentMember[], hasHeading: boolean): Html {
  return html`${hasHeading && html`<h2>Your agents</h2>`}<p>Choose an agent to see the companies that it acts for.</p>
<ul class="plain card workplaces">${agents.map(
    ({ agentId, agentName, role }) =>
      html`<li><p><a href="${agentPath(agentId, 'home')}"><strong>${isolateBidi(agentName)}</strong></a> ${badge('neutral', roleNames[role])}</p></li>
`,
  )}</ul>`
}
