import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { replaceFile, syncPath } from './replace-file.ts'

test('a file is replaced as a whole, or stays as it was and leaves no draft', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'dossier-replace-'))
  t.after(() => rm(folder, { recursive: true }))
  const [path, draft] = [join(folder, 'in/file'), join(folder, 'drafts/one')]
  assert.equal(await replaceFile(path, draft, async handle => (await handle.write('first')).bytesWritten), 5)
  const broken = replaceFile(path, draft, async handle => {
    await handle.write('sec')
    throw new Error('the source broke off')
  })
  await assert.rejects(broken, /broke off/)
  await syncPath(path)
  await syncPath(join(folder, 'in'))
  assert.equal(await readFile(path, 'utf8'), 'first')
  assert.deepEqual(await readdir(join(folder, 'drafts')), [])
  await assert.rejects(syncPath(join(folder, 'gone')), { code: 'ENOENT' })
})
