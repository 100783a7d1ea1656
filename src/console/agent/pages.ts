import type { RouteOptions } from 'fastify'
import type { AgentCalls } from '../../advertisers/agent-calls-service.ts'
import type { Agents } from '../../advertisers/agents-service.ts'
import type { SessionOwner } from '../../model/candidate.ts'
import { agentRoles, roles } from '../../model/principal.ts'
import { html } from '../../web/html.ts'
import { sendPage } from '../../web/page-response.ts'
import { adminPage, agentAdminPage, agentPage, memberPage } from '../../web/page-routes.ts'
import { agentNavigation, agentPath } from '../agent-navigation-markup.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'
import { type PeoplePageDeps, peoplePages } from '../people/pages.ts'
import { agentPeopleTexts, peopleTexts } from '../people/texts.ts'
import { callsMarkup, companiesMarkup } from './markup.ts'
import { agentTexts } from './texts.ts'

/** The first page of an agent: the companies that it acts for, and its calls. */
export function agentPages(deps: {
  agents: Pick<Agents, 'companiesOf'>
  calls: Pick<AgentCalls, 'lastDays' | 'lastCalls'>
}): RouteOptions[] {
  const { agents, calls } = deps
  return [
    agentPage.get('/agent/:agentId', async ({ reply, caller: { agentId, ...caller } }) => {
      const [companies, last, days] = await Promise.all([
        agents.companiesOf(agentId),
        calls.lastCalls(agentId),
        calls.lastDays(agentId),
      ])
      return sendPage(reply, {
        title: agentTexts.companies.title,
        isWide: true,
        styles: ['chart.css'],
        navigation: agentNavigation({ agentId, ...caller }, 'home'),
        body: html`${companiesMarkup(companies, last, agentId)}${callsMarkup(days)}`,
      })
    }),
  ]
}

export const companyPeoplePages = (
  deps: PeoplePageDeps,
  factor: {
    set(advertiserId: number, isRequired: boolean): Promise<unknown>
    enrolmentOf(owner: SessionOwner): string | undefined
  },
): RouteOptions[] =>
  peoplePages(deps, {
    factor: {
      of: caller => ({
        isRequired: caller.requiresFactor,
        hasOwn: factor.enrolmentOf(caller) === undefined,
      }),
      set: factor.set,
    },
    url: '/console/:advertiserId/people',
    ...{ member: memberPage, admin: adminPage, roles, texts: peopleTexts },
    ownerOf: ({ advertiserId, advertiserName }) => ({
      ...{ id: advertiserId, name: advertiserName, path: consolePath(advertiserId, 'people') },
    }),
    navigation: caller => consoleNavigation(caller, 'people'),
  })

export const agentPeoplePages = (deps: PeoplePageDeps): RouteOptions[] =>
  peoplePages(deps, {
    url: '/agent/:agentId/people',
    ...{ member: agentPage, admin: agentAdminPage, roles: agentRoles, texts: agentPeopleTexts },
    ownerOf: ({ agentId, agentName }) => ({
      ...{ id: agentId, name: agentName, path: agentPath(agentId, 'people') },
    }),
    navigation: caller => agentNavigation(caller, 'people'),
  })
