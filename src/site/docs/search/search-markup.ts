import { type Html, html } from '../../../platform/web/html.ts'
import type { SearchEntry, SearchResult } from '../assets/docs-search.mjs'
import { docsAssets } from '../assets-markup.ts'

export const searchPath = '/docs/search'
export const searchIndexPath = '/assets/docs-search.json'

/** Messages of `docs.js`, which fills in the placeholders. */
const scriptTexts = {
  placeholder: 'Search docs (Ctrl K)',
  results: 'Results',
  one: '1 result',
  many: '{} results',
  all: 'Show all results',
  none: 'Nothing found. Try fewer or shorter words.',
  failed: 'Couldn’t load the search index. Press Enter to search on the server.',
}

/**
 * A form that the server answers. `docs.js` shows results while the reader types, and loads the index when the field
 * gets the focus.
 */
export function searchForm(query = ''): Html {
  return html`<form class="docs-search" action="${searchPath}" role="search" data-index="${searchIndexPath}" data-library="${docsAssets.url('minisearch.mjs')}" data-search="${docsAssets.url('docs-search.mjs')}" data-texts="${JSON.stringify(scriptTexts)}">
<label class="visually-hidden" for="docs-query">Search docs</label><input id="docs-query" name="q" type="search" value="${query}" placeholder="Search docs" autocomplete="off"><button class="second" type="submit">Search</button></form>`
}

/** The sections of a page as index entries: the content between two headings with an ID. */
export function searchEntries(path: string, title: string, content: Html): SearchEntry[] {
  const prose = content.text
    .replace(/<div class="code".*?<\/pre><\/div>/gs, ' ')
    .replace(/<(form|ul class="languages").*?<\/(form|ul)>/gs, ' ')
  const [lead = '', ...parts] = prose.split(/(?=<h[23] id=")/)
  const entries = parts.map(part => {
    const [head = '', text = ''] = part.split(/<\/h[23]>/)
    const id = /id="([^"]*)"/.exec(head)?.[1] ?? ''
    return { path: `${path}#${id}`, page: title, heading: plain(head), text: plain(text) }
  })
  return [{ path, page: title, heading: '', text: plain(lead) }, ...entries]
}

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'", amp: '&' }

function plain(markup: string): string {
  return markup
    .replace(/<[^>]*>/g, ' ')
    .replace(/&([a-z]+|#\w+);/g, (entity, name: string) => entities[name] ?? entity)
    .replace(/\s+/g, ' ')
    .trim()
}

export function searchResults(query: string, results: readonly SearchResult[]): Html {
  if (query === '') return html`<p>Search for a word, a path, a field or an error code.</p>`
  if (results.length === 0)
    return html`<p role="status">Nothing found for “${query}”. Try fewer or shorter words.</p>`
  return html`<p class="quiet" role="status">${results.length === 1 ? '1 result' : `${results.length} results`}</p>
<ol class="found">${results.map(
    ({ path, page, heading, excerpt }) =>
      html`<li><a href="${path}">${heading === '' ? page : `${page}: ${heading}`}</a><p>${excerpt.map(([text, isFound]) => (isFound ? html`<mark>${text}</mark>` : text))}</p></li>`,
  )}</ol>`
}
