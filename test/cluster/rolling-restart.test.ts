import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestDatabase } from '../harness/database.ts'
import { isLongRun } from '../harness/effort.ts'
import { freePort } from '../harness/free-port.ts'
import { call } from '../harness/http.ts'
import { startNginx } from '../harness/nginx.ts'
import { balancerServer } from '../harness/nginx-balancer.ts'
import { findLogLine } from '../harness/process.ts'
import { logLines, type Serving, startServing } from '../harness/serving.ts'
import { listPath } from '../harness/tenant.ts'
import { idsIn } from '../process/large-list.ts'
import { databaseFor, serveFor } from '../process/support.ts'
import { type Board, type LoadOutcome, prepareBoard, startLoad } from './steady-load.ts'

/** Far above what it needs on a machine of its own. */

/** As in production: other tests do not wait for idle connections. */
const env = { SHUTDOWN_IDLE_MS: '2000' }

/** No request has failed, and each acknowledged application exists once. */
async function assertNothingLost(serving: Serving, board: Board, outcome: LoadOutcome): Promise<void> {
  assert.deepEqual(outcome.failures, [])
  assert.ok(outcome.ids.length > 50, `only ${outcome.ids.length} applications were sent`)
  const listed = idsIn((await call(serving, listPath, { headers: board.headers })).text)
  assert.deepEqual(
    listed,
    outcome.ids.toSorted((a, b) => a - b),
  )
}

const rounds = 2

// `npm test` restarts one worker, in workers.test.ts.
if (isLongRun) {
  test('two workers are restarted by SIGHUP under load: no request fails [sqlite]', async t => {
    const database = await databaseFor(t, 'sqlite')
    const board = await prepareBoard(database)
    const serving = await serveFor(t, database, { args: ['--workers', '2'], env })
    const load = await startLoad(serving.baseUrl, board)
    t.after(() => load.stop())
    for (let round = 1; round <= rounds; round++) {
      await load.answered(100)
      serving.running.child.kill('SIGHUP')
      await serving.running.until(
        stdout => stdout.split('"msg":"restarted"').length - 1 === round || undefined,
      )
    }
    await load.answered(100)
    const outcome = await load.stop()
    await assertNothingLost(serving, board, outcome)

    // Every worker was replaced in every round.
    const lines = logLines(serving.log())
    const pids = new Set(lines.filter(line => line.msg === 'worker is up').map(line => line['pid']))
    assert.equal(pids.size, 2 + 2 * rounds)
    const handedOver = lines.filter(line => line.msg === 'stopping')
    assert.deepEqual(
      handedOver.map(line => [line['worker'], line['signal']]),
      Array.from({ length: rounds }, () => [1, 2])
        .flat()
        .map(worker => [worker, 'replaced']),
    )
    await serving.stop()
  })

  test('two nodes behind nginx are restarted in turn under load: no request fails [postgres]', async t => {
    const database = await databaseFor(t, 'postgres')
    const board = await prepareBoard(database)
    const nodes = await Promise.all([startNode(database), startNode(database)])
    t.after(async () => {
      for (const node of nodes) node.end()
      await Promise.all(nodes.map(node => node.running.finished))
    })
    const nginx = await startNginx(listen =>
      balancerServer(
        listen,
        nodes.map(({ port }) => port),
      ),
    )
    t.after(() => nginx.stop())

    const load = await startLoad(nginx.url, board)
    t.after(() => load.stop())
    for (const [index, node] of nodes.entries()) {
      await load.answered(100)
      await node.stop()
      assert.ok(findLogLine(node.log(), 'stopped'))
      await load.answered(50)
      const restarted = await startNode(database, node.port)
      nodes[index] = restarted
      // nginx avoids it for a while: it is back in use with its first request.
      await restarted.running.until(stdout => findLogLine(stdout, 'request'))
      await load.answered(50)
    }
    const outcome = await load.stop()
    await assertNothingLost(nodes[0] as Serving, board, outcome)
  })
}

async function startNode(database: TestDatabase, port?: number): Promise<Serving> {
  const PORT = String(port ?? (await freePort()))
  return startServing(database, { env: { ...env, PORT, TRUSTED_PROXIES: '127.0.0.1' } })
}
