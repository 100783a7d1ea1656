import type { DayOfCalls } from '../../advertisers/agent-calls-service.ts'
import type { CompanyOfAgent } from '../../advertisers/ports.ts'
import type { EpochMs } from '../../core/clock.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { barChart, numberText } from '../../web/chart.ts'
import { badge, dataTable, emptyState } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { timeElement } from '../../web/time.ts'
import { accessTexts } from '../access/texts.ts'
import { agentTexts } from './texts.ts'

export function companiesMarkup(
  companies: readonly CompanyOfAgent[],
  lastCalls: ReadonlyMap<number, EpochMs>,
  agentId: number,
): Html {
  const { companies: texts } = agentTexts
  const rows = companies.map(({ advertiserId, name, status, authorisedAt }) => {
    const lastAt = lastCalls.get(advertiserId)
    return [
      html`${isolateBidi(name)}${status === 'hold' && html` ${badge('warning', texts.onHold)}`}`,
      html`<code>${advertiserId}</code>`,
      timeElement(authorisedAt),
      lastAt === undefined ? texts.noCall : timeElement(lastAt),
    ]
  })
  const columns = [texts.name, texts.id, texts.since, texts.lastCall].map(label => ({ label }))
  return html`<p class="lead">${texts.lead}</p>
${rows.length === 0 ? emptyState(texts.empty) : dataTable(texts.caption, columns, rows)}
<p class="quiet">${texts.ownId(agentId)}</p>`
}

/** Calls per day, and the problems with which some were refused. */
export function callsMarkup(days: readonly DayOfCalls[]): Html {
  const { calls: texts } = agentTexts
  const { usage } = accessTexts
  const bars = days.map(({ day, calls }) => ({ label: usage.dayText(day), value: calls }))
  const total = bars.reduce((sum, { value }) => sum + value, 0)
  const highest = bars.reduce((a, b) => (b.value > a.value ? b : a), { label: '', value: 0 })
  const refused = new Map<string, number>()
  for (const { code, calls } of days.flatMap(day => day.refused))
    refused.set(code, (refused.get(code) ?? 0) + calls)
  const named = (code: string) => html`<a href="/docs/errors#${code}"><code>${code}</code></a>`
  const problems = [...refused]
    .sort(([, a], [, b]) => b - a)
    .map(([code, calls]) => [named(code), numberText(calls)])
  const rows = days
    .filter(({ calls, refused: some }) => calls > 0 || some.length > 0)
    .toReversed()
    .map(({ day, calls, refused: some }) => [
      usage.wholeDayText(day),
      numberText(calls),
      some.length === 0
        ? texts.none
        : html`${some.map(({ code, calls: times }, index) => html`${index > 0 && ', '}${numberText(times)} ${named(code)}`)}`,
    ])
  const columns = (...labels: string[]) => labels.map(label => ({ label }))
  return html`<h2>${texts.title(days.length)}</h2><p class="quiet">${texts.lead}</p>
${barChart({
  title: usage.calls(total),
  summary: usage.callsSummary(total, highest.value, highest.label),
  whenEmpty: texts.empty,
  bars,
})}
${problems.length > 0 && html`<h3>${texts.refused}</h3>${dataTable(texts.refusedCaption, columns(texts.code, texts.number), problems)}`}
${rows.length > 0 && html`<details><summary>${usage.table}</summary>${dataTable(texts.caption, columns(usage.day, usage.callsColumn, texts.refused), rows)}</details>`}`
}
