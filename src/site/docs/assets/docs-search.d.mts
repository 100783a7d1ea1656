/** A section of a page. */
export interface SearchEntry {
  path: string
  page: string
  /** Empty for what stands before the first heading. */
  heading: string
  text: string
}

export interface SearchResult {
  path: string
  page: string
  heading: string
  excerpt: [text: string, isFound: boolean][]
}

export function createSearch(
  library: typeof import('minisearch').default,
  entries: readonly SearchEntry[],
): (query: string, most: number) => SearchResult[]
