import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, harbour } from '../harness/http.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import { kinds, listPath, problem, unknownId } from './reading.ts'

const codes = [
  'bad-request',
  'invalid-parameter',
  'repeated-parameter',
  'invalid-credential',
  'advertiser-on-hold',
  'demo-loopback-only',
  'not-found',
  'no-such-route',
  'method-not-allowed',
  'not-acceptable',
  'uri-too-long',
  'range-not-satisfiable',
  'headers-too-large',
  'rate-limited',
  'too-many-streams',
  'not-yet-scanned',
]

onOneEngineInTurn('problems', service => {
  for (const code of codes) {
    test(`/problems/${code} is public and explains itself`, async () => {
      const answer = await call(service(), `/problems/${code}`)
      assert.equal(answer.status, 200)
      assert.ok(answer.text.includes(code))
    })
  }

  test('an unknown code has no page', async () => {
    for (const code of ['nothing-like-it', 'constructor', '__proto__']) {
      assert.equal((await call(service(), `/problems/${code}`)).status, 404)
    }
  })

  test('an unknown path is a 404, with and without a credential', async () => {
    const paths = [
      '/v1',
      '/v1/nothing',
      '/v0/advertiser/applications',
      '/v3/advertiser/applications/resume/1',
      '/v1/v1/advertiser/applications',
      '/advertiser/applications',
      '/v1/advertisers/applications',
      `${listPath}/resume`,
      `${listPath}/photo/1`,
      `${listPath}/attachment/1`,
      `${listPath}/resume/1/2`,
      '/etc/passwd',
    ]
    for (const path of paths) {
      for (const headers of [harbour, {}]) {
        problem(service(), await call(service(), path, { headers }), 404, 'no-such-route')
      }
    }
  })

  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    test(`${method} is a 405 with Allow on every path of version 1`, async () => {
      const downloads = kinds.flatMap(kind => [`${listPath}/${kind}/1`, `/advertiser/applications/${kind}/1`])
      for (const path of [listPath, ...downloads]) {
        const answer = await call(service(), path, { method, headers: harbour })
        problem(service(), answer, 405, 'method-not-allowed')
        const allowed = (answer.headers.get('allow') ?? '').split(',').map(name => name.trim())
        assert.ok(
          allowed.includes('GET') && allowed.includes('HEAD') && !allowed.includes(method),
          `${allowed}`,
        )
      }
    })
  }

  test('a body makes no difference to a wrong method', async () => {
    for (const type of ['application/json', 'text/plain', 'application/x-unheard-of']) {
      const headers = { ...harbour, 'content-type': type }
      const answer = await call(service(), listPath, { method: 'POST', headers, body: '{"half' })
      problem(service(), answer, 405, 'method-not-allowed')
    }
  })

  test('any method on an unknown path is a 404', async () => {
    for (const method of ['POST', 'DELETE', 'HEAD']) {
      assert.equal((await call(service(), '/v1/nothing', { method, headers: harbour })).status, 404)
    }
  })

  const kept = ['a', 'abc-DEF_1.2', '0'.repeat(64), '...', 'constructor']
  for (const id of kept) {
    test(`X-Request-Id ${id} is kept, in the header and in the problem`, async () => {
      const good = await call(service(), listPath, { headers: { ...harbour, 'x-request-id': id } })
      assert.equal(good.headers.get('x-request-id'), id)
      const bad = await call(service(), `${listPath}/resume/${unknownId}`, {
        headers: { ...harbour, 'x-request-id': id },
      })
      assert.equal(problem(service(), bad, 404, 'not-found').requestId, id)
    })
  }

  const replaced = ['', '0'.repeat(65), 'a b', 'a,b', 'a/b', '<b>', 'é', 'a:b', '"']
  for (const id of replaced) {
    test(`X-Request-Id ${JSON.stringify(id)} is replaced by our own`, async () => {
      const answer = await call(service(), listPath, { headers: { ...harbour, 'x-request-id': id } })
      const ours = answer.headers.get('x-request-id') ?? ''
      assert.match(ours, /^[A-Za-z0-9_.-]{1,64}$/)
      assert.notEqual(ours, id)
    })
  }

  test('our own request ids differ', async () => {
    const seen = new Set<string | null>()
    for (let i = 0; i < 20; i++) seen.add((await call(service(), '/v1/nothing')).headers.get('x-request-id'))
    assert.equal(seen.size, 20)
  })
})
