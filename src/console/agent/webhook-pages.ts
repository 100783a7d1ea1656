import type { RouteOptions } from 'fastify'
import type { Agents } from '../../companies/agents-service.ts'
import { stripBidi } from '../../platform/web/bidi.ts'
import { html } from '../../platform/web/html.ts'
import { agentPath } from '../agent-navigation-markup.ts'
import { type EndpointPageDeps, endpointPages } from '../events/endpoint-pages.ts'
import { agentTab } from '../tab-pages.ts'

/** The webhook endpoints of an agent, for the events of all companies that have authorised it. */
export function agentWebhookPages(
  deps: EndpointPageDeps & { agents: Pick<Agents, 'companiesOf'>; timeZone: string },
): RouteOptions[] {
  const docs = html`<a href="/docs/webhooks">How to receive webhooks</a>`
  return endpointPages<'agent'>(deps, {
    tab: agentTab(deps.sessions, 'webhooks', { view: 'admin', proof: 'fresh' }),
    url: '/agent/:agentId/webhooks',
    parameter: 'webhookId',
    title: 'Webhooks',
    lead: html`Have events of all companies that have authorised you sent to your program. ${docs}`,
    zoneOf: () => deps.timeZone,
    ownerOf: ({ agentId }) => ({ agentId }),
    pathOf: ({ agentId }) => agentPath(agentId, 'webhooks'),
    companiesOf: async ({ agentId }) =>
      (await deps.agents.companiesOf(agentId)).map(({ advertiserId, name }) => ({
        id: String(advertiserId),
        description: `${stripBidi(name)} (${advertiserId})`,
      })),
  })
}
