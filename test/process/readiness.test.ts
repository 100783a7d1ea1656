import assert from 'node:assert/strict'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { open, type TestDatabase } from '../harness/database.ts'
import { longTest } from '../harness/effort.ts'
import { type Answer, call } from '../harness/http.ts'
import { untilStatus } from '../harness/polling.ts'
import { type Postgres, startPostgres } from '../harness/postgres.ts'
import { pullThePlug } from '../harness/postgres-outage.ts'
import { findLogLine } from '../harness/process.ts'
import { RawClient } from '../harness/raw-client.ts'
import type { Services } from '../harness/services.ts'
import { logLines, requestLine } from '../harness/serving.ts'
import { addTenant, draftOf, listPath, prepareTenant, putFile, type Tenant } from '../harness/tenant.ts'
import { fillLargeList } from './large-list.ts'
import { databaseFor, folderFor, refusalHere, runHere, serveHereFor } from './support.ts'

function assertAway(answer: Answer, detail?: RegExp): void {
  assert.equal(answer.status, 503)
  assert.equal(answer.json().code, 'unavailable')
  assert.ok(Number(answer.headers.get('retry-after')) > 0, 'Retry-After')
  if (detail !== undefined) assert.match(answer.json().detail, detail)
}

const applyWithFile = async (services: Services, { advertiserId }: Tenant): Promise<{ id: number }> => {
  const file = await putFile(services, 'resume', Buffer.from('A resume.'))
  return services.submissions.add(advertiserId, draftOf(1, [file]))
}

test('the file store becomes unavailable and comes back', async t => {
  const database = await databaseFor(t, 'sqlite', 'empty')
  const { headers, id } = await prepareTenant(database, applyWithFile)
  const serving = await serveHereFor(t, database)
  const download = () => call(serving, `${listPath}/resume/${id}`, { headers })
  assert.equal((await untilStatus(serving, '/health/ready', 200)).json().status, 'ok')
  assert.equal((await download()).text, 'A resume.')

  const blobs = join(String(database.settings['DATA_DIR']), 'blobs')
  await rename(blobs, `${blobs}.away`)
  await writeFile(blobs, '')
  assertAway(await untilStatus(serving, '/health/ready', 503), /files/)
  assert.equal((await call(serving, '/health/live')).status, 200)
  assertAway(await download())
  // Requests that need no file still work.
  assert.equal((await call(serving, listPath, { headers })).status, 200)

  await rm(blobs)
  await rename(`${blobs}.away`, blobs)
  assert.equal((await untilStatus(serving, '/health/ready', 200)).json().status, 'ok')
  assert.equal((await download()).text, 'A resume.')
  await serving.stop()
})

test('marks beside the files that cannot be read at the start: nothing can be added, so the node is not ready', async t => {
  const database = await databaseFor(t, 'sqlite', 'empty')
  await prepareTenant(database, applyWithFile)
  const marks = join(String(database.settings['DATA_DIR']), 'blobs/ids')
  await rename(marks, `${marks}.away`)
  await writeFile(marks, '')
  const serving = await serveHereFor(t, database)
  assertAway(await untilStatus(serving, '/health/ready', 503), /files/)
  const line = await serving.running.until(stdout => findLogLine(stdout, 'not ready'))
  assert.match(JSON.stringify(line), /ENOTDIR/)

  await rm(marks)
  await rename(`${marks}.away`, marks)
  assert.equal((await untilStatus(serving, '/health/ready', 200)).json().status, 'ok')
  await serving.stop()
})

test('a database that fails as soon as the service listens does not end it', async t => {
  const database = await databaseFor(t, 'sqlite', 'empty')
  const services = await open(database.settings)
  await services.schema.migrate()
  // The only table that is read between listening and serving.
  await sql`alter table operators rename to operators_away`.execute(services.database.writer)
  await services.close()
  const serving = await serveHereFor(t, database)
  await serving.running.until(stdout => findLogLine(stdout, 'background work runs in this process'))
  assert.equal((await call(serving, '/health/ready')).status, 200)
  await serving.stop()
})

