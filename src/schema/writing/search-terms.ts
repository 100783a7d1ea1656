import type { Contact } from '../../model/application.ts'
import { searchForm } from '../../platform/core/search-form.ts'

/** The search terms of an application, each matched as a prefix; names with first name or last name first. */
export function searchTerms({ firstName, lastName, email }: Contact, jobReference: string | null): string[] {
  const terms = [`${firstName} ${lastName}`, `${lastName} ${firstName}`, email, jobReference ?? '']
  return [...new Set(terms.map(searchForm))].filter(term => term !== '')
}
