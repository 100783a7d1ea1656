import { type AdFilter, employmentTypes, workplaces } from '../model/ad-details.ts'
import { searchForm } from '../platform/core/search-form.ts'

/** Limit: Characters of a search: the longest title fits, and more text does not improve the results. */
const searchLength = 200
/** Limit: Words of a job search; each is looked for in every ad. */
const searchWords = 10

/** An ad's searchable text: everything that the list shows. */
export function jobSearchText(ad: { title: string; location: string }, company: string): string {
  return searchForm(`${ad.title} ${ad.location} ${company}`)
}

export interface JobSearch {
  /** The search as typed. */
  text: string
  /** All words must match; empty if there is no search. */
  words: string[]
  filter: AdFilter
}

/** Parses a search, cut to the limits, because more text would hardly narrow it down. Ignores an unknown filter. */
export function readJobSearch(query: { get(name: string): string | undefined }): JobSearch {
  const text = [...(query.get('q') ?? '').trim()].slice(0, searchLength).join('')
  const words = searchForm(text)
    .split(' ')
    .filter(word => word !== '')
  const filter = {
    workplace: workplaces.find(each => each === query.get('workplace')),
    employmentType: employmentTypes.find(each => each === query.get('type')),
    withPay: query.get('pay') === 'yes',
  }
  return { text, words: [...new Set(words)].slice(0, searchWords), filter }
}

/** The URL parameters of a search. */
export function searchParameters({ text, words, filter }: JobSearch): URLSearchParams {
  const { workplace, employmentType, withPay } = filter
  return new URLSearchParams({
    ...(words.length > 0 && { q: text }),
    ...(workplace && { workplace }),
    ...(employmentType && { type: employmentType }),
    ...(withPay && { pay: 'yes' }),
  })
}
