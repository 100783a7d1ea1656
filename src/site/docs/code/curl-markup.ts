import type { CodeRequest, RequestPart } from '../assets/request-code.mjs'

/**
 * Parses a guide's curl command, so that the docs can show the same request in other languages. Undefined if the text
 * is anything but one command with the options below.
 */
export function readCurl(text: string): CodeRequest | undefined {
  const [program, ...words] = wordsOf(text) ?? []
  if (program !== 'curl') return undefined
  const headers: [string, string][] = []
  const data: string[] = []
  const parts: RequestPart[] = []
  let url: string | undefined
  let method: string | undefined
  let basic: [string, string] | undefined
  let saveAs: string | undefined
  while (words.length > 0) {
    const option = words.shift() ?? ''
    if (!option.startsWith('-')) {
      if (url !== undefined) return undefined
      url = option
      continue
    }
    if (/^-[is]+$/.test(option)) continue
    const value = words.shift()
    if (value === undefined) return undefined
    if (option === '-X') method = value
    else if (option === '-o') saveAs = value
    else if (option === '-u') basic = split(value, ':')
    else if (option === '-H') headers.push(split(value, ': '))
    else if (option === '-d') data.push(value)
    else if (option === '-F') parts.push(partOf(value))
    else return undefined
  }
  if (url === undefined) return undefined
  const isJson = ([name, value]: [string, string]) => /^content-type$/i.test(name) && /json/.test(value)
  const json = headers.some(isJson) ? data.join('&') : undefined
  const form = json !== undefined || data.length === 0 ? undefined : data.map(pair => split(pair, '='))
  const hasBody = (json ?? form) !== undefined || parts.length > 0
  return {
    method: method ?? (hasBody ? 'POST' : 'GET'),
    url,
    headers: headers.filter(header => !isJson(header)),
    basic,
    json,
    form,
    saveAs,
    parts: parts.length === 0 ? undefined : parts,
  }
}

function split(text: string, by: string): [string, string] {
  const at = text.indexOf(by)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + by.length)]
}

function partOf(text: string): RequestPart {
  const [name, value] = split(text, '=')
  return value.startsWith('@')
    ? { name, file: value.slice(1) }
    : { name, json: value.replace(/;type=application\/json$/, '') }
}

/** The words of one simple command; undefined if the shell would do more than run it. */
function wordsOf(text: string): string[] | undefined {
  const rest = text.trim().replaceAll('\\\n', ' ')
  // Words of quoted and plain pieces. Double quotes, variables, pipes and redirections are left to the shell.
  const pattern = /(?:'[^']*'|[^\s'"\\$`|&;<>()]+)+|\s+/gy
  const words: string[] = []
  let end = 0
  for (const [piece] of rest.matchAll(pattern)) {
    end += piece.length
    if (/^\s/.test(piece)) {
      if (piece.includes('\n')) return undefined
    } else words.push(piece.replaceAll("'", ''))
  }
  return end === rest.length ? words : undefined
}
