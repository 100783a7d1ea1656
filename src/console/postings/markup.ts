import type { ListedPage } from '../../jobs/postings.ts'
import type { PostingStatus } from '../../model/job-ad.ts'
import { parseNumericId } from '../../platform/core/ids.ts'
import { badge, pager } from '../../platform/web/components.ts'
import { type Html, html } from '../../platform/web/html.ts'

/** Shared by the pages of job ads and questionnaires: states, and lists with a filter and a cursor. */

/** `past` is open, but its closing date has passed. */
export type PostingState = 'open' | 'closed' | 'past' | 'review' | 'held'

export const stateNames: Record<PostingState, string> = {
  open: 'Open',
  closed: 'Closed',
  past: 'Past closing date',
  review: 'Waits for the job board',
  held: 'Held by the job board',
}

export function stateBadge(state: PostingState): Html {
  return badge(state === 'open' ? 'good' : state === 'closed' ? 'neutral' : 'warning', stateNames[state])
}

export { numberText as numberInWords } from '../../platform/core/locale.ts'

/** Used by `posting-forms.js`. */
export const counterText = '{length} of {most} characters'

/** Limit: Job ads or questionnaires on one page of an advertiser's own list. */
export const postingsShown = 20

interface Query {
  get(name: string): string | undefined
}

type Filter = PostingStatus | undefined

interface Position {
  beforeId?: number | undefined
  afterId?: number | undefined
}

export interface ListPlace {
  path: string
  filter?: Filter
  /** If absent, no link leads back to the newest entries. */
  position?: Position
}

/** An unreadable cursor starts at the first page. */
export function positionIn(query: Query): Position {
  const afterId = parseNumericId(query.get('after') ?? '')
  return afterId === undefined ? { beforeId: parseNumericId(query.get('before') ?? '') } : { afterId }
}

export const isContinued = ({ beforeId, afterId }: Position = {}): boolean =>
  (beforeId ?? afterId) !== undefined

export function filterIn(query: Query): Filter {
  const state = query.get('state')
  return state === 'open' || state === 'closed' ? state : undefined
}

function listPath(path: string, filter: Filter, position: Record<string, number> = {}): string {
  const query = new URLSearchParams()
  if (filter !== undefined) query.set('state', filter)
  for (const [name, id] of Object.entries(position)) query.set(name, String(id))
  return query.size === 0 ? path : `${path}?${query}`
}

/** Links that filter a list by state. */
export function filterLinks({ path, filter }: ListPlace): Html {
  const link = (state: Filter, label: string) =>
    html`<a class="segment" href="${listPath(path, state)}" data-label="${label}"${state === filter && html` aria-current="true"`}>${label}</a>`
  return html`<nav class="segments" aria-label="Filter by state">${link(undefined, 'All')}${link('open', stateNames.open)}${link('closed', stateNames.closed)}</nav>`
}

export function listPager(
  { entries, hasNewer, hasOlder }: ListedPage<{ id: number }>,
  { path, filter, position }: ListPlace,
): Html | false {
  const first = entries[0]
  const last = entries.at(-1)
  return pager({
    newest: isContinued(position) ? listPath(path, filter) : undefined,
    newer: hasNewer && first !== undefined ? listPath(path, filter, { after: first.id }) : undefined,
    older: hasOlder && last !== undefined ? listPath(path, filter, { before: last.id }) : undefined,
  })
}
