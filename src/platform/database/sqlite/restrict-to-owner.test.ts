import assert from 'node:assert/strict'
import { chmod, chown, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startHere } from '../../../../test/harness/command.ts'
import { createTestDatabase } from '../../../../test/harness/database.ts'
import { prepareTenant, putFile } from '../../../../test/harness/tenant.ts'

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

test('what commands leave behind belongs to the owner of the folder, even if root has run them', async t => {
  const place = await mkdtemp(join(tmpdir(), 'dossier-owner-'))
  t.after(() => rm(place, { recursive: true, force: true }))
  const isRoot = process.getuid?.() === 0
  const owner = isRoot ? 65_534 : process.getuid?.()
  if (isRoot) await chown(place, 65_534, 65_534)
  const settings = { DATA_DIR: join(place, 'data') }
  const commands = [
    'advertiser add Acme --id 10000001',
    'webhook add https://ats.example.com/ --advertiser 10000001',
    // Its mark beside the files, and that of the audit log.
    'ids raise',
    'work --once',
    `backup --to ${join(place, 'backup')}`,
    `restore --replace --from ${join(place, 'backup')}`,
  ]
  for (const command of commands)
    assert.equal((await startHere(command.split(' '), settings).finished).code, 0, command)
  const entries = await readdir(place, { recursive: true })
  const owners = await Promise.all(
    entries.map(async name => [name, (await stat(join(place, name))).uid] as const),
  )
  assert.deepEqual(
    owners.filter(([, uid]) => uid !== owner),
    [],
  )
})
