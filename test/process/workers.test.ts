import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { longTest } from '../harness/effort.ts'
import { call } from '../harness/http.ts'
import { addBoard, applicationOf, applicationPart, intakeToken, post } from '../harness/intake.ts'
import { doorOf } from '../harness/oauth.ts'
import { until } from '../harness/polling.ts'
import { findLogLine } from '../harness/process.ts'
import { RawClient } from '../harness/raw-client.ts'
import type { Services } from '../harness/services.ts'
import { logLines, type Serving } from '../harness/serving.ts'
import { addTenant, listPath, prepareTenant, type Tenant } from '../harness/tenant.ts'
import { fillLargeList, idsIn } from './large-list.ts'
import { folderFor, isRefused, refusal, runHere, serveFor } from './support.ts'

const eventsPath = '/v1/advertiser/events'

/** The worker's number and its process, in the order in which they came up. */
function workersOf(serving: Serving): { worker: number; pid: number }[] {
  return logLines(serving.log())
    .filter(line => line.msg === 'worker is up')
    .map(line => ({ worker: Number(line['worker']), pid: Number(line['pid']) }))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** A second advertiser, with a job board that brings applications. */
async function addFollowed(services: Services) {
  const tenant = await addTenant(services)
  return { ...tenant, board: await addBoard(services, tenant.advertiserId) }
}

describe('serve --workers', () => {
  let database: TestDatabase
  let tenant: Tenant & { ids: number[]; other: Awaited<ReturnType<typeof addFollowed>> }
  before(async () => {
    database = await createTestDatabase('sqlite', 'empty')
    tenant = await prepareTenant(database, async (services, { advertiserId }) => ({
      ...(await fillLargeList(services, advertiserId)),
      other: await addFollowed(services),
    }))
  })
  after(() => database.remove())

  const path = `${listPath}?limit=1`

  /** How many list requests the metrics count. */
  async function counted({ adminUrl }: Serving): Promise<number> {
    const figures = await (await fetch(`${adminUrl}/metrics`)).text()
    const found = /^dossier_http_request_duration_seconds_count\{.*route="\/v1\/[^"]*".*\} (\d+)$/m.exec(
      figures,
    )
    assert.match(figures, /^dossier_http_requests_in_flight\{server="public"\} \d+$/m)
    return Number(found?.[1] ?? 0)
  }

  /** On a new connection, so that the next worker gets it. */
  async function ask(serving: Serving): Promise<void> {
    const answer = await call(serving, path, { headers: { ...tenant.headers, connection: 'close' } })
    assert.equal(answer.status, 200)
  }

  test('they share a port, have their own names in the log, and are added up in the metrics; one that dies is replaced; Ctrl-C reaches every process, and requests in progress complete', async t => {
    const serving = await serveFor(t, database, {
      args: ['--workers', '2'],
      env: { SHUTDOWN_GRACE_SECONDS: '60' },
    })
    const listening = logLines(serving.log()).filter(line => line.msg === 'listening')
    assert.deepEqual(
      listening.map(line => line['workers']),
      [2],
    )
    for (let i = 0; i < 6; i++) await ask(serving)
    const served = () =>
      new Set(
        logLines(serving.log())
          .filter(line => line['route'] === listPath)
          .map(line => line['worker']),
      )
    assert.deepEqual([...served()].sort(), [1, 2])
    assert.equal(await counted(serving), 6)
    await wakeEachOther(serving)
    // Only there.
    assert.equal((await call(serving, '/metrics')).status, 404)

    const first = workersOf(serving).find(({ worker }) => worker === 1)
    process.kill(Number(first?.pid), 'SIGKILL')
    await serving.running.until(stdout => findLogLine(stdout, 'a worker has died and is being replaced'))
    // The other one continues meanwhile.
    await ask(serving)
    const replacement = await serving.running.until(() => workersOf(serving).at(2))
    assert.equal(replacement.worker, 1)
    const line = findLogLine(serving.log(), 'a worker has died and is being replaced')
    assert.deepEqual([line?.['worker'], line?.['signal'], line?.['level']], [1, 'SIGKILL', 'error'])
    for (let i = 0; i < 5; i++) await ask(serving)
    assert.equal(await counted(serving), 12, 'what the dead have counted is still there')

    const reader = await beginList(serving)
    // As a terminal does it: the whole process group.
    for (const { pid } of workersOf(serving).filter(({ pid }) => isAlive(pid))) process.kill(pid, 'SIGINT')
    serving.running.child.kill('SIGINT')
    await serving.running.until(
      stdout => logLines(stdout).filter(line => line.msg === 'stopping').length === 3 || undefined,
    )
    const { body, isWhole } = await reader.rest()
    assert.equal(isWhole, true)
    assert.deepEqual(idsIn(body), tenant.ids)
    const { code, stderr, stdout } = await serving.running.finished
    assert.deepEqual([code, stderr], [0, ''])
    // No worker was replaced on the way out.
    assert.equal(workersOf(serving).length, 3)
    assert.equal(logLines(stdout).at(-1)?.msg, 'stopped')
    assert.deepEqual(
      workersOf(serving).map(({ pid }) => isAlive(pid)),
      [false, false, false],
    )
    assert.equal(await isRefused(serving.port), true)
  })

  /** Requests wait in both, and an application arrives in one of them. */
  async function wakeEachOther(serving: Serving): Promise<void> {
    const { advertiserId, board } = tenant.other
    const headers = { ...tenant.other.headers, connection: 'close' }
    const { cursor } = (await call(serving, eventsPath, { headers })).json()
    const waiting = Array.from({ length: 4 }, () =>
      call(serving, `${eventsPath}?cursor=${cursor}&wait=50`, { headers }),
    )
    const figures = async () => (await fetch(`${serving.adminUrl}/metrics`)).text()
    await until(async () => /^dossier_event_waiters 4$/m.test(await figures()))
    const token = await intakeToken(doorOf(serving), board)
    const application = applicationPart(applicationOf({ advertiserId }))
    assert.equal((await post(doorOf(serving), token, [application])).status, 201)
    for (const answer of await Promise.all(waiting)) assert.equal(answer.json().events.length, 1)
    await until(async () => /^dossier_event_hints_total\{from="worker"\} [1-9]/m.test(await figures()))
    assert.match(await figures(), /^dossier_events_total\{type="application.created"\} 1$/m)
  }

  longTest('one worker has a supervisor too: SIGHUP restarts it, and its successor serves', async t => {
    const serving = await serveFor(t, database, { args: ['--workers', '1'] })
    serving.running.child.kill('SIGHUP')
    await serving.running.until(stdout => findLogLine(stdout, 'restarted'))
    await ask(serving)
    const [old, successor] = workersOf(serving)
    assert.deepEqual([old?.worker, successor?.worker], [1, 1])
    assert.deepEqual([isAlive(Number(old?.pid)), isAlive(Number(successor?.pid))], [false, true])
    await serving.stop()
  })

  longTest('when the supervisor is killed, the workers complete requests in progress, and end', async t => {
    const serving = await serveFor(t, database, {
      args: ['--workers', '2'],
      env: { SHUTDOWN_GRACE_SECONDS: '60' },
    })
    const pids = workersOf(serving).map(({ pid }) => pid)
    const reader = await beginList(serving)
    serving.running.child.kill('SIGKILL')
    const { body, isWhole } = await reader.rest()
    assert.equal(isWhole, true)
    assert.deepEqual(idsIn(body), tenant.ids)
    await until(async () => !pids.some(isAlive))
    assert.equal(await isRefused(serving.port), true)
    const told = logLines(serving.log()).filter(line => line['signal'] === 'the supervisor is gone')
    assert.deepEqual(told.map(line => line['worker']).sort(), [1, 2])
  })

  async function beginList(serving: Serving): Promise<RawClient> {
    const reader = await RawClient.connect(serving.port)
    reader.send(listPath, tenant.headers)
    assert.equal((await reader.head()).status, 200)
    return reader
  }

  test('a setting found wrong in use ends all processes, with one line and exit code 4', async t => {
    const DATABASE_URL = 'postgres://dossier:hunter2@127.0.0.1:1/dossier'
    const line = await refusal({ DATA_DIR: await folderFor(t), DATABASE_URL }, '--workers', '2')
    assert.match(line, /^dossier: wrong setting DATABASE_URL/)
  })

  test('the demo has one process', async () => {
    for (const count of ['1', '2']) {
      const { code, stderr } = await runHere(['serve', '--demo', '--workers', count])
      assert.deepEqual([code, /one process/.test(stderr)], [2, true])
    }
  })

  test('there are 1 to 64', async () => {
    for (const count of ['0', '65', '-1', '1.5', 'many', '']) {
      const { code, stderr } = await runHere(['serve', '--workers', count])
      assert.equal(code, 2)
      assert.match(stderr, /whole number from 1 to 64/)
    }
  })
})
