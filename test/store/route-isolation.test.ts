import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { unknownId } from '../contract/reading.ts'
import { withDemo } from '../harness/database.ts'
import { harbour, southern } from '../harness/http.ts'
import { createTestServer } from '../harness/server.ts'

/** Differs between two equal responses: the time and the remaining requests. */
const changing = new Set(['date', 'ratelimit'])

withDemo('every route that names an application', (services, settings) => {
  let app: FastifyInstance
  let named: RouteOptions[]
  before(async () => {
    const server = await createTestServer(services(), settings())
    app = server.app
    named = server.routes
      .filter(route => route.config?.auth === 'sws' && route.url.includes('/:'))
      // No application of the demo has such a file: test/contract/answer-files has one.
      .filter(({ url }) => !url.endsWith('/answers/:number/file'))
  })
  after(() => app.close())

  async function ask(method: string, url: string, headers: Record<string, string>) {
    const answer = await app.inject({
      method: method as 'GET',
      url,
      headers: { ...headers, 'x-request-id': 'same' },
    })
    const kept = Object.entries(answer.headers).filter(([name]) => !changing.has(name))
    return { status: answer.statusCode, body: answer.body, headers: Object.fromEntries(kept) }
  }

  test("answers the other advertiser exactly as for an unknown ID: 404 and the owner's 200", async () => {
    const parameters = new Set<string>()
    let served = 0
    for (const { method, url } of named) {
      for (const verb of [method].flat()) {
        const at = (id: number | string) =>
          url.replace(/:(\w+)/, (_, name) => String(parameters.add(name) && id))
        for (const accept of ['application/json', 'application/xml']) {
          const unknown = await ask(verb, at(unknownId), { ...southern, accept })
          assert.equal(unknown.status, 404)
          // Of the demo's applications, the first is Harbour's and has every kind of attachment.
          const owner = await ask(verb, at(1), { ...harbour, accept })
          assert.equal(owner.status, 200, `${verb} ${url}`)
          served += 1
          assert.deepEqual(await ask(verb, at(1), { ...southern, accept }), unknown, `${verb} ${url}`)
        }
      }
    }
    // Four kinds, with and without /v1, the application itself and its answers, by GET and HEAD, in two formats.
    assert.equal(served, 40)
    assert.deepEqual([...parameters], ['jobApplicationId'])
  })
})
