import type { TypedAuditFilter } from '../../audit/filter-rules.ts'
import type { AuditEntry } from '../../audit/ports.ts'
import { changeText } from '../../audit/rendering.ts'
import { dataTable, emptyState, pager } from '../../web/components.ts'
import { filterBar } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { zonedTime } from '../../web/time.ts'
import { auditTexts as texts } from './texts.ts'

export interface AuditPage {
  entries: readonly AuditEntry[]
  timeZone: string
  path: string
  typed: TypedAuditFilter
  /** The address of the next page. */
  older: string | undefined
  isFirst: boolean
}

const kinds: Record<string, string> = texts.kinds

/** The board's chain: IDs only. */
export function auditMarkup({ entries, timeZone, path, typed, older, isFirst }: AuditPage): Html {
  const labels = [texts.number, texts.at, texts.actor, texts.action, texts.target, texts.change]
  const rows = entries.map(entry => [
    String(entry.number),
    zonedTime(entry.at, timeZone),
    html`<span class="whole">${kinds[entry.actorKind] ?? entry.actorKind}</span> ${entry.actorId} <span class="quiet whole">${texts.proof(entry.proof)}</span>`,
    html`<span class="whole">${entry.action}</span>`,
    entry.target,
    changeText(entry) || texts.nothing,
  ])
  const isAny = isFirst && Object.values(typed).every(value => value === '')
  return html`<p>${texts.lead}</p>
${filterBar({ path, groups: texts.groups, typed, timeZone })}
${
  rows.length === 0
    ? emptyState(isAny ? texts.none : texts.noMatch)
    : dataTable(
        texts.caption,
        labels.map(label => ({ label })),
        rows,
      )
}
${pager({ newest: isFirst ? undefined : path, older })}`
}
