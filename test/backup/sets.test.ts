import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { zstdDecompressSync } from 'node:zlib'
import { openSnapshots } from '../../src/assembly/backup.ts'
import { partsOf, writeManifest } from '../../src/platform/backup/manifest-rules.ts'
import { pruneSets } from '../../src/platform/backup/pruning-service.ts'
import { findSets, verifySet } from '../../src/platform/backup/sets-service.ts'
import { readConfig } from '../../src/settings.ts'
import { startHere } from '../harness/command.ts'
import { createTestDatabase, fileEngines, open, type StoreEngine } from '../harness/database.ts'
import { some, times } from '../harness/effort.ts'
import { storedBlobs } from '../harness/s3.ts'
import { startS3FaultProxy } from '../harness/s3-fault-proxy.ts'
import { addTenant } from '../harness/tenant.ts'
import { apply, createRepository, inSet, makeSet, placeOf, verifyAll } from './repository.ts'

async function setUp(t: TestContext, engine: StoreEngine, endpoint?: string) {
  const database = await createTestDatabase(engine, 'empty')
  const repository = await createRepository(engine === 's3' ? 's3' : 'folder', endpoint)
  const services = await open(database.settings)
  await services.schema.migrate()
  const tenant = await addTenant(services)
  t.after(async () => {
    await services.close()
    await repository.remove()
    await database.remove()
  })
  return { ...tenant, services, settings: database.settings, address: repository.address }
}

const writers = 8
const rounds = times(1, 8)
/** Without a limit, a slow store would have ever larger sets, each of which is verified. */
const maxPerRound = times(30, 100)

for (const engine of some(1, fileEngines)) {
  test(`sets made while ${writers} writers add and erase are whole, and have all that came before [${engine}]`, async t => {
    const { services, settings, address, advertiserId } = await setUp(t, engine)
    const stored: Awaited<ReturnType<typeof apply>>[] = []
    const erased = new Set<number>()
    let round = 0
    let isOver = false
    async function write(writer: number): Promise<void> {
      for (let serial = 0; !isOver; serial++) {
        if (stored.length < (round + 1) * maxPerRound)
          stored.push(await apply(services, advertiserId, `${writer}-${serial}`))
        // A steady load; the writers must not take the processors from the backup.
        await sleep(30)
        if (serial % 3 !== 2) continue
        const victim = stored[randomInt(stored.length)]
        // Before the call: from then on a set may have it erased.
        if (victim !== undefined && 2 * erased.size < stored.length && erased.add(victim.id))
          await services.erasure.erase(advertiserId, victim.id)
        if (writer === 0) await services.cleanUp.run()
      }
    }
    const writing = Array.from({ length: writers }, (_, writer) => write(writer))
    const expected = new Map<string, { id: number; sha256: string }[]>()
    try {
      for (; round < rounds; round++) {
        const before = [...stored]
        const { manifest, lost } = await makeSet(services, address)
        assert.deepEqual(lost, [])
        // Only what was not being erased by then must have its file.
        expected.set(
          manifest.set,
          before.filter(({ id }) => !erased.has(id)),
        )
      }
    } finally {
      isOver = true
      await Promise.all(writing)
    }
    const faults = await verifyAll(address, settings)
    assert.deepEqual(Object.values(faults).flat(), [])
    assert.equal(Object.keys(faults).length, rounds)
    for (const [set, before] of expected) {
      const found = await inSet(address, settings, { set }, handle =>
        handle.prepare('select application_id as id, sha256 from application_files').all(),
      )
      const hashes = new Map(found.map(({ id, sha256 }) => [id, sha256]))
      assert.deepEqual(
        before.filter(({ id, sha256 }) => hashes.get(id) !== sha256),
        [],
        `${set} lacks what was there before it was begun`,
      )
    }
    t.diagnostic(`${stored.length} applications, ${erased.size} erased`)
  })
}

