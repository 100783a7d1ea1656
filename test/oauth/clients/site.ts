import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts'
import { call } from '../../harness/http.ts'
import { Browser, demoClient, doorOf, manyFailures, prefill } from '../../harness/oauth.ts'
import { type Service, startServiceHere } from '../../harness/service.ts'

export const redirectUri = demoClient.redirectUri
export const scope = 'r_profile_apply'

/** What a website that uses one of the libraries needs beside the library. */
export interface Site {
  service: Service
  /** Sends a candidate there, who signs in and decides; returns the URL at which the website sees them again. */
  visit(authorizeUrl: string | URL, decision?: 'allow' | 'decline'): Promise<URL>
}

/** One database is enough: differences between the libraries never reach it. */
export function forLibrary(name: string, body: (site: () => Site) => void): void {
  describe(name, () => {
    let database: TestDatabase
    let service: Service
    before(async () => {
      database = await createTestDatabase('sqlite', 'demo')
      service = await startServiceHere(database, { env: manyFailures })
    })
    after(async () => {
      await service.stop()
      await database.remove()
    })
    body(() => ({ service, visit: (url, decision = 'allow') => visit(service, url, decision) }))
  })
}

async function visit(
  service: Service,
  authorizeUrl: string | URL,
  decision: 'allow' | 'decline',
): Promise<URL> {
  const url = new URL(authorizeUrl)
  assert.equal(url.origin, service.baseUrl)
  url.searchParams.set('prompt', 'consent')
  const answer = await new Browser(doorOf(service)).decide(url.pathname + url.search, decision)
  assert.equal(answer.status, 303, answer.text)
  return new URL(answer.headers.get('location') ?? '')
}

/** The token opens what the candidate released. */
export async function assertPrefills(service: Service, token: string): Promise<void> {
  const answer = await prefill(doorOf(service), token)
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.json().applicantInfo.emailAddress, 'mary@example.com')
}

/** The token of an agent opens version 1, sent as SWS and not as these libraries would send it. */
export async function assertCollects(service: Service, token: string): Promise<void> {
  const statuses = ['SWS', 'Bearer'].map(async scheme => {
    const headers = { authorization: `${scheme} ${token}` }
    return (await call(service, '/v1/advertiser/applications?limit=1', { headers })).status
  })
  assert.deepEqual(await Promise.all(statuses), [200, 401])
}
