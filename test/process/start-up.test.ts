import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { chmod, chown, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { longTest, some } from '../harness/effort.ts'
import { call, harbour } from '../harness/http.ts'
import { compileCache, findLogLine, type Running, watch } from '../harness/process.ts'
import type { Service } from '../harness/service.ts'
import { listPath } from '../harness/tenant.ts'
import { databaseFor, folderFor, isRefused } from './support.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const executable = join(root, 'bin/dossier')

/** The machine's own programs, without those that npm puts before them while a script runs. */
const machinePath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter(folder => !folder.includes('node_modules') && !folder.includes('node-gyp-bin'))

function start(t: TestContext, command: string, args: string[], settings: Record<string, string>): Running {
  const running = watch(
    spawn(command, args, {
      cwd: root,
      env: { PATH: machinePath.join(delimiter), HOME: process.env['HOME'] ?? '', ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Its own process group, as a terminal gives to each command.
      detached: true,
    }),
  )
  t.after(async () => {
    // The group may be alive although the started process is not.
    try {
      signalGroup(running, 'SIGKILL')
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
    }
    await running.finished
  })
  return running
}

function signalGroup({ child }: Running, signal: NodeJS.Signals): void {
  process.kill(-Number(child.pid), signal)
}

async function settingsFor(t: TestContext): Promise<Record<string, string>> {
  const { settings } = await databaseFor(t, 'sqlite', 'demo')
  const cached = { NODE_COMPILE_CACHE: compileCache }
  return { ...settings, ...cached, PORT: '0', ADMIN_PORT: '0', LOG_FORMAT: 'json' }
}

async function untilItListens(running: Running): Promise<number> {
  return Number((await running.until(stdout => findLogLine(stdout, 'listening')))['port'])
}

/** It responds, then the signal is sent, then it has ended properly and left nothing behind. */
async function assertItStops(
  running: Running,
  sendSignal: () => void,
  codes: unknown[] = [0],
): Promise<void> {
  const port = await untilItListens(running)
  const service = { baseUrl: `http://127.0.0.1:${port}` } as Service
  assert.equal((await call(service, `${listPath}?limit=1`, { headers: harbour })).status, 200)
  sendSignal()
  const { code, stdout } = await running.finished
  assert.ok(codes.includes(code), `exit code ${code}`)
  assert.ok(findLogLine(stdout, 'stopped'))
  assert.equal(await isRefused(port), true)
}

describe('the folder of compiled code', () => {
  /** The program itself is not loaded, which would be compiled each time: its launcher chooses the folder. */
  const skipProgram = `import { registerHooks } from 'node:module'
registerHooks({ load: (url, context, nextLoad) => url.endsWith('/src/main.ts')
  ? { format: 'module', source: '', shortCircuit: true } : nextLoad(url, context) })`
  const withoutProgram = {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(skipProgram)}`,
  }

  /** Files that a start leaves in a home and in a temporary folder. */
  async function leftBy(t: TestContext, prepare: (cache: string) => Promise<unknown> = async () => {}) {
    const folder = await folderFor(t)
    const [HOME, TMPDIR] = [join(folder, 'home'), join(folder, 'temporary')]
    const cache = join(HOME, '.cache', 'dossier')
    await mkdir(TMPDIR)
    await mkdir(HOME)
    await prepare(cache)
    const environment = { HOME, TMPDIR, ...withoutProgram }
    const { code, stderr } = await start(t, process.execPath, [executable, '--version'], environment).finished
    assert.deepEqual([code, stderr], [0, ''])
    return { cache, kept: await readdir(cache).catch(() => []), temporary: await readdir(TMPDIR) }
  }

  test("is the user's own", async t => {
    const { cache, kept, temporary } = await leftBy(t)
    assert.deepEqual([kept.length, temporary], [1, []])
    assert.equal((await stat(cache)).mode & 0o777, 0o700)
  })

  test('is absent without a home', async t => {
    const cwd = await folderFor(t)
    const env = { ...process.env, ...withoutProgram, HOME: '' }
    await promisify(execFile)(process.execPath, [executable, '--version'], { cwd, env })
    assert.deepEqual(await readdir(cwd), [])
  })

  const unsafe: Record<string, (cache: string) => Promise<unknown>> = {
    'that others can write to': async cache => {
      await mkdir(cache, { recursive: true })
      await chmod(cache, 0o777)
    },
    'in a folder that others can write to': async cache => {
      await mkdir(cache, { recursive: true, mode: 0o700 })
      await chmod(dirname(cache), 0o777)
    },
    'that is a link to such a one': async cache => {
      const open = join(cache, '../../open')
      await mkdir(dirname(cache))
      await mkdir(open)
      await chmod(open, 0o777)
      await symlink(open, cache)
    },
    // Only root can create one.
    ...(process.getuid?.() === 0 && {
      'of another user': async cache => {
        await mkdir(cache, { recursive: true, mode: 0o700 })
        await chown(cache, 65_534, 65_534)
      },
    }),
  }
  for (const [what, prepare] of some(2, Object.entries(unsafe))) {
    test(`is absent when it is one ${what}`, async t => {
      const { kept, temporary } = await leftBy(t, prepare)
      assert.deepEqual([kept, temporary], [[], []])
    })
  }
})

describe('npm start', () => {
  for (const signal of some(1, ['SIGTERM', 'SIGINT'])) {
    test(`${signal} to the npm process reaches the service, exit 0`, async t => {
      const running = start(t, 'npm', ['start'], await settingsFor(t))
      await assertItStops(running, () => running.child.kill(signal))
    })
  }

  longTest('Ctrl-C, which reaches npm and the service, works the same', async t => {
    const running = start(t, 'npm', ['start'], await settingsFor(t))
    // npm passes on the signal that the service has already got: it may arrive when the service has just ended its work.
    await assertItStops(running, () => signalGroup(running, 'SIGINT'), [0, null])
  })
})

describe('npx dossier serve', () => {
  // npx passes SIGTERM to its shell, which dies of it, and dies itself of the others.
  for (const signal of some(1, ['SIGTERM', 'SIGKILL', 'SIGHUP'])) {
    longTest(`${signal} to npx ends the service too`, async t => {
      const running = start(t, 'npx', ['dossier', 'serve', '--demo'], await settingsFor(t))
      const port = await untilItListens(running)
      running.child.kill(signal)
      // The pipe that it prints to is closed by the last of the processes.
      assert.ok(findLogLine((await running.finished).stdout, 'stopped'))
      assert.equal(await isRefused(port), true)
    })
  }

  longTest('its shell, killed while the service starts, ends the service too', async t => {
    // Runs in the service when it begins to load the commands, and in npx without effect.
    const script = `import * as modules from 'node:module'
modules.registerHooks?.({ load(url, context, nextLoad) {
  if (url.endsWith('/src/assembly/commands/program.ts')) {
    const shell = process.ppid
    process.kill(shell, 'SIGTERM')
    while (process.ppid === shell) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
  }
  return nextLoad(url, context)
} })`
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(script)}`
    const settings = { ...(await settingsFor(t)), NODE_OPTIONS }
    const { stdout } = await start(t, 'npx', ['dossier', 'serve', '--demo'], settings).finished
    assert.ok(findLogLine(stdout, 'stopped'))
  })
})

