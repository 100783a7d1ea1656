import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { readinessChecks } from '../../src/operator/checks/readiness-checks.ts'
import { type RunningHere, runHere, startHere } from '../harness/command.ts'
import { until } from '../harness/polling.ts'
import { freeze, pullThePlug } from '../harness/postgres-outage.ts'
import { findLogLine } from '../harness/process.ts'
import { appOf } from '../harness/services.ts'
import { listPath } from '../harness/tenant.ts'
import {
  addReader,
  assertReads,
  type Node,
  openNode,
  type Pair,
  type Reader,
  readsOf,
  startPair,
} from './replicated.ts'

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

test('a replica that becomes unavailable and comes back', async () => {
  reader = await addReader(node.services)
  const id = await reader.apply(1)
  await pair.replica.caughtUp()
  await node.untilAsked()
  const lines = node.lines.length

  await pullThePlug(pair.replica)
  const version = await reader.version()
  const reads = Object.values(readsOf(node, reader, id))
  for (const read of reads) assert.equal(await read(version), await read())
  for (const check of Object.values(readinessChecks(appOf(node.services)))) await check()
  await assert.rejects(node.replica.lag())

  await reader.apply(2)
  await pair.replica.start()
  await node.untilAsked()
  await pair.replica.caughtUp()
  await assertReads(node, reader, id, { answered: 1 })
  const [left, back, ...more] = node.lines.slice(lines)
  assert.match(String(left), /^the replica is not used: the primary serves its reads \(.+\)$/)
  assert.deepEqual([back, more], ['the replica serves lists and downloads', []])
})

test('a replica that hangs', async t => {
  const impatient = await openNode(pair.settings, { replicaWaitMs: 300 })
  t.after(() => impatient.close())
  const { advertiserId, apply, version } = await addReader(impatient.services)
  const id = await apply(1)
  await pair.replica.caughtUp()
  await impatient.untilAsked()
  const lines = impatient.lines.length
  const frozen = await freeze(pair.replica)
  t.after(frozen.thaw)
  const needed = await version()
  const look = () => impatient.store.file(advertiserId, id, 'resume', needed)
  const lookAtOnce = () => Promise.all([look(), look(), look()])
  assert.deepEqual(await impatient.outcomes(lookAtOnce), { failed: 3 })
  assert.deepEqual(await impatient.outcomes(lookAtOnce), { away: 3 })
  assert.deepEqual(await look(), await impatient.store.file(advertiserId, id, 'resume'))
  const [left, ...more] = impatient.lines.slice(lines)
  assert.match(String(left), /^the replica is not used/)
  assert.deepEqual(more, [])
})

test('a database that is not a copy of the primary is never used', async t => {
  const stranger = await openNode({
    ...pair.settings,
    DATABASE_REPLICA_URL: pair.replica.url('postgres'),
  })
  t.after(() => stranger.close())
  reader = await addReader(stranger.services)
  const id = await reader.apply(1)
  await pair.replica.caughtUp()
  assert.deepEqual(
    await stranger.replica.lag().catch(String),
    'Error: it is not a copy of the database of DATABASE_URL',
  )
  const version = await reader.version()
  const came = await stranger.outcomes(() => stranger.store.file(reader.advertiserId, id, 'resume', version))
  assert.deepEqual(came, { away: 1 })
})

