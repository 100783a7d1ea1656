import type { IncomingHttpHeaders } from 'node:http'
import fresh from 'fresh'

interface Validators {
  etag: string
  lastModified: string
}

/** First and last byte, inclusive. */
interface ByteSpan {
  start: number
  end: number
}

/** Whether the caller already has the content, by If-None-Match and If-Modified-Since. */
export function isUnchanged(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  return fresh(conditionsOf(headers), { etag, 'last-modified': lastModified })
}

/** Ignores `Cache-Control: no-cache`, which is meant for caches: `fetch` adds it to every conditional request. */
function conditionsOf(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return {
    'if-none-match': headers['if-none-match'],
    'if-modified-since': headers['if-modified-since'],
  }
}

/** `isUnchanged` for content without a date. */
export function matchesTag(headers: IncomingHttpHeaders, etag: string): boolean {
  const sent = headers['if-none-match']
  // Polling clients return the exact tag that they received: no parsing needed.
  return sent === etag || (sent !== undefined && fresh(conditionsOf(headers), { etag }))
}

/** The range to send; undefined for the whole content, which also answers requests for several ranges. */
export function chooseRange(
  headers: IncomingHttpHeaders,
  content: Validators & { size: number },
): ByteSpan | 'unsatisfiable' | undefined {
  if (headers.range === undefined || !ifRangeHolds(headers['if-range'], content)) return undefined
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(headers.range.trim()) ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  return first === '' ? suffix(Number(last), content.size) : span(Number(first), last, content.size)
}

/** `bytes=-500`: the last 500 bytes, or all if there are fewer. */
function suffix(length: number, size: number): ByteSpan | 'unsatisfiable' {
  return length === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(0, size - length), end: size - 1 }
}

/** `bytes=0-499`, `bytes=500-`; a last byte before the first makes the header invalid, so it is ignored. */
function span(start: number, last: string, size: number): ByteSpan | 'unsatisfiable' | undefined {
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? 'unsatisfiable' : { start, end }
}

/** If-Range requires the exact validator: with a weak one or another date, the whole content is sent. */
function ifRangeHolds(ifRange: string | string[] | undefined, { etag, lastModified }: Validators): boolean {
  return ifRange === undefined || ifRange === etag || ifRange === lastModified
}
