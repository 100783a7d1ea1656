import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { lockFile } from './file-lock.ts'

test('one holder at a time, here and in another process, until it releases the lock or is killed', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'dossier-lock-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'lock')
  const release = lockFile(path)
  assert.ok(release)
  assert.equal(lockFile(path), undefined)
  assert.deepEqual(await readdir(folder), ['lock'])
  release()

  const script = `const { lockFile } = await import(process.argv[1])
    console.log(lockFile(process.argv[2]) === undefined ? 'refused' : 'locked')
    setInterval(() => {}, 1000)`
  const args = ['--input-type=module', '-e', script, new URL('file-lock.ts', import.meta.url).href, path]
  const other = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => other.kill('SIGKILL'))
  const [said] = await once(other.stdout, 'data')
  assert.equal(String(said).trim(), 'locked')
  assert.equal(lockFile(path), undefined)
  other.kill('SIGKILL')
  await once(other, 'exit')
  const again = lockFile(path)
  assert.ok(again)
  again()
  assert.equal((await stat(path)).size, 0, 'a full disk has room for it')
})
