import type { IncomingHttpHeaders } from 'node:http'
import fresh from 'fresh'
import parseRange from 'range-parser'

interface Validators {
  etag: string
  lastModified: string
}

/** If-None-Match and If-Modified-Since: does the caller have it already? */
export function isUnchanged(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  return fresh(headers, { etag, 'last-modified': lastModified })
}

/** The one range to send; undefined for the whole, which is also the answer to several ranges at once. */
export function chooseRange(
  headers: IncomingHttpHeaders,
  content: Validators & { size: number },
): { start: number; end: number } | 'unsatisfiable' | undefined {
  if (headers.range === undefined || !ifRangeHolds(headers['if-range'], content)) return undefined
  const ranges = parseRange(content.size, headers.range)
  if (ranges === -1) return 'unsatisfiable'
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return undefined
  return ranges[0]
}

/** If-Range needs the exact validator: a weak one or another date means that the whole is wanted. */
function ifRangeHolds(ifRange: string | string[] | undefined, { etag, lastModified }: Validators): boolean {
  return ifRange === undefined || ifRange === etag || ifRange === lastModified
}