for (const engine of some(1, fileEngines)) {
  test(`old sets go, and files with the last set that names them [${engine}]`, async t => {
    const { services, settings, address, advertiserId } = await setUp(t, engine)
    const [first, second] = [await apply(services, advertiserId, 1), await apply(services, advertiserId, 2)]
    const { copied } = await makeSet(services, address, 2)
    assert.equal(copied.files, 2)
    await services.erasure.erase(advertiserId, first.id)
    await services.cleanUp.run()
    assert.equal((await makeSet(services, address, 2)).copied.files, 0)
    const place = await placeOf(address, settings)
    t.after(place.close)
    const blobs = async () => {
      const names: string[] = []
      for await (const list of place.list('blobs/')) names.push(...list.map(({ name }) => name))
      return names
    }
    assert.equal((await blobs()).length, 2)
    // A list without a manifest is what a killed backup leaves; its files have no other list.
    const stray = 'blobs/20260101/00/00000-stray'
    await place.write(stray, content('left'))
    const { pack } = await import('../../src/platform/core/bytes/packing.ts')
    await place.write('sets/2026-01-01T00-00-00Z/files.zst', pack(content(`${stray.slice(6)} x 4\n`)))
    const { pruned } = await makeSet(services, address, 2)
    assert.deepEqual(pruned, { sets: 2, files: 2, left: [] })
    assert.deepEqual(await blobs(), [`blobs/${second.blob}`])
    assert.deepEqual(Object.values(await verifyAll(address, settings)), [[], []])
  })
}

test('a set whose files cannot be removed for the moment keeps its list, so that the next run removes them', async t => {
  const { services, settings, address, advertiserId } = await setUp(t, 'sqlite')
  const { id, blob } = await apply(services, advertiserId, 1)
  const { manifest } = await makeSet(services, address)
  await services.erasure.erase(advertiserId, id)
  await makeSet(services, address)
  const place = await placeOf(address, settings)
  t.after(place.close)
  const file = join(address, 'blobs', blob)
  const fail = () => Promise.reject(new Error('the store is away'))
  const left = { sets: 1, files: 0, left: [manifest.set] }
  assert.deepEqual(await pruneSets({ ...place, read: fail }, 1), left)
  assert.deepEqual(
    await pruneSets({ ...place, remove: name => (name.endsWith(blob) ? fail() : place.remove(name)) }, 1),
    left,
  )
  assert.ok(existsSync(file))
  assert.deepEqual(await pruneSets(place, 1), { sets: 1, files: 1, left: [] })
  assert.ok(!existsSync(file))
  assert.equal(Object.keys(await verifyAll(address, settings)).length, 1)
})

test('a forged list leads to no file outside of the place', async t => {
  const { services, settings, address, advertiserId } = await setUp(t, 'sqlite')
  const { blob } = await apply(services, advertiserId, 1)
  const { manifest } = await makeSet(services, address)
  const place = await placeOf(address, settings)
  t.after(place.close)
  const outside = `../../${basename(address)}-outside`
  await writeFile(join(address, 'blobs', outside), 'precious')
  t.after(() => rm(join(address, 'blobs', outside)))
  const { pack } = await import('../../src/platform/core/bytes/packing.ts')
  const old = 'sets/2026-01-01T00-00-00Z/files.zst'
  await place.write(old, pack(content(`${outside} x 8\n${blob} x 8\n`)))
  assert.deepEqual((await pruneSets(place, 1)).left, ['2026-01-01T00-00-00Z'])
  assert.equal(await readFile(join(address, 'blobs', outside), 'utf8'), 'precious')
  await assert.rejects(place.write('../outside', content('forged')), /is not in/)
  await assert.rejects(place.read('blobs/../../outside', { size: 1 }), /is not in/)
  assert.equal((await verifyAll(address, settings))[manifest.set]?.length, 0)
})

test('a forged set is unpacked up to the size that its manifest names, and a year has four digits', async t => {
  const { services, settings, address } = await setUp(t, 'sqlite')
  const { manifest } = await makeSet(services, address)
  const place = await placeOf(address, settings)
  t.after(place.close)
  const zeros = Buffer.alloc(1024 * 1024)
  async function* large() {
    for (let count = 0; count < 64; count++) yield zeros
  }
  const { pack } = await import('../../src/platform/core/bytes/packing.ts')
  const { database, list } = partsOf(manifest.set)
  const forged = {
    ...manifest,
    database: { ...manifest.database, packed: await place.write(database, pack(large())) },
    list: { packed: await place.write(list, pack(large())) },
  }
  await place.write(partsOf(manifest.set).manifest, content(writeManifest(forged)))
  const [found] = await findSets(place)
  assert.ok(found?.manifest)
  let unpacked = 0
  const onProgress = (_: unknown, done: number) => {
    unpacked = Math.max(unpacked, done)
  }
  const { signal } = new AbortController()
  const snapshots = openSnapshots(readConfig(settings))
  for (const isDeep of [false, true])
    assert.match(
      (await verifySet(place, found, { snapshots, isDeep, signal, onProgress })).join('; '),
      /The database of the set .* is larger than .*; The list of the set .* is larger than/,
    )
  const target = await createTestDatabase('sqlite', 'empty')
  t.after(target.remove)
  const { code, stderr } = await startHere(['restore', '--from', address], target.settings).finished
  assert.deepEqual([code, /The database of the set .* is larger than/.test(stderr)], [1, true], stderr)
  assert.ok(unpacked <= manifest.database.plain.size)

  await place.write('sets/9999-12-31T23-59-59Z/files.zst', pack(content('')))
  await assert.rejects(makeSet(services, address), /9999-12-31T23-59-59Z leaves no later name/)
})

