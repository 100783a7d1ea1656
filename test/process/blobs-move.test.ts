import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fsPromises, { open as openFile, readFile, rm } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { run as runCommand } from '../../src/assembly/commands/program.ts'
import { type Outcome, runHere, startHere } from '../harness/command.ts'
import { createTestDatabase, open, type TestDatabase } from '../harness/database.ts'
import { longTest } from '../harness/effort.ts'
import { send } from '../harness/http.ts'
import { compileCache, executable, findLogLine, startDossier } from '../harness/process.ts'
import { type Bucket, createBucket, type StoredBlobs, storedBlobs } from '../harness/s3.ts'
import { type S3FaultProxy, startS3FaultProxy } from '../harness/s3-fault-proxy.ts'
import { addTenant, draftOf, putFile, type Tenant } from '../harness/tenant.ts'

const applications = 55
const types = ['resume', 'coverLetter', 'selectionCriteria'] as const

let database: TestDatabase
let bucket: Bucket
let proxy: S3FaultProxy
let folder: StoredBlobs
let tenant: Tenant
let settings: Record<string, string>
/** The paths of version 1, each with its response. */
let contents: Map<string, string>
/** Of another application, which this test does not read. */
let damaged: string
let names: string[]

before(async () => {
  proxy = await startS3FaultProxy(process.env['TEST_S3_ENDPOINT'] as string)
  bucket = await createBucket()
  database = await createTestDatabase('sqlite')
  settings = { ...database.settings, ...bucket.settings(proxy.endpoint) }
  folder = storedBlobs(database.settings)
  const services = await open(database.settings)
  await services.schema.migrate()
  tenant = await addTenant(services)
  contents = new Map()
  for (let index = 0; index < applications; index++) {
    const texts = types.map(type => [type, `${type} of ${index}`] as const)
    const files = await Promise.all(texts.map(([type, text]) => putFile(services, type, Buffer.from(text))))
    const { id } = await services.submissions.add(tenant.advertiserId, draftOf(index, files))
    for (const [type, text] of texts)
      contents.set(`/v1/advertiser/applications/${type.toLowerCase()}/${id}`, text)
  }
  const file = await putFile(services, 'resume', Buffer.from('a resume'))
  await services.submissions.add(tenant.advertiserId, draftOf('other', [file]))
  damaged = file.blob as string
  await services.close()
  names = await folder.names()
})
after(async () => {
  await proxy.close()
  await bucket.removeAll()
  await database.remove()
})

const move = (...args: string[]): Promise<Outcome> => startHere(['blobs', 'move', ...args], settings).finished
const puts = () => proxy.calls.filter(({ operation }) => operation === 'PutObject').length

test('without S3 it moves nothing and says why', async () => {
  const missing = await startHere(['blobs', 'move'], database.settings).finished
  assert.deepEqual([missing.code, missing.stdout], [4, ''])
  assert.match(
    missing.stderr,
    /^dossier: wrong setting BLOBS_URL: must name the store to move the files to\n$/,
  )
  proxy.break('PutObject', { status: 403, code: 'AccessDenied' })
  const refused = await move()
  proxy.heal()
  assert.deepEqual([refused.code, refused.stdout], [1, ''])
  assert.match(refused.stderr, /^dossier: .*allow s3:PutObject on the bucket/)
  assert.deepEqual([await folder.names(), await bucket.names()], [names, []])
})

test('on a full disk it says what to do, and leaves no note', async t => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  t.mock.method(fsPromises, 'writeFile', () => Promise.reject(full))
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
  const { code, stdout, stderr } = await move()
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^dossier: The disk of .* is full \(ENOSPC.*\).* Free 100 kilobytes.*\n$/)
  assert.deepEqual([await folder.names(), await bucket.names()], [names, []])
})

longTest('SIGTERM ends it after the files in progress', async () => {
  const { code, stderr } = await runHere(['blobs', 'move'], settings)
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^Stopping \(SIGTERM\).*\ndossier: Stopped by SIGTERM\. Run the same command to continue\.\n$/,
  )
  assert.deepEqual([...(await folder.names()), ...(await bucket.names())].toSorted(), names)
})

