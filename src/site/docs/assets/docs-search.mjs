/** Searches the docs. The server imports it for its own search page, and `docs.js` when the search is first opened. */

const excerptLength = 140
/** Each word of a query costs a search of its own. */
const maxWords = 8

/** `MiniSearch` is the library; `entries` are the sections of all pages. Returns the function that searches. */
export function createSearch(MiniSearch, entries) {
  const index = new MiniSearch({
    idField: 'path',
    fields: ['page', 'heading', 'text'],
    storeFields: ['page', 'heading', 'text'],
    // Words as people look for them: `afterid`, `Retry-After`, `invalid_scope`, and their parts.
    tokenize: text => {
      const whole = text.split(/[^\p{L}\p{N}_-]+/u)
      return [...whole, ...whole.filter(word => /[_-]/.test(word)).flatMap(word => word.split(/[_-]+/))]
    },
    searchOptions: {
      boost: { page: 4, heading: 6 },
      // A page that is called so comes before its sections.
      boostDocument: (_path, word, { page, heading }) =>
        heading === '' && page.toLowerCase().includes(word) ? 2 : 1,
      combineWith: 'AND',
      prefix: true,
      fuzzy: word => (word.length > 4 ? 0.2 : false),
      // Of a word with a hyphen, the whole counts.
      tokenize: text =>
        [...new Set(text.split(/[^\p{L}\p{N}_-]+/u))].filter(word => word !== '').slice(0, maxWords),
    },
  })
  index.addAll(entries)
  return (query, most) =>
    index
      .search(query)
      .slice(0, most)
      .map(({ id, page, heading, text, terms }) => ({
        path: id,
        page,
        heading,
        excerpt: excerptOf(text, terms),
      }))
}

/** The text around the first word that was found, cut into pieces: `[text, isFound]`. */
function excerptOf(text, terms) {
  const lower = text.toLowerCase()
  const places = terms.map(term => lower.indexOf(term)).filter(place => place !== -1)
  const first = places.length === 0 ? 0 : Math.max(0, Math.min(...places) - 40)
  const start = first === 0 ? 0 : text.indexOf(' ', first) + 1
  const cut = text.slice(start, start + excerptLength)
  const shown = `${start > 0 ? '… ' : ''}${cut}${start + excerptLength < text.length ? ' …' : ''}`
  if (places.length === 0) return [[shown, false]]
  // The tokens have no character that means something in a pattern.
  const pieces = shown.split(new RegExp(`(${terms.join('|')})`, 'giu'))
  return pieces.map((piece, index) => [piece, index % 2 === 1]).filter(([piece]) => piece !== '')
}
