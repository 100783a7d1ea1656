import type { CompanyOfAgent } from '../../advertisers/ports.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { badge, dataTable, emptyState } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { timeElement } from '../../web/time.ts'
import { agentTexts } from './texts.ts'

export function companiesMarkup(companies: readonly CompanyOfAgent[], agentId: number): Html {
  const { companies: texts } = agentTexts
  const rows = companies.map(({ advertiserId, name, status, authorisedAt }) => [
    html`${isolateBidi(name)}${status === 'hold' && html` ${badge('warning', texts.onHold)}`}`,
    html`<code>${advertiserId}</code>`,
    timeElement(authorisedAt),
  ])
  const columns = [texts.name, texts.id, texts.since].map(label => ({ label }))
  return html`<p class="lead">${texts.lead}</p>
${rows.length === 0 ? emptyState(texts.empty) : dataTable(texts.caption, columns, rows)}
<p class="quiet">${texts.ownId(agentId)}</p>`
}
