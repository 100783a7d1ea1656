import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { dataTables } from '../../src/schema/data-tables.ts'
import { createTestDatabase, engines, open } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { startNode } from '../harness/process.ts'
import { addTenant } from '../harness/tenant.ts'
import { newColumns, nextRelease } from './migrating.ts'

const script = fileURLToPath(new URL('./migration-worker.ts', import.meta.url))
const kills = times(1, 20)

for (const engine of engines) {
  test(`a migration is killed ${kills} times: each one is done or not, this release runs, and the next run ends it [${engine}]`, async t => {
    const database = await createTestDatabase(engine)
    t.after(() => database.remove())
    const services = await open(database.settings)
    t.after(() => services.close())
    await services.schema.migrate()
    const { advertiserId } = await addTenant(services)
    const next = nextRelease(services)
    for (let count = 0; count < kills; count++) {
      const running = startNode(script, [], database.settings)
      const steps = randomInt(1, dataTables.length * 2)
      const isThere = running.until(stdout => (stdout.split('\n').length > steps ? true : undefined))
      // It may end before.
      await Promise.race([isThere.catch(() => {}), running.finished])
      running.child.kill('SIGKILL')
      await running.finished

      const found = new Set(await newColumns(services))
      assert.ok(!found.has(1), 'none is half done')
      if (engine === 'sqlite') assert.equal(found.size, 1, 'all of them or none')
      const schema = await services.schema.state()
      assert.ok(schema.state === 'current' || (schema.state === 'newer' && schema.fits))
      const advertisers = await services.advertisers.list()
      assert.deepEqual(
        advertisers.map(({ id }) => id),
        [advertiserId],
      )
    }
    const { waiting } = await next.migrate()
    assert.equal(waiting, undefined)
    assert.deepEqual(await next.state(), { state: 'current' })
    assert.deepEqual(await services.schema.state(), { state: 'newer', unknown: next.names, fits: true })
  })
}
