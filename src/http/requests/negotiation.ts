import Negotiator from 'negotiator'

const json = 'application/json'
const xml = 'application/xml'

/** What version 1 answers in, and the name that it goes by. */
export interface AnswerType {
  format: 'json' | 'xml'
  contentType: string
}

/** In order of preference, for callers who want several alike. */
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
 * Members that cannot be read are ignored; undefined when none are left, which counts as no header. Parameters
 * other than `q` say nothing that we could serve differently: `application/json; charset=utf-8` wants JSON.
 */
function readableAccept(accept: string | undefined): string | undefined {
  const readable = accept?.split(',').flatMap(member => {
    const [, type, q = '1'] = readableMember.exec(member.trim()) ?? []
    return type === undefined ? [] : [`${type === '*' ? '*/*' : type};q=${q}`]
  })
  return readable === undefined || readable.length === 0 ? undefined : readable.join(',')
}

/** What an Accept header prefers; JSON when it asks for nothing, undefined when it wants none of ours. */
export function negotiate(accept: string | undefined): AnswerType | undefined {
  // The common cases, without parsing.
  const exact = answerTypes.get(accept ?? json)
  if (exact !== undefined) return exact
  const readable = readableAccept(accept)
  if (readable === undefined) return answerTypes.get(json)
  const preferred = new Negotiator({ headers: { accept: readable } }).mediaType([...answerTypes.keys()])
  return preferred === undefined ? undefined : answerTypes.get(preferred)
}

/** Problems can always be told: in XML when that is preferred, otherwise in JSON. */
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

/** Browsers say so; whoever takes anything, or says nothing, is a program. */
export function prefersHtml(accept: string | undefined): boolean {
  const readable = readableAccept(accept)
  if (readable === undefined) return false
  return (
    new Negotiator({ headers: { accept: readable } }).mediaType(['text/plain', 'text/html']) === 'text/html'
  )
}
