import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createTestDatabase, open } from '../harness/database.ts'
import { longTest } from '../harness/effort.ts'
import { addBoard, intakeToken } from '../harness/intake.ts'
import { compileLibrary } from '../harness/native-library.ts'
import { doorOf } from '../harness/oauth.ts'
import { findLogLine } from '../harness/process.ts'
import { logLines, type Serving, startServing } from '../harness/serving.ts'
import { prepareTenant } from '../harness/tenant.ts'

const library = new URL('../harness/native/failing-flush.c', import.meta.url)

/** Serves, and has just given a token. From the time the file `mark` exists, no flush succeeds. */
async function serveOnFailingDisk(t: TestContext, args: string[] = []) {
  const database = await createTestDatabase('sqlite', 'empty')
  t.after(() => database.remove())
  const scratch = await mkdtemp(join(tmpdir(), 'dossier-flush-'))
  t.after(() => rm(scratch, { recursive: true }))
  const world = await prepareTenant(database, async (services, { advertiserId }) => ({
    client: await addBoard(services, advertiserId),
  }))
  const mark = join(scratch, 'fails')
  const env = { LD_PRELOAD: compileLibrary(library, scratch), FLUSH_FAILS_AT: mark }
  const serving = await startServing(database, { env, args })
  t.after(() => serving.end())
  const door = doorOf(serving)
  await intakeToken(door, world.client)
  return { database, world, mark, serving, door }
}

/** 503, or the port is closed already. */
async function assertNotReady({ baseUrl }: Serving): Promise<void> {
  const status = await fetch(`${baseUrl}/health/ready`).then(
    ready => ready.status,
    () => 503,
  )
  assert.equal(status, 503)
}

test('a process that could not flush ends without copying its log into the database', async t => {
  const { database, world, mark, serving, door } = await serveOnFailingDisk(t)
  const path = join(String(database.settings['DATA_DIR']), 'dossier.db')
  const before = readFileSync(path)
  writeFileSync(mark, '')
  await assert.rejects(intakeToken(door, world.client))
  await assertNotReady(serving)
  const { code, stderr } = await serving.running.finished
  assert.equal(code, 5)
  assert.match(stderr, /The disk did not keep what was written/)
  assert.ok(existsSync(`${path}-wal`), 'the log is there')
  assert.ok(readFileSync(path).equals(before), 'nothing was copied')
  const services = await open(database.settings)
  await services.close()
})

test('a worker whose disk failed is replaced', async t => {
  const { world, mark, serving, door } = await serveOnFailingDisk(t, ['--workers', '1'])
  writeFileSync(mark, '')
  await assert.rejects(intakeToken(door, world.client))
  await serving.running.until(stdout => findLogLine(stdout, 'a worker has died and is being replaced'))
  rmSync(mark)
  await serving.running.until(
    stdout => logLines(stdout).filter(({ msg }) => msg === 'worker is up').length === 2 || undefined,
  )
  await intakeToken(door, world.client)
  serving.running.child.kill('SIGTERM')
  assert.equal((await serving.running.finished).code, 0)
})

longTest('if the new worker fails as well, the service ends', async t => {
  const { world, mark, serving, door } = await serveOnFailingDisk(t, ['--workers', '2'])
  writeFileSync(mark, '')
  await assert.rejects(intakeToken(door, world.client))
  await assertNotReady(serving)
  const { code, stdout, stderr } = await serving.running.finished
  assert.equal(code, 5)
  assert.ok(findLogLine(stdout, 'the disk failed again under a new worker: the service ends'))
  assert.match(stderr, /a new worker could not use it either/)
})
