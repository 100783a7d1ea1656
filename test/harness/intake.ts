import assert from 'node:assert/strict'
import type { Answer } from './http.ts'
import { bodyOf, type Part } from './multipart.ts'
import { type Door, requestToken, tokenOf } from './oauth.ts'
import { storedBlobs } from './s3.ts'
import type { Services } from './services.ts'

/** The job board of the tests. */

export const intakePath = '/v1/intake/applications'
export const demoBoard = { id: 'demo-board', secret: 'demo-board-secret', redirectUri: '' }
export const harbourId = 10000001
export const southernId = 10000002

/** A job board that may bring applications to this advertiser. */
export async function addBoard({ clients }: Pick<Services, 'clients'>, advertiserId: number, id = 'board') {
  const { client, secret } = await clients.add({
    id,
    name: 'Board',
    redirectUris: [],
    agentId: null,
    requirePkce: false,
    scopes: ['w_applications'],
    advertiserIds: [advertiserId],
  })
  return { id: client.id, secret, redirectUri: '' }
}

export async function intakeToken(door: Door, client = demoBoard): Promise<string> {
  const scope = { grant_type: 'client_credentials', scope: 'w_applications' }
  return tokenOf(await requestToken(door, scope, { client }))
}

let boundaries = 0

/** A new boundary each time, as every library makes one. */
export function multipart(parts: readonly Part[]): { body: Buffer; type: string } {
  const boundary = `----board${++boundaries}x${Math.trunc(performance.now())}`
  return { body: bodyOf(parts, boundary), type: `multipart/form-data; boundary=${boundary}` }
}

/** The least that an application needs. */
export function applicationOf(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    advertiserId: harbourId,
    jobSeekerId: 'board-user-1',
    contact: { email: 'casey@example.com', firstName: 'Casey', lastName: 'Lim' },
    ...changes,
  }
}

export function applicationPart(application: unknown): Part {
  return { name: 'application', content: JSON.stringify(application), type: 'application/json' }
}

export function file(name: string, fileName: string, content: string | Buffer): Part {
  return { name, fileName, content, type: 'application/octet-stream' }
}

export function post(door: Door, token: string, parts: readonly Part[], key?: string): Promise<Answer> {
  const { body, type } = multipart(parts)
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': type,
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  }
  return door.send('POST', intakePath, { headers, body })
}

/** The ID of an accepted application. */
export function idOf(answer: Answer): number {
  assert.equal(answer.status, 201, answer.text)
  return answer.json().id
}

/** The problem and its fields, each reported once and with a reason. */
export function assertRefused(
  answer: Answer,
  status: number,
  code: string,
  fields: Record<string, string> = {},
): void {
  assert.equal(answer.status, status, answer.text)
  const { code: told, errors = [] } = answer.json()
  assert.equal(told, code, answer.text)
  const pairs = errors.map((error: { field: string; code: string }) => [error.field, error.code])
  assert.deepEqual(pairs.toSorted(), Object.entries(fields).toSorted(), answer.text)
  for (const { message } of errors) assert.match(message, /^\S.*\.$/)
}

/** Uploads on the disk, whether or not a row references them. */
export async function countBlobs(settings: Record<string, string>): Promise<number> {
  return (await storedBlobs(settings).names()).length
}
