import type { RouteOptions } from 'fastify'
import type { AgentCalls, DayOfCalls } from '../../companies/agent-calls-service.ts'
import type { Agents } from '../../companies/agents-service.ts'
import { numberText } from '../../platform/core/locale.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { assetUrl } from '../../platform/web/assets.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { badge, emptyState, table } from '../../platform/web/components.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { timeElement } from '../../platform/web/time.ts'
import { callsChart, fullDateText } from '../charts-markup.ts'
import { agentTab } from '../tab-pages.ts'

/** An agent's landing page: the companies that it acts for, and its calls. */
export function agentHomePages(deps: {
  agents: Pick<Agents, 'companiesOf'>
  calls: Pick<AgentCalls, 'lastDays' | 'lastCalls'>
  sessions: Sessions
}): RouteOptions[] {
  const { agents, calls } = deps
  return agentTab(deps.sessions, 'home', { view: 'member' })('/agent/:agentId', {
    async show({ caller: { agentId } }) {
      const [companies, lastCalls, days] = await Promise.all([
        agents.companiesOf(agentId),
        calls.lastCalls(agentId),
        calls.lastDays(agentId),
      ])
      return {
        title: 'Companies',
        styles: [assetUrl('chart.css')],
        body: html`<p class="lead">Companies that have authorised you. Your clients can get a token for each of them.</p>
${table({
  caption: 'Companies that have authorised this agent',
  empty: emptyState({
    title: 'No company has authorised you yet',
    text: 'Give your agent ID to the companies that you work for. An admin of each company authorises you in its console, on the page “API access”.',
  }),
  rows: companies,
  columns: [
    [
      'Company',
      ({ name, status }) =>
        html`${isolateBidi(name)}${status === 'hold' && html` ${badge('warning', 'On hold')}`}`,
    ],
    ['ID', ({ advertiserId }) => html`<code>${advertiserId}</code>`],
    ['Since', ({ authorisedAt }) => timeElement(authorisedAt)],
    [
      'May report progress since',
      ({ progressGrantedAt }) => (progressGrantedAt === null ? 'Reads only' : timeElement(progressGrantedAt)),
    ],
    [
      'Last call',
      ({ advertiserId }) => {
        const at = lastCalls.get(advertiserId)
        return at === undefined ? 'None yet' : timeElement(at)
      },
    ],
  ],
})}
<p class="quiet">Companies authorise you on their page “API access”, with your agent ID: <code>${agentId}</code>.</p>
${callsMarkup(days)}`,
      }
    },
  })
}

/** Calls per day, and the problems with which the rejected ones failed. */
function callsMarkup(days: readonly DayOfCalls[]): Html {
  const refused = new Map<string, number>()
  for (const { code, calls } of days.flatMap(day => day.refused))
    refused.set(code, (refused.get(code) ?? 0) + calls)
  const linkTo = (code: string) => html`<a href="/docs/errors#${code}"><code>${code}</code></a>`
  const problems = [...refused].sort(([, a], [, b]) => b - a)
  const rows = days.filter(({ calls, refused: some }) => calls > 0 || some.length > 0).toReversed()
  return html`<h2>Calls of the last ${days.length} days</h2><p class="quiet">Calls with a valid token for a company. Days are in Australian Eastern Standard Time (UTC+10). Calls appear here after a few seconds.</p>
${callsChart(days, 'No calls in this period.')}
${
  problems.length > 0 &&
  html`<h3>Refused calls</h3>${table({
    caption: 'Refused calls by problem',
    rows: problems,
    columns: [
      ['Problem', ([code]) => linkTo(code)],
      ['Calls', ([, count]) => numberText(count)],
    ],
  })}`
}
${
  rows.length > 0 &&
  html`<details><summary>View as table</summary>${table({
    caption: 'Calls per day, newest first',
    rows,
    columns: [
      ['Day', ({ day }) => fullDateText(day)],
      ['API calls', ({ calls }) => numberText(calls)],
      [
        'Refused calls',
        ({ refused: some }) =>
          some.length === 0
            ? 'None'
            : html`${some.map(({ code, calls }, index) => html`${index > 0 && ', '}${numberText(calls)} ${linkTo(code)}`)}`,
      ],
    ],
  })}</details>`
}`
}
