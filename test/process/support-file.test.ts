import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { call } from '../harness/http.ts'
import { freeTexts } from '../hostile/text-columns.ts'
import { databaseFor, folderFor, runHere, runSql, serveHereFor } from './support.ts'

/** In every text that people write and in every secret. */
const mark = 'zmarked'

test('a support file has what helps, and neither a secret nor anything of a person', async t => {
  const database = await databaseFor(t, 'sqlite', 'demo')
  const columns = Object.keys(freeTexts).map(path => path.split('.'))
  for (const [table, column, ...inner] of columns)
    if (inner.length === 0) await runSql(database, `update ${table} set ${column} = '${mark}' || ${column}`)
  const key = randomBytes(32).toString('base64')
  const secrets = {
    SMTP_URL: `smtp://user:${mark}%21word@localhost:1`,
    WEBHOOK_KEY: key,
    AWS_SECRET_ACCESS_KEY: `${mark}-of-aws`,
    MAIL_FROM: `${mark}@example.com`,
  }
  const serving = await serveHereFor(t, database, { args: ['--demo'] })
  await call(serving, `/${mark}?q=${mark}@example.com`, { headers: { 'user-agent': mark } })
  const folder = await folderFor(t)
  const log = join(folder, 'log')
  const line = { time: '2026-11-16T00:00:00Z', level: 'error', msg: 'request failed', route: '/x', who: mark }
  const err = { message: `no ${mark}@example.com`, code: 'ECONNREFUSED' }
  const quiet = { ...line, level: 'info', msg: 'request' }
  await writeFile(log, `${[{ ...line, err }, quiet].map(each => JSON.stringify(each)).join('\n')}\nno JSON\n`)

  const file = join(folder, 'support.txt')
  const { port } = new URL(serving.adminUrl)
  const settings = { ...database.settings, ...secrets, ADMIN_PORT: port, PORT: '8099' }
  const { code, stdout, stderr } = await runHere(['support', '--to', file, '--log', log], settings)
  assert.deepEqual([code, stderr, stdout], [0, '', `Wrote ${file}. Read it before you send it.\n`])
  const text = await readFile(file, 'utf8')
  for (const secret of [mark, key, key.slice(0, 20), 'word@', encodeURIComponent(key)])
    assert.ok(!text.includes(secret), text)
  for (const found of [
    /^Dossier \d+\.\d+\.\d+, Node v24/m,
    /^PORT: 8099$/m,
    /^SMTP_URL is set$/m,
    /^WEBHOOK_KEY is set$/m,
    /^MAIL_FROM: \[email\]$/m,
    /^ok {5}database +sqlite, the file is sound/m,
    /^WRONG {2}mail +the mail server cannot be used/m,
    /^0001-foundation expand 0\.1\.0$/m,
    /^[\da-f-]{36} 0\.1\.0$/m,
    /^applications \d+$/m,
    /^waiting 0$/m,
    /^dossier_build_info\{.*\} 1$/m,
    /^2026-11-16T00:00:00Z error request failed \/x \(ECONNREFUSED\)$/m,
  ])
    assert.match(text, found)
  assert.doesNotMatch(text, /no JSON|error request \/x|_bucket/)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const again = await runHere(['support', '--to', file], settings)
  assert.equal(again.code, 1)
  assert.match(again.stderr, /^dossier: The file cannot be written \(EEXIST/)
  assert.equal((await runHere(['support', '--log', join(folder, 'none'), '--to', '-'], settings)).code, 1)
  await serving.stop()
})

test('without a database and a service it says so, and is written all the same', async t => {
  const settings = {
    DATA_DIR: await folderFor(t),
    DATABASE_URL: 'postgres://someone:secret-word@localhost:1/dossier',
    ADMIN_PORT: '1',
  }
  const { code, stdout } = await runHere(['support', '--to', '-'], settings)
  assert.equal(code, 0)
  assert.match(stdout, /^WRONG {2}database +cannot be reached/m)
  assert.match(stdout, /^no answer on ADMIN_PORT \(/m)
  assert.doesNotMatch(stdout, /secret-word|someone/)
})
