import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, describe, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { applicationsInSmallChunks } from '../harness/applications.ts'
import { times } from '../harness/effort.ts'
import { until } from '../harness/polling.ts'
import { startReplica } from '../harness/postgres-replica.ts'
import { play, steps } from './replica-model.ts'
import {
  addReader,
  assertReads,
  idsIn,
  movableAddress,
  type Node,
  openNode,
  type Pair,
  type Reader,
  readsOf,
  startPair,
} from './replicated.ts'

const answered = { answered: 1 }
const behind = { behind: 1 }

let pair: Pair
let node: Node
let reader: Reader
before(async () => {
  pair = await startPair()
  node = await openNode(pair.settings)
  await node.services.schema.migrate()
  await pair.replica.caughtUp()
})
after(async () => {
  await node?.close()
  await pair?.stop()
})

describe('a replica that lags behind its primary', () => {
  let id: number
  beforeEach(async () => {
    reader = await addReader(node.services)
    id = await reader.apply('first')
    await pair.replica.caughtUp()
    await node.untilAsked()
  })

  async function whilePaused(body: () => Promise<void>): Promise<void> {
    await pair.replica.pause()
    try {
      await body()
    } finally {
      await pair.replica.resume()
    }
    await pair.replica.caughtUp()
  }

  test('answers if it has every change', async () => {
    await assertReads(node, reader, id, answered)
  })

  test('is not used for a caller who names no version', async () => {
    const reads = Object.values(readsOf(node, reader, id))
    assert.deepEqual(await node.outcomes(() => Promise.all(reads.map(read => read()))), {})
  })

  test('never hides a new application', async () => {
    let second = 0
    await whilePaused(async () => {
      second = await reader.apply('second')
      await assertReads(node, reader, second, behind)
    })
    await assertReads(node, reader, second, answered)
  })

  test('never shows a file as it was before it was found infected', async () => {
    const { applications } = node.services
    await whilePaused(async () => {
      await applications.recordVerdict(reader.advertiserId, id, 'resume', 'infected')
      await assertReads(node, reader, id, behind)
      const { file } = await applications.download(reader.advertiserId, id, 'resume', await reader.version())
      assert.deepEqual([file.scan, file.blob, file.size], ['infected', null, 0])
    })
    await assertReads(node, reader, id, answered)
  })

  test('never shows an erased application', async () => {
    const { applications, erasure } = node.services
    await whilePaused(async () => {
      await erasure.erase(reader.advertiserId, id)
      await assertReads(node, reader, id, behind)
      const version = await reader.version()
      assert.doesNotMatch(await readsOf(node, reader, id).page(version), /Casey/)
      const gone = { code: 'not-found' }
      await assert.rejects(applications.download(reader.advertiserId, id, 'resume', version), gone)
      await assert.rejects(applications.screen(reader.advertiserId, id, 'json', version), gone)
    })
    // It is not found there either, and the primary decides.
    await assertReads(node, reader, id, answered, { file: behind, screen: behind })
  })

  test('never shows a change that the primary does not show yet', async () => {
    const { primary, replica } = pair
    const setStandby = async (change: string) => {
      await primary.query(`alter system ${change}`)
      await primary.query('select pg_reload_conf()')
    }
    await setStandby("set synchronous_standby_names = 'nobody'")
    // The server takes a moment to read it: commits that do not wait yet prove nothing.
    const isWaiting = `select true as it from pg_stat_activity where wait_event = 'SyncRep'`
    const probes: Promise<unknown>[] = []
    await until(async () => {
      const probe = primary.query(`select pg_logical_emit_message(true, 'test', '')`)
      probes.push(probe)
      let hasReturned = false
      probe.then(() => {
        hasReturned = true
      })
      await until(async () => hasReturned || (await primary.query(isWaiting)).length > 0)
      return !hasReturned
    })
    const hanging = reader.apply('second')
    const applications = `select id from applications where advertiser_id = ${reader.advertiserId}`
    await until(async () => (await replica.query(applications, pair.database)).length > 1)
    const owner = { advertiserId: reader.advertiserId, agentId: null, version: await reader.version() }
    let seen: number[] = []
    const outcomes = await node.outcomes(async () => {
      const query = { includePrimaryInfo: false }
      const { content } = await node.services.applications.listPage(owner, 'json', query, 10)
      seen = idsIn(String(content))
    })
    await setStandby('reset synchronous_standby_names')
    const second = await hanging
    await Promise.all(probes)
    assert.deepEqual([seen, outcomes], [[id], behind])
    await replica.caughtUp()
    await assertReads(node, reader, second, answered)
  })

  test('does not know a new advertiser', async () => {
    await whilePaused(async () => {
      reader = await addReader(node.services)
      await assertReads(node, reader, 1, behind)
    })
    await assertReads(node, reader, 1, answered, { file: behind, screen: behind })
  })

  test('continues a whole list as it was when it began', async () => {
    const ids = [id, await reader.apply(2), await reader.apply(3), await reader.apply(4)]
    await pair.replica.caughtUp()
    const owner = { advertiserId: reader.advertiserId, agentId: null, version: await reader.version() }
    const query = { includePrimaryInfo: false }
    const chunks = await applicationsInSmallChunks(node.services, 2).listAll(owner, 'json', query)
    await whilePaused(async () => {
      await reader.apply(5)
      assert.deepEqual(
        await node.outcomes(async () => assert.deepEqual(idsIn(await text(chunks)), ids)),
        answered,
      )
    })
  })
})

