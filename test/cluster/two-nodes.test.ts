import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { open } from '../harness/database.ts'
import { isLongRun } from '../harness/effort.ts'
import { send } from '../harness/http.ts'
import { addBoard, intakeToken } from '../harness/intake.ts'
import { doorOf } from '../harness/oauth.ts'
import { until } from '../harness/polling.ts'
import { pullThePlug } from '../harness/postgres-outage.ts'
import type { Services } from '../harness/services.ts'
import { type Serving, startServing } from '../harness/serving.ts'
import { addTenant, listPath } from '../harness/tenant.ts'
import type { Format } from '../race/reading.ts'
import { type Pair, startPair } from './replicated.ts'
import { downloadAll, hasResume, pollPages, pollWholeLists, submit, type Traffic, write } from './traffic.ts'

const writers = 4
const applicationsPerWriter = 60
const all = writers * applicationsPerWriter

const pagers: { node: number; wander: boolean; format: Format; limit: number }[] = [
  { node: 0, wander: false, format: 'json', limit: 3 },
  { node: 1, wander: false, format: 'xml', limit: 20 },
  { node: 0, wander: true, format: 'json', limit: 1000 },
]

const env = {
  RATE_LIMIT_V1_PER_MINUTE: '999999999',
  RATE_LIMIT_INTAKE_PER_MINUTE: '999999999',
}

/** With the few writes of a short run, the writers end before the outages begin. */
const inLongRun: typeof describe | (() => void) = isLongRun ? describe : () => {}

inLongRun('two nodes, a primary and its replica, through every outage', () => {
  let pair: Pair
  let services: Services
  let traffic: Traffic
  let board: { token: string; advertiserId: number }
  /** The applications that each client has seen, paging or reading whole lists. */
  let paged: number[][]
  let whole: { seen: number[]; unchanged: number }[]
  let downloaded: number

  before(
    async () => {
      pair = await startPair()
      services = await open(pair.settings)
      await services.schema.migrate()
      const { advertiserId, headers } = await addTenant(services)
      const client = await addBoard(services, advertiserId)
      const nodes = await Promise.all([startNode(), startNode()])
      const token = await intakeToken(doorOf(nodes[0]), client)
      board = { token, advertiserId }
      traffic = { nodes, headers, acknowledged: new Map(), haveWritersEnded: false, hasFailed: false }
      for (const node of nodes) await untilReplicaAnswers(node)
      await run()
    },
    { timeout: 600_000 },
  )

  after(async () => {
    if (traffic !== undefined && paged === undefined) {
      // The run failed or timed out: its clients would go on asking for ever.
      traffic.hasFailed = true
      const logs = traffic.nodes.map(node => node.log().split('\n').slice(-5).join('\n'))
      console.error(`${sent().size} of ${all} were acknowledged. The nodes logged last:`, ...logs)
    }
    try {
      for (const node of traffic?.nodes ?? []) await node.stop()
    } finally {
      for (const node of traffic?.nodes ?? []) node.end()
      await services?.close()
      await pair?.stop()
    }
  })

  const startNode = () => startServing({ engine: 'postgres', settings: pair.settings }, { env })

  async function untilReplicaAnswers({ baseUrl, adminUrl }: Serving): Promise<void> {
    await until(async () => {
      await send(baseUrl, listPath, 'GET', { headers: traffic.headers })
      const { text } = await send(adminUrl, '/metrics', 'GET', {})
      return /^dossier_replica_reads_total\{outcome="answered"\} [1-9]/m.test(text)
    })
  }

  async function run(): Promise<void> {
    const writing = Promise.all(
      Array.from({ length: writers }, (_, writer) => write(traffic, board, writer, applicationsPerWriter)),
    ).finally(() => {
      traffic.haveWritersEnded = true
    })
    const reading = Promise.all([
      Promise.all(pagers.map(pager => pollPages(traffic, pager))),
      Promise.all([pollWholeLists(traffic, false), pollWholeLists(traffic, true)]),
      downloadAll(traffic),
    ])
    await Promise.all([writing, outages(), reading]).catch(error => {
      traffic.hasFailed = true
      throw error
    })
    ;[paged, whole, downloaded] = await reading
  }

  /** Each after enough writes that every writer is in the middle of one, and the next only when the first is over. */
  async function outages(): Promise<void> {
    const { primary, replica } = pair
    const untilDone = (share: number) =>
      until(async () => traffic.hasFailed || traffic.acknowledged.size >= share * all)
    await untilDone(0.1)
    await replica.pause()
    await untilDone(0.2)
    const [killed] = traffic.nodes as [Serving]
    killed.end()
    await killed.running.finished
    await leaseLater()
    await untilDone(0.35)
    await replica.resume()
    traffic.nodes[0] = await startNode()
    await untilDone(0.5)
    await primary.restart()
    await untilDone(0.65)
    await pullThePlug(primary)
    await primary.start()
    await untilDone(0.8)
    await pullThePlug(replica)
    await replica.start()
  }

  /** The claims of a node that died are free after that time; live requests renew theirs. */
  async function leaseLater(): Promise<void> {
    await pair.primary.query('update intake_keys set held_until = 0 where answer is null', pair.database)
  }

  const sent = () => traffic.acknowledged
  const expected = () => [...sent().values()].sort((a, b) => a - b)

  test('every application was acknowledged once', () => {
    assert.equal(sent().size, all)
    assert.equal(new Set(sent().values()).size, all)
  })

  for (const [index, { node, wander, format, limit }] of pagers.entries()) {
    const where = wander ? 'both nodes' : `node ${node + 1}`
    test(`a reader that pages by ${limit} in ${format} from ${where} sees each application once and in order`, () => {
      assert.deepEqual(paged[index], expected())
    })
  }

  test('whole lists never shrink and are complete in the end, with and without a tag', () => {
    assert.deepEqual(
      whole.map(({ seen }) => seen),
      [expected(), expected()],
    )
    assert.equal(whole[0]?.unchanged, 0)
    assert.ok(Number(whole[1]?.unchanged) > 0, 'it got at least one 304')
  })

  test('every file could be downloaded once it was acknowledged, and none is missing or left over', async () => {
    assert.equal(downloaded, [...sent().keys()].filter(hasResume).length)
    const { checked, damaged } = await services.examineFiles(true)
    assert.deepEqual([checked, damaged], [downloaded, []])
  })

  test('the list has exactly the candidates that were sent, under the acknowledged IDs', async () => {
    const { baseUrl } = traffic.nodes[0] as Serving
    const { text } = await send(baseUrl, listPath, 'GET', { headers: traffic.headers })
    const list: { ID: number; JobSeekerID: string }[] = JSON.parse(text).JobApplications.JobApplicationsList
    const named = list.map(({ ID, JobSeekerID }): [string, number] => [JobSeekerID, ID])
    assert.deepEqual(named.toSorted(), [...sent()].toSorted())
  })

  test('a key that is sent again to either node gets the same ID', async () => {
    for (const [index, [key, id]] of [...sent()].slice(-6).entries()) {
      const answer = await submit(traffic, board, key, index)
      assert.deepEqual([answer.status, answer.json().id], [201, id])
    }
  })

  test('the replica serves both nodes in the end, and lagged in between', async () => {
    for (const node of traffic.nodes) await untilReplicaAnswers(node)
    const { text } = await send(String(traffic.nodes[1]?.adminUrl), '/metrics', 'GET', {})
    assert.match(text, /^dossier_replica_reads_total\{outcome="behind"\} [1-9]/m)
  })
})
