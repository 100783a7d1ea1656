import type { RouteOptions } from 'fastify'
import type { Agents } from '../../advertisers/agents-service.ts'
import { agentRoles, roles } from '../../model/principal.ts'
import { sendPage } from '../../web/page-response.ts'
import { adminPage, agentAdminPage, agentPage, memberPage } from '../../web/page-routes.ts'
import { agentNavigation, agentPath } from '../agent-navigation-markup.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'
import { type PeoplePageDeps, peoplePages } from '../people/pages.ts'
import { agentPeopleTexts, peopleTexts } from '../people/texts.ts'
import { companiesMarkup } from './markup.ts'
import { agentTexts } from './texts.ts'

/** The first page of an agent: the companies that it acts for. */
export function agentPages(deps: { agents: Pick<Agents, 'companiesOf'> }): RouteOptions[] {
  return [
    agentPage.get('/agent/:agentId', async ({ reply, caller }) =>
      sendPage(reply, {
        title: agentTexts.companies.title,
        isWide: true,
        navigation: agentNavigation(caller, 'home'),
        body: companiesMarkup(await deps.agents.companiesOf(caller.agentId), caller.agentId),
      }),
    ),
  ]
}

export const companyPeoplePages = (deps: PeoplePageDeps): RouteOptions[] =>
  peoplePages(deps, {
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
