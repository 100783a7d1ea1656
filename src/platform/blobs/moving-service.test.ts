import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import fsPromises, { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { storedAt } from '../../../test/harness/blob-store-contract.ts'
import { storedBlobs } from '../../../test/harness/s3.ts'
import { type S3UnderTest, setUpS3 } from '../../../test/harness/s3-store.ts'
import { NotOurFiles } from './faults.ts'
import { createFolderBlobs, type FolderBlobs } from './folder.ts'
import { createMovingBlobs } from './moving.ts'
import { createMoving } from './moving-service.ts'
import type { Ownership } from './ownership-service.ts'
import type { BlobStore, StoredBlob } from './ports.ts'
import { type BlobMove, createBlobMove } from './s3/blob-move.ts'

let s3: S3UnderTest
before(async () => {
  s3 = await setUpS3()
})
after(() => s3.remove())

let folder: string
let folderBlobs: FolderBlobs
let blobs: BlobStore
let move: BlobMove
/** The blobs that rows reference. */
let rows: Map<string, StoredBlob>
let contents: Map<string, Buffer>
const inFolder = () => storedBlobs({ DATA_DIR: dirname(folder) }).names()

beforeEach(async () => {
  s3.proxy.heal()
  folder = join(await mkdtemp(join(tmpdir(), 'dossier-move-')), 'blobs')
  folderBlobs = createFolderBlobs(folder, { clock: () => storedAt })
  blobs = createMovingBlobs(folderBlobs, s3.blobs)
  move = createBlobMove(folder, folderBlobs, s3.blobs)
  rows = new Map()
  contents = new Map()
})
afterEach(async () => {
  for (const name of await s3.bucket.names()) await s3.blobs.remove(name)
  await rm(dirname(folder), { recursive: true })
})

async function keep(blob: string, bytes = randomBytes(1_000)): Promise<string> {
  await mkdir(dirname(join(folder, blob)), { recursive: true })
  await writeFile(join(folder, blob), bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  rows.set(blob, { blob, sha256, size: bytes.length })
  contents.set(blob, bytes)
  return blob
}

const keepMany = (count: number) =>
  Promise.all(Array.from({ length: count }, (_, index) => keep(`20261101/0${index % 3}/${100 + index}`)))

/** Deletes as the clean-up does: first the last row, then the bytes. */
async function erase(blob: string): Promise<void> {
  rows.delete(blob)
  await blobs.remove(blob)
}

const references = {
  described: async (names: readonly string[]) => names.flatMap(name => rows.get(name) ?? []),
  named: async (names: readonly string[]) => new Set(names.filter(name => rows.has(name))),
  restoredAt: async () => 0,
}
const limits = {
  moveBatch: 5,
  movesAtOnce: 2,
  moveFailures: 4,
}
const ours = { reconcile: async () => undefined }
const neverStopped = new AbortController().signal

interface RunOptions {
  change?: Partial<BlobMove>
  asked?: typeof references
  stop?: AbortSignal
  left?: string[]
  ownership?: Pick<Ownership, 'reconcile'>
  isBackupRunning?: () => Promise<boolean>
  onProgress?(done: number, total: number): void
}

function run({ change = {}, asked = references, stop = neverStopped, left = [], ...more }: RunOptions = {}) {
  const deps = { references: asked, move: { ...move, ...change }, clock: () => storedAt, limits }
  return createMoving({ ownership: ours, ...deps, ...more }).run({
    stop,
    onProgress: more.onProgress ?? (() => {}),
    onLeft: (blob, reason) => void left.push(`${blob}: ${reason}`),
  })
}

/** Checks that every row has its bytes, and that there are no others. */
async function assertExact(places: { folder: string[]; s3: string[] }): Promise<void> {
  assert.deepEqual({ folder: await inFolder(), s3: await s3.bucket.names() }, places)
  for (const file of rows.values()) {
    const bytes = await buffer(await blobs.open(file))
    assert.ok(bytes.equals(contents.get(file.blob) as Buffer), file.blob)
  }
}

const nothing = { outcome: 'finished', moved: 0, bytes: 0, removed: 0, unnamed: 0, damaged: [], failed: [] }

describe('the move', () => {
  test('moves every referenced file, whatever its name and size, and leaves no folder', async () => {
    const hash = 'ab12'.repeat(16)
    await keep(`ab/12/${hash}`)
    await keep('20/201234')
    await keep('20261102/03/empty', Buffer.alloc(0))
    await keep('20261102/04/large', randomBytes(6 * 1024 * 1024))
    await keepMany(7)
    const names = [...rows.keys()].toSorted()
    const bytes = [...rows.values()].reduce((sum, { size }) => sum + size, 0)
    assert.deepEqual(await run(), { ...nothing, moved: 11, bytes })
    await assertExact({ folder: [], s3: names })
    assert.deepEqual(await folderBlobs.days(''), [])
    assert.deepEqual(await run(), nothing)
  })

  test('leaves damaged files in the folder and reports them', async () => {
    const [good, changed, short] = (await keepMany(3)) as [string, string, string]
    await writeFile(join(folder, changed), randomBytes(1_000))
    await writeFile(join(folder, short), randomBytes(999))
    const large = await keep('20261102/04/large', randomBytes(6 * 1024 * 1024))
    await writeFile(join(folder, large), randomBytes(6 * 1024 * 1024))
    const left: string[] = []
    const damaged = [changed, short, large].toSorted()
    assert.deepEqual(await run({ left }), { ...nothing, moved: 1, bytes: 1_000, damaged })
    assert.deepEqual(
      left.toSorted(),
      damaged.map(blob => `${blob}: its content is not what was uploaded`),
    )
    for (const blob of damaged) rows.delete(blob)
    await assertExact({ folder: damaged, s3: [good] })
    assert.equal(await s3.bucket.uploads(), 0)
  })

  test('takes the copy in S3 if the one in the folder is damaged and the copy is right', async () => {
    const [whole, broken] = (await keepMany(2)).toSorted() as [string, string]
    for (const blob of [whole, broken]) {
      const bytes = contents.get(blob) as Buffer
      await s3.bucket.write(blob, blob === whole ? bytes : randomBytes(bytes.length))
      await writeFile(join(folder, blob), randomBytes(bytes.length))
    }
    const { moved, damaged } = await run()
    assert.deepEqual([moved, damaged], [1, [broken]])
    rows.delete(broken)
    await assertExact({ folder: [broken], s3: [whole, broken] })
  })

  test('removes unreferenced files once no row can reference them, whatever their name', async () => {
    const kept = await keep('20261113/23/kept')
    const old = ['20261113/23/upload', `ab/12/${'ab12'.repeat(16)}`]
    // The day after this one is not over for a day yet.
    const young = ['20261114/00/upload', '20261115/14/upload']
    for (const blob of [...old, ...young]) {
      await keep(blob)
      rows.delete(blob)
    }
    assert.deepEqual(await run(), { ...nothing, moved: 1, bytes: 1_000, removed: 2, unnamed: 2 })
    await assertExact({ folder: young, s3: [kept] })
  })

  for (const [when, options] of Object.entries<RunOptions>({
    'after a restore': { asked: { ...references, restoredAt: async () => storedAt - 7 * 86_400_000 + 1 } },
    'while a backup runs': { isBackupRunning: async () => true },
  }))
    test(`keeps every file without a row ${when}, also what a killed process has moved`, async () => {
      const old = await keep('20261101/00/old')
      const moved = await keep('20261101/00/moved')
      const killed = new Error('killed')
      const removeOriginal = (blob: string) =>
        blob === moved ? move.removeOriginal(blob).then(() => Promise.reject(killed)) : Promise.resolve()
      await assert.rejects(run({ change: { removeOriginal } }), killed)
      await s3.blobs.remove(old)
      rows.clear()
      assert.equal((await run(options)).removed, 0)
      const names = (await inFolder()).filter(name => !name.startsWith('moving/'))
      assert.deepEqual({ folder: names, s3: await s3.bucket.names() }, { folder: [old], s3: [moved] })
      assert.equal((await run()).removed, 1)
      await assertExact({ folder: [], s3: [] })
    })

  test('moves and removes nothing if the files belong to another database', async () => {
    await keep('20261101/00/upload')
    rows.clear()
    const objection = new NotOurFiles('not ours')
    await assert.rejects(
      run({ ownership: { reconcile: async () => ({ objection, isForeign: false }) } }),
      objection,
    )
    await assertExact({ folder: ['20261101/00/upload'], s3: [] })
  })

  test('reports progress after each file', async () => {
    await keepMany(7)
    const told: string[] = []
    await run({ onProgress: (done, total) => void told.push(`${done}/${total}`) })
    assert.deepEqual([...new Set(told)], ['0/7', '1/7', '2/7', '3/7', '4/7', '5/7', '6/7', '7/7'])
  })

  test('needs no disk space, whatever the size of the files', async () => {
    await keep('20261102/04/middle', randomBytes(1024 * 1024))
    await keep('20261102/04/large', randomBytes(6 * 1024 * 1024))
    const spoolFolder = join(dirname(folder), 'no-folder')
    await writeFile(spoolFolder, '')
    const withoutSpool = s3.open({ spoolFolder })
    const { copy } = createBlobMove(folder, folderBlobs, withoutSpool)
    assert.equal((await run({ change: { copy } })).moved, 2)
    withoutSpool.close()
    await assertExact({ folder: [], s3: [...rows.keys()].toSorted() })
  })

  test('leaves no partly written note', async t => {
    const names = await keepMany(2)
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    // As on a full disk: the file is created, but its content cannot be written.
    t.mock.method(fsPromises, 'writeFile', async (path: string) => {
      fs.closeSync(fs.openSync(path, 'w'))
      throw full
    })
    syncBuiltinESMExports()
    await assert.rejects(run(), full)
    t.mock.restoreAll()
    syncBuiltinESMExports()
    await assertExact({ folder: names.toSorted(), s3: [] })
  })

  test('continues after a file that S3 rejects, and moves it the next time', async () => {
    const names = (await keepMany(7)).toSorted()
    s3.proxy.break('PutObject', { status: 403, code: 'AccessDenied' }, 1)
    const left: string[] = []
    const { moved, failed } = await run({ left })
    assert.deepEqual([moved, failed.length, left.length], [6, 1, 1])
    assert.match(left[0] as string, /allow s3:PutObject/)
    assert.deepEqual(await run(), { ...nothing, moved: 1, bytes: 1_000 })
    await assertExact({ folder: [], s3: names })
  })

  test('ends if S3 rejects everything, and continues when it accepts again', async () => {
    const names = (await keepMany(12)).toSorted()
    s3.proxy.break('PutObject', { status: 403, code: 'AccessDenied' })
    await assert.rejects(run(), { code: 'unavailable' })
    assert.ok(s3.proxy.calls.filter(({ operation }) => operation === 'PutObject').length < 8)
    s3.proxy.heal()
    assert.equal((await run()).moved, 12)
    await assertExact({ folder: [], s3: names })
  })

  test('stops on request, after completing the files in progress', async () => {
    const names = (await keepMany(9)).toSorted()
    const stop = new AbortController()
    const copy: BlobMove['copy'] = file => {
      stop.abort()
      return move.copy(file)
    }
    const { outcome, moved } = await run({ change: { copy }, stop: stop.signal })
    assert.deepEqual([outcome, moved], ['stopped', 1])
    assert.equal((await inFolder()).length, 8)
    assert.equal((await run()).moved, 8)
    await assertExact({ folder: [], s3: names })
  })
})

describe('a file that is deleted while it moves is in neither place afterwards:', () => {
  const moments: Record<string, (victim: string) => RunOptions> = {
    'before it is read': victim => ({
      change: {
        async copy(file) {
          if (file.blob === victim) await erase(victim)
          return move.copy(file)
        },
      },
    }),
    'after it was read, before S3 has it': victim => ({
      change: {
        async copy(file) {
          if (file.blob !== victim) return move.copy(file)
          const content = await folderBlobs.openFile(file)
          await erase(victim)
          await s3.blobs.putAs(file, content)
          await content.close()
          return 'copied'
        },
      },
    }),
    'when S3 has it': victim => ({
      change: {
        async copy(file) {
          const fate = await move.copy(file)
          if (file.blob === victim) await erase(victim)
          return fate
        },
      },
    }),
    'when the rows were asked': victim => ({
      asked: {
        ...references,
        async named(names) {
          const named = await references.named(names)
          if (names.includes(victim)) await erase(victim)
          return named
        },
      },
    }),
  }
  for (const [moment, options] of Object.entries(moments)) {
    test(moment, async () => {
      const names = await keepMany(4)
      const victim = names[1] as string
      await run(options(victim))
      await assertExact({ folder: [], s3: names.filter(name => name !== victim).toSorted() })
    })
  }

  test('by a person, and the process that moves it is killed before it checks the references', async () => {
    const names = await keepMany(4)
    const victim = names[1] as string
    const killed = new Error('killed')
    const named = () => Promise.reject(killed)
    const { change } = moments['after it was read, before S3 has it']?.(victim) ?? {}
    await assert.rejects(run({ ...(change && { change }), asked: { ...references, named } }), killed)
    assert.ok((await s3.bucket.names()).includes(victim), 'or this test shows nothing')
    await run()
    await assertExact({ folder: [], s3: names.filter(name => name !== victim).toSorted() })
  })
})

test('only one process moves files: another is refused, and leaves the notes of the first alone', async () => {
  const names = (await keepMany(6)).toSorted()
  const refusals: unknown[] = []
  const copy: BlobMove['copy'] = async file => {
    const noted = await inFolder()
    await assert.rejects(run(), error => refusals.push(error) > 0)
    assert.deepEqual(await inFolder(), noted)
    return move.copy(file)
  }
  assert.equal((await run({ change: { copy } })).moved, 6)
  assert.equal(refusals.length, 6)
  assert.match(String(refusals[0]), /Another "dossier blobs move" is running on this folder/)
  await assertExact({ folder: [], s3: names })
  await keepMany(6)
  const [first, ...others] = await Promise.allSettled([run(), run(), run()])
  assert.deepEqual(
    [first, ...others].map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected'],
  )
})

test('readers get every file during a move, whole and in part', async () => {
  await keepMany(6)
  await keep('20261102/04/large', randomBytes(2 * 1024 * 1024))
  const names = [...rows.keys()].toSorted()
  let isMoving = true
  let reads = 0
  async function readAll(): Promise<void> {
    while (isMoving) {
      for (const file of rows.values()) {
        const wanted = contents.get(file.blob) as Buffer
        const part = { start: 10, end: 90 }
        assert.ok((await buffer(await blobs.open(file))).equals(wanted))
        assert.ok((await buffer(await blobs.open(file, part))).equals(wanted.subarray(10, 91)))
        const pooled = await blobs.acquire?.(file)
        if (pooled !== undefined) assert.ok(wanted.equals(pooled.bytes))
        pooled?.release()
        await blobs.examine(file, async content =>
          assert.ok(wanted.equals(await content.read(0, content.size))),
        )
        reads += 1
      }
    }
  }
  const moved = run({
    change: {
      // Slow enough for readers to come in between.
      async copy(file) {
        const before = reads
        while (reads < before + 2) await new Promise(setImmediate)
        return move.copy(file)
      },
    },
  }).finally(() => {
    isMoving = false
  })
  await Promise.all([readAll(), readAll(), moved])
  await assertExact({ folder: [], s3: names })
})
