import { searchForm } from '../core/search-form.ts'

/** What an ad is found by: everything that its line in the list shows. */
export function jobSearchText(ad: { title: string; location: string }, company: string): string {
  return searchForm(`${ad.title} ${ad.location} ${company}`)
}

export interface JobSearch {
  /** As it was typed. */
  text: string
  /** Each must be found; none when nothing is searched for. */
  words: string[]
}

/** What is longer than the limits is cut: the rest would hardly tell ads apart. */
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