test('files move while they are read, despite kill -9: each exists once, and no read fails', async () => {
  await folder.write(damaged, 'A resume')
  const env = { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', RATE_LIMIT_V1_PER_MINUTE: '999999' }
  const serving = startHere(['serve'], { ...settings, ...env })
  const { port } = await serving.until(stdout => findLogLine(stdout, 'listening'))
  let isMoving = true
  let readsMeanwhile = 0
  async function readAll(): Promise<void> {
    do {
      for (const [path, content] of contents) {
        const { status, text } = await send(`http://127.0.0.1:${port}`, path, 'GET', {
          headers: tenant.headers,
        })
        assert.deepEqual([status, text], [200, content])
        if (!isMoving) continue
        readsMeanwhile += 1
        await sleep(5)
      }
    } while (isMoving)
  }
  const reading = readAll()
  try {
    await moveWhileKilled()
  } finally {
    isMoving = false
    await reading
    serving.stop()
  }
  assert.ok(readsMeanwhile > 0)
  assert.equal((await serving.finished).code, 0)
})

/** Killed after the first hundred files, and started again. */
async function moveWhileKilled(): Promise<void> {
  // The service has stored its marks.
  const before = puts()
  const first = startDossier(['blobs', 'move'], settings)
  // The first hundred have moved, and others are in progress.
  while (puts() - before < 105 && first.child.exitCode === null) await sleep(5)
  first.child.kill('SIGKILL')
  assert.equal((await first.finished).signal, 'SIGKILL')
  const [left, moved] = [await folder.names(), await bucket.names()]
  assert.ok(left.length < 100 && moved.length >= 100, `${left.length} left, ${moved.length} moved`)
  const noted = left.filter(name => name.startsWith('moving/'))
  assert.equal(noted.length, 1, 'what was under way is noted')

  const second = await move('--json')
  assert.equal(second.code, 1)
  assert.equal(
    // On a busy machine it runs long enough to report its progress.
    second.stderr.replace(/^files: .*\n/gm, ''),
    `${damaged} stays in the folder: its content is not what was uploaded
dossier: 1 file is damaged: restore from a backup into the folder. Run the same command to try again.
`,
  )
  const { bytes, ...summary } = JSON.parse(second.stdout)
  const counts = { outcome: 'finished', moved: left.length - 2, removed: 0, unnamed: 0 }
  assert.deepEqual(summary, { ...counts, damaged: [damaged], failed: [] })
  assert.ok(bytes > 0)
  const others = names.filter(name => name !== damaged)
  assert.deepEqual([await folder.names(), await bucket.names()], [[damaged], others])
  assert.equal(await bucket.uploads(), 0)
}

test('the summary comes before the warning about it', async t => {
  const path = join(String(settings['DATA_DIR']), 'output')
  const output = await openFile(path, 'w')
  t.after(() => output.close())
  const child = spawn(process.execPath, [executable, 'blobs', 'move'], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compileCache, ...settings },
    stdio: ['ignore', output.fd, output.fd],
  })
  await once(child, 'exit')
  assert.match(
    await readFile(path, 'utf8'),
    /^.* stays in the folder: .*\n0 files moved, 0 megabytes\.\ndossier: 1 file is damaged: .*\n$/,
  )
})

test('with another database it moves and removes nothing, and names the database', async () => {
  const other = await createTestDatabase('postgres')
  const before = [await folder.names(), await bucket.names()]
  try {
    const wrong = { ...settings, ...other.settings, DATA_DIR: String(settings['DATA_DIR']) }
    const { code, stdout, stderr } = await startHere(['blobs', 'move'], wrong).finished
    assert.deepEqual([code, stdout], [1, ''])
    const { pathname } = new URL(String(other.settings['DATABASE_URL']))
    assert.match(
      stderr,
      /^dossier: Nothing was moved with the database ".*" at .*: the folder .*\/blobs contains the files of another database, .*\n$/,
    )
    assert.ok(stderr.includes(`"${pathname.slice(1)}"`))
    assert.deepEqual([await folder.names(), await bucket.names()], before)
  } finally {
    await other.remove()
  }
})

longTest('a damaged file moves once it is repaired, and in the end the folder can be removed', async () => {
  await folder.write(damaged, 'a resume')
  await folder.write('20261101/00/upload', 'that no row names')
  await folder.write('29991231/00/upload', 'that no row names yet')
  const lines: string[] = []
  const printed: string[] = []
  const code = await runCommand(['blobs', 'move'], {
    environment: settings,
    print: text => void printed.push(text),
    complain: text => void lines.push(text),
    isTerminal: true,
    user: 'tester',
    untilStopRequested: () => new Promise(() => {}),
    onRestartRequested: () => {},
    openWorkers: () => Promise.reject(new Error('no workers here')),
  })
  assert.equal(code, 0)
  assert.match(lines.join(''), /files \[#{24}\] 3\/3/)
  assert.match(
    printed.join(''),
    /^1 file moved.*\n1 file removed that .*\nAll files that the database refers to are in S3\. 1 file that it does not refer to /,
  )
  assert.deepEqual(await folder.names(), ['29991231/00/upload'])
  await folder.remove('29991231/00/upload')
  const { stdout, ...nothing } = await move()
  assert.deepEqual(nothing, { code: 0, stderr: '' })
  assert.match(
    stdout,
    /^0 files moved, 0 megabytes\.\nThe folder .* contains no files\. If it should, check DATA_DIR\. .* delete the folder\.\n$/,
  )
  assert.deepEqual([await folder.names(), await bucket.names()], [[], names])

  await rm(join(String(settings['DATA_DIR']), 'blobs'), { recursive: true })
  const services = await open(settings)
  assert.deepEqual(await services.examineFiles(true), { checked: names.length, damaged: [] })
  await services.close()
})
