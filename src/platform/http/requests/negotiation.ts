import Negotiator from 'negotiator'

const json = 'application/json'
const xml = 'application/xml'

/** A format of version 1 and its content type. */
export interface AnswerType {
  format: 'json' | 'xml'
  contentType: string
}

/** Listed in our order of preference, for callers who accept several equally. */
const answerTypes = new Map<string, AnswerType>([
  [json, { format: 'json', contentType: `${json}; charset=utf-8` }],
  [xml, { format: 'xml', contentType: `${xml}; charset=utf-8` }],
  ['text/xml', { format: 'xml', contentType: 'text/xml; charset=utf-8' }],
])

const token = "[\\w!#$%&'*+.^`|~-]+"
// Java sent `q=.2` for two decades.
const quality = '(?:0(?:\\.\\d{0,3})?|\\.\\d{1,3}|1(?:\\.0{0,3})?)'
/** One member of an Accept header: a type or a wildcard, and parameters of which `q` must be a quality. */
const readableMember = new RegExp(
  `^(\\*(?:/\\*)?|(?!\\*/)${token}/${token})(?:\\s*;\\s*(?:q=(${quality})|(?!q=)${token}=(?:${token}|"[^"\\\\]*")))*$`,
  'i',
)

/**
 * Drops malformed members; undefined if none are left, which counts as no header. Parameters other than `q` are ignored,
 * because we have only one form of each type: `application/json; charset=utf-8` gets JSON.
 */
function readableAccept(accept: string | undefined): string | undefined {
  const readable = accept?.split(',').flatMap(member => {
    const [, type, q = '1'] = readableMember.exec(member.trim()) ?? []
    return type === undefined ? [] : [`${type === '*' ? '*/*' : type};q=${q}`]
  })
  return readable === undefined || readable.length === 0 ? undefined : readable.join(',')
}

/** The preferred type of an Accept header; JSON without a preference, undefined if it accepts none of ours. */
export function negotiate(accept: string | undefined): AnswerType | undefined {
  // Common cases, without parsing.
  const exact = answerTypes.get(accept ?? json)
  if (exact !== undefined) return exact
  const readable = readableAccept(accept)
  if (readable === undefined) return answerTypes.get(json)
  const preferred = new Negotiator({ headers: { accept: readable } }).mediaType([...answerTypes.keys()])
  return preferred === undefined ? undefined : answerTypes.get(preferred)
}

/** Problems are always sent: in XML if preferred, otherwise in JSON. */
export function negotiateProblemFormat(accept: string | undefined): 'json' | 'xml' {
  const readable = readableAccept(accept)
  if (readable === undefined) return 'json'
  const preferred = new Negotiator({ headers: { accept: readable } }).mediaType([
    json,
    'application/problem+json',
    xml,
    'application/problem+xml',
    'text/xml',
  ])
  return preferred?.endsWith('xml') ? 'xml' : 'json'
}

/** True for browsers; callers that accept anything, or send no header, are programs. */
export function prefersHtml(accept: string | undefined): boolean {
  const readable = readableAccept(accept)
  if (readable === undefined) return false
  return (
    new Negotiator({ headers: { accept: readable } }).mediaType(['text/plain', 'text/html']) === 'text/html'
  )
}
