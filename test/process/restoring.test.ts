import assert from 'node:assert/strict'
import { copyFile, open as openFile, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { open, type TestDatabase } from '../harness/database.ts'
import { longTest, some } from '../harness/effort.ts'
import { call } from '../harness/http.ts'
import { draftOf, listPath, prepareTenant, type Tenant } from '../harness/tenant.ts'
import { databaseFor, refusalHere, runHere, serveFor, serveHereFor } from './support.ts'

interface Scene extends Tenant {
  database: TestDatabase
  path: string
  /** How many the copy has. */
  kept: number
}

const copyWays: Record<string, (path: string, copy: string) => Promise<unknown>> = {
  'VACUUM INTO': async (path, copy) => withHandle(path, handle => handle.exec(`vacuum into '${copy}'`)),
  '.backup': (path, copy) => withHandle(path, handle => backup(handle, copy)),
}

async function withHandle<T>(path: string, use: (handle: DatabaseSync) => T | Promise<T>): Promise<T> {
  const handle = new DatabaseSync(path)
  try {
    return await use(handle)
  } finally {
    handle.close()
  }
}

/** A copy is taken while a service accepts applications, which is killed some time later; then the copy is restored. */
async function restoredBesideLog(t: TestContext, way: keyof typeof copyWays): Promise<Scene> {
  const database = await databaseFor(t, 'sqlite', 'empty')
  const tenant = await prepareTenant(database)
  const path = join(String(database.settings['DATA_DIR']), 'dossier.db')
  const serving = await serveFor(t, database)
  const services = await open(database.settings)
  const apply = async (count: number) => {
    for (let serial = 0; serial < count; serial++)
      await services.submissions.add(tenant.advertiserId, draftOf(serial))
  }
  await apply(20)
  await copyWays[way]?.(path, `${path}.copy`)
  await apply(10)
  // The log begins again, and the copy is older than that.
  await services.database.forget()
  await apply(10)
  await services.close()
  serving.end()
  await serving.running.finished
  assert.ok((await stat(`${path}-wal`)).size > 0)
  await copyFile(`${path}.copy`, path)
  return { ...tenant, database, path, kept: 20 }
}

for (const way of some(1, Object.keys(copyWays))) {
  test(`a copy beside the log of another database is refused, and is whole without that log: ${way}`, async t => {
    const { database, path, headers, kept } = await restoredBesideLog(t, way)
    const { settings } = database
    const before = await readFile(path)
    const words =
      /dossier\.db-wal belongs to another dossier\.db.* move dossier\.db-wal and dossier\.db-shm out of/
    assert.match(await refusalHere(settings), words)
    const raised = await runHere(['ids', 'raise'], settings)
    assert.equal(raised.code, 4)
    assert.match(raised.stderr, words)
    const { code, stdout } = await runHere(['doctor', '--deep'], settings)
    assert.equal(code, 1)
    assert.match(stdout, new RegExp(`^WRONG {2}database .*${words.source}`, 'm'))
    assert.ok((await readFile(path)).equals(before), 'nothing was changed')

    for (const rest of ['-wal', '-shm']) await rm(path + rest)
    assert.equal((await runHere(['ids', 'raise'], settings)).code, 0)
    assert.equal((await runHere(['doctor', '--deep'], settings)).code, 0)
    const serving = await serveHereFor(t, database)
    const { JobApplications } = (await call(serving, listPath, { headers })).json()
    assert.equal(JobApplications.JobApplicationsList.length, kept)
    await serving.stop()
  })
}

longTest('the log of a killed service is its own', async t => {
  const database = await databaseFor(t, 'sqlite', 'empty')
  const { advertiserId, headers } = await prepareTenant(database)
  for (let round = 1; round <= 3; round++) {
    const serving = await serveFor(t, database)
    const services = await open(database.settings)
    for (let serial = 0; serial < 10; serial++) await services.submissions.add(advertiserId, draftOf(serial))
    if (round === 2) await services.database.forget()
    await services.close()
    const { JobApplications } = (await call(serving, listPath, { headers })).json()
    assert.equal(JobApplications.JobApplicationsList.length, 10 * round)
    serving.end()
    await serving.running.finished
  }
})

test('a file damaged in the middle is reported by the doctor and by "ids raise", with the remedy', async t => {
  const database = await databaseFor(t, 'sqlite', 'demo')
  const path = join(String(database.settings['DATA_DIR']), 'dossier.db')
  const { rootpage } = await withHandle(
    path,
    handle =>
      handle.prepare("select rootpage from sqlite_schema where name = 'application_terms'").get() as {
        rootpage: number
      },
  )
  const file = await openFile(path, 'r+')
  await file.write(Buffer.alloc(512, 0xff), 0, 512, (rootpage - 1) * 16_384)
  await file.close()
  const words = /is damaged \(.*\): stop the service, put its folder aside, and restore a backup/s
  for (const options of [[], ['--deep']]) {
    const { code, stdout } = await runHere(['doctor', ...options], database.settings)
    assert.equal(code, 1)
    assert.match(stdout, new RegExp(`^WRONG {2}database +${words.source}`, 'm'))
  }
  const raised = await runHere(['ids', 'raise'], database.settings)
  assert.equal(raised.code, 1)
  assert.match(raised.stderr, words)
})

longTest('a row without its parent is reported by doctor --deep', async t => {
  const database = await databaseFor(t, 'sqlite', 'demo')
  const path = join(String(database.settings['DATA_DIR']), 'dossier.db')
  await withHandle(path, handle =>
    handle.exec(
      'pragma foreign_keys = off; delete from advertiser_ledger; delete from advertisers where id = 10000001',
    ),
  )
  assert.equal((await runHere(['doctor'], database.settings)).code, 0)
  const { code, stdout } = await runHere(['doctor', '--deep'], database.settings)
  assert.equal(code, 1)
  assert.match(stdout, /^WRONG {2}database +is damaged \(\d+ rows of \w+ have no row in advertisers/m)
})

test('a file that is not a database is reported, with the remedy', async t => {
  const database = await databaseFor(t, 'sqlite', 'demo')
  const path = join(String(database.settings['DATA_DIR']), 'dossier.db')
  const file = await openFile(path, 'r+')
  await file.write(Buffer.alloc(100, 0x20), 0, 100, 0)
  await file.close()
  const { code, stdout } = await runHere(['doctor'], database.settings)
  assert.equal(code, 1)
  assert.match(stdout, /^WRONG {2}database .*is damaged \(file is not a database\): .*restore a backup/m)
  assert.match(await refusalHere(database.settings), /file is not a database.*restore a backup/)
})
