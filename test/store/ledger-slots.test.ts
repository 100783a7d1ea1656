import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { readinessChecks } from '../../src/operator/checks/readiness-checks.ts'
import { createLedgerSlots } from '../../src/platform/database/postgres/postgres.ts'
import { createTestDatabase, open, type TestDatabase } from '../harness/database.ts'
import { until } from '../harness/polling.ts'
import { appOf, type Services } from '../harness/services.ts'
import { addTenant, draftOf, type Tenant } from '../harness/tenant.ts'

describe('while the row of one advertiser is held', () => {
  let database: TestDatabase
  let services: Services
  let stuck: Tenant
  let other: Tenant
  before(async () => {
    database = await createTestDatabase('postgres')
    services = await open(database.settings)
    stuck = await addTenant(services)
    other = await addTenant(services)
  })
  after(async () => {
    await services.close()
    await database.remove()
  })

  test('its writes wait on a few connections, other advertisers write, and each write is stored once in the end', async () => {
    const holder = new pg.Client(database.settings['DATABASE_URL'])
    await holder.connect()
    await holder.query('begin')
    await holder.query('select 1 from advertiser_ledger where advertiser_id = $1 for update', [
      stuck.advertiserId,
    ])
    const waitingForIt = async () => {
      const { rows } = await sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(services.database.reader)
      return rows.length
    }
    const apply = (tenant: Tenant, serial: number) =>
      services.submissions.add(tenant.advertiserId, draftOf(serial))
    const serials = Array.from({ length: 15 }, (_, index) => index)
    let isHeld = true
    const held = Promise.all(
      serials.map(async serial => {
        const { id } = await apply(stuck, serial)
        assert.equal(isHeld, false, 'the row was held')
        return id
      }),
    )
    held.catch(() => {})
    await until(async () => (await waitingForIt()) === 3)
    await apply(other, 1)
    for (const check of Object.values(readinessChecks(appOf(services)))) await check()
    assert.equal(await waitingForIt(), 3)
    isHeld = false
    await holder.query('rollback')
    await holder.end()
    assert.equal(new Set(await held).size, serials.length)
  })

  test('changes of its job ads wait on a few connections, too', async () => {
    const holder = new pg.Client(database.settings['DATABASE_URL'])
    await holder.connect()
    await holder.query('begin')
    await holder.query('select 1 from advertisers where id = $1 for update', [stuck.advertiserId])
    const ad = { title: 'Clerk', location: 'Perth', description: 'Do.', reference: null, screenId: null }
    const added = Promise.allSettled(
      Array.from({ length: 15 }, () =>
        services.jobs.add(stuck.advertiserId, { ...ad, closingDate: null, details: {} }),
      ),
    )
    const waiting = async () => {
      const { rows } = await sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(services.database.reader)
      return rows.length
    }
    await until(async () => (await waiting()) === 3)
    await services.submissions.add(other.advertiserId, draftOf(2))
    assert.equal(await waiting(), 3)
    await holder.query('rollback')
    await holder.end()
    assert.ok((await added).every(({ status }) => status === 'fulfilled'))
  })

  test('a node whose writes all wait is still ready', async () => {
    const { writer } = services.database
    const { promise: over, resolve } = Promise.withResolvers<void>()
    let begun = 0
    const writes = Array.from({ length: 10 }, () =>
      writer.transaction().execute(() => {
        begun += 1
        return over
      }),
    )
    await until(async () => begun === writes.length)
    await readinessChecks(appOf(services))['database']?.()
    resolve()
    await Promise.all(writes)
  })
})

test('a write that gets no turn in time must retry, and a failed write releases its turn', async () => {
  const slots = createLedgerSlots({ max: 1, waitMs: 1 })
  const inSlot = <T>(ledger: number, write: () => Promise<T>) => slots(ledger, write, 'Too busy.')
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const first = inSlot(1, () => over)
  await assert.rejects(
    inSlot(1, async () => {}),
    { code: 'unavailable', detail: 'Too busy.' },
  )
  assert.equal(await inSlot(2, async () => 'another advertiser'), 'another advertiser')
  resolve()
  await first
  const failing = inSlot(1, () => Promise.reject(new Error('no')))
  await assert.rejects(failing, { message: 'no' })
  assert.equal(await inSlot(1, async () => 'next'), 'next')
})
