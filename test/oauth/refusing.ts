import assert from 'node:assert/strict'
import type { Answer } from '../harness/http.ts'
import { callbackOf, demoClient } from '../harness/oauth.ts'

/** An error that must not be redirected: status 400, a page, no redirect. */
export function assertErrorPage(answer: Answer, what = ''): void {
  assert.equal(answer.status, 400, `${what}: ${answer.status} ${answer.headers.get('location') ?? ''}`)
  assert.equal(answer.headers.get('location'), null, what)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/html(;|$)/, what)
  assert.match(answer.text, /<h1>/, what)
}

/** An error that the client gets by redirect: this code, its state, the issuer, and no authorization code. */
export function assertRefusedByRedirect(
  answer: Answer,
  error: string,
  options: { state?: string | undefined; redirectUri?: string; what?: string } = {},
): Map<string, string> {
  const { redirectUri = demoClient.redirectUri, what = '' } = options
  const state = 'state' in options ? options.state : 'state-1'
  const callback = callbackOf(answer, redirectUri)
  assert.equal(callback.get('error'), error, `${what}: ${answer.headers.get('location')}`)
  assert.equal(callback.get('state'), state, what)
  assert.equal(callback.has('code'), false, what)
  assert.ok(callback.has('iss'), what)
  // RFC 6749, section 4.1.2.1: the characters of a description.
  assert.match(callback.get('error_description') ?? '', /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/, what)
  return callback
}
