import { searchForm } from '../core/search-form.ts'
import type { Contact } from './application.ts'

/** What an application is found by: each term from its beginning on, names from either side. */
export function searchTerms({ firstName, lastName, email }: Contact, jobReference: string | null): string[] {
  const terms = [`${firstName} ${lastName}`, `${lastName} ${firstName}`, email, jobReference ?? '']
  return [...new Set(terms.map(searchForm))].filter(term => term !== '')
}
