import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, harbour } from '../harness/http.ts'
import { onOneEngine } from '../harness/service.ts'
import { listPath, plainRequest, problem, send } from './reading.ts'

const strangers = [
  'jobs.example.com',
  'jobs.example.com:8080',
  'localhost.example.com',
  '127.0.0.1.example.com',
  'example.com:localhost',
  'localhost@example.com',
  'localhost:80@example.com',
  'notlocalhost',
  '10.0.0.1',
  '192.168.1.10:8080',
  '0.0.0.0',
  '[::]',
  '[2001:db8::1]:8080',
  '169.254.169.254',
]
const ours = ['localhost', 'LocalHost', '127.0.0.1', '[::1]']
const forwarded: [name: string, value: string][] = [
  ['Forwarded', 'for=192.0.2.1;host=jobs.example.com'],
  ['Forwarded', 'for=127.0.0.1'],
  ['X-Forwarded-For', '192.0.2.1'],
  ['X-Forwarded-For', '127.0.0.1'],
  ['X-Forwarded-Host', 'localhost'],
  ['X-Forwarded-Proto', 'https'],
  ['X-Forwarded-Port', '443'],
  ['X-Forwarded-Server', 'proxy'],
  ['x-forwarded-prefix', '/jobs'],
]
const everywhere = [
  listPath,
  `${listPath}/resume/1`,
  '/openapi.json',
  '/health/live',
  '/problems/not-found',
  '/nothing',
]

onOneEngine('the demo', service => {
  for (const Host of strangers) {
    test(`rejects Host ${Host}`, async () => {
      for (const headers of [harbour, {}]) {
        const answer = await send(service(), plainRequest(service(), listPath, { ...headers, Host }))
        problem(service(), answer, 403, 'demo-loopback-only')
      }
    })
  }

  test('rejects another host in the request line, whatever Host says', async () => {
    const request = plainRequest(service(), `http://jobs.example.com${listPath}`, harbour)
    problem(service(), await send(service(), request), 403, 'demo-loopback-only')
  })

  for (const Host of ours) {
    test(`accepts Host ${Host}, with and without a port`, async () => {
      for (const suffix of ['', `:${new URL(service().baseUrl).port}`, ':1']) {
        const bytes = plainRequest(service(), listPath, { ...harbour, Host: Host + suffix })
        assert.equal((await send(service(), bytes)).status, 200, Host + suffix)
      }
    })
  }

  for (const [name, value] of forwarded) {
    test(`rejects requests with ${name}: ${value}`, async () => {
      const answer = await call(service(), listPath, { headers: { ...harbour, [name]: value } })
      problem(service(), answer, 403, 'demo-loopback-only')
    })
  }

  test('rejects on every path', async () => {
    for (const path of everywhere) {
      const foreign = plainRequest(service(), path, { ...harbour, Host: 'jobs.example.com' })
      problem(service(), await send(service(), foreign), 403, 'demo-loopback-only')
      const proxied = await call(service(), path, { headers: { ...harbour, 'x-forwarded-for': '192.0.2.1' } })
      problem(service(), proxied, 403, 'demo-loopback-only')
    }
  })

  test('is not opened by an absolute URL in the request line', async () => {
    const target = `http://localhost${listPath}`
    const bytes = plainRequest(service(), target, { ...harbour, Host: 'jobs.example.com' })
    problem(service(), await send(service(), bytes), 403, 'demo-loopback-only')
  })

  test('ignores other proxy headers', async () => {
    const answer = await call(service(), listPath, { headers: { ...harbour, 'x-real-ip': '192.0.2.1' } })
    assert.equal(answer.status, 200)
  })
})
