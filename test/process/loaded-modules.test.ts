import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { longTest } from '../harness/effort.ts'
import { checkedOut, findLogLine, startNode } from '../harness/process.ts'
import { folderFor } from './support.ts'

const recorder = new URL('../harness/module-recorder.ts', import.meta.url).href

/** The modules that a command has loaded by its end; a service is stopped once it listens. */
async function modulesOf(t: TestContext, ...args: string[]): Promise<string> {
  const folder = await folderFor(t)
  const list = join(folder, 'modules.txt')
  const running = startNode(checkedOut, args, {
    DATA_DIR: folder,
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    LOG_FORMAT: 'json',
    NODE_OPTIONS: `--import ${recorder}`,
    LOADED_MODULES: list,
  })
  if (args[0] === 'serve') {
    await running.until(stdout => findLogLine(stdout, 'listening'))
    running.child.kill('SIGTERM')
  }
  assert.equal((await running.finished).code, 0)
  return readFile(list, 'utf8')
}

test('a start on SQLite without the demo loads no driver of PostgreSQL, no S3, no demo world, no schema library and no data of languages', async t => {
  const modules = await modulesOf(t, 'serve')
  assert.match(modules, /src\/platform\/database\/sqlite\/sqlite\.ts$/m)
  assert.doesNotMatch(modules, /node_modules\/(pg|@aws-sdk|nodemailer)\//)
  assert.doesNotMatch(modules, /src\/platform\/(database\/postgres\/(pool|postgres)\.ts|blobs\/s3)/)
  assert.doesNotMatch(modules, /node_modules\/(typebox|ajv|undici|otpauth|uqr|@simplewebauthn)\//)
  assert.doesNotMatch(modules, /src\/demo\/(world|site|components)\//)
  // Its data takes 10 MiB of memory.
  assert.doesNotMatch(modules, /^Intl\./m)
})

test('a command that needs no database loads neither the database nor the pages', async t => {
  const modules = await modulesOf(t, '--version')
  assert.match(modules, /src\/assembly\/commands\/program\.ts$/m)
  assert.doesNotMatch(modules, /node_modules\/(kysely|fastify|typebox)\/|src\/assembly\/app\.ts$/m)
})

longTest('the demo loads its world', async t => {
  assert.match(await modulesOf(t, 'serve', '--demo'), /src\/demo\/world\/world\.ts$/m)
})
