import { parseNumericId } from '../core/ids.ts'
import { Problem } from '../core/problems.ts'

export interface ListQuery {
  advertiserId: number
  afterId: number
  limit: number
  /** Only entries with this reference; undefined for all. */
  reference: string | undefined
}

const known = ['advertiserId', 'afterId', 'limit', 'reference'] as const
type Known = (typeof known)[number]

/** Follows the rules of version 1: names are case-insensitive, each at most once, and an empty value counts as not sent. */
export function readListQuery(
  search: string,
  { pageSize, intakePageSize }: { pageSize: number; intakePageSize: number },
): ListQuery {
  const sent = readKnown(search)
  const afterId = sent.get('afterId') ?? '0'
  if (!/^\d{1,19}$/.test(afterId)) throw invalid('afterId', 'an ID of 1 to 19 digits')
  const limit = sent.get('limit') ?? String(intakePageSize)
  if (!/^0*[1-9]\d{0,8}$/.test(limit) || Number(limit) > pageSize) {
    throw invalid('limit', `a number from 1 to ${pageSize}`)
  }
  const reference = sent.get('reference')
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
  return advertiserIdIn(readKnown(search))
}

export function nextPageSearch({ advertiserId, limit, reference }: ListQuery, lastId: number): string {
  const filter = reference === undefined ? '' : `&reference=${encodeURIComponent(reference)}`
  return `advertiserId=${advertiserId}&limit=${limit}${filter}&afterId=${lastId}`
}

function advertiserIdIn(sent: ReadonlyMap<Known, string>): number {
  const id = parseNumericId(sent.get('advertiserId') ?? '')
  if (id === undefined) throw invalid('advertiserId', 'the ID of an advertiser')
  return id
}

function readKnown(search: string): Map<Known, string> {
  const sent = new Map<Known, string>()
  for (const [rawName, value] of new URLSearchParams(search)) {
    const name = known.find(each => each.toLowerCase() === rawName.toLowerCase())
    if (name === undefined) continue
    if (sent.has(name)) {
      throw new Problem('repeated-parameter', `The parameter ${name} was sent more than once.`)
    }
    sent.set(name, value)
  }
  return new Map([...sent].filter(([, value]) => value !== ''))
}

function invalid(name: Known, expected: string): Problem {
  return new Problem('invalid-parameter', `The parameter ${name} must be ${expected}.`)
}
