import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createTestDatabase, engines, open, type TestDatabase } from '../harness/database.ts'
import { isLongRun, some, times } from '../harness/effort.ts'
import { type Finished, startNode } from '../harness/process.ts'
import type { Services } from '../harness/services.ts'
import { type ServingHere, startServing, startServingHere } from '../harness/serving.ts'
import { addTenant, type Tenant } from '../harness/tenant.ts'
import { type Format, poll, type Seen, type Streamed, stream } from './reading.ts'

const writerScript = fileURLToPath(new URL('./writer.ts', import.meta.url))
const writerProcesses = times(1, 2)
const loopsPerProcess = 8 / writerProcesses
const applicationsPerLoop = times(15, 380)
/** The neighbour draws from the same IDs, so that those of the advertiser have gaps. */
const neighboursPerLoop = times(3, 40)

const readers: { format: Format; limit: number }[] = [
  { format: 'json', limit: 3 },
  { format: 'json', limit: 50 },
  { format: 'xml', limit: 200 },
  { format: 'json', limit: 1000 },
]

interface Acknowledged extends Seen {
  advertiserId: number
}

for (const engine of some(1, engines)) {
  describe(`8 writers and 4 readers [${engine}]`, () => {
    let database: TestDatabase
    let services: Services
    let servings: ServingHere[]
    let tenant: Tenant
    let neighbour: Tenant
    let acknowledged: Seen[]
    let acknowledgedToNeighbour: Seen[]
    let seenByReaders: Seen[][]
    let streamed: Streamed[]

    before(async () => {
      database = await createTestDatabase(engine, 'empty')
      services = await open(database.settings)
      await services.schema.migrate()
      tenant = await addTenant(services, 'Busy Advertiser')
      neighbour = await addTenant(services, 'Its Neighbour')
      const env = { RATE_LIMIT_V1_PER_MINUTE: '999999999' }
      // In `npm test` the readers have one node, in the process of the test, and the writers a process of their own.
      const begun = isLongRun ? [startProcess(env), startProcess(env)] : [startServingHere(database, { env })]
      servings = await Promise.all(begun)
      await race()
    })

    after(async () => {
      try {
        for (const serving of servings ?? []) await serving.stop()
      } finally {
        for (const end of ends) end()
        await services?.close()
        await database?.remove()
      }
    })

    const ends: (() => void)[] = []
    async function startProcess(env: Record<string, string>): Promise<ServingHere> {
      const { running, end, ...serving } = await startServing(database, { env })
      ends.push(end)
      return { ...serving, running, requestStop: () => void running.child.kill('SIGTERM') }
    }

    async function race(): Promise<void> {
      let haveEnded = false
      const work = [tenant, neighbour].map(({ advertiserId }, index) => {
        return `${advertiserId}:${index === 0 ? applicationsPerLoop : neighboursPerLoop}`
      })
      const writers = Array.from({ length: writerProcesses }, () =>
        startNode(writerScript, [String(loopsPerProcess), ...work], database.settings),
      )
      const written = Promise.all(writers.map(writer => writer.finished)).finally(() => {
        haveEnded = true
      })
      const haveWritersEnded = () => haveEnded
      const reading = readers.map((reader, index) =>
        poll(servings[index % servings.length] as ServingHere, {
          ...reader,
          headers: tenant.headers,
          haveWritersEnded,
        }),
      )
      const streaming = streamUntil(haveWritersEnded)
      try {
        const receipts = (await written).flatMap(receiptsOf)
        acknowledged = idsOf(receipts, tenant)
        acknowledgedToNeighbour = idsOf(receipts, neighbour)
        seenByReaders = await Promise.all(reading)
        streamed = await streaming
      } finally {
        for (const writer of writers) writer.child.kill('SIGKILL')
      }
    }

    async function streamUntil(haveWritersEnded: () => boolean): Promise<Streamed[]> {
      const results: Streamed[] = []
      while (!haveWritersEnded()) {
        const format = results.length % 2 === 0 ? 'json' : 'xml'
        results.push(await stream(servings[0] as ServingHere, format, tenant.headers, readNewest))
        await sleep(300)
      }
      return results
    }

    async function readNewest(): Promise<number> {
      const row = await services.database.reader
        .selectFrom('applications')
        .select(eb => eb.fn.max('id').as('id'))
        .where('advertiser_id', '=', tenant.advertiserId)
        .executeTakeFirstOrThrow()
      return row.id ?? 0
    }

    test('every application was acknowledged under an ID of its own', () => {
      const writers = writerProcesses * loopsPerProcess
      assert.equal(acknowledged.length, writers * applicationsPerLoop)
      assert.equal(acknowledgedToNeighbour.length, writers * neighboursPerLoop)
      const ids = [...acknowledged, ...acknowledgedToNeighbour].map(({ id }) => id)
      assert.equal(new Set(ids).size, ids.length)
    })

    for (const [index, { format, limit }] of readers.entries()) {
      test(`reader ${index + 1} (${format}, limit ${limit}) sees each exactly once and in order`, () => {
        const seen = seenByReaders[index] as Seen[]
        const ids = new Set(seen.map(({ id }) => id))
        const missed = acknowledged.filter(({ id }) => !ids.has(id)).map(({ id }) => id)
        assert.deepEqual(missed.slice(0, 10), [], `${missed.length} were missed`)
        // Equality with the acknowledged ones in ascending order means none twice, none out of order.
        assert.deepEqual(seen, acknowledged)
        assertDatesNeverDecrease(seen)
      })
    }

    test('a whole list read meanwhile is well-formed and ends at the newest of its start', () => {
      assert.ok(streamed.length > 0)
      for (const { newestBefore, seen, newestOnceItHadBegun } of streamed) {
        const last = seen.at(-1)?.id ?? 0
        assert.ok(
          newestBefore <= last && last <= newestOnceItHadBegun,
          `${newestBefore} <= ${last} <= ${newestOnceItHadBegun}`,
        )
        assert.deepEqual(
          seen,
          acknowledged.filter(({ id }) => id <= last),
        )
      }
    })
  })
}

function receiptsOf({ code, stdout, stderr }: Finished): Acknowledged[] {
  assert.deepEqual([code, stderr], [0, ''])
  return stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
}

function idsOf(receipts: Acknowledged[], { advertiserId }: Tenant): Seen[] {
  return receipts
    .filter(receipt => receipt.advertiserId === advertiserId)
    .map(({ id, submittedAt }) => ({ id, submittedAt }))
    .sort((a, b) => a.id - b.id)
}

function assertDatesNeverDecrease(seen: Seen[]): void {
  let previous = 0
  for (const { id, submittedAt } of seen) {
    assert.ok(submittedAt >= previous, `${id} of ${submittedAt} comes after ${previous}`)
    previous = submittedAt
  }
}
