/**
 * Shared by the tests of version 2: a client that got its token the way every client does, and its calls. Every
 * response is checked against the OpenAPI document.
 */
import assert from 'node:assert/strict'
import type { Answer } from '../harness/http.ts'
import {
  authorizePath,
  Browser,
  bearer,
  codeOf,
  type Door,
  demoClient,
  mary,
  redeem,
  requestToken,
  type TestClient,
  tokenOf,
} from '../harness/oauth.ts'
import { checkAgainstDocument } from '../harness/openapi.ts'

export const prefillPath = '/v2/applications/prefilled'
export const formUrl = 'https://ats.example.com/apply/1'
export const harbourId = 10000001
export const southernId = 10000002
export const onHoldId = 10000003
/** Well-formed, and unknown. */
export const unknownUuid = '00000000-0000-4000-8000-000000000000'
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const categoryNames = [
  'phone',
  'location',
  'qualification',
  'workHistory',
  'salary',
  'resume',
] as const
export type CategoryName = (typeof categoryNames)[number]

/** The same door, and every response through it must match the document. */
export function watched(door: Door): Door {
  return {
    origin: door.origin,
    async send(method, path, options) {
      const answer = await door.send(method, path, options)
      checkAgainstDocument(method, path, answer)
      return answer
    },
  }
}

export interface Choice {
  ticked?: readonly string[]
  advertiserId?: number
  client?: TestClient
  email?: string
}

/** The candidate is asked, whatever was decided before, and allows it; returns the client's code. */
export async function allow(browser: Browser, choice: Choice = {}): Promise<string> {
  const { ticked = categoryNames, advertiserId, client = demoClient, email = mary } = choice
  const advertiser_id = advertiserId === undefined ? undefined : String(advertiserId)
  const path = authorizePath({ prompt: 'consent', advertiser_id }, client)
  return codeOf(await browser.decide(path, 'allow', { email, ticked }))
}

/** A token for the ticked categories (all by default), of a candidate who has just allowed it. */
export async function grantedToken(door: Door, choice: Choice & { browser?: Browser } = {}): Promise<string> {
  const code = await allow(choice.browser ?? new Browser(door), choice)
  return tokenOf(await redeem(door, code, {}, choice.client))
}

/** A token of the client itself, as completion calls need it. */
export async function ownToken(door: Door, client: TestClient = demoClient): Promise<string> {
  return tokenOf(await requestToken(door, { grant_type: 'client_credentials' }, { client }))
}

export interface Prefilled {
  id: string
  created: string
  updated: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every corner of it.
  applicantInfo: Record<string, any>
  resume: { link: string } | null
  complete: string
}

/** The body is sent as given: a text byte for byte, anything else as JSON. */
export function postJson(
  door: Door,
  path: string,
  token: string | null,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return watched(door).send('POST', path, {
    headers: {
      'content-type': 'application/json',
      ...(token === null ? {} : bearer(token)),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

export function askPrefill(
  door: Door,
  token: string,
  changes: Record<string, unknown> = {},
): Promise<Answer> {
  const body = { advertiserId: String(harbourId), applicationFormUrl: formUrl, ...changes }
  return postJson(door, prefillPath, token, body)
}

export async function prefilled(
  door: Door,
  token: string,
  changes: Record<string, unknown> = {},
): Promise<Prefilled> {
  const answer = await askPrefill(door, token, changes)
  assert.equal(answer.status, 200, answer.text)
  return answer.json()
}

export function resumePath({ resume }: Pick<Prefilled, 'resume'>): string {
  assert.ok(resume !== null, 'a resume is offered')
  return new URL(resume.link).pathname
}

export function getResume(
  door: Door,
  token: string,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Answer> {
  return watched(door).send(method, path, { headers: { ...bearer(token), ...headers } })
}

export function complete(
  door: Door,
  token: string | null,
  applicationId: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return postJson(door, `/v2/applications/${applicationId}/complete`, token, body, headers)
}

/** This problem, complete and consistent; with fields, exactly these are named, each with its code. */
export function assertProblem(
  door: Door,
  answer: Answer,
  status: number,
  code: string,
  fields: Record<string, string> = {},
): void {
  assert.equal(answer.status, status, answer.text)
  const body = answer.json()
  assert.equal(body.code, code, answer.text)
  assert.equal(body.type, `${door.origin}/problems/${code}`)
  const errors: { field: string; code: string; message: string }[] = body.errors ?? []
  assert.deepEqual(Object.fromEntries(errors.map(error => [error.field, error.code])), fields, answer.text)
  assert.equal(errors.length, Object.keys(fields).length, 'each field once')
  for (const { field, message } of errors) {
    assert.match(message, /^[A-Z].*\.$/)
    assert.ok(body.detail.includes(field), body.detail)
  }
}
