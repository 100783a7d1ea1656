import { searchForm } from '../core/search-form.ts'

/** The text that an ad is found by: everything that the list shows. */
export function jobSearchText(ad: { title: string; location: string }, company: string): string {
  return searchForm(`${ad.title} ${ad.location} ${company}`)
}

export interface JobSearch {
  /** As typed. */
  text: string
  /** All of them must match; empty if nothing is searched for. */
  words: string[]
}

/** Reads a search, cut to the limits, because more text would hardly narrow it down. */
export function readJobSearch(
  typed: string | undefined,
  limits: { searchLength: number; searchWords: number },
): JobSearch {
  const text = [...(typed ?? '').trim()].slice(0, limits.searchLength).join('')
  const words = searchForm(text)
    .split(' ')
    .filter(word => word !== '')
  return { text, words: [...new Set(words)].slice(0, limits.searchWords) }
}
