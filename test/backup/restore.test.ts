import assert from 'node:assert/strict'
import { cp, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { openRestore } from '../../src/assembly/restore.ts'
import { createLog } from '../../src/logging.ts'
import type { Place } from '../../src/platform/backup/ports.ts'
import { findSets, type RepositorySet } from '../../src/platform/backup/sets-service.ts'
import { unpack } from '../../src/platform/core/bytes/packing.ts'
import { readConfig } from '../../src/settings.ts'
import { startHere } from '../harness/command.ts'
import { createTestDatabase, engines, open, type StoreEngine } from '../harness/database.ts'
import { some } from '../harness/effort.ts'
import { call } from '../harness/http.ts'
import { addTenant, draftOf, listPath, type Tenant } from '../harness/tenant.ts'
import { databaseFor, refusalHere, runSql, serveHereFor, unmigrate } from '../process/support.ts'
import { apply, createRepository, placeOf } from './repository.ts'

type Settings = Record<string, string>

async function repositoryFor(t: TestContext, kind: 'folder' | 's3' = 'folder'): Promise<string> {
  const repository = await createRepository(kind)
  t.after(repository.remove)
  return repository.address
}

async function command(args: string[], settings: Settings): Promise<string> {
  const { code, stdout, stderr } = await startHere(args, settings).finished
  assert.deepEqual([code, stderr], [0, ''], stdout)
  return stdout
}

async function refused(args: string[], settings: Settings): Promise<string> {
  const { code, stderr } = await startHere(args, settings).finished
  assert.equal(code, 1, stderr)
  return stderr
}

async function fill(settings: Settings, count: number) {
  const services = await open(settings)
  await services.schema.migrate()
  const tenant = await addTenant(services)
  const made: Awaited<ReturnType<typeof apply>>[] = []
  for (let serial = 0; serial < count; serial++) made.push(await apply(services, tenant.advertiserId, serial))
  return { tenant, made, services }
}

/** Everything that version 1 answers about these applications. */
async function answersOf(
  t: TestContext,
  database: { engine: StoreEngine; settings: Settings },
  { headers }: Tenant,
  ids: readonly number[],
): Promise<string[]> {
  const service = await serveHereFor(t, database)
  const paths = [
    listPath,
    ...ids.map(id => `${listPath}/resume/${id}`),
    ...ids.map(id => `${listPath}/screen/${id}`),
  ]
  const answers: string[] = []
  for (const path of paths) {
    for (const accept of path === listPath ? ['application/json', 'application/xml'] : ['*/*']) {
      const { status, bytes } = await call(service, path, { headers: { ...headers, accept } })
      assert.equal(status, 200, path)
      answers.push(`${path} ${bytes.toString('base64')}`)
    }
  }
  await service.stop()
  return answers
}

test('from SQLite to PostgreSQL and back, every answer has the same bytes', async t => {
  const first = await databaseFor(t, 'sqlite', 'empty')
  const { tenant, made, services } = await fill(first.settings, 5)
  await services.close()
  const ids = made.map(({ id }) => id)
  const expected = await answersOf(t, first, tenant, ids)
  const [one, two] = [await repositoryFor(t), await repositoryFor(t, 's3')]
  await command(['backup', '--to', one], first.settings)

  const second = await databaseFor(t, 'postgres')
  await unmigrate(second)
  assert.match(await command(['restore', '--from', one], second.settings), /5 applications and 5 files/)
  assert.deepEqual(await answersOf(t, second, tenant, ids), expected)
  await command(['backup', '--to', two], second.settings)

  const third = await createTestDatabase('s3')
  t.after(third.remove)
  await command(['restore', '--from', two], third.settings)
  assert.deepEqual(await answersOf(t, third, tenant, ids), expected)
  assert.match(await command(['doctor', '--deep'], third.settings), /ok +files +5 read and match/)
  const again = await open(third.settings)
  t.after(again.close)
  assert.ok((await again.submissions.add(tenant.advertiserId, draftOf(6))).id > 100_000)
})

for (const engine of some(1, engines)) {
  test(`a database in use, or with data, is not replaced unasked; replaced, it is kept, and no ID comes again [${engine}]`, async t => {
    const database = await databaseFor(t, engine, 'empty')
    const { settings } = database
    const { tenant, made, services } = await fill(settings, 3)
    const address = await repositoryFor(t)
    await command(['backup', '--to', address], settings)
    const later = await apply(services, tenant.advertiserId, 'later')
    const restore = ['restore', '--from', address]
    assert.match(await refused([...restore, '--replace'], settings), /A process uses this database/)
    await services.close()
    if (engine === 'postgres') {
      // A node on another machine, between two of its sessions.
      const signed = (seenAt: number) =>
        `insert into nodes values ('node', '0.1.0', ${seenAt}) on conflict (id) do update set seen_at = excluded.seen_at`
      await runSql(database, signed(Date.now()))
      assert.match(await refused([...restore, '--replace'], settings), /A process uses this database/)
      await runSql(database, signed(Date.now() - 60_000))
    }
    assert.match(await refused(restore, settings), /already contains data. Add --replace/)
    const kept = /The replaced database is (.*)\. Delete/.exec(
      await command([...restore, '--replace'], settings),
    )?.[1] as string
    if (engine === 'sqlite') {
      const handle = new DatabaseSync(kept, { readOnly: true })
      assert.equal(handle.prepare('select max(id) as id from applications').get()?.['id'], later.id)
      handle.close()
      const left = await readdir(String(settings['DATA_DIR']))
      assert.deepEqual(
        left.filter(name => /-wal|-shm|restoring/.test(name)),
        [],
      )
    } else assert.match(kept, /^the schema "before_restore_/)
    const restored = await open(settings)
    t.after(restored.close)
    const rows = await restored.database.reader.selectFrom('applications').select('id').execute()
    assert.deepEqual(rows.map(({ id }) => id).toSorted(), made.map(({ id }) => id).toSorted())
    assert.ok((await apply(restored, tenant.advertiserId, 'new')).id > later.id)
    assert.deepEqual(await restored.examineFiles(true), { checked: 4, damaged: [] })
  })
}

test('a node of PostgreSQL that starts while a set is restored keeps its database', async t => {
  const database = await databaseFor(t, 'postgres', 'empty')
  const { settings } = database
  const { made, services } = await fill(settings, 1)
  await services.close()
  const address = await repositoryFor(t)
  await command(['backup', '--to', address], settings)
  const place = await placeOf(address, settings)
  const [found] = await findSets(place)
  const restoring = await openRestore(
    readConfig(settings),
    createLog({ level: 'silent', format: 'text', write() {} }),
  )
  t.after(restoring.close)
  const whileItStarts: Place = {
    ...place,
    async read(name, content) {
      await runSql(
        database,
        `insert into nodes values ('node', '0.1.0', ${Date.now()}) on conflict do nothing`,
      )
      return place.read(name, content)
    },
  }
  const chosen = { isReplacing: true, signal: new AbortController().signal, onProgress() {} }
  await assert.rejects(
    restoring.run({ place: whileItStarts, found: found as RepositorySet, ...chosen }),
    /A process uses this database/,
  )
  const after = await open(settings)
  t.after(after.close)
  const rows = await after.database.reader.selectFrom('applications').select('id').execute()
  assert.deepEqual(rows, [{ id: made[0]?.id }])
  const { rows: schemas } = await sql`select 1 from pg_namespace where nspname like '%restor%'`.execute(
    after.database.reader,
  )
  assert.deepEqual(schemas, [])
})

test('a role that may not create schemas is told so before anything is copied', async t => {
  const source = await databaseFor(t, 'sqlite')
  const address = await repositoryFor(t)
  await command(['backup', '--to', address], source.settings)
  const database = await databaseFor(t, 'postgres')
  const url = new URL(String(database.settings['DATABASE_URL']))
  const role = `limited_${url.pathname.slice(1)}`
  await runSql(database, `create role ${role} login; grant all on schema public to ${role}`)
  url.username = role
  const told = await refused(['restore', '--from', address], { ...database.settings, DATABASE_URL: url.href })
  await runSql(database, `drop owned by ${role}; drop role ${role}`)
  assert.match(told, new RegExp(`Run "grant create on database ${url.pathname.slice(1)} to ${role}"`))
})

test('the log of a killed service is kept with its database, not replayed onto the restored one', async t => {
  const { settings } = await databaseFor(t, 'sqlite', 'empty')
  const { tenant, services } = await fill(settings, 3)
  const address = await repositoryFor(t)
  await command(['backup', '--to', address], settings)
  await services.database.forget()
  await apply(services, tenant.advertiserId, 'logged')
  // As a kill leaves them: the log is not empty.
  const folder = String(settings['DATA_DIR'])
  const killed = await databaseFor(t, 'sqlite')
  const target = String(killed.settings['DATA_DIR'])
  await cp(folder, target, { recursive: true })
  await services.close()
  await command(['restore', '--from', address, '--replace'], killed.settings)
  const names = await readdir(target)
  const kept = names.find(name => name.includes('before-restore')) as string
  const countIn = (name: string) => {
    const handle = new DatabaseSync(join(target, name), { readOnly: true })
    const { count } = handle.prepare('select count(*) as count from applications').get() as { count: number }
    handle.close()
    return count
  }
  assert.deepEqual([countIn('dossier.db'), countIn(kept)], [3, 4])

  // Damaged: it is kept as it is, with its log.
  await rm(join(target, kept))
  await writeFile(join(target, 'dossier.db'), 'no database at all')
  await cp(join(folder, 'dossier.db'), join(target, 'dossier.db-wal'))
  await command(['restore', '--from', address, '--replace'], killed.settings)
  const left = (await readdir(target)).filter(name => /-wal$/.test(name))
  assert.equal(left.length, 1)
  assert.match(String(left), /before-restore.*-wal/)
  assert.equal(countIn('dossier.db'), 3)
})

test('the database of a set does not serve as it is', async t => {
  const { settings } = await databaseFor(t, 'sqlite', 'empty')
  const { services } = await fill(settings, 1)
  await services.close()
  const address = await repositoryFor(t)
  const { manifest } = JSON.parse(await command(['backup', '--to', address, '--json'], settings))
  const place = await placeOf(address, settings)
  const chunks: Uint8Array[] = []
  for await (const chunk of unpack(
    await place.read(`sets/${manifest.set}/database.sqlite.zst`, manifest.database.packed),
  ))
    chunks.push(chunk)
  const unpacked = await databaseFor(t, 'sqlite')
  await writeFile(join(String(unpacked.settings['DATA_DIR']), 'dossier.db'), Buffer.concat(chunks))
  assert.match(await refusalHere(unpacked.settings), /is the copy in a backup of .* run "dossier restore"/)
})

test('a database of a newer version is not backed up, and there is nothing to restore then', async t => {
  const { settings } = await databaseFor(t, 'sqlite', 'empty')
  const { services } = await fill(settings, 1)
  await services.database.writer.transaction().execute(async trx => {
    await sql`insert into schema_migrations (name, timestamp) values ('9999-later', '')`.execute(trx)
  })
  await services.close()
  const empty = await databaseFor(t, 'sqlite')
  const address = await repositoryFor(t)
  assert.match((await startHere(['backup', '--to', address], settings).finished).stderr, /9999-later/)
  assert.match(
    (await startHere(['restore', '--from', address], empty.settings).finished).stderr,
    /There are no sets/,
  )
})
