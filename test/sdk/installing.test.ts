import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { isLongRun } from '../harness/effort.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import { findsPip } from '../harness/pip.ts'
import { root } from '../harness/repository.ts'

const packages = (await readdir(join(root, 'sdk/packages'))).filter(name => !name.startsWith('.'))
const wheel = packages.find(name => name.endsWith('.whl')) ?? assert.fail('there is no wheel')

onOneEngineInTurn('packages of the SDKs', service => {
  test('are served by every service, and nothing else is', async () => {
    assert.equal(packages.length, 3)
    for (const name of packages) {
      const { status, headers } = await fetch(`${service().baseUrl}/docs/sdk/${name}`)
      assert.equal(status, 200, name)
      assert.equal(headers.get('content-encoding'), null)
    }
    for (const name of [
      '.stamp',
      'dossier-sdk-9.9.9.tgz',
      '..%2Fpython%2Fdossier.py',
      '%2e%2e%2fREADME.md',
    ]) {
      assert.equal((await fetch(`${service().baseUrl}/docs/sdk/${name}`)).status, 404, name)
    }
  })

  if (!isLongRun) return

  /** The service runs in this process, so its callers must not block it. */
  const run = async (cwd: string, command: string, ...args: string[]) =>
    (await promisify(execFile)(command, args, { cwd })).stdout.trim()

  async function inEmptyFolder(use: (folder: string) => Promise<void>): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'dossier-install-'))
    try {
      await use(folder)
    } finally {
      await rm(folder, { recursive: true })
    }
  }

  test('npm installs one from there into an empty folder, and it follows', () =>
    inEmptyFolder(async folder => {
      const url = `${service().baseUrl}/docs/sdk/dossier-sdk.tgz`
      await run(folder, 'npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', url)
      const program = `import { Dossier } from 'dossier-sdk'
        const dossier = new Dossier({ baseUrl: '${service().baseUrl}', credential: 'sws_demo_harbour' })
        for await (const batch of dossier.events.follow()) { console.log(batch.events.length); break }`
      await writeFile(join(folder, 'program.mjs'), program)
      assert.equal(await run(folder, process.execPath, 'program.mjs'), '0')
    }))

  const inPython = findsPip() ? test : () => {}
  inPython('pip installs the other one, and it follows', () =>
    inEmptyFolder(async folder => {
      const url = `${service().baseUrl}/docs/sdk/${wheel}`
      await run(folder, 'python3', '-m', 'pip', 'install', '--no-index', '--target', 'packages', url)
      const program = `import sys
sys.path.insert(0, "packages")
from dossier import Dossier
for batch in Dossier("${service().baseUrl}", credential="sws_demo_harbour").events.follow():
    print(len(batch.events))
    break`
      await writeFile(join(folder, 'program.py'), program)
      assert.equal(await run(folder, 'python3', 'program.py'), '0')
    }),
  )
})