test('bin/dossier limits what malloc keeps of freed memory, unless its environment does', async t => {
  const folder = await folderFor(t)
  await writeFile(join(folder, 'node'), '#!/bin/sh\n[ "$1" = --version ] && echo v24.0.0 || env\n', {
    mode: 0o755,
  })
  const PATH = [folder, '/usr/bin', '/bin'].join(delimiter)
  const environment = async (settings: Record<string, string>) =>
    (await start(t, executable, ['serve'], { PATH, ...settings }).finished).stdout
  for (const name of ['MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_']) {
    assert.match(await environment({}), new RegExp(`^${name}=\\d{7,}$`, 'm'))
    assert.match(await environment({ [name]: '12' }), new RegExp(`^${name}=12$`, 'm'))
  }
})

const older = await findOlderNode()

describe('bin/dossier on a machine with an older Node', () => {
  if (older === 'none') return

  longTest('is the service itself: there is no launcher that could die without it', async t => {
    const PATH = [dirname(older), '/usr/bin', '/bin'].join(delimiter)
    const running = start(t, executable, ['serve', '--demo'], { ...(await settingsFor(t)), PATH })
    const port = await untilItListens(running)
    running.child.kill('SIGKILL')
    await running.finished
    assert.equal(await isRefused(port), true)
  })

  longTest('started by it, ends when that launcher is killed', async t => {
    const running = start(t, older, [executable, 'serve', '--demo'], await settingsFor(t))
    const port = await untilItListens(running)
    running.child.kill('SIGKILL')
    assert.ok(findLogLine((await running.finished).stdout, 'stopped'))
    assert.equal(await isRefused(port), true)
  })

  test('runs itself on the pinned one and returns its exit code', async t => {
    const settings = await settingsFor(t)
    const endings: [code: number, args: string[]][] = [
      [0, ['--version']],
      [2, ['nonsense']],
      [3, ['advertiser', 'hold', '1']],
    ]
    for (const [expected, args] of some(2, endings)) {
      const { code, stdout, stderr } = await start(t, older, [executable, ...args], settings).finished
      assert.equal(code, expected, stderr)
      assert.notEqual(stdout + stderr, '')
    }
    const wrong = await start(t, older, [executable, 'serve'], { ...settings, PORT: 'eighty' }).finished
    assert.deepEqual([wrong.code, wrong.stderr.split('\n').length], [4, 2])
  })

  for (const signal of some(1, ['SIGTERM', 'SIGINT'])) {
    test(`passes on ${signal}, exit 0`, async t => {
      const running = start(t, older, [executable, 'serve', '--demo'], await settingsFor(t))
      await assertItStops(running, () => running.child.kill(signal))
    })
  }
})

/** 'none' where the machine's own Node is recent enough; on CI it must be one of the two. */
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
