import type { FieldError } from '../../core/problems.ts'
import type { ListedPage } from '../../jobs/ports.ts'
import { badge, dataTable, emptyState, notice, pager } from '../../web/components.ts'
import { errorSummary } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { type Filter, listPath } from './list.ts'
import { type PostingTexts, postingTexts as shared } from './texts.ts'

/** `past` is open, but its closing date has passed. */
export type PostingState = keyof typeof shared.states

export function stateBadge(state: PostingState): Html {
  return badge(({ open: 'good', closed: 'neutral', past: 'warning' } as const)[state], shared.states[state])
}

export interface ListPlace {
  path: string
  filter: Filter
  isContinued: boolean
}

export function listMarkup<Row extends { id: number }>(
  page: ListedPage<Row>,
  place: ListPlace,
  texts: PostingTexts,
  cellsOf: (row: Row) => readonly (Html | string)[],
): Html {
  const columns = texts.columns.map(label => ({ label }))
  return html`${filterLinks(place)}
${page.entries.length === 0 ? emptyMarkup(place, texts) : dataTable(texts.caption, columns, page.entries.map(cellsOf))}
${listPager(page, place)}`
}

/** Links that filter a list by state. */
function filterLinks({ path, filter }: ListPlace): Html {
  const link = (state: Filter) => {
    const name = shared.filters[state ?? 'all']
    return html`<a class="segment" href="${listPath(path, state)}" data-label="${name}"${state === filter && html` aria-current="true"`}>${name}</a>`
  }
  return html`<nav class="segments" aria-label="${shared.filterLabel}">${[link(undefined), link('open'), link('closed')]}</nav>`
}

function emptyMarkup({ path, filter, isContinued }: ListPlace, { empty, newEntry }: PostingTexts): Html {
  const kind = isContinued ? 'page' : (filter ?? 'all')
  const [title, text] = empty[kind]
  const action = kind === 'all' ? { href: `${path}/new`, label: newEntry } : undefined
  return emptyState({ title, text, action })
}

function listPager(
  { entries, hasNewer, hasOlder }: ListedPage<{ id: number }>,
  { path, filter, isContinued }: ListPlace,
): Html | false {
  const first = entries[0]
  const last = entries.at(-1)
  return pager({
    newest: isContinued ? listPath(path, filter) : undefined,
    newer: hasNewer && first !== undefined ? listPath(path, filter, { after: first.id }) : undefined,
    older: hasOlder && last !== undefined ? listPath(path, filter, { before: last.id }) : undefined,
  })
}

/** The form of an entry, around the fields of its kind. */
export function formMarkup(page: {
  path: string
  /** Path of the list. */
  back: string
  hidden: Record<string, string>
  save: string
  /** Additional attributes of the form. */
  attributes: Html
  fields: Html
  errors: readonly FieldError[]
  placeOf: ((field: string) => string | undefined) | undefined
  notices: Html
  /** The entry as candidates would see it. */
  preview: Html | undefined
  previewHint: string
}): Html {
  return html`${page.notices}${errorSummary(page.errors, page.placeOf)}
<form method="post" action="${page.path}" novalidate data-posting ${page.attributes}>
${Object.entries(page.hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button class="default" type="submit" tabindex="-1" aria-hidden="true">${page.save}</button>
${page.fields}
<p class="actions"><button type="submit">${page.save}</button>
<button class="second" type="submit" name="do" value="preview">${shared.preview}</button>
<a href="${page.back}">${shared.cancel}</a></p>
</form>
${
  page.preview &&
  html`<section class="preview" aria-labelledby="preview-title"><h2 id="preview-title" tabindex="-1" autofocus>${shared.previewTitle}</h2>
<p class="hint">${page.previewHint}</p><div class="frame" inert>${page.preview}</div></section>`
}`
}

/** What has just been done, unless the entry has changed again since. */
export function doneNotice(
  done: string | undefined,
  state: PostingState,
  texts: PostingTexts,
): Html | undefined {
  const isPast = state === 'past'
  const { made, wasOpened } = (isPast && texts.past) || texts
  if (done === 'made') return notice(isPast ? 'warning' : 'good', made)
  if (done === 'saved') return notice('good', texts.saved)
  if (done === 'closed' && state === 'closed') return notice('good', texts.wasClosed)
  if (done === 'open' && state !== 'closed') return notice(isPast ? 'warning' : 'good', wasOpened)
  return undefined
}
