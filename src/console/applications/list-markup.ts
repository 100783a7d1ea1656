import { filterSearch, type ReadFilter } from '../../collect/search/filter.ts'
import type { FoundApplication, FoundPage } from '../../collect/search/ports.ts'
import { chosenStatuses, statuses, statusLabels } from '../../model/application-status.ts'
import { selectField, tickBox } from '../../web/fields.ts'
import { flag, type Html, html } from '../../web/html.ts'
import { icon } from '../../web/icons.ts'
import { listTexts as texts } from './list-texts.ts'

/** The statuses as links that filter by them, with their numbers where they are known. */
export function statusTabs(path: string, { typed }: ReadFilter, { counts }: FoundPage): Html {
  const tab = (status: string, label: string, count: number | undefined) =>
    html`<a href="${path}${filterSearch(typed, { status })}"${typed.status === status && html` aria-current="page"`}>${label}${count !== undefined && html` <span class="count">${texts.number(count)}</span>`}</a>`
  const all = counts && Object.values(counts).reduce((sum, count) => sum + count, 0)
  return html`<nav class="status-tabs" id="status" aria-label="${texts.tabs}">${tab('', texts.all, all)}${statuses.map(status => tab(status, statusLabels[status], counts?.[status]))}</nav>`
}

/** Whether new applications come first, as a link to the other order. */
export function orderLink(path: string, { typed }: ReadFilter): Html {
  const isUnreadFirst = typed.order === 'unread'
  return html`<a id="order" href="${path}${filterSearch(typed, { order: isUnreadFirst ? '' : 'unread' })}">${isUnreadFirst ? texts.newestFirst : texts.unreadFirst}</a>`
}

export interface Selection {
  /** Where the form is sent; the list with its filter. */
  action: string
  archiveAction: string
  token: string
  formKey: string
  /** Selected when the form is shown again. */
  chosen: ReadonlySet<number>
  typed: { status: string; tells: boolean }
  canTell: boolean
}

/** Selects the application with the status that the page shows. */
export function chooser({ id, status }: FoundApplication, name: string, { chosen }: Selection): Html {
  return html`<input type="checkbox" name="chosen" value="${id}:${status}" aria-label="${texts.choose(name)}" ${flag('checked', chosen.has(id))}>`
}

/** The form around the table: what to do with the applications that are selected in it. */
export function selectionForm(selection: Selection, table: Html): Html {
  const { action, archiveAction, token, formKey, typed, canTell } = selection
  return html`<form class="selection" method="post" action="${action}" novalidate>
<input type="hidden" name="form_token" value="${token}"><input type="hidden" name="form_key" value="${formKey}">
${table}
<div class="bulk" role="group" aria-label="${texts.selected}"><span class="label">${texts.selected}</span>
${selectField({
  name: 'status',
  id: 'new-status',
  label: html`<span class="for-readers">${texts.newStatus}</span>`,
  value: typed.status,
  none: texts.chooseStatus,
  choices: chosenStatuses.map(status => ({ id: status, description: statusLabels[status] })),
  errors: [],
})}
${canTell && tickBox({ name: 'tell', label: texts.tell, isTicked: typed.tells, errors: [] })}
<button class="second small" type="submit">${texts.change}</button>
<button class="second small" type="submit" formaction="${archiveAction}" data-stays>${icon('download')}${texts.files}</button></div></form>`
}
