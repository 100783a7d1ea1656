import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { addCandidate, plainDraft } from '../harness/applications.ts'
import { movableClock } from '../harness/clock.ts'
import { createTestDatabase, engines, open } from '../harness/database.ts'
import { some, times } from '../harness/effort.ts'
import { startNode } from '../harness/process.ts'
import { seeded } from '../harness/random.ts'
import { retain } from './retaining.ts'

const random = seeded()

const script = fileURLToPath(new URL('./retention-worker.ts', import.meta.url))
const cycles = times(1, 20)
const companies = times(4, 12)
const dayMs = 86_400_000
const sent = Date.parse('2025-06-01T08:00:00Z')
const announced = sent + 400 * dayMs
const inForce = announced + 14 * dayMs

for (const engine of some(1, engines)) {
  test(`retention is killed ${2 * cycles} times: nothing goes that was not announced, and nothing announced stays [${engine}]`, async t => {
    const database = await createTestDatabase(engine, 'empty')
    t.after(() => database.remove())
    const clock = movableClock(sent)
    const services = await open(database.settings, clock)
    t.after(() => services.close())
    await services.schema.migrate()
    const { reader, writer } = services.database
    const [due, held, fresh]: [number[], number[], number[]] = [[], [], []]
    const ids: number[] = []
    for (let index = 0; index < companies; index++) {
      const { id } = await services.advertisers.add('Harbour', undefined, 'UTC')
      ids.push(id)
      const admin = `admin-${index}`
      await addCandidate(services, admin)
      const membership = { advertiser_id: id, candidate_id: admin, role: 'admin', created_at: 0 } as const
      await writer.insertInto('memberships').values(membership).execute()
      const arrive = async () => (await services.submissions.add(id, plainDraft())).id
      clock.set(sent)
      for (let number = 0; number < 5; number++) due.push(await arrive())
      held.push(await arrive())
      await services.holds.place(id, held.at(-1) ?? 0, { reason: 'A dispute', by: null })
      clock.set(inForce - 300 * dayMs)
      fresh.push(await arrive())
    }

    /** Kills processes at one of their steps, or shortly after, and then does what is left. */
    async function workAt(now: number, check: () => Promise<void>): Promise<void> {
      for (let cycle = 0; cycle < cycles; cycle++) {
        const running = startNode(script, [String(now)], database.settings)
        const steps = randomInt(1, companies * 3)
        const isThere = running.until(stdout => (stdout.split('\n').length > steps ? true : undefined))
        // It may end before.
        await Promise.race([isThere.catch(() => {}), running.finished])
        await sleep(random() * 5)
        running.child.kill('SIGKILL')
        await running.finished
        await check()
      }
      await retain(services, now)
      await check()
    }

    const erased = async () =>
      (await reader.selectFrom('applications').select('id').where('erased_at', 'is not', null).execute())
        .map(({ id }) => id)
        .toSorted((a, b) => a - b)
    const planned = async () =>
      (await reader.selectFrom('erasures').select('application_id').execute()).map(row => row.application_id)
    /** Every change is announced with one email to its admin, in the step that records it. */
    async function assertTold(): Promise<number> {
      const changes = await reader
        .selectFrom('advertisers')
        .select('id')
        .where('retention_changes_at', 'is not', null)
        .execute()
      const emails = await reader.selectFrom('deliveries').select(['kind', 'content']).execute()
      const told = emails.map(({ kind, content }) => {
        assert.equal(kind, 'retention-shortened')
        return JSON.parse(content).advertiserId as number
      })
      assert.deepEqual(told.toSorted(), changes.map(({ id }) => id).toSorted())
      return told.length
    }

    await workAt(announced, async () => {
      await assertTold()
      assert.deepEqual([await erased(), await planned()], [[], []])
    })
    assert.equal(await assertTold(), companies)
    await retain(services, inForce - 1)
    assert.deepEqual([await erased(), await planned()], [[], []], 'a millisecond too early')

    let went = 0
    await workAt(inForce, async () => {
      const [gone, going] = [await erased(), await planned()]
      assert.deepEqual(
        [...gone, ...going].filter(id => !due.includes(id)),
        [],
      )
      assert.ok(gone.length >= went)
      went = gone.length
    })
    assert.deepEqual(await erased(), due)
    assert.deepEqual(await planned(), [])
    assert.equal((await reader.selectFrom('deliveries').select('id').execute()).length, companies)
    const kept = await reader
      .selectFrom('applications')
      .select(['id', 'email'])
      .where('erased_at', 'is', null)
      .execute()
    assert.deepEqual(
      new Map(kept.map(({ id, email }) => [id, email])),
      new Map([...held, ...fresh].map(id => [id, 'mary@example.com'])),
    )
    for (const id of ids) assert.deepEqual(await services.counts.faults(id), [])
  })
}
