import assert from 'node:assert/strict'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTestDatabase } from '../harness/database.ts'
import { call } from '../harness/http.ts'
import { addBoard, intakeToken } from '../harness/intake.ts'
import { compileLibrary } from '../harness/native-library.ts'
import { doorOf } from '../harness/oauth.ts'
import { until } from '../harness/polling.ts'
import { startServing } from '../harness/serving.ts'
import { listPath, prepareTenant } from '../harness/tenant.ts'

const library = new URL('../harness/native/failing-flush.c', import.meta.url)

test('idle polls of a list and a feed wait for no flush of what others write', async t => {
  const database = await createTestDatabase('sqlite', 'empty')
  t.after(() => database.remove())
  const scratch = await mkdtemp(join(tmpdir(), 'dossier-flush-'))
  t.after(() => rm(scratch, { recursive: true }))
  const { headers, client } = await prepareTenant(database, async (services, { advertiserId }) => ({
    client: await addBoard(services, advertiserId),
  }))
  const stalls = join(scratch, 'stalls')
  t.after(() => rmSync(stalls, { force: true }))
  const env = { LD_PRELOAD: compileLibrary(library, scratch), FLUSH_WAITS_WHILE: stalls }
  const serving = await startServing(database, { env })
  t.after(() => serving.end())
  const list = await call(serving, listPath, { headers })
  const pollList = () =>
    call(serving, listPath, { headers: { ...headers, 'if-none-match': list.headers.get('etag') ?? '' } })
  const feed = await call(serving, '/v1/advertiser/events?cursor=now', {
    headers: { ...headers, accept: 'application/json' },
  })
  const { cursor } = JSON.parse(feed.text)
  const pollFeed = () => call(serving, `/v1/advertiser/events?cursor=${cursor}`, { headers })
  const statuses = async () => [(await pollList()).status, (await pollFeed()).status]
  assert.deepEqual(await statuses(), [304, 200])

  const log = join(String(database.settings['DATA_DIR']), 'dossier.db-wal')
  const { mtimeMs } = statSync(log)
  writeFileSync(stalls, '')
  let hasToken = false
  const token = intakeToken(doorOf(serving), client).then(() => {
    hasToken = true
  })
  await until(async () => statSync(log).mtimeMs > mtimeMs)
  assert.deepEqual(await statuses(), [304, 200])
  assert.equal(hasToken, false)
  rmSync(stalls)
  await token
})
