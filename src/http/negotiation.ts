import Negotiator from 'negotiator'

const json = 'application/json'
const xml = 'application/xml'

export const contentTypes = {
  json: `${json}; charset=utf-8`,
  xml: `${xml}; charset=utf-8`,
} as const

const token = "[\\w!#$%&'*+.^`|~-]+"
const quality = '(?:0(?:\\.\\d{0,3})?|1(?:\\.0{0,3})?)'
/** One member of an Accept header: a type or a wildcard, and parameters of which `q` must be a quality. */
const readableMember = new RegExp(
  `^(\\*/\\*|(?!\\*/)${token}/${token})(?:\\s*;\\s*(?:q=(${quality})|(?!q=)${token}=(?:${token}|"[^"\\\\]*")))*$`,
  'i',
)

/**
 * Members that cannot be read are ignored; undefined when none are left, which counts as no header. Parameters
 * other than `q` say nothing that we could serve differently: `application/json; charset=utf-8` wants JSON.
 */
function readableAccept(accept: string | undefined): string | undefined {
  const readable = accept?.split(',').flatMap(member => {
    const [, type, q = '1'] = readableMember.exec(member.trim()) ?? []
    return type === undefined ? [] : [`${type};q=${q}`]
  })
  return readable === undefined || readable.length === 0 ? undefined : readable.join(',')
}

/** The format that an Accept header prefers; JSON when it asks for nothing, undefined when it wants neither. */
export function negotiateFormat(accept: string | undefined): 'json' | 'xml' | undefined {
  // The common cases, without parsing.
  if (accept === undefined || accept === '*/*' || accept === json) return 'json'
  if (accept === xml) return 'xml'
  const readable = readableAccept(accept)
  if (readable === undefined) return 'json'
  switch (new Negotiator({ headers: { accept: readable } }).mediaType([json, xml])) {
    case json:
      return 'json'
    case xml:
      return 'xml'
    default:
      return undefined
  }
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
