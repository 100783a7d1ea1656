import { parseNumericId } from '../platform/core/ids.ts'
import {
  intakePageSize,
  invalidParameter,
  maxPageSize,
  type PageParameters,
  readPageParameters,
} from '../platform/core/input/page-parameters.ts'
import { KnownParameters } from '../platform/core/input/url-encoded.ts'

export interface ListQuery extends PageParameters {
  advertiserId: number
  /** Only entries with this reference; undefined for all. */
  reference: string | undefined
}

const known = new KnownParameters(['advertiserId', 'afterId', 'limit', 'reference'])

export function readListQuery(search: string): ListQuery {
  const sent = known.read(search)
  const page = readPageParameters(sent, { usual: intakePageSize, max: maxPageSize })
  const reference = sent.reference || undefined
  // PostgreSQL cannot store NUL in a text, and would fail.
  if (reference?.includes('\0')) throw invalidParameter('reference', 'a text without NUL')
  return { advertiserId: advertiserIdIn(sent), ...page, reference }
}

/** Reads the advertiser of a call about a single entry. */
export function readAdvertiserQuery(search: string): number {
  return advertiserIdIn(known.read(search))
}

export function nextPageSearch({ advertiserId, limit, reference }: ListQuery, lastId: number): string {
  const filter = reference === undefined ? '' : `&reference=${encodeURIComponent(reference)}`
  return `advertiserId=${advertiserId}&limit=${limit}${filter}&afterId=${lastId}`
}

function advertiserIdIn(sent: { advertiserId?: string }): number {
  const id = parseNumericId(sent.advertiserId ?? '')
  if (id === undefined) throw invalidParameter('advertiserId', 'the ID of an advertiser')
  return id
}
