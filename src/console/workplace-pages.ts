import type { RouteOptions } from 'fastify'
import type { AgentMember, AgentRole, Role } from '../model/principal.ts'
import type { Workplace } from '../people/members/ports.ts'
import type { AgentMembers, Members } from '../people/members/service.ts'
import { isolateBidi } from '../web/bidi.ts'
import { badge, emptyState } from '../web/components.ts'
import { type Html, html } from '../web/html.ts'
import { redirect, sendPage } from '../web/page-response.ts'
import { accountPage } from '../web/page-routes.ts'
import { agentPath } from './agent-navigation-markup.ts'
import { consolePath } from './navigation-markup.ts'

const texts = {
  title: 'Your companies',
  lead: 'Choose a company to see its applications.',
  role: { recruiter: 'Recruiter', reader: 'Reader', admin: 'Admin' } satisfies Record<
    Role | AgentRole,
    string
  >,
  agents: 'Your agents',
  agentsLead: 'Choose an agent to see the companies that it acts for.',
  onHold: 'On hold',
  holdText: 'On hold: its pages are unavailable until the operator of this service lifts the hold.',
  noneTitle: 'You need an invitation',
  noneText: (email: string): Html =>
    html`This is where companies read their applications. Ask an admin of your company, or the operator of this service, to invite ${isolateBidi(email)}, then open the link in the invitation.`,
  toAccount: 'Go to your account',
  newTitle: 'This job board is new',
  newText: html`There is no company yet. If you run this board, <a href="/operator">open the operator’s pages</a> and add the first one, or run <code>dossier advertiser add</code>.`,
} as const

/** The entry page of the console: a person of a single company or agent is redirected to it. */
export function workplacePages(deps: {
  members: Pick<Members, 'workplacesOf'>
  agentMembers: Pick<AgentMembers, 'workplacesOf'>
  /** Whether there is no company yet. */
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
      const title = first === undefined && agent !== undefined ? texts.agents : texts.title
      const body =
        first === undefined && agent === undefined
          ? nothing(caller.email, await deps.isNew())
          : html`${first !== undefined && list(workplaces)}${agent !== undefined && agentList(agents, first !== undefined)}`
      return sendPage(reply, { title, body })
    }),
  ]
}

function nothing(email: string, isNew: boolean): Html {
  return emptyState({
    title: isNew ? texts.newTitle : texts.noneTitle,
    text: isNew ? texts.newText : texts.noneText(email),
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

function agentList(agents: readonly AgentMember[], hasHeading: boolean): Html {
  return html`${hasHeading && html`<h2>${texts.agents}</h2>`}<p>${texts.agentsLead}</p>
<ul class="plain card workplaces">${agents.map(
    ({ agentId, agentName, role }) =>
      html`<li><p><a href="${agentPath(agentId, 'home')}"><strong>${isolateBidi(agentName)}</strong></a> ${badge('neutral', texts.role[role])}</p></li>
`,
  )}</ul>`
}
