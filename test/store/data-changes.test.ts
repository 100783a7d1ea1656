import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { fixedLimits } from '../../scripts/fixed-limits.ts'
import { checkDataChanges } from '../../src/operator/checks/service-checks.ts'
import { createDataChanges } from '../../src/platform/database/migrating/data-changes.ts'
import type { DataChange, Migration, Migrations } from '../../src/platform/database/migrating/migration.ts'
import { nodeFreshSeconds } from '../../src/platform/database/migrating/running-nodes.ts'
import { createSchema } from '../../src/platform/database/migrating/schema.ts'
import { migrations } from '../../src/schema/migrations/list.ts'
import { movableClock } from '../harness/clock.ts'
import { createTestDatabase, engines, open, type StoreEngine } from '../harness/database.ts'
import type { Services } from '../harness/services.ts'
import { unmigrate } from '../process/support.ts'

const count = 95
const batch = 10

/** Counts how often each row is changed, which is once. */
const change: DataChange = {
  writtenSince: '0.2.0',
  async count(db) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from made_up`.execute(db)
    return Number(rows[0]?.count)
  },
  async next(trx, cursor) {
    const { rows } = await sql<{ id: number }>`update made_up set fresh = old, changed = changed + 1
      where id in (select id from made_up where id > ${Number(cursor || 0)} order by id limit ${batch})
      returning id`.execute(trx)
    const last = Math.max(...rows.map(({ id }) => Number(id)))
    return rows.length === 0 ? undefined : { cursor: String(last), rows: rows.length }
  },
}

const table: Migration = {
  mark: { kind: 'expand', oldest: '0.1.0' },
  async up(db) {
    await sql`create table made_up (id integer primary key, old text, changed integer not null default 0)`.execute(
      db,
    )
  },
}
const expand: Migration = {
  mark: { kind: 'expand', oldest: '0.1.0' },
  async up(db) {
    await sql`alter table made_up add column fresh text`.execute(db)
  },
  change,
}
const contract: Migration = {
  mark: { kind: 'contract', oldest: '0.2.0' },
  async up(db) {
    await sql`alter table made_up drop column old`.execute(db)
  },
}
const before = { ...migrations, '9000-table': table }
const after = { ...before, '9001-expand': expand, '9002-contract': contract }

for (const engine of engines) {
  describe(`changes of data after a migration [${engine}]`, () => {
    async function emptyFor(t: TestContext, of: StoreEngine = engine): Promise<Services> {
      const database = await createTestDatabase(of)
      await unmigrate(database)
      const services = await open(database.settings)
      t.after(async () => {
        await services.close()
        await database.remove()
      })
      return services
    }

    const schemaOf = (services: Services, known: Migrations = after) =>
      createSchema({ ...services, release: '0.2.0', migrations: known })

    const changesOf = (services: Services, changed = change, clock = services.clock) =>
      createDataChanges({
        ...services,
        clock,
        migrations: { ...after, '9001-expand': { ...expand, change: changed } },
      })

    /** With rows of the release before. */
    async function filledFor(t: TestContext): Promise<Services> {
      const services = await emptyFor(t)
      await schemaOf(services, before).migrate()
      for (let id = 1; id <= count; id++)
        await sql`insert into made_up (id, old) values (${id}, ${`row ${id}`})`.execute(
          services.database.writer,
        )
      return services
    }

    /** How many rows have been changed so often. */
    async function changedIn({ database: { reader } }: Services): Promise<Record<number, number>> {
      const { rows } = await sql<{ changed: number; count: number }>`select changed, count(*) as count
        from made_up group by changed`.execute(reader)
      return Object.fromEntries(rows.map(row => [row.changed, Number(row.count)]))
    }

    const always = async () => true

    test('a killed process loses at most its batch, another resumes, and the contract waits for the end', async t => {
      const services = await filledFor(t)
      const schema = schemaOf(services)
      assert.equal(
        (await schema.plan()).missing.find(({ name }) => name === '9001-expand')?.changesData,
        true,
      )
      const waiting = { name: '9002-contract', oldest: '0.2.0', nodes: [], changes: ['9001-expand'] }
      assert.deepEqual(await schema.migrate(), { ran: ['9001-expand'], waiting })

      let batches = 0
      const killed = changesOf(services, {
        ...change,
        async next(...args) {
          const done = await change.next(...args)
          if (++batches === 4) throw new Error('killed')
          return done
        },
      })
      await assert.rejects(killed.run(always), /killed/)
      assert.deepEqual(await changedIn(services), { 0: count - 3 * batch, 1: 3 * batch })
      const changes = changesOf(services)
      const half = { name: '9001-expand', rows: 30, of: count, waitsFor: [], isDone: false }
      assert.deepEqual(await changes.list(), [half])
      assert.match(
        (await checkDataChanges({ ...services, dataChanges: changes }))?.says ?? '',
        /9001-expand: 30 of 95 rows$/,
      )
      assert.deepEqual(await schema.migrate(), { ran: [], waiting })

      // Told to stop after a batch.
      assert.deepEqual(await changes.run(async () => false), { did: { rows: batch }, left: { changes: 1 } })
      assert.deepEqual(await changes.run(always), { did: { rows: count - 4 * batch } })
      assert.deepEqual(await changedIn(services), { 1: count })
      assert.deepEqual(await changes.list(), [{ ...half, rows: count, isDone: true }])
      assert.equal(await checkDataChanges({ ...services, dataChanges: changes }), undefined)
      assert.deepEqual(await schema.migrate(), { ran: ['9002-contract'] })
      assert.deepEqual(await changes.run(always), { did: {} })
    })

    test('two processes at once change each row once', async t => {
      const services = await filledFor(t)
      await schemaOf(services).migrate()
      const done = await Promise.all([1, 2].map(() => changesOf(services).run(always)))
      assert.equal(
        done.reduce((sum, { did }) => sum + (did['rows'] ?? 0), 0),
        count,
      )
      assert.deepEqual(await changedIn(services), { 1: count })
    })

    test('waits while a process runs that writes the old form, and begins again after one', async t => {
      const services = await filledFor(t)
      await schemaOf(services).migrate()
      const clock = movableClock(Date.now())
      const changes = changesOf(services, change, clock)
      await changes.run(async () => false)
      const sign = (seenAt: number) =>
        sql`insert into nodes (id, release, seen_at) values ('old', '0.1.0', ${seenAt})`.execute(
          services.database.writer,
        )
      await sign(clock())
      assert.deepEqual(await changes.run(always), { did: {} })
      const [waiting] = await changes.list()
      assert.deepEqual(waiting, {
        name: '9001-expand',
        rows: 0,
        of: undefined,
        waitsFor: ['old'],
        isDone: false,
      })
      clock.advance(nodeFreshSeconds * 1000 + 1)
      assert.deepEqual(await changes.run(always), { did: { rows: count } })
      assert.deepEqual(await changedIn(services), { 1: count - batch, 2: batch })
    })

    test('a new database has nothing to change', async t => {
      const services = await emptyFor(t)
      const { ran, waiting } = await schemaOf(services).migrate()
      assert.deepEqual([ran.at(-1), waiting], ['9002-contract', undefined])
      assert.deepEqual(await changesOf(services).run(always), { did: {} })
    })
  })
}

test('a killed process of an older release counts as running until rows to change are looked for again', () => {
  const everySeconds = fixedLimits().find(({ name }) => name === 'dataChangesEverySeconds')?.value
  // A tenth longer at most: src/platform/work/service.ts.
  assert.ok(Number(everySeconds) * 1.1 < nodeFreshSeconds)
})