test('a whole list for which a balancer switches to a replica that lags', async t => {
  const other = await startReplica(pair.primary)
  t.after(() => other.stop())
  const address = await movableAddress(pair.replica, pair.database)
  t.after(() => address.remove())
  const settings = { ...pair.settings, DATABASE_REPLICA_URL: address.url }
  // One check, and so one connection: a second is opened when two are needed at once.
  const balanced = await openNode(settings, { replicaPauseMs: 600_000 })
  t.after(() => balanced.close())

  const writer = await addReader(balanced.services)
  const ids = [await writer.apply(1), await writer.apply(2)]
  await other.caughtUp()
  await other.pause()
  ids.push(await writer.apply(3), await writer.apply(4), await writer.apply(5))
  await pair.replica.caughtUp()
  await balanced.untilAsked()

  const owner = { advertiserId: writer.advertiserId, agentId: null, version: await writer.version() }
  const query = { includePrimaryInfo: false }
  const list = await applicationsInSmallChunks(balanced.services, 1).listAll(owner, 'json', query)
  const chunks = list[Symbol.asyncIterator]()
  let read = String((await chunks.next()).value)
  const next = async (): Promise<boolean> => {
    const { done, value = '' } = await chunks.next()
    read += value
    return done !== true
  }
  assert.deepEqual(await balanced.outcomes(next), answered)
  await address.moveTo(other)
  // The connection to the first is in use, so the next read opens one of its own.
  await balanced.replica.db.connection().execute(async () => {
    assert.deepEqual(await balanced.outcomes(next), behind)
  })
  while (await next());
  assert.deepEqual(idsIn(read), ids)
})

test('a read that blocks the replay is sent to the primary instead, and the next one is not', async () => {
  reader = await addReader(node.services)
  const id = await reader.apply(1)
  await pair.replica.caughtUp()
  await node.untilAsked()
  const lines = node.lines.length
  const slow = node.outcomes(() =>
    node.replica.ask(async () => {
      const { db } = node.replica
      const { rows } = await sql`select version, pg_sleep(30) from advertiser_ledger`.execute(db)
      return rows
    }),
  )
  const isReading = `select true as it from pg_stat_activity where query like '%pg_sleep(30)%' and wait_event = 'PgSleep'`
  await until(async () => (await pair.replica.query(isReading)).length > 0)
  await node.services.applications.recordVerdict(reader.advertiserId, id, 'resume', 'clean')
  await pair.primary.query('vacuum advertiser_ledger', pair.database)
  assert.deepEqual(await slow, { failed: 1 })
  await pair.replica.caughtUp()
  await assertReads(node, reader, id, answered)
  assert.deepEqual(node.lines.slice(lines), [])
})

/** Chance alone may leave out one of the two. */
const bothOutcomes = [
  { do: 'apply' as const },
  { do: 'catch up' as const },
  { do: 'page' as const, which: 0 },
  { do: 'pause' as const },
  { do: 'apply' as const },
  { do: 'page' as const, which: 0 },
]

test('whatever happens to the replica, a reader sees every change made before the read', async () => {
  const before = { ...node.replica.counts() }
  await fc.assert(
    fc.asyncProperty(steps, async sequence => {
      try {
        await play(pair, node, sequence)
      } finally {
        await pair.replica.resume()
        await pair.replica.caughtUp()
      }
    }),
    { numRuns: times(3, 6), examples: [[bothOutcomes]] },
  )
  const { answered, behind } = node.replica.counts()
  const reads = [answered - before.answered, behind - before.behind]
  assert.ok(
    reads.every(count => count > times(0, 15)),
    `the replica answered ${reads[0]} times and was behind ${reads[1]} times`,
  )
})
