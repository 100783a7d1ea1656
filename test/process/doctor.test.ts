import assert from 'node:assert/strict'
import dns from 'node:dns'
import { chmod, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { startHere } from '../harness/command.ts'
import { createTestDatabase, open, type TestDatabase } from '../harness/database.ts'
import { createBucket, storedBlobs } from '../harness/s3.ts'
import { type S3FaultProxy, startS3FaultProxy } from '../harness/s3-fault-proxy.ts'
import { draftOf, prepareTenant, putFile } from '../harness/tenant.ts'
import { databaseFor, folderFor, run, runHere, unmigrate } from './support.ts'

interface CheckResult {
  what: string
  isFine: boolean
  says: string
}

/** The faults that the doctor finds; its exit code must show them too. */
async function wrongIn(settings: Record<string, string>, ...options: string[]): Promise<CheckResult[]> {
  const { code, stdout, stderr } = await runHere(['doctor', '--json', ...options], settings)
  const results: CheckResult[] = JSON.parse(stdout)
  const wrong = results.filter(result => !result.isFine)
  assert.equal(code, wrong.length === 0 ? 0 : 1)
  const summary = `dossier: ${wrong.length} of ${results.length} checks failed.\n`
  assert.equal(stderr, wrong.length === 0 ? '' : summary)
  return wrong
}

/** There is exactly this fault, and its text names the cause and the cure. */
function assertFound(wrong: CheckResult[], what: string, ...says: RegExp[]): void {
  assert.deepEqual(
    wrong.map(result => result.what),
    [what],
  )
  for (const pattern of says) assert.match(wrong[0]?.says ?? '', pattern)
}

describe('the doctor on SQLite', () => {
  let database: TestDatabase
  let folder: string
  let blob: { name: string; path: string; bytes: Buffer }
  before(async () => {
    database = await createTestDatabase('sqlite', 'empty')
    folder = String(database.settings['DATA_DIR'])
    const bytes = Buffer.from('A cover letter.')
    const { name } = await prepareTenant(database, async (services, { advertiserId }) => {
      const file = await putFile(services, 'coverLetter', bytes)
      await services.submissions.add(advertiserId, draftOf(1, [file]))
      return { name: String(file.blob) }
    })
    blob = { name, bytes, path: join(folder, 'blobs', name) }
  })
  after(() => database.remove())

  test('recommends mail, a scanner, TLS and backups where there are none, without calling it a failure', async () => {
    const { code, stdout } = await runHere(['doctor'], database.settings)
    assert.equal(code, 0)
    const hints = [...stdout.matchAll(/^hint {3}(\w+) .*: (?:set|put) /gm)].map(([, what]) => what)
    assert.deepEqual(hints.toSorted(), ['TLS', 'backup', 'mail', 'scanner'])
  })

  test('finds counts that differ from the applications, which a command corrects', async () => {
    const services = await open(database.settings)
    try {
      await services.database.writer.updateTable('application_counts').set({ applications: 7 }).execute()
    } finally {
      await services.close()
    }
    assertFound(await wrongIn(database.settings), 'counts', /"new", not 7: run "dossier counts repair"/)
    const { code, stdout } = await runHere(['counts', 'repair'], database.settings)
    assert.deepEqual([code, stdout], [0, 'Corrected 1 count.\n'])
    assert.equal((await runHere(['counts', 'repair'], database.settings)).stdout, 'All counts are right.\n')
  })

  test('finds companies whose admins cannot be told of a shorter period', async () => {
    const services = await open(database.settings)
    const { writer } = services.database
    try {
      const person = { id: 'admin', email: 'a@example.com', email_confirmed_at: 1, password_hash: '' }
      const rest = { first_name: 'A', last_name: 'B', profile: '{}', created_at: 1, mail_refused_at: 1 }
      await writer
        .insertInto('candidates')
        .values({ ...person, ...rest })
        .execute()
      const { id } = await writer
        .updateTable('advertisers')
        .set({ next_retention_months: 1, retention_changes_at: Date.now() + 1_000_000_000 })
        .returning('id')
        .executeTakeFirstOrThrow()
      const membership = { advertiser_id: id, candidate_id: 'admin', role: 'admin' as const, created_at: 1 }
      await writer.insertInto('memberships').values(membership).execute()
      const told = new RegExp(`period of advertiser ${id}: .*"dossier retention take-back"`)
      assertFound(await wrongIn(database.settings), 'retention', told)
      await writer.updateTable('candidates').set({ mail_refused_at: null }).execute()
      assert.deepEqual(await wrongIn(database.settings), [])
      await writer
        .updateTable('advertisers')
        .set({ next_retention_months: null, retention_changes_at: null })
        .execute()
    } finally {
      await services.close()
    }
  })

  test('finds no fault where there is none', async () => {
    assert.deepEqual(await wrongIn(database.settings), [])
    const { code, stdout, stderr } = await run(['doctor', '--deep'], database.settings)
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(
      stdout,
      /^((ok {3}|hint ) {2}(settings|database|disk|folder|scanner|TLS|counts|mail|files|backup|retention|operators|lists|demo) +[^\n]+\n){14}$/,
    )
    assert.match(stdout, /1 read and match their hashes/)
  })

  test('a database that other users can read, which it protects', async () => {
    const path = join(folder, 'dossier.db')
    await chmod(path, 0o644)
    assertFound(await wrongIn(database.settings), 'modes', new RegExp(`could read ${path};`), /chmod 600/)
    assert.deepEqual(await wrongIn(database.settings), [])
  })

  test('a missing database whose files exist', async t => {
    const path = join(folder, 'dossier.db')
    await rename(path, `${path}.away`)
    t.after(async () => {
      for (const end of ['-wal', '-shm']) await rm(`${path}${end}`, { force: true })
      await rename(`${path}.away`, path)
    })
    const says = [/new and empty/, /blobs holds files/, /mounted/, /restore a backup/]
    assertFound(await wrongIn(database.settings), 'database', ...says)
  })

  test('a file that is missing, by its name', async t => {
    await rename(blob.path, `${blob.path}.away`)
    t.after(() => rename(`${blob.path}.away`, blob.path))
    assertFound(await wrongIn(database.settings), 'files', new RegExp(blob.name), /restore .* from a backup/)
  })

  test('a file that is too short', async t => {
    await truncate(blob.path, 3)
    t.after(() => writeFile(blob.path, blob.bytes))
    assertFound(await wrongIn(database.settings), 'files', new RegExp(blob.name), /restore .* from a backup/)
  })

  test('a file of the right length that is damaged, with --deep', async t => {
    const damaged = Buffer.from(blob.bytes)
    damaged[0] = (damaged[0] as number) ^ 1
    await writeFile(blob.path, damaged)
    t.after(() => writeFile(blob.path, blob.bytes))
    assert.deepEqual(await wrongIn(database.settings), [])
    const wrong = await wrongIn(database.settings, '--deep')
    assertFound(wrong, 'files', new RegExp(blob.name), /restore .* from a backup/)
  })

  test('as a process: a line for people, and exit code 1', async t => {
    await rename(blob.path, `${blob.path}.away`)
    t.after(() => rename(`${blob.path}.away`, blob.path))
    const { code, stdout, stderr } = await run(['doctor'], database.settings)
    assert.deepEqual([code, stderr], [1, 'dossier: 1 of 14 checks failed.\n'])
    assert.match(stdout, /^WRONG {2}files +1 of 1 are missing or damaged/m)
  })

  test('a folder in which no file can be written', async t => {
    const blobs = join(folder, 'blobs')
    await rename(blobs, `${blobs}.away`)
    await writeFile(blobs, '')
    t.after(async () => {
      await rm(blobs)
      await rename(`${blobs}.away`, blobs)
    })
    const [first, ...rest] = await wrongIn(database.settings)
    assertFound(
      [first as CheckResult],
      'folder',
      /cannot be written/,
      new RegExp(`let this user write to ${blobs}`),
    )
    // Nothing in it can be read either.
    assertFound(rest, 'files')
  })

  test('the demo world is mentioned, but is not a fault', async t => {
    const demo = await databaseFor(t, 'sqlite', 'demo')
    const { stdout } = await runHere(['doctor'], demo.settings)
    assert.match(stdout, /^ok {5}demo .*"dossier demo remove"/m)
  })
})

/** The demo with its files in S3, and the means to break each call to it. */
async function behindProxy(
  t: TestContext,
): Promise<{ proxy: S3FaultProxy; settings: Record<string, string> }> {
  const database = await createTestDatabase('s3', 'demo')
  const proxy = await startS3FaultProxy(String(process.env['TEST_S3_ENDPOINT']))
  t.after(async () => {
    await proxy.close()
    await database.remove()
  })
  const url = new URL(String(database.settings['BLOBS_URL']))
  url.searchParams.set('endpoint', proxy.endpoint)
  return { proxy, settings: { ...database.settings, BLOBS_URL: url.href, BLOBS_ATTEMPTS: '1' } }
}

describe('the doctor on files', () => {
  const stranger = '20261101/00/0123456-8f395fab-2607-46df-941d-25a472c5b129'

  test('of another database: whose they are is in doubt until the operator decides', async t => {
    const { settings } = await databaseFor(t, 'sqlite')
    const stored = storedBlobs(settings)
    await stored.write(stranger, 'of somebody')
    await runHere(['migrate'], settings)
    assertFound(await wrongIn(settings), 'folder', /knows none/, /DATABASE_URL/, /"dossier blobs claim"/)
    const worked = await runHere(['work', '--once'], settings)
    assert.equal(worked.code, 1)
    assert.match(worked.stderr, /background work failed.*knows none/s)
    assert.deepEqual(await stored.names(), [stranger])
    const claimed = await runHere(['blobs', 'claim'], settings)
    assert.match(
      claimed.stdout,
      /^The files in the folder .*blobs now belong to the database in .* \(.{36}\)\.\n$/,
    )
    assert.deepEqual(await wrongIn(settings), [])
    assert.match((await runHere(['work', '--once'], settings)).stdout, /clean-up +1 uploads/)
  })

  test('in an unavailable store: none is examined, and known facts are reported at once', async t => {
    const { proxy, settings } = await behindProxy(t)
    for (const operation of ['PutObject', 'DeleteObject']) proxy.break(operation, 'cut-request')
    proxy.break('HeadBucket', { status: 503, code: 'Away' })
    const running = startHere(['doctor'], settings)
    await running.until(stdout => stdout.includes('ok     database') || undefined)
    const { code, stdout } = await running.finished
    assert.equal(code, 1)
    assert.match(stdout, /^WRONG {2}S3 .*\n(.*\n)*WRONG {2}files +cannot all be checked \(.*HeadBucket/m)
    assert.ok(!proxy.calls.some(({ operation }) => operation === 'GetObject'))
  })

  test('in a store that fails half-way: the rest is not examined', async t => {
    const { proxy, settings } = await behindProxy(t)
    const services = await open(settings)
    t.after(() => services.close())
    proxy.break('GetObject', 'slow-down')
    proxy.break('HeadBucket', { status: 503, code: 'Away' })
    await assert.rejects(services.examineFiles(true), /HeadBucket/)
    assert.equal(proxy.calls.filter(({ operation }) => operation === 'GetObject').length, 1)
  })

  test('that are about to move: how many, where to repair a damaged one, and when the folder can be removed', async t => {
    const database = await databaseFor(t, 'sqlite')
    const bucket = await createBucket()
    t.after(() => bucket.removeAll())
    const { blob } = await prepareTenant(database, async (services, { advertiserId }) => {
      const file = await putFile(services, 'resume', Buffer.from('a resume'))
      await services.submissions.add(advertiserId, draftOf(1, [file]))
      return { blob: String(file.blob) }
    })
    const settings = { ...database.settings, ...bucket.settings() }
    const says = async () => (await runHere(['doctor'], settings)).stdout
    assert.match(await says(), /^ok {5}folder +DATA_DIR\/blobs still contains 1 file: "dossier blobs move"/m)
    await bucket.write(blob, 'a resume')
    await storedBlobs(database.settings).write(blob, 'A resume')
    const wrong = await wrongIn(settings, '--deep')
    assertFound(wrong, 'files', /into DATA_DIR\/blobs, .*"dossier blobs move" removes the damaged one/)
    assert.equal((await startHere(['blobs', 'move'], settings).finished).code, 0)
    assert.deepEqual(await wrongIn(settings, '--deep'), [])
    assert.match(await says(), /^ok {5}folder +DATA_DIR\/blobs contains no more files and can be deleted$/m)
    const path = join(String(settings['DATA_DIR']), 'blobs')
    await rm(path, { recursive: true })
    await writeFile(path, 'no folder')
    const found = await wrongIn(settings)
    assert.deepEqual(
      found.map(({ what }) => what),
      ['S3', 'folder'],
    )
    assert.match(String(found[1]?.says), /ENOTDIR/)
  })
})

test('conflicting settings end it with a line that names one', async t => {
  const { code, stderr } = await runHere(['doctor'], { DATA_DIR: await folderFor(t), DOWNLOADS: 'redirect' })
  assert.deepEqual([code, stderr.startsWith('dossier: wrong setting DOWNLOADS:')], [4, true])
})

test('a data folder that is not a folder', async t => {
  const file = join(await folderFor(t), 'file')
  await writeFile(file, '')
  const { code, stdout, stderr } = await runHere(['doctor'], { DATA_DIR: file })
  assert.equal(code, 1)
  assert.match(stdout, new RegExp(`^WRONG {2}database .*${file}`, 'm'))
  assert.match(stderr, /checks failed/)
})

describe('the doctor on PostgreSQL', () => {
  test('finds no fault where there is none', async t => {
    const { settings } = await databaseFor(t, 'postgres')
    assert.deepEqual(await wrongIn(settings), [])
    // Before the first start.
    assert.deepEqual(await wrongIn({ ...settings, DATA_DIR: join(await folderFor(t), 'new/data') }), [])
  })

  test('an older schema', async t => {
    const database = await databaseFor(t, 'postgres')
    await unmigrate(database)
    assertFound(await wrongIn(database.settings), 'database', /0001-foundation/, /"dossier migrate"/)
  })

  test('no server at a name with two addresses: the reason is not lost', async t => {
    const addresses = [
      { address: '127.0.0.1', family: 4 },
      { address: '127.0.0.2', family: 4 },
    ]
    // As on a machine where localhost is 127.0.0.1 and ::1.
    t.mock.method(dns, 'lookup', (_name: string, _options: object, tell: (...result: unknown[]) => void) => {
      tell(null, addresses)
    })
    const wrong = await wrongIn({
      DATA_DIR: await folderFor(t),
      DATABASE_URL: 'postgres://localhost:1/dossier',
    })
    assertFound(wrong, 'database', /DATABASE_URL/, /ECONNREFUSED/)
  })

  const unreachable: Record<string, (url: URL) => void> = {
    'no server at this address': url => {
      url.search = ''
      url.host = 'localhost:1'
    },
    'no server at this socket': url => url.searchParams.set('host', '/no/such/folder'),
    'no such database': url => {
      url.pathname = '/no_such_database'
    },
  }
  for (const [what, change] of Object.entries(unreachable)) {
    test(`${what}: DATABASE_URL is named, the reason too, the password not`, async t => {
      const { settings } = await databaseFor(t, 'postgres')
      const url = new URL(String(settings['DATABASE_URL']))
      url.password = 'hunter2'
      change(url)
      const wrong = await wrongIn({ ...settings, DATABASE_URL: url.href })
      assertFound(wrong, 'database', /DATABASE_URL/, /\((connect E\w+|database "no_such_database")[^()]*\)/)
      assert.doesNotMatch(JSON.stringify(wrong), /hunter2/)
    })
  }
})
