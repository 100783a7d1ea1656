import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Call } from '../../src/site/docs/reference/openapi.ts'
import { call } from '../harness/http.ts'
import { doorOf, requestToken, tokenOf } from '../harness/oauth.ts'
import type { Service } from '../harness/service.ts'

/** The token of the demo's agent for its webhooks, once the demo's own receiver has answered its test. */
export async function agentToken(service: Service): Promise<string> {
  const fields = { grant_type: 'client_credentials', scope: 'm_webhooks' }
  const token = tokenOf(await requestToken(doorOf(service), fields))
  for (let asked = 0; asked < 200; asked++) {
    const answer = await call(service, '/v1/agent/webhooks', {
      headers: { authorization: `Bearer ${token}` },
    })
    if (answer.json().webhooks.every(({ state }: { state: string }) => state !== 'new')) return token
    await sleep(20)
  }
  return assert.fail('the endpoint of the demo has not answered its test')
}

/** In the order of the document, but the endpoint that the examples are about is removed at the end. */
export const removalLast = (calls: readonly Call[]): Call[] =>
  calls.toSorted(
    (a, b) => Number(a.operationId === 'removeWebhook') - Number(b.operationId === 'removeWebhook'),
  )
