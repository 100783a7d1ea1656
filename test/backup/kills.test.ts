import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startHere } from '../harness/command.ts'
import { type Engine, engines, open, type TestDatabase } from '../harness/database.ts'
import { some, times } from '../harness/effort.ts'
import { startDossier } from '../harness/process.ts'
import { seeded } from '../harness/random.ts'
import { addTenant } from '../harness/tenant.ts'
import { databaseFor } from '../process/support.ts'
import { apply, createRepository, makeSet, verifyAll } from './repository.ts'

const random = seeded()

const kills = times(1, 20)

async function setUp(t: TestContext, engine: Engine, applications: number) {
  const database = await databaseFor(t, engine)
  const repository = await createRepository('folder')
  t.after(repository.remove)
  const services = await open(database.settings)
  await services.schema.migrate()
  const { advertiserId } = await addTenant(services)
  for (let serial = 0; serial < applications; serial++) await apply(services, advertiserId, serial)
  const { manifest } = await makeSet(services, repository.address)
  return { database, services, advertiserId, address: repository.address, set: manifest.set }
}

/** Kills the command at a random time of its life; the later ones at any stage. Returns whether it was done before. */
async function killed(args: string[], { settings }: TestDatabase, lifeMs: number): Promise<boolean> {
  const { child, finished } = startDossier(args, settings)
  const isDone = await Promise.race([finished.then(() => true), sleep(random() * lifeMs, false)])
  child.kill('SIGKILL')
  const { code, stderr } = await finished
  if (isDone) assert.deepEqual([code, stderr], [0, ''])
  return isDone
}

/** How long an undisturbed run takes on this machine now. */
async function lifeOf(args: string[], { settings }: TestDatabase): Promise<number> {
  const begun = performance.now()
  const { code, stderr } = await startDossier(args, settings).finished
  assert.deepEqual([code, stderr], [0, ''])
  return performance.now() - begun
}

for (const engine of some(1, engines)) {
  test(`a backup is killed ${kills} times: the sets before it stay whole, and the next one is made [${engine}]`, async t => {
    const { database, services, advertiserId, address, set } = await setUp(t, engine, 20)
    const backup = ['backup', '--to', address]
    const lifeMs = await lifeOf(backup, database)
    let done = 0
    for (let kill = 0; kill < kills; kill++) {
      await apply(services, advertiserId, `more-${kill}`)
      if (await killed(backup, database, lifeMs)) done += 1
      // As it expires after two minutes.
      await services.database.writer.deleteFrom('leases').execute()
      const faults = Object.entries(await verifyAll(address, database.settings, false))
      assert.deepEqual(
        faults.filter(([, found]) => found.length > 0 && found.join() !== 'it was never finished'),
        [],
      )
      assert.deepEqual(Object.fromEntries(faults)[set], [])
    }
    await makeSet(services, address)
    assert.deepEqual(Object.values(await verifyAll(address, database.settings, false)).flat(), [])
    await services.close()
    t.diagnostic(`${done} of ${kills} were done before they were killed`)
  })
}

for (const engine of some(1, engines)) {
  test(`a restore is killed ${kills} times: the database is the old or the new one [${engine}]`, async t => {
    const { database, services, advertiserId, address } = await setUp(t, engine, 20)
    await apply(services, advertiserId, 'later')
    await services.close()
    const restore = ['restore', '--from', address, '--replace']
    let done = 0
    // A longer life than a run has at first: later runs may be slower.
    let lifeMs = 0
    for (let kill = 0; kill <= kills; kill++) {
      // The first is not killed, to see how long it takes.
      if (kill === 0) lifeMs = 1.1 * (await lifeOf(restore, database))
      else if (await killed(restore, database, lifeMs)) done += 1
      const again = await open(database.settings)
      try {
        assert.equal((await again.schema.state()).state, 'current')
        assert.equal(await again.database.examine?.(true), undefined)
        const rows = await again.database.reader.selectFrom('applications').select('id').execute()
        const state = rows.length
        assert.ok(state === 20 || state === 21, `${state} applications`)
        assert.deepEqual((await again.examineFiles(true)).damaged, [])
        // As an old one again, for the next kill.
        if (state === 20) await apply(again, advertiserId, `later-${kill}`)
      } finally {
        await again.close()
      }
    }
    const { code, stderr } = await startHere(restore, database.settings).finished
    assert.deepEqual([code, stderr], [0, ''])
    t.diagnostic(`${done} of ${kills} were done before they were killed`)
  })
}
