import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open } from '../harness/database.ts'
import { oneEngine } from '../harness/one-engine.ts'
import { draftOf, prepareTenant } from '../harness/tenant.ts'
import { databaseFor, runHere } from './support.ts'

for (const engine of oneEngine) {
  test(`after a restore, IDs continue beyond those that may have been seen [${engine}]`, async t => {
    const database = await databaseFor(t, engine)
    const { advertiserId } = await prepareTenant(database)
    const apply = async () => {
      const services = await open(database.settings)
      const { id } = await services.submissions.add(advertiserId, draftOf('any'))
      await services.close()
      return id
    }
    const first = await apply()
    const raised = await runHere(['ids', 'raise'], database.settings)
    assert.deepEqual([raised.code, raised.stdout], [0, 'Skipped 100000 IDs of each kind.\n'], raised.stderr)
    const second = await apply()
    assert.equal(second, first + 100_001)
    assert.equal((await runHere(['ids', 'raise', '--by', '7'], database.settings)).code, 0)
    assert.equal(await apply(), second + 8)
  })
}

test('implausible values are refused', async t => {
  const { settings } = await databaseFor(t, 'sqlite')
  for (const by of ['0', '-1', 'many', '1000000001']) {
    const { code, stderr } = await runHere(['ids', 'raise', '--by', by], settings)
    assert.equal(code, 2, by)
    assert.match(stderr, /--by/)
  }
})
