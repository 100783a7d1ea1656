import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, call, drydock, harbour, southern } from '../harness/http.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import { onOneEngine, type Service } from '../harness/service.ts'
import { external, files, listPath, pick, problem, type RequestHeaders, unknownId } from './reading.ts'

interface Left {
  policy: string
  quota: number
  left: number
  reset: number
}

/** RateLimit and RateLimit-Policy, which must be present, well-formed and consistent. */
function limitOf({ headers }: Answer): Left {
  const now = /^"([\w-]+)";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '')
  const policy = /^"([\w-]+)";q=(\d+);w=60$/.exec(headers.get('ratelimit-policy') ?? '')
  assert.ok(now && policy, `${headers.get('ratelimit')} ${headers.get('ratelimit-policy')}`)
  assert.equal(now[1], policy[1])
  const [left, reset, quota] = [Number(now[2]), Number(now[3]), Number(policy[2])]
  assert.ok(left <= quota && reset <= 60, `${left} of ${quota}, ${reset} s`)
  return { policy: `${policy[1]}`, quota, left, reset }
}

function assertRefused(service: Service, answer: Answer): void {
  problem(service, answer, 429, 'rate-limited')
  const wait = Number(answer.headers.get('retry-after'))
  assert.ok(Number.isInteger(wait) && wait >= 1 && wait <= 60, `Retry-After ${wait}`)
  assert.equal(limitOf(answer).left, 0)
}

const list = (service: Service, headers: RequestHeaders) => call(service, listPath, { headers })
const nobody = { authorization: 'SWS sws_demo_nobody' }

onOneEngineInTurn('rate limits by default', service => {
  test('every response to a known credential states what is left of 6,000 a minute', async () => {
    const file = pick(await files(service()), ({ HasVirus }) => HasVirus === false, 'a clean file')
    const requests: [status: number, path: string, headers: RequestHeaders][] = [
      [200, listPath, {}],
      [200, `/v1/${file.Href}`, {}],
      [200, `/${file.Href}`, {}],
      [206, `/v1/${file.Href}`, { range: 'bytes=0-1' }],
      [304, `/v1/${file.Href}`, { 'if-none-match': '*' }],
      [416, `/v1/${file.Href}`, { range: `bytes=${file.Size}-` }],
      [400, `${listPath}?limit=0`, {}],
      [404, `${listPath}/screen/${unknownId}`, {}],
      [406, listPath, { accept: 'text/html' }],
    ]
    for (const [status, path, headers] of requests) {
      const answer = await call(service(), path, { headers: { ...harbour, ...headers } })
      assert.equal(answer.status, status, path)
      const { policy, quota } = limitOf(answer)
      assert.deepEqual([policy, quota], ['v1', 6000])
    }
    const held = await list(service(), drydock)
    assert.equal(held.status, 403)
    assert.equal(limitOf(held).policy, 'v1')
  })

  test('a failed authentication states what is left of 60 a minute', async () => {
    for (const headers of [nobody, {}]) {
      const answer = await list(service(), headers)
      assert.equal(answer.status, 401)
      const { policy, quota } = limitOf(answer)
      assert.deepEqual([policy, quota], ['auth-failures', 60])
    }
  })
})

// What two nodes count together on each database is tested in test/cluster/counts.test.ts.
onOneEngine('a rate limit of 5 a minute', { env: { RATE_LIMIT_V1_PER_MINUTE: '5' } }, service => {
  test('answers five, refuses the sixth, and leaves other credentials alone', {
    skip: external,
  }, async () => {
    // Right, wrong and missing alike: the request counts.
    const paths = [
      listPath,
      `${listPath}?limit=0`,
      `${listPath}/resume/abc`,
      '/advertiser/applications/screen/1',
    ]
    const left: number[] = []
    for (const path of [...paths, listPath]) {
      const answer = await call(service(), path, { headers: harbour })
      assert.notEqual(answer.status, 429)
      left.push(limitOf(answer).left)
    }
    assert.deepEqual(left, [4, 3, 2, 1, 0])
    for (const path of paths) assertRefused(service(), await call(service(), path, { headers: harbour }))
    const other = await list(service(), southern)
    assert.equal(other.status, 200)
    assert.equal(limitOf(other).left, 4)
  })

  test('is sent with HEAD and XML responses too', { skip: external }, async () => {
    // The first test has used up this credential's minute.
    const head = await call(service(), listPath, { method: 'HEAD', headers: harbour })
    assert.equal(head.status, 429)
    const xml = await list(service(), { ...harbour, accept: 'application/xml' })
    assert.equal(xml.status, 429)
    assert.match(xml.headers.get('content-type') ?? '', /^application\/problem\+xml(;|$)/)
  })

  test('does not hide that a credential is wrong', { skip: external }, async () => {
    for (let i = 0; i < 10; i++) assert.equal((await list(service(), nobody)).status, 401)
  })
})

onOneEngine(
  'three failed authentications a minute',
  { env: { RATE_LIMIT_AUTH_FAILURES_PER_ADDRESS_PER_MINUTE: '3' } },
  service => {
    test('are counted down, the fourth is refused, and a right credential still works', {
      skip: external,
    }, async () => {
      // Neither success nor an advertiser on hold is a failure.
      for (let i = 0; i < 5; i++) {
        assert.equal((await list(service(), harbour)).status, 200)
        assert.equal((await list(service(), drydock)).status, 403)
      }
      const left: number[] = []
      for (const headers of [nobody, {}, { authorization: 'Bearer x' }]) {
        const answer = await list(service(), headers)
        assert.equal(answer.status, 401)
        left.push(limitOf(answer).left)
      }
      assert.deepEqual(left, [2, 1, 0])
      for (const headers of [nobody, {}]) {
        const answer = await list(service(), headers)
        assertRefused(service(), answer)
        assert.equal(limitOf(answer).policy, 'auth-failures')
      }
      const right = await list(service(), harbour)
      assert.equal(right.status, 200)
      assert.equal(limitOf(right).policy, 'v1')
    })
  },
)
