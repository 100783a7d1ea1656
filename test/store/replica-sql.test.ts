/**
 * The SQL that goes to a replica, for review: spec/sql/replica.sql. To rewrite it:
 *
 *   UPDATE_GOLDEN=1 npm test -- test/store/replica-sql.test.ts
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { CompiledQuery } from 'kysely'
import { replicaReads } from '../../src/collect/application-reads-store.ts'
import { createEventStore } from '../../src/events/feed/event-store.ts'
import type { Replica } from '../../src/platform/database/tables.ts'
import { createTestDatabase, open, type TestDatabase } from '../harness/database.ts'
import { assertGolden } from '../harness/golden.ts'
import type { Services } from '../harness/services.ts'
import { pretty, recordStatements, type Statement } from '../harness/sql-recording.ts'
import { addTenant, draftOf } from '../harness/tenant.ts'

describe('the SQL of the replica', () => {
  let database: TestDatabase
  let services: Services
  let statements: Statement[]
  before(async () => {
    database = await createTestDatabase('postgres')
    services = await open(database.settings)
    const { advertiserId } = await addTenant(services)
    const { id } = await services.submissions.add(advertiserId, draftOf(1))
    statements = recordStatements(services.database)
    const { reader: db, readRows } = services.database
    assert.ok(readRows)
    const reads = replicaReads({ db, readRows })
    const all = { after: 0, before: id + 1, limit: 10, head: '', tail: '' }
    // Every version is there, but this is a primary.
    const found: unknown[] = [
      await reads.resolveBounds(advertiserId, {}, 0),
      await reads.resolveBounds(advertiserId, { afterDate: 1, beforeDate: 2 }, 0),
      await reads.file(advertiserId, id, 'resume', 0),
      await reads.screen(advertiserId, id, 'json', 0),
      await reads.screen(advertiserId, id, 'xml', 0),
    ]
    for (const format of ['json', 'xml'] as const) {
      for (const includePrimaryInfo of [false, true]) {
        found.push(await reads.page(advertiserId, { ...all, format, includePrimaryInfo }, 0))
      }
    }
    assert.deepEqual(found, Array(found.length).fill(undefined))
    // With a replica that must not answer, the primary does.
    const events = createEventStore({
      ...services.database,
      replica: { db, readRows, ask: read => read(), counts: () => ({}) } as Partial<Replica> as Replica,
    })
    for (const [includesApplications, agentId] of [
      [false, null],
      [true, null],
      [false, 1],
      [true, 1],
    ] as const) {
      const query = { after: 0, limit: 10, includesApplications, agentId }
      assert.equal((await events.page({ advertiserId }, query, 2 ** 52)).events.length, 1)
      assert.ok((await events.jsonPage(advertiserId, query, 2 ** 52)).newest)
    }
    statements = statements.filter(({ sql }) => sql.includes('pg_is_in_recovery'))
  })
  after(async () => {
    await services?.close()
    await database?.remove()
  })

  test('is the SQL that was reviewed', () => {
    assertGolden('sql/replica.sql', `${statements.map(({ sql }) => pretty(sql)).join('\n')}\n`)
  })

  test('checks the version first, and reads nothing else if that is missing', async () => {
    for (const { sql, parameters } of [...statements]) {
      const query = CompiledQuery.raw(`explain (analyze, costs off, timing off) ${sql}`, [...parameters])
      const { rows } = await services.database.reader.executeQuery<Record<string, string>>(query)
      const plan = rows.map(row => row['QUERY PLAN']).join('\n')
      assert.match(plan, /One-Time Filter: \(InitPlan \d+\)/, sql)
      const scans = plan.split('\n').filter(line => /Scan using|Seq Scan/.test(line))
      const done = scans.filter(line => !line.includes('(never executed)'))
      assert.equal(done.length, 1, plan)
      assert.match(done[0] ?? '', / on advertiser_ledger /)
    }
  })
})
