import assert from 'node:assert/strict'
import { rename, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { listenLocally } from '../harness/listen-locally.ts'
import { untilStatus } from '../harness/polling.ts'
import { databaseFor, runHere, serveHereFor, takePort } from './support.ts'

test('"dossier health" follows the service: ready, warnings, not ready but alive, stopped', async t => {
  const database = await databaseFor(t, 'sqlite', 'empty')
  // More than any disk has, so that there is something to warn of.
  const serving = await serveHereFor(t, database, { env: { DISK_LEAST_MB: '999999999' } })
  const health = (...args: string[]) => runHere(['health', ...args], { PORT: String(serving.port) })
  assert.deepEqual(await health(), { code: 0, stdout: 'ok, with warnings: disk\n', stderr: '' })
  assert.deepEqual(await health('--live'), { code: 0, stdout: 'ok\n', stderr: '' })

  const blobs = join(String(database.settings['DATA_DIR']), 'blobs')
  await rename(blobs, `${blobs}.away`)
  await writeFile(blobs, '')
  await untilStatus(serving, '/health/ready', 503)
  const notReady = 'dossier: The service answers 503. Not ready: files.\n'
  assert.deepEqual(await health(), { code: 1, stdout: '', stderr: notReady })
  assert.equal((await health('--live')).code, 0)

  await serving.stop()
  const { code, stderr } = await health()
  assert.equal(code, 1)
  assert.match(
    stderr,
    new RegExp(`^dossier: No answer on port ${serving.port} of 127.0.0.1 \\(.*ECONNREFUSED.*\\)\\.\\n$`),
  )
})

test('it asks where the service listens: on one address, or on all', async t => {
  const server = createServer((_request, response) => response.end('not JSON'))
  t.after(() => server.close())
  const port = await listenLocally(server)
  for (const HOST of ['localhost', '0.0.0.0', '127.0.0.1']) {
    assert.equal((await runHere(['health'], { HOST, PORT: String(port) })).code, 0, HOST)
  }
  const { stderr } = await runHere(['health'], { HOST: '::', PORT: String(port) })
  assert.match(stderr, / of ::1 /)
})

test('it says what is wrong with the settings it was given', async () => {
  const { port, release } = await takePort()
  await release()
  const free = await runHere(['health'], { PORT: '0' })
  assert.deepEqual([free.code, free.stdout], [2, ''])
  assert.match(free.stderr, /^dossier: PORT is 0/)
  assert.equal((await runHere(['health'], { PORT: String(port), LOG_LEVEL: 'loud' })).code, 4)
})
