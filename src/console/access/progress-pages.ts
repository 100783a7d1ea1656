import type { RouteOptions } from 'fastify'
import type { Agents } from '../../companies/agents-service.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { type Call, pathId } from '../../platform/http/routes.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { html } from '../../platform/web/html.ts'
import { consolePath } from '../navigation-markup.ts'
import { consoleTab } from '../tab-pages.ts'

/** Whether an agent may report progress, besides reading applications. For admins. */
export function progressGrantPages(deps: {
  agents: Pick<Agents, 'listFor' | 'setProgress'>
  sessions: Sessions
}): RouteOptions[] {
  async function agentOf({ caller, params }: Call<'console', 'agentId'>) {
    const agentId = pathId(params.agentId)
    const all = await deps.agents.listFor(caller.advertiserId)
    const agent = all.find(({ id, authorisedAt }) => id === agentId && authorisedAt !== null)
    if (agent === undefined) throw new Problem('not-found')
    const back = consolePath(caller.advertiserId, 'access')
    return { ...agent, back, path: `${back}/agents/${params.agentId}/progress` }
  }

  const tab = consoleTab(deps.sessions, 'access', { view: 'admin', proof: 'fresh' })
  return tab('/console/:advertiserId/access/agents/:agentId/progress', {
    async show(call) {
      const { name, progressGrantedAt, back, path } = await agentOf(call)
      const isGranted = progressGrantedAt !== null
      const agent = isolateBidi(name)
      return {
        title: 'Progress reports',
        crumbs: [{ href: back, label: 'API access' }],
        body: html`<div class="card">
<p>${
          isGranted
            ? html`${agent} may report how your applications go on. Its reports change their status.`
            : html`${agent} may only read. If you allow it to report how your applications go on, its reports change their status.`
        }</p>
<p>Candidates see the status on their page. Which changes they hear of by email is your choice under “Telling candidates”; the report or their own choices can keep an email back.</p>
<p class="quiet">A change takes effect with its next request. The history of each application shows what it reported.</p>
<div class="actions">${call.button({
          action: path,
          fields: { allow: isGranted ? 'no' : 'yes' },
          label: isGranted ? 'Stop reports' : 'Allow reports',
          kind: isGranted ? 'danger' : 'first',
        })} <a class="button second" href="${back}">Back to API access</a></div></div>`,
      }
    },
    acts: {
      '': {
        async run(call) {
          const { id, path } = await agentOf(call)
          await deps.agents.setProgress(call.caller.advertiserId, id, call.value('allow') === 'yes')
          return { location: path }
        },
      },
    },
  })
}
