import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { request as requestPlain } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { test } from 'node:test'
import { startNginx } from '../harness/nginx.ts'
import { makeCertificate, tlsName, tlsServers } from '../harness/nginx-tls.ts'
import { answerTo, secret, secretLinks } from '../harness/tls-requests.ts'
import { databaseFor, folderFor, serveHereFor } from './support.ts'

test('behind nginx with the shipped file: TLS, HSTS, callers by their own address, and no secret in a log', async t => {
  const folder = await folderFor(t)
  const ca = await makeCertificate(folder)
  const serving = await serveHereFor(t, await databaseFor(t, 'sqlite', 'empty'), {
    env: { BASE_URL: `https://${tlsName}`, TRUSTED_PROXIES: '127.0.0.1' },
  })
  const nginx = await startNginx(listen => tlsServers(listen, serving.port, folder))
  t.after(() => nginx.stop())
  const headers = { host: tlsName }
  const overTls = (path: string) =>
    answerTo(request, { host: '127.0.0.1', port: nginx.port, servername: tlsName, ca, path, headers })

  const home = await overTls('/')
  assert.equal(home.status, 200)
  assert.equal(home.headers['strict-transport-security'], 'max-age=31536000')
  const plain = { socketPath: join(folder, 'plain.sock'), path: '/jobs?page=2', headers }
  const { status, headers: redirect } = await answerTo(requestPlain, plain)
  assert.deepEqual([status, redirect.location], [308, `https://${tlsName}/jobs?page=2`])

  for (const link of secretLinks) assert.notEqual((await overTls(link)).status, 502)
  await serving.stop()
  for (const link of secretLinks) assert.equal((await overTls(link)).status, 502)
  assert.equal((await overTls('/jobs')).status, 502)
  const [access, errors] = [await readFile(join(folder, 'dossier.log'), 'utf8'), await nginx.errors()]
  assert.match(access, /^127\.0\.0\.1 \[[^\]]+\] "GET \/confirm\/-" 502 /m)
  assert.match(errors, /GET \/jobs/, 'the error log is read where it is written')
  const own = await readFile(join(folder, 'error.log'), 'utf8').catch(() => '')
  for (const log of [access, errors, own, serving.log()]) assert.ok(!log.includes(secret), log)
  assert.ok(!serving.log().includes('TRUSTED_PROXIES'))
})
