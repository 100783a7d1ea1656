import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { findLogLine, startDossier } from '../harness/process.ts'
import { folderFor } from './support.ts'

const recorder = new URL('../harness/module-recorder.ts', import.meta.url).href

/** The modules that a service has loaded by the time it listens. */
async function modulesOf(t: TestContext, ...args: string[]): Promise<string> {
  const folder = await folderFor(t)
  const list = join(folder, 'modules.txt')
  const running = startDossier(['serve', ...args], {
    DATA_DIR: folder,
    ...{ HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', LOG_FORMAT: 'json' },
    NODE_OPTIONS: `--import ${recorder}`,
    LOADED_MODULES: list,
  })
  await running.until(stdout => findLogLine(stdout, 'listening'))
  running.child.kill('SIGTERM')
  assert.equal((await running.finished).code, 0)
  return readFile(list, 'utf8')
}

test('a start on SQLite without the demo loads no driver of PostgreSQL, no S3 and no demo world', async t => {
  const modules = await modulesOf(t)
  assert.match(modules, /src\/storage\/sqlite\/sqlite\.ts$/m)
  assert.doesNotMatch(modules, /node_modules\/(pg|@aws-sdk|nodemailer)\//)
  assert.doesNotMatch(modules, /src\/storage\/(postgres\/(pool|postgres)|blobs\/s3)/)
  assert.doesNotMatch(modules, /src\/demo\/(world|site|components)\//)
})

test('the demo loads its world', async t => {
  assert.match(await modulesOf(t, '--demo'), /src\/demo\/world\/world\.ts$/m)
})