test('a copy that a process works on stays, however old a clock makes it, and those of killed processes go', async t => {
  const { settings } = await setUp(t, 'sqlite')
  const { signal } = new AbortController()
  const [working, other] = [openSnapshots(readConfig(settings)), openSnapshots(readConfig(settings))]
  const copy = await working.make(() => {}, signal)
  const folder = dirname(copy.path)
  const names = await readdir(folder)
  for (const name of names) await utimes(join(folder, name), 1, 1)
  for (const name of ['killed.sqlite', 'killed.sqlite.zst', 'killed.sqlite.lock', 'of-release-0.1.0.sqlite'])
    await writeFile(join(folder, name), '')
  await other.tidy()
  assert.deepEqual(await readdir(folder), names)
  await copy.remove()
  assert.deepEqual(await readdir(folder), [])
})

test('sets in a folder in DATA_DIR, which release 0.1.0 accepted, can be listed, verified and restored', async t => {
  const { services, settings, address } = await setUp(t, 'sqlite')
  const { manifest } = await makeSet(services, address)
  const target = await createTestDatabase('sqlite', 'empty')
  t.after(target.remove)
  for (const { DATA_DIR } of [settings, target.settings])
    await cp(address, join(String(DATA_DIR), 'backups'), { recursive: true })
  const read = async (args: string[], of: Record<string, string>) => {
    const inside = join(String(of['DATA_DIR']), 'backups')
    const { code, stdout, stderr } = await startHere([...args, '--from', inside], of).finished
    assert.deepEqual([code, stdout.includes(manifest.set)], [0, true], stdout + stderr)
  }
  await read(['backup', 'list'], settings)
  await read(['backup', 'verify'], settings)
  await read(['restore'], target.settings)
})

async function* content(text: string) {
  yield Buffer.from(text)
}

/** Each frame of Zstandard has a bit that decoders ignore. */
function hasSameContent(damaged: Buffer, whole: Buffer): boolean {
  try {
    return zstdDecompressSync(damaged).equals(zstdDecompressSync(whole))
  } catch {
    return false
  }
}

test('every flipped bit in a set is found', async t => {
  const { services, settings, address, advertiserId } = await setUp(t, 'sqlite')
  const { blob } = await apply(services, advertiserId, 1)
  const { manifest } = await makeSet(services, address)
  const folder = join(address, 'sets', manifest.set)
  for (const path of [
    ...(await readdir(folder)).map(name => join(folder, name)),
    join(address, 'blobs', blob),
  ]) {
    const isBlob = path.endsWith(blob)
    const whole = await readFile(path)
    for (let flip = 0; flip < times(isBlob ? 1 : 3, 50); flip++) {
      const damaged = Buffer.from(whole)
      const at = randomInt(whole.length)
      damaged[at] = (damaged[at] ?? 0) ^ (1 << randomInt(8))
      if (path.endsWith('.zst') && hasSameContent(damaged, whole)) continue
      await writeFile(path, damaged)
      // Without reading them all, only the sizes of files are compared.
      const faults = await verifyAll(address, settings, isBlob)
      assert.notDeepEqual(faults[manifest.set], [], `byte ${at} of ${path}`)
      assert.equal((await stat(path)).size, whole.length)
    }
    await writeFile(path, whole)
  }
  assert.deepEqual(await verifyAll(address, settings), { [manifest.set]: [] })
})

