/** One step between a client and the service, as people read it. */
export interface Exchange {
  title: string
  /** One sentence: what it is for. */
  why: string
  /** Method, address, headers and body. */
  request: string
  /** Status, headers and body; undefined for what only the browser sees. */
  response?: string
}

type Headers = Iterable<readonly [string, string]>

/** What tells something; the rest is the same on every answer. */
const tellingHeaders = [
  'cache-control',
  'content-disposition',
  'content-length',
  'content-type',
  'etag',
  'retry-after',
  'www-authenticate',
]

/** What opens something: an address or a form that holds one of these must not be copied with it. */
const secretParameters = ['code', 'code_verifier', 'client_secret']

/** Enough of a secret to recognise it, and too little to use it. */
export function shortened(secret: string): string {
  return secret.length <= 8 ? secret : `${secret.slice(0, 8)}…`
}

export function requestText(method: string, url: string, headers: Headers = [], body = ''): string {
  return textOf(`${method} ${inLines(withoutSecrets(url))}`, headers, inLines(withoutSecrets(body)))
}

/** A long address or form, one parameter in a line. */
function inLines(text: string): string {
  return text.length < 80 || text.startsWith('{') ? text : text.replace(/[?&](?=[a-z_]+=)/g, '\n$&')
}

export function responseText(response: Response, body: string): string {
  const headers = [...response.headers].filter(([name]) => tellingHeaders.includes(name))
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

/** JSON as people read it, with the tokens shortened; anything else as it is. */
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
