import assert from 'node:assert/strict'
import { test } from 'node:test'
import { movableClock } from '../../../test/harness/clock.ts'
import type { Backups } from './backup-service.ts'
import { backupRetrySeconds, createBackupTask } from './backup-service.ts'
import type { LastBackups, Place } from './ports.ts'

const hour = 3_600_000
const place = { name: 'here', close() {} } as Place

function setUp(run: Backups['run']) {
  const clock = movableClock(1_000 * hour)
  let last: LastBackups = {}
  let made = 0
  const backups = {
    last: async () => last,
    async run(options) {
      made += 1
      const report = await run(options)
      last = { here: { set: 'set', at: clock() } }
      return report
    },
  } satisfies Backups
  const log = { info() {}, warn() {}, error() {} }
  const task = createBackupTask({
    backups,
    openPlace: async () => place,
    clock,
    limits: { backupHours: 24, backupKeep: 7 },
    log,
  })
  const ran = async (goesOn = async () => true) => {
    const before = made
    await task.run(goesOn)
    return made - before
  }
  const setLast = (found: LastBackups) => {
    last = found
  }
  return { clock, ran, setLast, makeNext: task.makeNext }
}

const report = { manifest: {}, copied: { files: 1, bytes: 1 }, pruned: { sets: 0, files: 0, left: [] } }
const succeed = async () => report as unknown as Awaited<ReturnType<Backups['run']>>

test('a backup is due when the last in this place is old enough, or from a clock that was ahead', async () => {
  const { clock, ran, setLast } = setUp(succeed)
  assert.deepEqual([await ran(), await ran()], [1, 0])
  clock.advance(23 * hour)
  assert.equal(await ran(), 0)
  clock.advance(hour)
  assert.equal(await ran(), 1)
  setLast({ elsewhere: { set: 'set', at: clock() } })
  assert.equal(await ran(), 1)
  setLast({ here: { set: 'set', at: clock() + 1_000 * hour } })
  assert.equal(await ran(), 1)
})

test('one that an operator asks for is made whatever the age of the last one', async () => {
  const { ran, makeNext } = setUp(succeed)
  await ran()
  makeNext()
  assert.deepEqual([await ran(), await ran()], [1, 0])
})

test('after a failure it waits: each attempt copies the whole database', async () => {
  let isFaulty = true
  const { clock, ran } = setUp(async () => {
    if (isFaulty) throw new Error('full')
    return succeed()
  })
  await assert.rejects(ran(), /full/)
  isFaulty = false
  assert.equal(await ran(), 0)
  clock.advance(backupRetrySeconds * 1000)
  assert.equal(await ran(), 1)
})

test('a process that stops ends its backup, which is no failure', async () => {
  const { ran } = setUp(
    ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
  )
  assert.equal(await ran(async () => false), 1)
})
