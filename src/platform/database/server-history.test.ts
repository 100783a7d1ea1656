import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import {
  createTestDatabase,
  engines,
  open,
  skipOn,
  type TestDatabase,
} from '../../../test/harness/database.ts'
import type { Services } from '../../../test/harness/services.ts'
import { addTenant, draftOf } from '../../../test/harness/tenant.ts'
import { idsRaisedBy } from './id-limits.ts'

const by = idsRaisedBy

async function runSql({ settings }: TestDatabase, statement: string, name?: string): Promise<void> {
  const url = new URL(String(settings['DATABASE_URL']))
  if (name !== undefined) url.pathname = `/${name}`
  const client = new pg.Client(url.href)
  await client.connect()
  await client.query(statement)
  await client.end()
}

for (const way of ['postgres', 'pgbouncer'] as const) {
  describe(`IDs and the history of the server [${way}]`, { skip: skipOn(way) }, () => {
    let own: TestDatabase
    let services: Services
    let advertiserIds: number[]
    before(async () => {
      own = await createTestDatabase(way)
      services = await open(own.settings)
      await services.schema.migrate()
      advertiserIds = []
      for (let number = 0; number < 4; number += 1)
        advertiserIds.push((await addTenant(services)).advertiserId)
    })
    after(async () => {
      await services.close()
      await own.remove()
    })
    const applyTo = async (advertiserId: number | undefined, node = services) =>
      (await node.submissions.add(Number(advertiserId), draftOf('any'))).id

    test('IDs begin at 1 without gaps, whichever process draws them', async () => {
      assert.equal(await applyTo(advertiserIds[0]), 1)
      const other = await open(own.settings)
      assert.equal(await applyTo(advertiserIds[0], other), 2)
      await other.close()
      assert.equal(await applyTo(advertiserIds[0]), 3)
    })

    test('another history raises IDs once, whichever process comes first, and every later ID is beyond the raise', async () => {
      await runSql(own, `update meta set value = 'another' where key = 'history'`)
      const nodes = await Promise.all([open(own.settings), open(own.settings)])
      const ids = await Promise.all(
        nodes.flatMap(node => advertiserIds.map(advertiserId => applyTo(advertiserId, node))),
      )
      assert.equal(new Set(ids).size, 8)
      assert.ok(Math.min(...ids) > by)
      assert.ok(Math.max(...ids) < 2 * by)
      for (const node of nodes) await node.close()
    })

    test('a raise that is rolled back is left to the next process', async () => {
      await runSql(own, `update meta set value = 'yet another' where key = 'history'`)
      const node = await open(own.settings)
      const last = await applyTo(advertiserIds[0])
      await assert.rejects(applyTo(999_999, node), { code: 'not-found' })
      const next = await applyTo(advertiserIds[0], node)
      assert.ok(next >= last + by, `${next}`)
      await node.close()
    })
  })
}

test('a restored dump and a copy each have a history of their own', async () => {
  const own = await createTestDatabase('postgres')
  const services = await open(own.settings)
  await services.schema.migrate()
  const { advertiserId } = await addTenant(services)
  const { id } = await services.submissions.add(advertiserId, draftOf('first'))
  await services.close()
  const copy = `t_${randomBytes(8).toString('hex')}`
  const name = new URL(String(own.settings['DATABASE_URL'])).pathname.slice(1)
  await runSql(own, `create database ${copy} template ${name}`, 'postgres')
  const restored = await open({
    ...own.settings,
    DATABASE_URL: String(own.settings['DATABASE_URL']).replace(name, copy),
  })
  const next = (await restored.submissions.add(advertiserId, draftOf('next'))).id
  assert.ok(next > id + by && next < id + 2 * by, `${next}`)
  await restored.close()
  await runSql(own, `drop database ${copy}`, 'postgres')
  await own.remove()
})

for (const engine of engines) {
  test(`an operator can raise all IDs [${engine}]`, async () => {
    const own = await createTestDatabase(engine)
    const services = await open(own.settings)
    await services.schema.migrate()
    const { advertiserId } = await addTenant(services)
    const { id } = await services.submissions.add(advertiserId, draftOf('first'))
    // Concurrent raises add up.
    await Promise.all([services.raiseIds(10), services.raiseIds(20), services.raiseIds(30)])
    const next = (await services.submissions.add(advertiserId, draftOf('next'))).id
    assert.ok(next >= id + 61, `${next}`)
    await services.close()
    await own.remove()
  })
}

test('a raise leaves the sequences of other programs alone', async () => {
  const own = await createTestDatabase('postgres')
  const services = await open(own.settings)
  await services.schema.migrate()
  await runSql(own, 'create sequence "Orders_ids"')
  await services.raiseIds(10)
  // Fails if the sequence was used.
  await runSql(own, `do 'begin assert (select not is_called from "Orders_ids"); end'`)
  await services.close()
  await own.remove()
})
