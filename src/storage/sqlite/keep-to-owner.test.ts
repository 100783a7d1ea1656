import assert from 'node:assert/strict'
import { chmod, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTestDatabase } from '../../../test/harness/database.ts'
import { prepareTenant, putFile } from '../../../test/harness/tenant.ts'

test('in a folder that all users can read, only the owner can read the database, its log and the files', async t => {
  const database = await createTestDatabase('sqlite')
  t.after(() => database.remove())
  const folder = String(database.settings['DATA_DIR'])
  await chmod(folder, 0o755)
  const path = join(folder, 'dossier.db')
  const modes = () =>
    prepareTenant(database, async services => {
      await putFile(services, 'resume', Buffer.from('a resume'))
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      const files = entries
        .filter(entry => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
      const found = await Promise.all(
        files.map(async file => [file, (await stat(file)).mode & 0o777] as const),
      )
      return { found }
    })
  const { found } = await modes()
  assert.deepEqual(
    found.filter(([, mode]) => mode !== 0o600),
    [],
  )
  for (const suffix of ['', '-wal', '-shm'])
    assert.ok(
      found.some(([file]) => file === path + suffix),
      suffix,
    )
  // As an earlier version created it.
  await chmod(path, 0o644)
  assert.deepEqual(
    (await modes()).found.filter(([, mode]) => mode !== 0o600),
    [],
  )
})
