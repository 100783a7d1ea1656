import assert from 'node:assert/strict'
import { readdir, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { signIn } from '../../src/assembly/process/context.ts'
import { copyBefore, upgradeCopyDays } from '../../src/platform/database/migrating/copy-before.ts'
import type { Migration, Migrations } from '../../src/platform/database/migrating/migration.ts'
import { createSchema, type MigrationWaits } from '../../src/platform/database/migrating/schema.ts'
import type { Schema } from '../../src/platform/database/tables.ts'
import { migrations } from '../../src/schema/migrations/list.ts'
import { createTestDatabase, engines, open, type StoreEngine } from '../harness/database.ts'
import { some } from '../harness/effort.ts'
import type { Services } from '../harness/services.ts'
import { unmigrate } from '../process/support.ts'

/** What the next releases might bring: the column is used by 0.2.0, which also writes the old one; 0.3.0 removes that. */
const next: Record<string, Migration> = {
  '9001-expand': {
    mark: { kind: 'expand', oldest: '0.1.0' },
    async up(db) {
      await sql`alter table meta add column note text`.execute(db)
    },
  },
  '9002-index': {
    mark: { kind: 'expand', oldest: '0.1.0' },
    indexes: [{ name: 'meta_by_note', on: 'on meta (note)' }],
  },
  '9003-contract': {
    mark: { kind: 'contract', oldest: '0.2.0' },
    async up(db) {
      await sql`alter table meta add column is_contracted text`.execute(db)
    },
  },
}

const nodes =
  'create table if not exists nodes (id text primary key, release text not null, seen_at bigint not null)'

async function emptyFor(t: TestContext, engine: StoreEngine): Promise<Services> {
  const database = await createTestDatabase(engine)
  await unmigrate(database)
  const services = await open(database.settings)
  t.after(async () => {
    await services.close()
    await database.remove()
  })
  return services
}

const schemaOf = (services: Services, release: string, known: Migrations, waits?: MigrationWaits) =>
  createSchema({ ...services, ...(waits && { waits }), release, migrations: known })

const all = { ...migrations, ...next }
const until = (name: string): Migrations =>
  Object.fromEntries(Object.entries(all).filter(([each]) => each <= name))

/** Everything that the schema consists of. */
async function contentOf({ database: { dialect, reader } }: Services): Promise<unknown[]> {
  const query =
    dialect === 'sqlite'
      ? sql`select type, name, sql from sqlite_master order by type, name`
      : sql`select 'column' as kind, table_name || '.' || column_name as name,
            concat_ws(' ', data_type, is_nullable, column_default) as what
          from information_schema.columns where table_schema = current_schema()
        union all select 'index', indexname, indexdef from pg_indexes where schemaname = current_schema()
        union all select 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
          from pg_constraint where connamespace = current_schema()::regnamespace
        order by 1, 2, 3`
  return (await query.execute(reader)).rows.map(row => ({ ...(row as object) }))
}

for (const engine of some(1, engines)) {
  describe(`upgrades [${engine}]`, () => {
    test('a process that signs just after such a migration does not start', async t => {
      const services = await emptyFor(t, engine)
      await schemaOf(services, '0.3.0', all).migrate()
      const schema = schemaOf(services, '0.1.0', migrations)
      await assert.rejects(signIn({ ...services, schema }), /cannot run on it/)
    })

    test('a database that was migrated release by release has the schema of a new one', async t => {
      const [fresh, grown] = [await emptyFor(t, engine), await emptyFor(t, engine)]
      await schemaOf(fresh, '0.3.0', all).migrate()
      for (const name of Object.keys(all)) {
        const schema = schemaOf(grown, '0.3.0', until(name))
        assert.deepEqual(await schema.migrate(), { ran: [name] })
        assert.deepEqual(await schema.state(), { state: 'current' })
      }
      assert.deepEqual(await contentOf(grown), await contentOf(fresh))
    })

    test('the release before accepts the schema that the next one says it runs on, and no other', async t => {
      const services = await emptyFor(t, engine)
      const old = schemaOf(services, '0.1.0', migrations)
      await schemaOf(services, '0.2.0', until('9002-index')).migrate()
      const unknown = ['9001-expand', '9002-index']
      assert.deepEqual(await old.state(), { state: 'newer', unknown, fits: true })
      await schemaOf(services, '0.3.0', all).migrate()
      assert.deepEqual(await old.state(), {
        state: 'newer',
        unknown: [...unknown, '9003-contract'],
        fits: false,
      })
      const between = schemaOf(services, '0.2.0', until('9002-index'))
      assert.deepEqual(await between.state(), { state: 'newer', unknown: ['9003-contract'], fits: true })
    })

    test('takes over a database whose migrations have no marks yet', async t => {
      const services = await emptyFor(t, engine)
      const { writer } = services.database
      await services.schema.migrate()
      for (const column of ['kind', 'oldest'])
        await sql`alter table schema_migrations drop column ${sql.ref(column)}`.execute(writer)
      assert.deepEqual(await services.schema.state(), { state: 'current' })
      await services.schema.migrate()
      const { rows } = await sql`select distinct kind, oldest from schema_migrations`.execute(writer)
      assert.deepEqual(
        rows.map(row => ({ ...(row as object) })),
        [{ kind: 'expand', oldest: '0.1.0' }],
      )
    })

    test('a contract waits until no node of an older release runs; the new release runs meanwhile', async t => {
      const services = await emptyFor(t, engine)
      const { writer } = services.database
      const schema = schemaOf(services, '0.3.0', all)
      await schemaOf(services, '0.1.0', migrations).migrate()
      await sql.raw(nodes).execute(writer)
      const sign = (release: string, seenAt: number) =>
        sql`insert into nodes (id, release, seen_at) values (${release}, ${release}, ${seenAt})`.execute(
          writer,
        )
      await sign('0.1.0', Date.now())
      await sign('0.2.0', Date.now())
      const waiting = { name: '9003-contract', oldest: '0.2.0', nodes: [{ id: '0.1.0', release: '0.1.0' }] }
      const first = await schema.migrate()
      assert.deepEqual([first.ran, plain(first.waiting)], [['9001-expand', '9002-index'], waiting])
      assert.deepEqual(await schema.state(), { state: 'waiting', missing: ['9003-contract'] })
      const again = await schema.migrate()
      assert.deepEqual([again.ran, plain(again.waiting)], [[], waiting])
      // Killed long ago, or stopped.
      await sql`update nodes set seen_at = ${Date.now() - 3_600_000} where id = '0.1.0'`.execute(writer)
      assert.deepEqual(await schema.migrate(), { ran: ['9003-contract'] })
    })

    test('a migration that fails leaves nothing behind, and those before it on PostgreSQL', async t => {
      const services = await emptyFor(t, engine)
      const failing: Migration = {
        mark: { kind: 'expand', oldest: '0.1.0' },
        async up(db) {
          await sql`create table half (id text)`.execute(db)
          await sql`insert into no_such_table values (1)`.execute(db)
        },
      }
      const schema = schemaOf(services, '0.2.0', { ...until('9001-expand'), '9002-failing': failing })
      await services.schema.migrate()
      await assert.rejects(schema.migrate(), /no_such_table/)
      const missing = engine === 'sqlite' ? ['9001-expand', '9002-failing'] : ['9002-failing']
      assert.deepEqual(await schema.state(), { state: 'older', missing, isNew: false })
      assert.ok(!JSON.stringify(await contentOf(services)).includes('half'))
    })
  })
}

const plain = (value: unknown) => JSON.parse(JSON.stringify(value))

describe('upgrades of PostgreSQL', () => {
  test('a migration gives up its place in the queue for a lock, and tries again', async t => {
    const services = await emptyFor(t, 'postgres')
    const { writer, reader } = services.database
    await services.schema.migrate()
    const waits = { migrationLockMs: 30, migrationPauseMs: 5, migrationTries: 3 }
    const impatient = schemaOf(services, '0.2.0', until('9001-expand'), waits)
    const patient = schemaOf(services, '0.2.0', until('9001-expand'), { ...waits, migrationTries: 10_000 })
    const held = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const report = writer.transaction().execute(async trx => {
      await sql`select * from meta`.execute(trx)
      locked.resolve()
      await held.promise
    })
    await locked.promise
    await assert.rejects(impatient.migrate(), { code: 'unavailable' })
    const migrated = patient.migrate()
    // They would wait for the report if the migration waited in line.
    for (let reads = 0; reads < 20; reads++) await sql`select * from meta`.execute(reader)
    held.resolve()
    await report
    assert.deepEqual(await migrated, { ran: ['9001-expand'] })
  })

  test('an index that a killed migration left invalid is built again, by two processes at once, too', async t => {
    const services = await emptyFor(t, 'postgres')
    const { migrator } = services.database
    await schemaOf(services, '0.2.0', until('9001-expand')).migrate()
    await sql`insert into meta (key, value, note) values ('a', '', 'same'), ('b', '', 'same')`.execute(
      migrator,
    )
    await assert.rejects(
      sql`create unique index concurrently meta_by_note on meta (note)`.execute(migrator),
      /unique/,
    )
    assert.equal(await isValid(migrator), false)
    const both = [
      services,
      await open({ DATA_DIR: services.config.DATA_DIR, DATABASE_URL: services.config.DATABASE_URL }),
    ]
    try {
      const ran = await Promise.all(both.map(each => schemaOf(each, '0.2.0', until('9002-index')).migrate()))
      assert.ok(ran.some(each => each.ran.includes('9002-index')))
    } finally {
      await both[1]?.close()
    }
    assert.equal(await isValid(migrator), true)
  })

  async function isValid(db: Kysely<Schema>): Promise<boolean | undefined> {
    const { rows } = await sql<{ valid: boolean }>`select indisvalid as valid from pg_index
      where indexrelid = to_regclass('meta_by_note')`.execute(db)
    return rows[0]?.valid
  }
})

describe('the copy of SQLite before an upgrade', () => {
  const copiesOf = async (services: Services) =>
    (await readdir(services.config.DATA_DIR)).filter(name => name.startsWith('before-'))
  const namesIn = (path: string) => {
    const handle = new DatabaseSync(path, { readOnly: true })
    const rows = handle.prepare('select name from schema_migrations order by name').all()
    handle.close()
    return rows.map(({ name }) => name)
  }

  test('is made once there is something to lose, is whole, and only its owner can read it', async t => {
    const services = await emptyFor(t, 'sqlite')
    await services.schema.migrate()
    assert.deepEqual(await copiesOf(services), [])
    await services.advertisers.add('Harbour Foods')
    await schemaOf(services, '0.2.0', until('9001-expand')).migrate()
    assert.deepEqual(await copiesOf(services), ['before-0.2.0.db'])
    const path = join(services.config.DATA_DIR, 'before-0.2.0.db')
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    assert.deepEqual(namesIn(path), Object.keys(migrations))
    const handle = new DatabaseSync(path, { readOnly: true })
    assert.deepEqual(
      handle
        .prepare('select name from advertisers')
        .all()
        .map(row => ({ ...row })),
      [{ name: 'Harbour Foods' }],
    )
    handle.close()
  })

  test('is never one of a database that another process has migrated meanwhile', async t => {
    const services = await emptyFor(t, 'sqlite')
    await services.schema.migrate()
    await schemaOf(services, '0.2.0', until('9001-expand')).migrate()
    copyBefore(String(services.database.path), '0.2.0', '9001-expand')
    assert.deepEqual(await copiesOf(services), ['before-0.2.0.db'])
    assert.ok(!namesIn(join(services.config.DATA_DIR, 'before-0.2.0.db')).includes('9001-expand'))
  })

  test('is removed after seven days, as is the part of a killed process', async t => {
    const services = await emptyFor(t, 'sqlite')
    await services.schema.migrate()
    const folder = services.config.DATA_DIR
    const week = upgradeCopyDays * 86_400_000
    for (const [release, age] of [
      ['0.2.0', week + 60_000],
      ['0.3.0', week - 60_000],
    ] as const) {
      copyBefore(String(services.database.path), release, '9001-expand')
      const at = (Date.now() - age) / 1000
      await utimes(join(folder, `before-${release}.db`), at, at)
    }
    assert.equal((await services.work.run('expiry')).outcome, 'done')
    assert.deepEqual(await copiesOf(services), ['before-0.3.0.db'])
  })
})
