import type { ListedPage } from '../../jobs/ports.ts'
import type { PostingStatus } from '../../model/job-ad.ts'
import { pager } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { type Filter, listPath } from './list.ts'

/** Links that filter a list by state. */
export function filterLinks(
  path: string,
  filter: Filter,
  { label, names }: { label: string; names: Record<PostingStatus | 'all', string> },
): Html {
  const link = (state: Filter) =>
    html`<a class="segment" href="${listPath(path, state)}" data-label="${names[state ?? 'all']}"${state === filter && html` aria-current="true"`}>${names[state ?? 'all']}</a>`
  return html`<nav class="segments" aria-label="${label}">${[link(undefined), link('open'), link('closed')]}</nav>`
}

export function listPager(
  { entries, hasNewer, hasOlder }: ListedPage<{ id: number }>,
  path: string,
  { filter, isContinued }: { filter: Filter; isContinued: boolean },
): Html | false {
  const first = entries[0]
  const last = entries.at(-1)
  return pager({
    newest: isContinued ? listPath(path, filter) : undefined,
    newer: hasNewer && first !== undefined ? listPath(path, filter, { after: first.id }) : undefined,
    older: hasOlder && last !== undefined ? listPath(path, filter, { before: last.id }) : undefined,
  })
}
