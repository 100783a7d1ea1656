import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import Fastify from 'fastify'
import { acceptedText } from '../../../../test/harness/arbitraries.ts'
import { parseXml } from '../../../../test/harness/xml.ts'
import { invalidField } from '../../core/fields.ts'
import { type PlatformCode, Problem, platformProblems } from '../../core/problems.ts'
import { problemDetails, problemOfFrameworkError, sendProblem } from './problem-response.ts'

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

test('details contain code, status and request ID, and never the cause', () => {
  const codes = Object.keys(platformProblems) as PlatformCode[]
  fc.assert(
    fc.property(fc.constantFrom(...codes), acceptedText(50, true), (code, detail) => {
      const problem = new Problem(code, detail, { cause: new Error('the secret') })
      const details = problemDetails(problem, 'http://localhost:8080', 'request-1')
      const { title, status } = platformProblems[code]
      const type = `http://localhost:8080/problems/${code}`
      assert.deepEqual(details, { type, title, status, detail, code, requestId: 'request-1' })
    }),
    { numRuns: 100 },
  )
})

const framework: [error: unknown, code: PlatformCode | undefined][] = [
  [{ code: 'FST_ERR_CTP_BODY_TOO_LARGE', statusCode: 413 }, 'payload-too-large'],
  [{ code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE', statusCode: 415 }, 'unsupported-media-type'],
  [{ code: 'FST_ERR_MAX_PARAM_LENGTH', statusCode: 414 }, 'uri-too-long'],
  [{ code: 'FST_ERR_BAD_URL', statusCode: 400 }, 'bad-request'],
  [{ statusCode: 500 }, undefined],
  [new Error('ours'), undefined],
  ['not even an error', undefined],
]
for (const [error, code] of framework) {
  test(`the framework's ${JSON.stringify(error)} is ${code ?? 'our own fault'}`, () => {
    assert.equal(problemOfFrameworkError(error)?.code, code)
  })
}
