import { parseNumericId } from '../core/ids.ts'
import { dayAfter, startOfDay } from '../core/time/time-zone.ts'
import type { FormFields } from '../http/requests/form.ts'
import { emptyState, pager, table } from '../web/components.ts'
import { filterBar } from '../web/fields.ts'
import { type Html, type HtmlValue, html } from '../web/html.ts'
import { type AuditScope, scopeNumber } from './acts.ts'
import type { AuditEntry, AuditFilter } from './ports.ts'
import type { AuditLog } from './service.ts'

/** The filter in the URL of a page; empty where nothing is chosen. */
interface TypedAuditFilter {
  action: string
  from: string
  to: string
}

const dayForm = /^\d{4}-\d\d-\d\d$/

/** Reads a group of actions and a range of days in this zone. An invalid filter is ignored. */
function readAuditFilter(
  get: (name: string) => string | undefined,
  groups: Readonly<Record<string, string>>,
  timeZone: string,
): { typed: TypedAuditFilter; filter: AuditFilter } {
  const day = (name: string) => {
    const text = get(name) ?? ''
    return dayForm.test(text) && !Number.isNaN(Date.parse(text)) ? text : ''
  }
  const group = get('action') ?? ''
  const typed = { action: Object.hasOwn(groups, group) ? group : '', from: day('from'), to: day('to') }
  return {
    typed,
    filter: {
      action: typed.action || undefined,
      from: typed.from === '' ? undefined : startOfDay(typed.from, timeZone),
      to: typed.to === '' ? undefined : startOfDay(dayAfter(typed.to), timeZone),
    },
  }
}

/** URL of the page after an entry, with the same filter. */
function olderPath(path: string, typed: TypedAuditFilter, lastNumber: number): string {
  const search = new URLSearchParams(Object.entries(typed).filter(([, value]) => value !== ''))
  search.set('before', String(lastNumber))
  return `${path}?${search}`
}

/** A chain of the audit log, newest first, with a filter: a company's or the board's. */
export async function auditList(
  auditLog: Pick<AuditLog, 'list'>,
  query: FormFields,
  list: {
    chain: AuditScope
    path: string
    perPage: number
    timeZone: string
    /** Choices for the filter, by the first word of the action. */
    groups: Readonly<Record<string, string>>
    caption: string
    /** The text of an empty chain. */
    emptyText: string
    columnsFor(
      entries: readonly AuditEntry[],
    ): Promise<readonly (readonly [label: string, cell: (entry: AuditEntry) => HtmlValue])[]>
  },
): Promise<{ isEmpty: boolean; markup: Html }> {
  const { chain, path, perPage, timeZone, groups } = list
  const { typed, filter } = readAuditFilter(name => query.get(name), groups, timeZone)
  const before = parseNumericId(query.get('before') ?? '')
  const scope = scopeNumber(chain)
  const position = before === undefined ? undefined : { at: 0, scope, number: before }
  const found = await auditLog.list(chain, filter, position, perPage + 1)
  const entries = found.slice(0, perPage)
  const isAny = before === undefined && Object.values(typed).every(value => value === '')
  const hasOlder = found.length > perPage
  return {
    isEmpty: entries.length === 0,
    markup: html`${filterBar({ path, groups, typed, timeZone })}
${table({
  caption: list.caption,
  empty: emptyState(
    isAny
      ? { title: 'No entries yet', text: list.emptyText }
      : { title: 'No entries match', text: 'Choose another kind of entry or other days.' },
  ),
  rows: entries,
  columns: await list.columnsFor(entries),
})}
${pager({
  newest: before === undefined ? undefined : path,
  older: hasOlder ? olderPath(path, typed, entries.at(-1)?.number ?? 0) : undefined,
})}`,
  }
}
