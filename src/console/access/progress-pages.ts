import type { RouteOptions } from 'fastify'
import type { Agents } from '../../companies/agents-service.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { type Call, pathId } from '../../platform/http/routes.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { breadcrumb, pageHead } from '../../platform/web/components.ts'
import { formsOf } from '../../platform/web/forms.ts'
import { html } from '../../platform/web/html.ts'
import { redirect, sendPage } from '../../platform/web/page-response.ts'
import { adminPage } from '../../platform/web/page-routes.ts'
import { t } from '../../platform/web/t.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'

const path = '/console/:advertiserId/access/agents/:agentId/progress'

/** Whether an agent may report how applications go on, apart from reading them. For admins. */
export function progressGrantPages({
  agents,
  sessions,
}: {
  agents: Pick<Agents, 'listFor' | 'setProgress'>
  sessions: Sessions
}): RouteOptions[] {
  type PageCall = Call<'console', 'agentId'>

  async function agentOf({ caller, params }: PageCall) {
    const agentId = pathId(params.agentId)
    const all = await agents.listFor(caller.advertiserId)
    const agent = all.find(({ id, authorisedAt }) => id === agentId && authorisedAt !== null)
    if (agent === undefined) throw new Problem('not-found')
    return { ...agent, isGranted: agent.progressGrantedAt !== null }
  }
  const ownPath = ({ caller, params }: PageCall) =>
    `${consolePath(caller.advertiserId, 'access')}/agents/${params.agentId}/progress`

  return [
    adminPage.get(path, async call => {
      const { name, isGranted } = await agentOf(call)
      const action = ownPath(call)
      const back = consolePath(call.caller.advertiserId, 'access')
      const agent = isolateBidi(name)
      return sendPage(call.reply, {
        title: t`Progress reports`,
        heading: pageHead(t`Progress reports`, false, breadcrumb([{ href: back, label: t`API access` }])),
        navigation: consoleNavigation(call.caller, 'access'),
        body: html`<div class="card">
<p>${
          isGranted
            ? t`${agent} may report how your applications go on. Its reports change their status.`
            : t`${agent} may only read. If you allow it to report how your applications go on, its reports change their status.`
        }</p>
<p>${t`Candidates see the status on their page. Which changes they hear of by email is your choice under “Telling candidates”; the report or their own choices can keep an email back.`}</p>
<p class="quiet">${t`A change takes effect with its next request. The history of each application shows what it reported.`}</p>
<div class="actions">${formsOf(sessions, call.reply).button({
          action,
          fields: { allow: isGranted ? 'no' : 'yes' },
          label: isGranted ? t`Stop reports` : t`Allow reports`,
          kind: isGranted ? 'danger' : 'first',
        })} <a class="button second" href="${back}">${t`Back to API access`}</a></div></div>`,
      })
    }),

    adminPage.fresh.post(path, async call => {
      const fields = sessions.checkForm(call, ownPath(call))
      const { id } = await agentOf(call)
      await agents.setProgress(call.caller.advertiserId, id, fields.get('allow') === 'yes')
      return redirect(call.reply, ownPath(call))
    }),
  ]
}
