import type { RouteOptions } from 'fastify'
import type { Agents } from '../../advertisers/agents-service.ts'
import { stripBidi } from '../../web/bidi.ts'
import { pageHead } from '../../web/components.ts'
import { html } from '../../web/html.ts'
import { sendPage } from '../../web/page-response.ts'
import { agentAdminPage } from '../../web/page-routes.ts'
import { agentNavigation, agentPath } from '../agent-navigation-markup.ts'
import {
  doneNotice,
  type EndpointPageDeps,
  endpointList,
  endpointPages,
  zoneNote,
} from '../events/endpoint-pages.ts'
import { agentTexts } from './texts.ts'

const base = '/agent/:agentId/webhooks'

/** The webhook endpoints of an agent, for the events of all companies that have authorised it. */
export function agentWebhookPages(
  deps: EndpointPageDeps & { agents: Pick<Agents, 'companiesOf'>; timeZone: string },
): RouteOptions[] {
  const { webhooks: texts } = agentTexts
  return [
    agentAdminPage.get(base, async call => {
      const { agentId } = call.caller
      const endpoints = await endpointList(
        deps.webhooks,
        { agentId },
        agentPath(agentId, 'webhooks'),
        deps.timeZone,
      )
      return sendPage(call.reply, {
        title: texts.title,
        heading: html`${pageHead(texts.title)}${doneNotice(call)}`,
        navigation: agentNavigation(call.caller, 'webhooks'),
        isWide: true,
        body: html`<p class="lead">${texts.lead}</p>
${endpoints}${zoneNote(deps.timeZone)}`,
      })
    }),
    ...endpointPages<'agent'>(deps, {
      ...{
        base,
        parameter: 'webhookId',
        admin: agentAdminPage,
        title: texts.title,
        zoneOf: () => deps.timeZone,
      },
      ownerOf: ({ agentId }) => ({ agentId }),
      pathOf: ({ agentId }) => agentPath(agentId, 'webhooks'),
      navigation: caller => agentNavigation(caller, 'webhooks'),
      companiesOf: async ({ agentId }) =>
        (await deps.agents.companiesOf(agentId)).map(({ advertiserId, name }) => ({
          ...{ id: String(advertiserId), description: `${stripBidi(name)} (${advertiserId})` },
        })),
    }),
  ]
}
