import assert from 'node:assert/strict'
import { cp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { copyBefore } from '../../src/platform/database/migrating/copy-before.ts'
import { open } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { startDossier } from '../harness/process.ts'
import { seeded } from '../harness/random.ts'
import type { Services } from '../harness/services.ts'
import { addTenant, draftOf } from '../harness/tenant.ts'
import { databaseFor, folderFor, runHere } from '../process/support.ts'

const random = seeded()

const kills = times(2, 20)
const goBack = ['restore', '--before-upgrade']

const idsIn = async ({ database }: Services) =>
  (await database.reader.selectFrom('applications').select('id').orderBy('id').execute()).map(({ id }) => id)

/** Three applications, the copy before the next release, and two that came afterwards, when another was erased. */
async function setUp(t: TestContext) {
  const { settings } = await databaseFor(t, 'sqlite')
  const path = join(String(settings['DATA_DIR']), 'dossier.db')
  const before = await open(settings)
  await before.schema.migrate()
  await before.restoreDetection.begin()
  const { advertiserId } = await addTenant(before)
  const ids: number[] = []
  for (const serial of [1, 2, 3]) ids.push((await before.submissions.add(advertiserId, draftOf(serial))).id)
  await before.close()
  copyBefore(path, '0.2.0', '9001-planted')
  const upgraded = await open(settings)
  await upgraded.restoreDetection.begin()
  // Stands for what a migration changes.
  await upgraded.database.writer.schema.createTable('planted').addColumn('id', 'integer').execute()
  await upgraded.erasure.erase(advertiserId, ids[0] as number)
  await upgraded.restoreDetection.tombstones.note()
  const later: number[] = []
  for (const serial of [4, 5]) later.push((await upgraded.submissions.add(advertiserId, draftOf(serial))).id)
  return { settings, path, advertiserId, ids, later, upgraded }
}

const isPlanted = (path: string) => {
  const handle = new DatabaseSync(path, { readOnly: true })
  try {
    return handle.prepare("select 1 from sqlite_schema where name = 'planted'").get() !== undefined
  } finally {
    handle.close()
  }
}

test('the copy before an upgrade is put back: its schema, no ID twice, nothing that was erased, and the newer one is kept', async t => {
  const { settings, path, advertiserId, ids, later, upgraded } = await setUp(t)
  const refused = await runHere(goBack, settings)
  assert.deepEqual([refused.code, refused.stdout], [1, ''])
  assert.match(refused.stderr, /^dossier: A process uses this database\. Stop the service/)
  assert.deepEqual(await idsIn(upgraded), [...ids, ...later])

  // As a crash leaves it: with its log.
  const folder = await folderFor(t)
  await cp(String(settings['DATA_DIR']), folder, { recursive: true })
  await upgraded.close()
  assert.ok((await stat(join(folder, 'dossier.db-wal'))).size > 0)
  for (const DATA_DIR of [folder, String(settings['DATA_DIR'])]) {
    const here = { ...settings, DATA_DIR }
    const file = join(DATA_DIR, 'dossier.db')
    const { code, stdout, stderr } = await runHere([...goBack, '0.2.0'], here)
    assert.deepEqual([code, stderr], [0, ''])
    const kept = /replaced database is (\S+)\. /.exec(stdout)?.[1] as string
    assert.match(stdout, /^Put back \S+\/before-0\.2\.0\.db, made 20.*\nThe replaced.*\nStart the release/)
    assert.deepEqual([isPlanted(kept), isPlanted(file)], [true, false])
    const names = await readdir(DATA_DIR)
    assert.deepEqual(
      names.filter(name => /-(wal|shm|journal)$|going-back|restoring/.test(name)),
      [],
    )
    const again = await open(here)
    try {
      await again.restoreDetection.begin()
      assert.deepEqual(await idsIn(again), ids)
      const erased = await again.database.reader
        .selectFrom('applications')
        .select('erased_at')
        .where('id', '=', ids[0] as number)
        .executeTakeFirstOrThrow()
      assert.notEqual(erased.erased_at, null)
      assert.equal((await again.restoreDetection.checklist()).restoredAt === undefined, false)
      const { id } = await again.submissions.add(advertiserId, draftOf(6))
      assert.ok(id > (later.at(-1) as number), `${id} after ${later}`)
    } finally {
      await again.close()
    }
  }
  await rm(path.replace('dossier.db', 'before-0.2.0.db'))
  const none = await runHere(goBack, settings)
  assert.equal(none.code, 1)
  assert.match(none.stderr, /^dossier: There is no copy from before an upgrade in /)
})

test('it says why it does nothing: another option, another release, PostgreSQL', async t => {
  const settings = { DATA_DIR: await folderFor(t) }
  assert.equal((await runHere([...goBack, '--from', '/tmp'], settings)).code, 2)
  assert.match(
    (await runHere([...goBack, '9.9.9'], settings)).stderr,
    /no copy from before an upgrade to 9\.9\.9/,
  )
  const postgres = { ...settings, DATABASE_URL: 'postgres://localhost:1/none' }
  assert.match((await runHere(goBack, postgres)).stderr, /^dossier: Only SQLite is copied before an upgrade/)
})

test(`killed ${kills} times, the database is the old or the new one`, async t => {
  const { settings, path, ids, later, upgraded } = await setUp(t)
  await upgraded.close()
  const newer = await folderFor(t)
  await cp(path, join(newer, 'dossier.db'))
  const begun = performance.now()
  let lifeMs = Number.POSITIVE_INFINITY
  let done = 0
  for (let kill = 0; kill <= kills; kill++) {
    const { child, finished } = startDossier(goBack, settings)
    // The first is not killed, to see how long it takes.
    const isOver = finished.then(() => true)
    const isDone = kill === 0 ? await isOver : await Promise.race([isOver, sleep(random() * lifeMs, false)])
    child.kill('SIGKILL')
    await finished
    if (kill === 0) lifeMs = 1.1 * (performance.now() - begun)
    if (isDone) done += 1
    const found = await open(settings)
    try {
      assert.equal(await found.database.examine?.(true), undefined)
      const isNewer = isPlanted(path)
      assert.deepEqual(await idsIn(found), isNewer ? [...ids, ...later] : ids)
      if (isDone) assert.equal(isNewer, false)
    } finally {
      await found.close()
    }
    for (const end of ['', '-wal', '-shm']) await rm(path + end, { force: true })
    await cp(join(newer, 'dossier.db'), path)
  }
  t.diagnostic(`${done} of ${kills} were done before they were killed`)
})
