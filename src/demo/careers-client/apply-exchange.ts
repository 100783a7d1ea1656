/** One step between a client and the service, formatted for people. */
export interface Exchange {
  title: string
  /** The purpose, in one sentence. */
  why: string
  /** Method, URL, headers and body. */
  request: string
  /** Status, headers and body; undefined if only the browser sees the response. */
  response?: string
}

type Headers = Iterable<readonly [string, string]>

/** Response headers worth showing; the others are the same on every response. */
const shownHeaders = [
  'cache-control',
  'content-disposition',
  'content-length',
  'content-type',
  'etag',
  'retry-after',
  'www-authenticate',
]

/** Parameters that grant access, so they are shortened in URLs and forms. */
const secretParameters = ['code', 'code_verifier', 'client_secret']

/** Shows enough of a secret to recognise it and too little to use it. */
export function shortened(secret: string): string {
  return secret.length <= 8 ? secret : `${secret.slice(0, 8)}…`
}

export function requestText(method: string, url: string, headers: Headers = [], body = ''): string {
  return textOf(`${method} ${inLines(withoutSecrets(url))}`, headers, inLines(withoutSecrets(body)))
}

/** Splits a long URL or form into one parameter per line. */
function inLines(text: string): string {
  return text.length < 80 || text.startsWith('{') ? text : text.replace(/[?&](?=[a-z_]+=)/g, '\n$&')
}

export function responseText(response: Response, body: string): string {
  const headers = [...response.headers].filter(([name]) => shownHeaders.includes(name))
  return textOf(`${response.status} ${response.statusText}`.trimEnd(), headers, body)
}

function textOf(firstLine: string, headers: Headers, body: string): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${headerValue(name, value)}`)
  return [firstLine, ...lines, ...(body === '' ? [] : ['', body])].join('\n')
}

function headerValue(name: string, value: string): string {
  if (name !== 'authorization') return value
  const [scheme = '', secret = ''] = value.split(' ')
  return scheme === 'Basic' ? 'Basic <base64(client_id:client_secret)>' : `${scheme} ${shortened(secret)}`
}

function withoutSecrets(text: string): string {
  return text.replace(/(^|[?&])([a-z_]+)=([^&#]*)/g, (whole, before, name, value) =>
    secretParameters.includes(name) ? `${before}${name}=${shortened(value)}` : whole,
  )
}

/** Indents JSON and shortens the tokens in it; returns any other text unchanged. */
export function readable(body: string): string {
  try {
    return JSON.stringify(
      JSON.parse(body),
      (name, value) => (name === 'access_token' && typeof value === 'string' ? shortened(value) : value),
      2,
    )
  } catch {
    return body
  }
}
