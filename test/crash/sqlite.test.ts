import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { createTestDatabase, open } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { seeded } from '../harness/random.ts'
import type { Services } from '../harness/services.ts'
import { prepareTenant } from '../harness/tenant.ts'
import { checkRange, checkWhole } from './checking.ts'
import { type Acknowledged, startWriter } from './writing.ts'

const random = seeded()

const cycles = times(1, 20)
const loops = 4

test(`a writer on SQLite is killed in the middle of its writes, ${cycles} times`, async t => {
  const database = await createTestDatabase('sqlite', 'empty')
  t.after(() => database.remove())
  const { advertiserId } = await prepareTenant(database)
  const acknowledged: Acknowledged[] = []
  const ids: number[] = []

  for (let cycle = 1; cycle <= cycles; cycle++) {
    acknowledged.push(...(await writeUntilKilled()))
    const services = await open(database.settings)
    try {
      await check(services)
    } finally {
      await services.close()
    }
  }
  t.diagnostic(`${acknowledged.length} acknowledged, ${ids.length} stored`)

  async function writeUntilKilled(): Promise<Acknowledged[]> {
    const writer = startWriter(advertiserId, loops, database.settings)
    try {
      await writer.untilAcknowledged(randomInt(1, 30))
      // Anywhere within the next few writes.
      await sleep(random() * 20)
    } finally {
      writer.running.child.kill('SIGKILL')
    }
    const { signal, stderr } = await writer.running.finished
    assert.deepEqual([signal, stderr], ['SIGKILL', ''])
    return writer.acknowledged()
  }

  /** New applications are checked in full; older ones must at least still exist. */
  async function check(services: Services): Promise<void> {
    const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(
      services.database.reader,
    )
    assert.deepEqual(
      rows.map(row => row.integrity_check),
      ['ok'],
    )
    const known = ids.at(-1) ?? 0
    const fresh = acknowledged.filter(({ id }) => id > known)
    const range: [number, number] = [known + 1, Number.MAX_SAFE_INTEGER]
    ids.push(...(await checkRange(services, advertiserId, range, fresh)))
    assert.ok(fresh.length > 0)
    await checkWhole(services, advertiserId, ids)
  }
})