describe('PostgreSQL becomes unavailable and comes back', () => {
  let postgres: Postgres
  before(async () => {
    postgres = await startPostgres({ fsync: 'off' })
  })
  after(() => postgres.stop())

  let isAway = false
  async function takeAway(): Promise<void> {
    await pullThePlug(postgres)
    isAway = true
  }
  async function bringBack(): Promise<void> {
    if (isAway) await postgres.start()
    isAway = false
  }
  // Whatever the outcome of a test, the next one finds it there.
  afterEach(bringBack)

  async function databaseOn(folder: string): Promise<TestDatabase> {
    const DATABASE_URL = postgres.url(await postgres.createDatabase())
    return { engine: 'postgres', settings: { DATA_DIR: folder, DATABASE_URL }, remove: async () => {} }
  }

  test('version 1 answers every request with 503 and Retry-After, and never with wrong data', async t => {
    const database = await databaseOn(await folderFor(t))
    const { headers, id } = await prepareTenant(database, applyWithFile)
    const serving = await serveHereFor(t, database)
    const wrong = { authorization: 'SWS sws_nobody' }
    const requests: [path: string, headers: Record<string, string>, withDatabase: number][] = [
      [listPath, headers, 200],
      [`${listPath}?limit=1`, headers, 200],
      [`${listPath}/resume/${id}`, headers, 200],
      [`${listPath}/screen/${id}`, headers, 200],
      [`${listPath}/resume/999`, headers, 404],
      [listPath, wrong, 401],
    ]
    const assertAllThere = async () => {
      for (const [path, headers, status] of requests) {
        assert.equal((await call(serving, path, { headers })).status, status, path)
      }
    }
    await assertAllThere()

    await takeAway()
    for (const [path, headers] of requests) assertAway(await call(serving, path, { headers }))
    assertAway(await untilStatus(serving, '/health/ready', 503), /database/)
    assert.equal((await call(serving, '/health/live')).status, 200)
    const asXml = await call(serving, listPath, { headers: { ...headers, accept: 'application/xml' } })
    assert.equal(asXml.status, 503)

    await bringBack()
    await untilStatus(serving, '/health/ready', 200)
    await assertAllThere()
    await serving.stop()
    const lines = logLines(serving.log())
    const failures = lines.filter(line => line.msg === 'request failed')
    assert.ok(failures.length > requests.length)
    assert.deepEqual([...new Set(failures.flatMap(({ err }) => Object.keys(err as object)))], ['message'])
    const told = (msg: string) => lines.filter(line => line.msg === msg && line['pool'] === 'reader').length
    assert.equal(told('no new database connections can be made'), 1)
    assert.equal(told('database connections can be made again'), 1)
  })

  test('requests in progress when it fails or restarts get their response or 503, and the service survives', async t => {
    const database = await databaseOn(await folderFor(t))
    const { headers } = await prepareTenant(database, applyWithFile)
    const serving = await serveHereFor(t, database)
    const statuses = new Set<number>()
    let isBack = false
    const ask = async () => {
      while (!isBack) {
        statuses.add((await call(serving, `${listPath}?limit=1`, { headers })).status)
        // Eight without a pause would only take processor time from the server that they wait for.
        await sleep(5)
      }
    }
    const asking = Promise.all(Array.from({ length: 8 }, ask))
    // From here on a failure must end the loops too.
    asking.catch(() => {})
    try {
      await untilStatus(serving, '/health/ready', 200)
      await takeAway()
      await untilStatus(serving, '/health/ready', 503)
      await bringBack()
      await untilStatus(serving, '/health/ready', 200)
      await postgres.restart()
      await untilStatus(serving, '/health/ready', 200)
    } finally {
      isBack = true
    }
    await asking
    assert.deepEqual([...statuses].sort(), [200, 503])
    await serving.stop()
  })

  longTest('a whole list that it interrupts ends without its final bytes', async t => {
    const database = await databaseOn(await folderFor(t))
    const { headers } = await prepareTenant(database, (services, { advertiserId }) =>
      fillLargeList(services, advertiserId),
    )
    const serving = await serveHereFor(t, database)
    const reader = await RawClient.connect(serving.port)
    reader.send(listPath, { ...headers, 'X-Request-Id': 'broken-off' })
    assert.equal((await reader.head()).status, 200)
    await takeAway()
    const { isWhole } = await reader.rest()
    assert.equal(isWhole, false)
    assert.equal((await requestLine(serving, 'broken-off'))['cut'], true)
    await bringBack()
    await untilStatus(serving, '/health/ready', 200)
    await serving.stop()
  })

  longTest('the commands say so in one line', async t => {
    const { settings } = await databaseOn(await folderFor(t))
    await takeAway()
    const list = await runHere(['advertiser', 'list'], settings)
    assert.deepEqual([list.code, list.stdout], [4, ''])
    assert.match(list.stderr, /^dossier: [^\n]*database[^\n]*\n$/)
    const doctor = await runHere(['doctor'], settings)
    assert.equal(doctor.code, 1)
    assert.match(doctor.stdout, /^WRONG {2}database .*DATABASE_URL/m)
    assert.match(await refusalHere(settings), /DATABASE_URL/)
  })

  test('a write during the outage is refused as unavailable, and works afterwards', async t => {
    const database = await databaseOn(await folderFor(t))
    const services = await open(database.settings)
    t.after(() => services.close())
    await services.schema.migrate()
    const { advertiserId } = await addTenant(services)
    await services.submissions.add(advertiserId, draftOf('before'))
    await takeAway()
    await assert.rejects(services.submissions.add(advertiserId, draftOf('meanwhile')), {
      code: 'unavailable',
    })
    await bringBack()
    await services.submissions.add(advertiserId, draftOf('after'))
  })
})
