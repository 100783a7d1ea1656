import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { parseXml } from '../../../../test/harness/xml.ts'
import { invalidField } from '../../core/fields.ts'
import { Problem } from '../../core/problems.ts'
import { sendProblem } from './problem-response.ts'

test("a problem that repeats the caller's words is well-formed XML, whatever the words", async () => {
  const app = Fastify()
  const words = 'a\u0001b\uFFFEc\uD800<&>'
  app.get('/', (request, reply) =>
    sendProblem(request, reply, invalidField(words, words, `There is no ${words}.`), 'http://localhost'),
  )
  const answer = await app.inject({ url: '/', headers: { accept: 'application/xml' } })
  assert.equal(answer.headers['content-type'], 'application/problem+xml; charset=utf-8')
  assert.doesNotThrow(() => parseXml(answer.body))
  assert.ok(answer.body.includes('<field>a\uFFFDb\uFFFDc\uFFFD&lt;&amp;&gt;</field>'), answer.body)
})

test('a problem carries no headers of the response it replaces', async () => {
  const app = Fastify()
  app.get('/', (request, reply) => {
    reply.headers({ 'content-encoding': 'zstd', etag: '"a"', link: '<b>; rel="next"', vary: 'Accept' })
    return sendProblem(request, reply, new Problem('unavailable'), 'http://localhost')
  })
  const { headers } = await app.inject('/')
  assert.deepEqual(
    [headers['content-encoding'], headers.etag, headers.link, headers.vary],
    [undefined, undefined, undefined, 'Accept'],
  )
})

test('every 503 about a dependency has Retry-After', async () => {
  const app = Fastify()
  app.get('/', (request, reply) =>
    sendProblem(request, reply, new Problem('unavailable'), 'http://localhost'),
  )
  app.get('/known', (request, reply) =>
    sendProblem(
      request,
      reply,
      new Problem('unavailable', undefined, { retryAfterSeconds: 30 }),
      'http://localhost',
    ),
  )
  const told = async (url: string) => (await app.inject(url)).headers['retry-after']
  assert.deepEqual([await told('/'), await told('/known')], ['5', '30'])
})
