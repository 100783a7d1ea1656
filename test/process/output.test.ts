import assert from 'node:assert/strict'
import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { longTest, some } from '../harness/effort.ts'
import { freePort } from '../harness/free-port.ts'
import { call } from '../harness/http.ts'
import { startInShell } from '../harness/process.ts'
import type { Service } from '../harness/service.ts'
import { logLines } from '../harness/serving.ts'
import { databaseFor, folderFor, isRefused } from './support.ts'

/** On a port that the test chooses, because it cannot be read from the output. */
async function serveInShell(t: TestContext, script: string, args: string[] = []) {
  const { settings } = await databaseFor(t, 'sqlite')
  const port = await freePort()
  const running = startInShell(script, ['serve', ...args], {
    HOST: '127.0.0.1',
    PORT: String(port),
    ADMIN_PORT: '0',
    LOG_FORMAT: 'json',
    SHUTDOWN_IDLE_MS: '1',
    ...settings,
  })
  t.after(() => running.child.kill('SIGKILL'))
  while (await isRefused(port)) await sleep(20)
  const service = { baseUrl: `http://127.0.0.1:${port}` } as Service
  return {
    ask: async () => assert.equal((await call(service, '/health/live')).status, 200),
    async stop(): Promise<void> {
      running.child.kill('SIGTERM')
      const { code, stderr } = await running.finished
      assert.deepEqual([code, stderr], [0, ''])
    },
  }
}

describe('output that cannot be written', () => {
  for (const args of some(1, [[], ['--workers', '2']])) {
    test(`a service continues without its log: serve ${args.join(' ')}`, async t => {
      const { ask, stop } = await serveInShell(t, 'exec "$0" "$@" >/dev/full 2>/dev/full', [...args])
      for (let i = 0; i < 5; i++) await ask()
      await stop()
    })
  }

  longTest('lost lines are counted, and the count is logged once there is room again', async t => {
    const log = join(await folderFor(t), 'log')
    // Space for the beginning of a line. The database stays far below the bound.
    const maxBytes = 256 * 1024 * 1024
    await writeFile(log, '')
    await truncate(log, maxBytes - 10)
    const { ask, stop } = await serveInShell(
      t,
      `ulimit -f ${maxBytes / 512}; trap '' XFSZ; exec "$0" "$@" >>${log}`,
    )
    for (let i = 0; i < 5; i++) await ask()
    await truncate(log, 0)
    await ask()
    await stop()
    const lines = logLines(await readFile(log, 'utf8'))
    const [told, ...more] = lines.filter(line => line.msg === 'lines of this log were lost')
    assert.deepEqual([told?.['level'], more, lines.at(-1)?.msg], ['warn', [], 'stopped'])
    assert.ok(Number(told?.['lines']) > 0, JSON.stringify(told))
  })

  test('a command says so and fails', async () => {
    const { code, stderr } = await startInShell('"$0" "$@" >/dev/full', ['--help'], {}).finished
    assert.equal(code, 1)
    assert.match(stderr, /^dossier: the output could not be written \(ENOSPC[^\n]*\n$/)
  })

  test('a reader may stop before the end', async () => {
    const running = startInShell('"$0" "$@"; echo $? >&2', ['--help'], {})
    running.child.stdout?.destroy()
    assert.equal((await running.finished).stderr, '0\n')
  })
})
