import type { Answer } from '../harness/http.ts'
import { type Door, demoClient } from '../harness/oauth.ts'
import { type Pair, placeholders, type TokenRequest, verifierOfChallenge } from './differential-requests.ts'

/**
 * The essence of a response: `granted`, `page` or `redirect <error>` at the authorization endpoint, `token` or
 * `<status> <error>` at the other.
 */
export type Outcome = string

export interface AuthorizeOutcome {
  result: Outcome
  /** What became of the state; undefined without a redirect to the client. */
  state: 'kept' | 'dropped' | 'changed' | undefined
}

export function authorizeOutcome(answer: Answer, request: readonly Pair[]): AuthorizeOutcome {
  const location = answer.headers.get('location')
  if (location === null) return { result: pageOutcome(answer), state: undefined }
  if (!location.startsWith(demoClient.redirectUri)) return { result: `sent to ${location}`, state: undefined }
  const url = new URL(location)
  const parameters = url.hash === '' ? url.searchParams : new URLSearchParams(url.hash.slice(1))
  const error = parameters.get('error')
  const granted = url.hash === '' ? 'granted' : 'granted in the fragment'
  const sent = request.filter(([name]) => name === 'state').map(([, value]) => value)
  const back = parameters.getAll('state')
  const isKept = JSON.stringify(sent) === JSON.stringify(back)
  return {
    result: error === null ? granted : `redirect ${error}`,
    state: isKept ? 'kept' : back.length === 0 ? 'dropped' : 'changed',
  }
}

function pageOutcome({ status, text }: Answer): Outcome {
  const isForm = /<form\b[^>]*action="http:\/\/127\.0\.0\.1:9090/.test(text)
  if (status === 200 && isForm && !text.includes('name="error"')) return 'form_post'
  return status >= 400 && status < 500 ? 'page' : `status ${status}`
}

export function tokenOutcome({ status, text }: Answer): Outcome {
  if (status === 200) return 'token'
  return `${status} ${JSON.parse(text).error}`
}

export function sendTokenRequest(
  door: Door,
  path: string,
  { fields, authorization, contentType }: TokenRequest,
  code: string,
): Promise<Answer> {
  const own = fields.map(([name, value]) => [
    name,
    value.replace(placeholders.code, code).replace(placeholders.verifier, verifierOfChallenge),
  ])
  return door.send('POST', path, {
    headers: { 'content-type': contentType, ...(authorization === undefined ? {} : { authorization }) },
    body: new URLSearchParams(own as [string, string][]).toString(),
  })
}
