import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { open } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { startPostgres } from '../harness/postgres.ts'
import { pullThePlug } from '../harness/postgres-outage.ts'
import { seeded } from '../harness/random.ts'
import type { Services } from '../harness/services.ts'
import { addTenant } from '../harness/tenant.ts'
import { checkRange, checkWhole } from './checking.ts'
import { startWriter } from './writing.ts'

const random = seeded()

const cycles = times(1, 20)
const loops = 4

test(`PostgreSQL is killed in the middle of writes, ${cycles} times`, async t => {
  const folder = await mkdtemp(join(tmpdir(), 'dossier-test-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  // Its own server, with fsync on: acknowledged applications must be on the disk.
  const postgres = await startPostgres()
  t.after(() => postgres.stop())
  const settings = { DATA_DIR: folder, DATABASE_URL: postgres.url(await postgres.createDatabase()) }

  const advertiserId = await use(async services => {
    await services.schema.migrate()
    return (await addTenant(services)).advertiserId
  })
  const writer = startWriter(advertiserId, loops, settings)
  t.after(() => writer.running.child.kill('SIGKILL'))
  const ids: number[] = []

  for (let cycle = 1; cycle <= cycles; cycle++) {
    await writer.untilAcknowledged(writer.acknowledged().length + randomInt(1, 30))
    // Anywhere within the next few writes.
    await sleep(random() * 20)
    const outages = writer.outages()
    await pullThePlug(postgres)
    await writer.untilOutages(outages + 1)
    const before = writer.highest()
    await postgres.start()
    // The writer continues by itself as soon as the database is back. What it acknowledges late does not count.
    await writer.untilAbove(Math.max(before, ids.at(-1) ?? 0))
    // It pauses meanwhile: the faster it is, the more there is to check.
    writer.running.child.kill('SIGSTOP')
    await use(services => checkNew(services, writer.highest()))
    writer.running.child.kill('SIGCONT')
  }

  writer.running.child.kill('SIGTERM')
  const { code, stderr } = await writer.running.finished
  assert.deepEqual([code, stderr], [0, ''])
  await use(async services => {
    await checkNew(services, Number.MAX_SAFE_INTEGER)
    await checkWhole(services, advertiserId, ids)
  })
  t.diagnostic(
    `${writer.acknowledged().length} acknowledged, ${ids.length} stored, ${writer.outages()} refused`,
  )

  async function use<T>(work: (services: Services) => Promise<T>): Promise<T> {
    const services = await open(settings)
    try {
      return await work(services)
    } finally {
      await services.close()
    }
  }

  /** The writer is in the middle of something, so only up to an ID below which nothing more can appear. */
  async function checkNew(services: Services, upTo: number): Promise<void> {
    const known = ids.at(-1) ?? 0
    const fresh = writer.acknowledged().filter(({ id }) => id > known && id <= upTo)
    assert.ok(fresh.length > 0)
    ids.push(...(await checkRange(services, advertiserId, [known + 1, upTo], fresh)))
  }
})
