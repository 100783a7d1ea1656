import type { TypedAuditFilter } from '../../audit/filter-rules.ts'
import type { AuditEntry } from '../../audit/ports.ts'
import { changeText } from '../../audit/rendering.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { dataTable, emptyState, pager } from '../../web/components.ts'
import { filterBar } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { zonedTime } from '../../web/time.ts'
import { auditTexts as texts } from './audit-texts.ts'

export interface AuditPage {
  entries: readonly AuditEntry[]
  /** Of accounts, by their IDs. */
  names: ReadonlyMap<string, string>
  timeZone: string
  path: string
  typed: TypedAuditFilter
  /** The address of the next page. */
  older: string | undefined
  isFirst: boolean
}

/** The accounts whose names a page needs. */
export const accountsIn = (entries: readonly AuditEntry[]): string[] => [
  ...new Set(
    entries.flatMap(({ actorKind, actorId, target }) => [
      ...(actorKind === 'person' ? [actorId] : []),
      ...(target.startsWith('person:') ? [target.slice('person:'.length)] : []),
    ]),
  ),
]

/** The entries of a chain as a table, with filters and paging, for a company's admins. */
export function auditMarkup(page: AuditPage): Html {
  const { entries, timeZone, path, typed, older, isFirst } = page
  const words = texts.columns
  const isFiltered = Object.values(typed).some(value => value !== '')
  const columns = [words.at, words.actor, words.action, words.target, words.change].map(label => ({ label }))
  const rows = entries.map(entry => [
    zonedTime(entry.at, timeZone),
    html`${actorText(entry, page)}<br><span class="quiet">${[entry.proof, entry.address].filter(each => each !== null).join(' · ')}</span>`,
    texts.actions[entry.action] ?? entry.action,
    html`<span class="quiet">${targetText(entry, page)}</span>`,
    html`<span class="quiet">${changeText(entry)}</span>`,
  ])
  return html`${filterBar({ path, groups: texts.groups, typed, timeZone })}
${entries.length === 0 ? emptyState(isFiltered ? texts.noMatch : texts.empty) : dataTable(texts.caption, columns, rows)}
${pager({ newest: isFirst ? undefined : path, older })}`
}

const nameOf = (id: string, { names }: AuditPage): Html | string => {
  const name = names.get(id)
  return name === undefined ? texts.deleted : isolateBidi(name)
}

function actorText({ actorKind, actorId }: AuditEntry, page: AuditPage): Html | string {
  if (actorKind === 'person') return nameOf(actorId, page)
  // Who runs the service is the operator's matter.
  if (['operator', 'command', 'task'].includes(actorKind))
    return html`<span class="whole">${texts.kinds[actorKind]}</span>`
  return html`${texts.kinds[actorKind]} <code>${actorId}</code>`
}

function targetText({ target, actorKind, actorId }: AuditEntry, page: AuditPage): Html | string {
  const [kind = '', id = ''] = target.split(/:(.*)/s)
  if (kind !== 'person') return html`${kind} <code>${id}</code>`
  return actorKind === 'person' && actorId === id ? texts.self : nameOf(id, page)
}
