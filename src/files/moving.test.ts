import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { storedAt } from '../../test/harness/blob-store-contract.ts'
import { storedBlobs } from '../../test/harness/s3.ts'
import { type S3UnderTest, setUpS3 } from '../../test/harness/s3-store.ts'
import { createBlobMove } from '../storage/blob-move.ts'
import { createFolderBlobs, type FolderBlobs } from '../storage/blobs-fs.ts'
import { createMovingBlobs } from '../storage/blobs-moving.ts'
import { createMoving } from './moving.ts'
import type { BlobMove } from './moving-ports.ts'
import type { BlobStore, StoredBlob } from './ports.ts'

let s3: S3UnderTest
before(async () => {
  s3 = await setUpS3()
})
after(() => s3.remove())

let folder: string
let folderBlobs: FolderBlobs
let blobs: BlobStore
let move: BlobMove
/** What the rows name. */
let rows: Map<string, StoredBlob>
let contents: Map<string, Buffer>
const inFolder = () => storedBlobs({ DATA_DIR: dirname(folder) }).names()

beforeEach(async () => {
  s3.proxy.heal()
  folder = join(await mkdtemp(join(tmpdir(), 'dossier-move-')), 'blobs')
  folderBlobs = createFolderBlobs(folder, { retryAfterSeconds: 5, clock: () => storedAt })
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

/** As the clean-up does it: no row names it any more, and then the bytes go. */
async function erase(blob: string): Promise<void> {
  rows.delete(blob)
  await blobs.remove(blob)
}

const references = {
  described: async (names: readonly string[]) => names.flatMap(name => rows.get(name) ?? []),
  named: async (names: readonly string[]) => new Set(names.filter(name => rows.has(name))),
}
const limits = { moveBatch: 5, movesAtOnce: 2, moveFailures: 4 }
const neverStopped = new AbortController().signal

interface RunOptions {
  change?: Partial<BlobMove>
  asked?: typeof references
  stop?: AbortSignal
  left?: string[]
}

function run({ change = {}, asked = references, stop = neverStopped, left = [] }: RunOptions = {}) {
  return createMoving({ references: asked, move: { ...move, ...change }, limits }).run({
    stop,
    onProgress: () => {},
    onLeft: (blob, reason) => void left.push(`${blob}: ${reason}`),
  })
}

/** Every row has its bytes, and nobody else has any. */
async function assertExact(places: { folder: string[]; s3: string[] }): Promise<void> {
  assert.deepEqual({ folder: await inFolder(), s3: await s3.bucket.names() }, places)
  for (const file of rows.values()) {
    const bytes = await buffer(await blobs.open(file))
    assert.ok(bytes.equals(contents.get(file.blob) as Buffer), file.blob)
  }
}

const nothing = { outcome: 'finished', moved: 0, bytes: 0, unnamed: 0, damaged: [], failed: [] }

describe('the move', () => {
  test('brings every named file over, however it is named and however large, and leaves no folder', async () => {
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

  test('leaves what no row names, and what is not what was uploaded, and says so', async () => {
    const [good, changed, short] = (await keepMany(3)) as [string, string, string]
    await writeFile(join(folder, changed), randomBytes(1_000))
    await writeFile(join(folder, short), randomBytes(999))
    const large = await keep('20261102/04/large', randomBytes(6 * 1024 * 1024))
    await writeFile(join(folder, large), randomBytes(6 * 1024 * 1024))
    const stranger = await keep('20261103/00/upload')
    rows.delete(stranger)
    const left: string[] = []
    const damaged = [changed, short, large].toSorted()
    assert.deepEqual(await run({ left }), { ...nothing, moved: 1, bytes: 1_000, unnamed: 1, damaged })
    assert.deepEqual(
      left.toSorted(),
      damaged.map(blob => `${blob}: it is not what was uploaded`),
    )
    for (const blob of damaged) rows.delete(blob)
    await assertExact({ folder: [...damaged, stranger].toSorted(), s3: [good] })
    assert.equal(await s3.bucket.uploads(), 0)
  })

  test('goes on after a file that S3 does not take, and moves it the next time', async () => {
    const names = (await keepMany(7)).toSorted()
    s3.proxy.break('PutObject', { status: 403, code: 'AccessDenied' }, 1)
    const left: string[] = []
    const { moved, failed } = await run({ left })
    assert.deepEqual([moved, failed.length, left.length], [6, 1, 1])
    assert.match(left[0] as string, /allow s3:PutObject/)
    assert.deepEqual(await run(), { ...nothing, moved: 1, bytes: 1_000 })
    await assertExact({ folder: [], s3: names })
  })

  test('ends when S3 takes nothing, and goes on when it does', async () => {
    const names = (await keepMany(12)).toSorted()
    s3.proxy.break('PutObject', { status: 403, code: 'AccessDenied' })
    await assert.rejects(run(), { code: 'unavailable' })
    assert.ok(s3.proxy.calls.filter(({ operation }) => operation === 'PutObject').length < 8)
    s3.proxy.heal()
    assert.equal((await run()).moved, 12)
    await assertExact({ folder: [], s3: names })
  })

  test('stops when it is asked to, with the files under way brought to their end', async () => {
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
          const content = await buffer(await folderBlobs.open(file))
          await erase(victim)
          await s3.blobs.putAs(
            file,
            (async function* () {
              yield content
            })(),
          )
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

  test('by somebody, and the process that moves it is killed before it asks', async () => {
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

test('two who move at once lose nothing, also when S3 refuses one of them', async () => {
  const names = (await keepMany(6)).toSorted()
  // The second has read a file that the first has brought over and removed, and is refused.
  const copy: BlobMove['copy'] = async file => {
    const content = await buffer(await folderBlobs.open(file))
    await run()
    s3.proxy.break('PutObject', { status: 403, code: 'AccessDenied' })
    await s3.blobs.putAs(
      file,
      (async function* () {
        yield content
      })(),
    )
    return 'copied'
  }
  await assert.rejects(run({ change: { copy } }), { code: 'unavailable' })
  s3.proxy.heal()
  await run()
  await assertExact({ folder: [], s3: names })
  const more = await keepMany(6)
  await Promise.all([run(), run(), run()])
  await assertExact({ folder: [], s3: more.toSorted() })
})

test('whoever reads while files move gets them all, whole and in part', async () => {
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
        const lent = await blobs.lend?.(file)
        if (lent !== undefined) assert.ok(wanted.equals(lent.bytes))
        lent?.giveBack()
        await blobs.examine(file, async content =>
          assert.ok(wanted.equals(await content.read(0, content.size))),
        )
        reads += 1
      }
    }
  }
  const moved = run({
    change: {
      // As slow as it takes for readers to come in between.
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
