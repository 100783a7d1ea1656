import type { RouteOptions } from 'fastify'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { emptyState, table } from '../../platform/web/components.ts'
import { html } from '../../platform/web/html.ts'
import { type ClientPageDeps, clientPage, clientPath, stateOf } from '../../share/clients/pages.ts'
import { agentPath } from '../agent-navigation-markup.ts'
import { agentTab } from '../tab-pages.ts'

const url = '/agent/:agentId/clients'

/** The OAuth clients of an agent: new secrets immediately, other changes as the board allows. */
export function agentClientPages(deps: ClientPageDeps & { sessions: Sessions }): RouteOptions[] {
  const tab = agentTab(deps.sessions, 'clients', { view: 'member', change: 'admin' })
  const { show, acts, ofAgent, upload, done, doneByAgent } = clientPage(deps)

  return [
    ...tab(url, {
      show: async ({ caller: { agentId } }) => ({
        title: 'OAuth clients',
        body: html`<p class="lead">The programs with which you act for companies, and with which candidates share their profile.</p>
${table({
  caption: 'OAuth clients of this agent',
  empty: emptyState({
    title: 'No clients yet',
    text: 'The operator of this service registers clients. Ask for one.',
  }),
  rows: await deps.clients.listOf(agentId),
  columns: [
    [
      'Name',
      ({ id, name }) =>
        html`<a href="${clientPath(agentPath(agentId, 'clients'), id)}">${isolateBidi(name)}</a>`,
    ],
    ['Client ID', ({ id }) => html`<code>${id}</code>`],
    ['State', stateOf],
    ['Scopes', ({ scopes }) => scopes.join(' ')],
    ['Valid secrets', ({ secrets }) => secrets],
  ],
})}`,
      }),
    }),

    ...tab(`${url}/:clientId`, {
      show,
      namedActs: { ...acts, ...ofAgent },
      acts: { logo: { upload } },
      done: { ...done, ...doneByAgent },
    }),
  ]
}
