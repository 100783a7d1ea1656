import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startHere } from '../harness/command.ts'
import { freePort } from '../harness/free-port.ts'
import { type Answer, call, raw } from '../harness/http.ts'
import type { Service } from '../harness/service.ts'
import { logLines, requestLine } from '../harness/serving.ts'
import { draftOf, listPath, prepareTenant, putFile } from '../harness/tenant.ts'
import { databaseFor, isRefused, serveHereFor } from './support.ts'

const content = 'Words that only the candidate and the advertiser may read.'

describe('the log', () => {
  test('has a line per request with the request ID of the response, and no secrets', async t => {
    const database = await databaseFor(t, 'sqlite', 'empty')
    const tenant = await prepareTenant(database, async (services, { advertiserId }) => {
      const file = await putFile(services, 'resume', Buffer.from(content))
      const missing = await putFile(services, 'coverLetter', Buffer.from(`${content} And more.`))
      const { id } = await services.submissions.add(advertiserId, draftOf('secret', [file, missing]))
      return { id, missing: String(missing.blob) }
    })
    const { headers, credential, id } = tenant
    const serving = await serveHereFor(t, database)
    // One file is lost, so that there is a failure of ours to log.
    await rm(join(String(database.settings['DATA_DIR']), 'blobs', tenant.missing))

    const email = 'candidate.secret@example.com'
    const id64 = 'x'.repeat(64)
    const requests: [path: string, headers: Record<string, string>, status: number][] = [
      [listPath, headers, 200],
      [
        `${listPath}?limit=1&include=primaryjobseekinginfo`,
        { ...headers, 'X-Request-Id': 'my-own.id_1' },
        200,
      ],
      [`${listPath}/resume/${id}`, { ...headers, 'X-Request-Id': id64 }, 200],
      [`${listPath}/screen/${id}`, headers, 200],
      [`${listPath}/coverletter/${id}`, headers, 503],
      [`${listPath}?credential=${credential}&limit=0`, headers, 400],
      [`${listPath}?afterid=${email}`, headers, 400],
      [`${listPath}/resume/${credential}`, headers, 404],
      [`/${credential}`, {}, 404],
      [`/problems/${email}`, {}, 404],
      [listPath, { authorization: `Bearer ${credential}` }, 401],
      [listPath, { authorization: `SWS ${credential}x` }, 401],
      [listPath, { authorization: `SWS ${email}` }, 401],
      [listPath, { ...headers, 'X-Request-Id': email }, 200],
      [listPath, { ...headers, 'X-Request-Id': `${id64}y` }, 200],
      [listPath, { ...headers, accept: email }, 200],
      [listPath, { ...headers, cookie: credential, 'user-agent': email, referer: `http://x/${email}` }, 200],
    ]
    const answers: Answer[] = []
    for (const [path, headers, status] of requests) {
      const answer = await call(serving, path, { headers })
      assert.equal(answer.status, status, path)
      answers.push(answer)
    }
    assert.equal((await call(serving, listPath, { method: 'POST', headers, body: email })).status, 405)
    for (const line of [`GET /${email} HTTP/9.9`, `GET /%${credential} HTTP/1.1\r\nHost: x`, `X ${email}`]) {
      await raw(serving, `${line}\r\nConnection: close\r\n\r\n`)
    }

    for (const [index, { status, headers }] of answers.entries()) {
      const line = await requestLine(serving, String(headers.get('x-request-id')))
      const [path = ''] = requests[index] ?? []
      assert.deepEqual([line['method'], line['status'], line['level']], ['GET', status, 'info'], path)
      assert.ok(typeof line['ms'] === 'number' && typeof line['route'] === 'string')
    }
    const ids = answers.map(answer => answer.headers.get('x-request-id'))
    assert.equal(new Set(ids).size, ids.length)
    assert.deepEqual([ids[1], ids[2]], ['my-own.id_1', id64])

    await serving.stop()
    const log = serving.log()
    const failure = logLines(log).find(line => line.msg === 'request failed')
    assert.equal(failure?.['requestId'], ids[4])
    assert.ok(logLines(log).some(line => line.msg === 'unreadable request'))
    for (const secret of [
      credential.slice(13),
      'candidate.secret',
      'example.com',
      content,
      'Casey',
      'limit=',
    ]) {
      assert.ok(!log.includes(secret), `${secret} is in the log`)
    }
    const known = logLines(log).find(line => line['requestId'] === 'my-own.id_1')
    assert.equal(known?.['advertiserId'], tenant.advertiserId)
    assert.equal(known?.['credentialId'], tenant.credentialId)
  })

  test('LOG_LEVEL=error leaves out routine lines', async t => {
    const { service, stop } = await serveQuietly(t, { LOG_LEVEL: 'error' })
    assert.equal((await call(service, '/health/live')).status, 200)
    assert.equal(await stop(), '')
  })

  test('LOG_FORMAT=text is for people', async t => {
    const { service, stop } = await serveQuietly(t, { LOG_FORMAT: 'text' })
    assert.equal((await call(service, '/health/live', { headers: { 'x-request-id': 'mine' } })).status, 200)
    const stdout = await stop()
    assert.match(stdout, /^\d\d:\d\d:\d\d info {2}request GET \/health\/live 200 [\d.]+ ms requestId=mine$/m)
    assert.doesNotMatch(stdout, /^\{/m)
  })

  /** On a port that the test chooses, because the log may not contain one. */
  async function serveQuietly(t: TestContext, env: Record<string, string>) {
    const { settings } = await databaseFor(t, 'sqlite', 'empty')
    const port = await freePort()
    const running = startHere(['serve'], {
      HOST: '127.0.0.1',
      PORT: String(port),
      ADMIN_PORT: '0',
      SHUTDOWN_IDLE_MS: '1',
      ...settings,
      ...env,
    })
    t.after(running.stop)
    while (await isRefused(port)) await sleep(20)
    return {
      service: { baseUrl: `http://127.0.0.1:${port}` } as Service,
      async stop(): Promise<string> {
        running.stop()
        const { code, stdout, stderr } = await running.finished
        assert.deepEqual([code, stderr], [0, ''])
        return stdout
      },
    }
  }
})
