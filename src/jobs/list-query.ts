import { parseNumericId } from '../core/ids.ts'
import { KnownParameters } from '../core/input/url-encoded.ts'
import { Problem } from '../core/problems.ts'
import type { Limits } from '../limits.ts'

export interface ListQuery {
  advertiserId: number
  afterId: number
  limit: number
  /** Only entries with this reference; undefined for all. */
  reference: string | undefined
}

const known = new KnownParameters(['advertiserId', 'afterId', 'limit', 'reference'])

export function readListQuery(
  search: string,
  { pageSize, intakePageSize }: Pick<Limits, 'pageSize' | 'intakePageSize'>,
): ListQuery {
  const sent = known.read(search)
  const afterId = sent.afterId || '0'
  if (!/^\d{1,19}$/.test(afterId)) throw invalid('afterId', 'an ID of 1 to 19 digits')
  const limit = sent.limit || String(intakePageSize)
  if (!/^0*[1-9]\d{0,8}$/.test(limit) || Number(limit) > pageSize) {
    throw invalid('limit', `a number from 1 to ${pageSize}`)
  }
  const reference = sent.reference || undefined
  // PostgreSQL has no text with NUL, and would fail.
  if (reference?.includes('\0')) throw invalid('reference', 'a text without NUL')
  return {
    advertiserId: advertiserIdIn(sent),
    // Any number above the highest ID has the same effect.
    afterId: Math.min(Number(afterId), Number.MAX_SAFE_INTEGER),
    limit: Number(limit),
    reference,
  }
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
  if (id === undefined) throw invalid('advertiserId', 'the ID of an advertiser')
  return id
}

function invalid(name: string, expected: string): Problem {
  return new Problem('invalid-parameter', `The parameter ${name} must be ${expected}.`)
}
