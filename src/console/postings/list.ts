import { isUuid, newUuid, parseNumericId } from '../../core/ids.ts'
import type { PostingStatus } from '../../model/job-ad.ts'

/** URLs of list pages: the state to filter by and the cursor. */

interface SentFields {
  get(name: string): string | undefined
}

export type Filter = PostingStatus | undefined

export interface Position {
  beforeId?: number | undefined
  afterId?: number | undefined
}

/** An unreadable cursor starts at the first page. */
export function positionIn(query: SentFields): Position {
  const afterId = parseNumericId(query.get('after') ?? '')
  return afterId === undefined ? { beforeId: parseNumericId(query.get('before') ?? '') } : { afterId }
}

export function isContinued({ beforeId, afterId }: Position): boolean {
  return (beforeId ?? afterId) !== undefined
}

export function filterIn(query: SentFields): Filter {
  const state = query.get('state')
  return state === 'open' || state === 'closed' ? state : undefined
}

export function listPath(path: string, filter: Filter, position: Record<string, number> = {}): string {
  const query = new URLSearchParams()
  if (filter !== undefined) query.set('state', filter)
  for (const [name, id] of Object.entries(position)) query.set(name, String(id))
  return query.size === 0 ? path : `${path}?${query}`
}

/** The idempotency key of a creation form, kept when the form is shown again. */
export function keyIn(fields: SentFields): string {
  const key = fields.get('form_key') ?? ''
  return isUuid(key) ? key : newUuid()
}
