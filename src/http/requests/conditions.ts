import type { IncomingHttpHeaders } from 'node:http'
import fresh from 'fresh'

interface Validators {
  etag: string
  lastModified: string
}

/** First and last byte, both included. */
interface ByteSpan {
  start: number
  end: number
}

/** If-None-Match and If-Modified-Since: does the caller have it already? */
export function isUnchanged(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  return fresh(conditionsOf(headers), { etag, 'last-modified': lastModified })
}

/** Without `Cache-Control: no-cache`, which is for caches: every `fetch` with a condition of its own sends it along. */
function conditionsOf(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return {
    'if-none-match': headers['if-none-match'],
    'if-modified-since': headers['if-modified-since'],
  }
}

/** The same for what has a tag and no date. */
export function matchesTag(headers: IncomingHttpHeaders, etag: string): boolean {
  const sent = headers['if-none-match']
  // Whoever polls sends what it was given: that needs no reading.
  return sent === etag || (sent !== undefined && fresh(conditionsOf(headers), { etag }))
}

/** The one range to send; undefined for the whole, which is also the answer to several ranges at once. */
export function chooseRange(
  headers: IncomingHttpHeaders,
  content: Validators & { size: number },
): ByteSpan | 'unsatisfiable' | undefined {
  if (headers.range === undefined || !ifRangeHolds(headers['if-range'], content)) return undefined
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(headers.range.trim()) ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  return first === '' ? suffix(Number(last), content.size) : span(Number(first), last, content.size)
}

/** `bytes=-500`: the last 500 bytes, or all of them when there are fewer. */
function suffix(length: number, size: number): ByteSpan | 'unsatisfiable' {
  return length === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(0, size - length), end: size - 1 }
}

/** `bytes=0-499`, `bytes=500-`; a last byte before the first makes the header invalid, which means: not there. */
function span(start: number, last: string, size: number): ByteSpan | 'unsatisfiable' | undefined {
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? 'unsatisfiable' : { start, end }
}

/** If-Range needs the exact validator: a weak one or another date means that the whole is wanted. */
function ifRangeHolds(ifRange: string | string[] | undefined, { etag, lastModified }: Validators): boolean {
  return ifRange === undefined || ifRange === etag || ifRange === lastModified
}
