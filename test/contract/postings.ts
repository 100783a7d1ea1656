/** Shared by the tests of job ads and screens: a job board with its token, and its calls. */
import assert from 'node:assert/strict'
import type { Answer } from '../harness/http.ts'
import { bearer, type Door, requestToken, tokenOf } from '../harness/oauth.ts'
import { watched } from './version2.ts'

export const demoBoard = { id: 'demo-board', secret: 'demo-board-secret' }

export async function boardToken(door: Door): Promise<string> {
  const fields = { grant_type: 'client_credentials', scope: 'w_applications' }
  return tokenOf(await requestToken(door, fields, { client: demoBoard }))
}

/** The calls of a job board; every response must match the document. */
export function board(door: Door, token: string) {
  const send = (method: string, path: string, body?: unknown, key?: string) =>
    watched(door).send(method, path, {
      headers: {
        ...bearer(token),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  return {
    get: (path: string) => send('GET', path),
    post: (path: string, body?: unknown, key?: string) => send('POST', path, body, key),
    put: (path: string, body: unknown) => send('PUT', path, body),
  }
}

export type Board = ReturnType<typeof board>

/** Every wrong field, each with its code. */
export function assertFields(answer: Answer, expected: Record<string, string>): void {
  assert.equal(answer.status, 422, answer.text)
  const { code, errors } = answer.json()
  assert.equal(code, 'invalid-fields')
  const found = errors.map((error: { field: string; code: string }) => [error.field, error.code])
  assert.deepEqual(Object.fromEntries(found), expected)
}

export function assertCode(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.json().code, code)
}

/** The path of the next page, from the Link header. */
export function nextPage(door: Door, answer: Answer): string | undefined {
  const [, url] = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '') ?? []
  if (url === undefined) return undefined
  assert.ok(url.startsWith(`${door.origin}/`), url)
  return url.slice(door.origin.length)
}
