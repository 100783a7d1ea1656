import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { call, harbour } from '../harness/http.ts'
import { findLogLine, type Running, watch } from '../harness/process.ts'
import type { Service } from '../harness/service.ts'
import { listPath } from '../harness/tenant.ts'
import { folderFor, isRefused } from './support.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const executable = join(root, 'bin/dossier')

/** The machine's own programs, without those that npm puts in front of them for the time of a script. */
const machinePath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter(folder => !folder.includes('node_modules') && !folder.includes('node-gyp-bin'))

function start(t: TestContext, command: string, args: string[], settings: Record<string, string>): Running {
  const running = watch(
    spawn(command, args, {
      cwd: root,
      env: { PATH: machinePath.join(delimiter), HOME: process.env['HOME'] ?? '', ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own, as a terminal gives to each command.
      detached: true,
    }),
  )
  t.after(async () => {
    if (running.child.exitCode === null) signalGroup(running, 'SIGKILL')
    await running.finished
  })
  return running
}

function signalGroup({ child }: Running, signal: NodeJS.Signals): void {
  process.kill(-Number(child.pid), signal)
}

async function settingsFor(t: TestContext): Promise<Record<string, string>> {
  return { DATA_DIR: await folderFor(t), PORT: '0', ADMIN_PORT: '0', LOG_FORMAT: 'json' }
}

/** It answers, then the signal is sent, then it has ended as it should and nothing is left of it. */
async function assertItStops(running: Running, sendSignal: () => void): Promise<void> {
  const { port } = (await running.until(stdout => findLogLine(stdout, 'listening'))) as { port: number }
  const service = { baseUrl: `http://127.0.0.1:${port}` } as Service
  assert.equal((await call(service, `${listPath}?limit=1`, { headers: harbour })).status, 200)
  sendSignal()
  const { code, stdout } = await running.finished
  assert.equal(code, 0)
  assert.ok(findLogLine(stdout, 'stopped'))
  assert.equal(await isRefused(port), true)
}

describe('npm start', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`${signal} to the npm process reaches the service, exit 0`, async t => {
      const running = start(t, 'npm', ['start'], await settingsFor(t))
      await assertItStops(running, () => running.child.kill(signal))
    })
  }

  test('Ctrl-C, which reaches npm and the service, is no different', async t => {
    const running = start(t, 'npm', ['start'], await settingsFor(t))
    await assertItStops(running, () => signalGroup(running, 'SIGINT'))
  })
})

describe('bin/dossier, started by an older Node', async () => {
  const older = await findOlderNode()
  if (older === 'none') return

  test('runs itself on the pinned one and passes on how it ended', async t => {
    const settings = await settingsFor(t)
    const endings: [code: number, args: string[]][] = [
      [0, ['--version']],
      [2, ['nonsense']],
      [3, ['advertiser', 'hold', '1']],
    ]
    for (const [expected, args] of endings) {
      const { code, stdout, stderr } = await start(t, older, [executable, ...args], settings).finished
      assert.equal(code, expected, stderr)
      assert.notEqual(stdout + stderr, '')
    }
    const wrong = await start(t, older, [executable, 'serve'], { ...settings, PORT: 'eighty' }).finished
    assert.deepEqual([wrong.code, wrong.stderr.split('\n').length], [4, 2])
  })

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`passes on ${signal}, exit 0`, async t => {
      const running = start(t, older, [executable, 'serve', '--demo'], await settingsFor(t))
      await assertItStops(running, () => running.child.kill(signal))
    })
  }
})

/** 'none' where the machine's own Node is new enough to need no other; on CI it must be one of the two. */
async function findOlderNode(): Promise<string> {
  const candidates = [...machinePath, '/usr/bin', '/usr/local/bin'].map(folder => join(folder, 'node'))
  let isThereANewOne = false
  for (const candidate of candidates) {
    const { stdout } = await promisify(execFile)(candidate, ['--version']).catch(() => ({ stdout: '' }))
    const major = Number(/^v(\d+)\./.exec(stdout)?.[1])
    if (major < 24) return candidate
    isThereANewOne ||= major >= 24
  }
  if (process.env['CI'] === 'true' && !isThereANewOne) throw new Error('the machine has no Node of its own')
  return 'none'
}
