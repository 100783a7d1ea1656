import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createProcessLock } from './process-lock.ts'

test('dead processes are found beside files that others have put into the folder', async t => {
  const dataDir = await mkdtemp(join(tmpdir(), 'dossier-processes-'))
  t.after(() => rm(dataDir, { recursive: true }))
  const folder = join(dataDir, 'processes')
  await mkdir(join(folder, '0-folder'), { recursive: true })
  await writeFile(join(folder, '1-text'), 'This is no lock. '.repeat(100))
  await writeFile(join(folder, 'dead'), '')
  const [living, lock] = [createProcessLock(dataDir), createProcessLock(dataDir)]
  t.after(() => living.close())
  living.id()
  const freed: string[] = []
  const count = await lock.forEachDead(async id => void freed.push(id))
  assert.deepEqual([freed, count], [['dead'], 1])
  assert.deepEqual((await readdir(folder)).toSorted(), ['0-folder', '1-text', living.id()].toSorted())
})