test('a file that the store has lost is reported, and the set has the others', async t => {
  const { services, settings, address, advertiserId } = await setUp(t, 'sqlite')
  const [lost, kept] = [await apply(services, advertiserId, 1), await apply(services, advertiserId, 2)]
  await storedBlobs(settings).write(lost.blob, 'something else')
  const { code, stdout, stderr } = await startHere(['backup', '--to', address], settings).finished
  assert.equal(code, 1)
  assert.match(stdout, /2 applications and 2 files, verified/)
  assert.match(stderr, new RegExp(`except for 1 file .*${lost.blob}`))
  const place = await placeOf(address, settings)
  assert.deepEqual(
    [await place.readText(`blobs/${lost.blob}`), (await place.readText(`blobs/${kept.blob}`)) !== undefined],
    [undefined, true],
  )
  assert.deepEqual(Object.values(await verifyAll(address, settings, false)), [[]])
})

test('a place that is not for this database is refused', async t => {
  const { services, settings, address, advertiserId } = await setUp(t, 'sqlite')
  await apply(services, advertiserId, 1)
  await makeSet(services, address)
  const backup = async (to: string, change = {}) => {
    const { code, stderr } = await startHere(['backup', '--to', to], { ...settings, ...change }).finished
    assert.notEqual(code, 0)
    return stderr
  }
  const other = await createTestDatabase('sqlite')
  t.after(other.remove)
  assert.match(await backup(address, other.settings), /are of another database/)
  assert.match(await backup(String(settings['DATA_DIR'])), /must not be DATA_DIR/)
  // Another installation, whose clean-up has marked its files.
  await services.cleanUp.run()
  assert.match(await backup(String(settings['DATA_DIR']), other.settings), /files of a service are in/)
  const link = `${address}-link`
  await symlink(join(String(settings['DATA_DIR']), 'blobs'), link)
  t.after(() => rm(link))
  for (const inside of [join(String(settings['DATA_DIR']), 'blobs'), link, join(link, 'new', 'folder')])
    assert.match(await backup(inside), /must not be in DATA_DIR/, inside)
  assert.match(await backup('ftp://backup'), /must be a folder, or a URL/)
  assert.match((await startHere(['backup'], settings).finished).stderr, /set BACKUP_URL/)
})

test('one backup at a time; the clean-up waits for it', async t => {
  const { services, address, advertiserId } = await setUp(t, 'sqlite')
  const { id, blob } = await apply(services, advertiserId, 1)
  await services.cleanUp.run()
  assert.ok(await services.leases.take('backup-set', 'another', Date.now(), Date.now() + 120_000))
  await assert.rejects(makeSet(services, address), /Another process is making a backup/)
  await services.erasure.erase(advertiserId, id)
  const names = storedBlobs(services.config as never).names
  assert.deepEqual((await services.cleanUp.run()).did, { loose: 0, uploads: 0 })
  assert.deepEqual(await names(), [blob])
  await services.leases.release('backup-set', 'another')
  assert.deepEqual((await services.cleanUp.run()).did, { loose: 1, uploads: 0 })
})

test('faults of S3 fail the backup and leave the sets before it', async t => {
  const proxy = await startS3FaultProxy(process.env['TEST_S3_ENDPOINT'] as string)
  t.after(() => proxy.close())
  const { services, settings, address, advertiserId } = await setUp(t, 's3', proxy.endpoint)
  await apply(services, advertiserId, 1)
  const { manifest } = await makeSet(services, address)
  for (const [operation, kind] of [
    ['PutObject', { status: 403, code: 'AccessDenied' }],
    ['PutObject', { status: 507, code: 'InsufficientStorage' }],
    ['GetObject', 'change-answer'],
  ] as const) {
    await apply(services, advertiserId, operation)
    proxy.break(operation, kind)
    await assert.rejects(makeSet(services, address))
    proxy.heal()
    const faults = await verifyAll(address, settings, false)
    assert.deepEqual(faults[manifest.set], [])
    assert.deepEqual(
      Object.values(faults).filter(found => !/never finished/.test(found.join() || 'never finished')),
      [],
    )
  }
  // Transient ones are retried.
  proxy.break('PutObject', 'slow-down', 2)
  proxy.break('GetObject', 'cut-answer', 1)
  await makeSet(services, address, 1)
  assert.deepEqual(Object.values(await verifyAll(address, settings, false)), [[]])
})