describe('a service with a replica', () => {
  let running: RunningHere
  let serving: { baseUrl: string; adminUrl: string }
  let id: number
  before(async () => {
    reader = await addReader(node.services)
    id = await reader.apply(1)
    await pair.replica.caughtUp()
    const ports = { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', LOG_FORMAT: 'json' }
    running = startHere(['serve'], { ...ports, ...pair.settings })
    const { port, adminUrl } = await running.until(stdout => findLogLine(stdout, 'listening') as never)
    serving = { baseUrl: `http://127.0.0.1:${port}`, adminUrl }
  })
  after(async () => {
    running.stop()
    const { code, stderr } = await running.finished
    assert.deepEqual([code, stderr], [0, ''])
  })

  const get = (path: string) => fetch(`${serving.baseUrl}${path}`, { headers: reader.headers })

  async function countsOf(): Promise<Record<string, number>> {
    const metrics = await (await fetch(`${serving.adminUrl}/metrics`)).text()
    const series = metrics.matchAll(/^dossier_replica_reads_total\{outcome="(\w+)"\} (\d+)$/gm)
    return Object.fromEntries([...series].map(([, outcome, count]) => [outcome, Number(count)]))
  }

  test('reads lists and downloads from it, and counts them', async () => {
    await until(async () => {
      await get(`${listPath}/screen/${id}`)
      return ((await countsOf())['answered'] ?? 0) > 0
    })
    const before = await countsOf()
    for (const path of [
      `${listPath}?limit=1`,
      listPath,
      `${listPath}/resume/${id}`,
      `${listPath}/screen/${id}`,
    ]) {
      assert.equal((await get(path)).status, 200, path)
    }
    const missing = await get(`${listPath}/resume/${id + 1}`)
    assert.equal(missing.status, 404)
    // A whole list resolves its bounds first.
    assert.deepEqual(await countsOf(), {
      ...before,
      answered: Number(before['answered']) + 5,
      behind: Number(before['behind']) + 1,
    })
  })
})

describe('the doctor', () => {
  const says = async (settings = pair.settings) => {
    const { code, stdout } = await runHere(['doctor', '--json'], settings)
    const found = JSON.parse(stdout).find(({ what }: { what: string }) => what === 'replica')
    return { code, says: found.says }
  }

  test('reports how far the replica is behind', async () => {
    reader = await addReader(node.services)
    await pair.replica.caughtUp()
    assert.deepEqual(await says(), { code: 0, says: 'is up to date with the primary' })
    await pair.replica.pause()
    await reader.apply(1)
    await reader.apply(2)
    const behind = await says()
    await pair.replica.resume()
    assert.equal(behind.code, 0)
    assert.match(behind.says, /^is \d{3,} bytes and at most \d+\.\d seconds behind$/)
  })

  test('finds a server that is not a replica, or is unreachable', async () => {
    const { primary, replica, settings, database } = pair
    const wrong = {
      [primary.url(database)]: /\(it follows no other server\)/,
      [replica.url('postgres')]: /\(it is not a copy of the database of DATABASE_URL\)/,
      'postgres://localhost:1/dossier': /\(connect ECONNREFUSED .*\)/,
    }
    for (const [url, reason] of Object.entries(wrong)) {
      const found = await says({ ...settings, DATABASE_REPLICA_URL: url })
      assert.equal(found.code, 1)
      assert.match(found.says, reason)
      assert.match(found.says, /DATABASE_REPLICA_URL/)
    }
  })
})

// The last one: from here on there is no replica.
test('a promoted replica has its own history, and is no longer used', async () => {
  reader = await addReader(node.services)
  const id = await reader.apply(1)
  await pair.replica.caughtUp()
  await node.untilAsked()
  const lines = node.lines.length
  await pair.replica.promote()
  await pair.replica.query('update advertiser_ledger set version = version + 100', pair.database)
  await pair.replica.query(`update application_pieces set body = 'wrong'`, pair.database)
  await pair.replica.query(`update application_files set file_name = 'wrong'`, pair.database)
  await pair.replica.query(`update application_screens set xml = 'wrong'`, pair.database)

  const version = await reader.version()
  const reads = Object.values(readsOf(node, reader, id))
  for (const read of [...reads, ...reads]) assert.equal(await read(version), await read())
  assert.deepEqual(node.lines.slice(lines), [
    'the replica is not used: the primary serves its reads (it follows no other server)',
  ])
  await assert.rejects(node.replica.lag(), /it follows no other server/)
})
