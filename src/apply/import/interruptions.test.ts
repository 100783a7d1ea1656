import assert from 'node:assert/strict'
import { appendFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { movableClock } from '../../../test/harness/clock.ts'
import { withServices } from '../../../test/harness/database.ts'
import { importLine } from '../../../test/harness/import-lines.ts'
import { beforeSecondBatch, day, importing } from '../../../test/harness/importing.ts'

const clock = movableClock(Date.parse('2026-11-14T00:00:00Z'))

withServices('imports that run beside others, or are interrupted', { clock }, services => {
  const { folder, importsWith, run, fileOf, addAdvertiser, applyAt, seekers, blobCount } = importing(services)

  test('an interrupted import continues where it stopped, without duplicates', async () => {
    const id = await addAdvertiser()
    const lines = ['a', 'b', 'c', 'd', 'e'].map((name, index) => importLine(id, name, day(index + 1)))
    const path = await fileOf('nonsense', ...lines)
    const failing = importsWith(
      beforeSecondBatch(async () => {
        throw new Error('the database is away')
      }),
    )
    await assert.rejects(run({ path }, failing), /the database is away/)
    assert.deepEqual(await seekers(id), ['a'])
    const check = await run({ path, isCheck: true })
    assert.deepEqual([check.imported, check.refused], [4, 1], 'what is left, and all that cannot be taken')
    const { imported, refused, told } = await run({ path })
    // The rejection is counted, but the first run has already reported it.
    assert.deepEqual({ imported, refused, told }, { imported: 5, refused: 1, told: [] })
    assert.deepEqual(await seekers(id), ['a', 'b', 'c', 'd', 'e'])
  })

  test('a batch in progress is stored when the request to stop comes', async () => {
    const id = await addAdvertiser()
    const path = await fileOf(...[1, 2, 3].map(number => importLine(id, number, day(number))))
    const stop = new AbortController()
    const stopping = importsWith({
      store: store => ({
        addBatch(...args) {
          stop.abort()
          return store.addBatch(...args)
        },
      }),
    })
    const stopped = await run({ path, stop: stop.signal }, stopping)
    assert.deepEqual([stopped.outcome, stopped.linesDone], ['stopped', 2])
    assert.equal((await run({ path })).imported, 3)
  })

  test('a request to stop takes effect between files, and uploads left over are discarded', async () => {
    const id = await addAdvertiser()
    await folder().write('fine.txt', 'Casey Ng, barista')
    const files = ['resume', 'coverLetter'].map(type => ({ type, path: 'fine.txt' }))
    const path = await fileOf(...[1, 2, 3].map(number => importLine(id, number, day(number), { files })))
    const blobs = await blobCount()
    for (const stopsAt of [1, 2, 3]) {
      const stop = new AbortController()
      let received = 0
      const stopping = importsWith({
        filesAtOnce: 1,
        files: ({ receive }) => ({
          receive(...args) {
            received += 1
            if (received === stopsAt) stop.abort()
            return receive(...args)
          },
        }),
      })
      const stopped = await run({ path, stop: stop.signal }, stopping)
      assert.deepEqual([stopped.outcome, stopped.linesDone, received], ['stopped', 0, stopsAt])
      assert.equal(await blobCount(), blobs)
    }
    assert.equal((await run({ path })).imported, 3)
    assert.equal(await blobCount(), blobs + 6)
  })

  test('a batch delayed for days takes its files in again: the clean-up may have removed them', async () => {
    const id = await addAdvertiser()
    await folder().write('fine.txt', 'Casey Ng, barista')
    const path = await fileOf(
      importLine(id, 'a', day(1), { files: [{ type: 'resume', path: 'fine.txt' }] }),
      'nonsense',
    )
    let batches = 0
    const heldUp = importsWith({
      store: store => ({
        async addBatch(...args) {
          batches += 1
          if (batches === 1) {
            clock.advance(3 * 86_400_000)
            await services().cleanUp.run()
          }
          return store.addBatch(...args)
        },
      }),
    })
    const { imported, told } = await run({ path }, heldUp)
    assert.deepEqual([imported, told, batches], [1, ['line 2: The line is not JSON.'], 2])
    const { database, blobs } = services()
    const files = await database.reader
      .selectFrom('application_files')
      .select(['blob', 'size'])
      .where('advertiser_id', '=', id)
      .execute()
    assert.equal(files.length, 1)
    for (const file of files) assert.equal(await text(await blobs.open(file)), 'Casey Ng, barista')
  })

  test('the same lines in another file are not imported again, even if all have one date', async () => {
    const [one, many, other] = [await addAdvertiser(), await addAdvertiser(), await addAdvertiser()]
    const lines = [
      importLine(one, 'a', day(1)),
      ...['b', 'c', 'd'].map(name => importLine(many, name, day(1))),
    ]
    assert.equal((await run({ path: await fileOf(...lines) })).imported, 4)
    const changed = await fileOf(...lines, importLine(other, 'e', day(1)), importLine(many, 'f', day(2)))
    for (const isCheck of [true, false]) {
      const { imported, refused, told } = await run({ path: changed, isCheck })
      assert.deepEqual({ imported, refused }, { imported: 1, refused: 5 })
      assert.ok(told.every(reason => reason.includes('imported before')))
    }
    assert.deepEqual(await seekers(one), ['a'])
    assert.deepEqual(await seekers(many), ['b', 'c', 'd'])
    const later = await fileOf(importLine(many, 'f', day(2)))
    assert.equal((await run({ path: later })).imported, 1)
  })

  test('a resumed import takes equal dates, but not of an advertiser that it had not reached', async () => {
    const [begun, next] = [await addAdvertiser(), await addAdvertiser()]
    const path = await fileOf(
      importLine(begun, 'a', day(1)),
      importLine(next, 'nobody', day(1), { contact: 5 }),
      importLine(begun, 'b', day(1)),
      importLine(next, 'c', day(1)),
    )
    const failing = importsWith(
      beforeSecondBatch(async () => {
        throw new Error('away')
      }),
    )
    await assert.rejects(run({ path }, failing), /away/)
    await applyAt(next, Date.parse(day(1)))
    const { imported, refused } = await run({ path })
    assert.deepEqual({ imported, refused }, { imported: 2, refused: 2 })
    assert.deepEqual(await seekers(begun), ['a', 'b'])
    assert.deepEqual(await seekers(next), ['seeker'])
  })

  test('of two files that begin with the same lines at the same moment, one is imported', async () => {
    const id = await addAdvertiser()
    const line = importLine(id, 'a', day(1))
    const [path, copy] = [await fileOf(line), await fileOf(line, '')]
    const slower = importsWith({
      store: store => ({
        async addBatch(...args) {
          assert.equal((await run({ path: copy })).imported, 1)
          return store.addBatch(...args)
        },
      }),
    })
    const { imported, refused } = await run({ path }, slower)
    assert.deepEqual({ imported, refused }, { imported: 0, refused: 1 })
    assert.deepEqual(await seekers(id), ['a'])
  })

  test('of two imports of one file at once, one stops', async () => {
    const id = await addAdvertiser()
    const path = await fileOf(...[1, 2, 3, 4].map(number => importLine(id, number, day(number))))
    const slower = importsWith(
      beforeSecondBatch(async () => {
        assert.equal((await run({ path })).outcome, 'finished')
      }),
    )
    assert.equal((await run({ path }, slower)).outcome, 'overtaken')
    assert.deepEqual(await seekers(id), ['1', '2', '3', '4'])
  })

  test('two files at once, with the same advertisers in different order, do not block each other', async () => {
    const [one, two] = [await addAdvertiser(), await addAdvertiser()]
    const path = (name: string, ids: number[], first: string) =>
      fileOf(
        ...Array.from({ length: 40 }, (_, index) =>
          importLine(ids[index % 2] ?? 0, `${name}${index}`, index < 2 ? first : day(3)),
        ),
      )
    const [x, y] = [await path('x', [one, two], day(1)), await path('y', [two, one], day(2))]
    // Both have begun before either reaches the dates that they share.
    const [xBegan, yBegan] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const running = run(
      { path: x },
      importsWith(
        beforeSecondBatch(async () => {
          xBegan.resolve()
          await yBegan.promise
        }),
      ),
    )
    await xBegan.promise
    const results = await Promise.all([
      run({ path: y }, importsWith(beforeSecondBatch(async () => yBegan.resolve()))),
      running,
    ])
    assert.deepEqual(
      results.map(({ imported }) => imported),
      [40, 40],
    )
    assert.equal((await seekers(one)).length, 40)
  })

  test('a refused advertiser stays refused when the import continues', async () => {
    const id = await addAdvertiser()
    await applyAt(id, Date.parse(day(2)))
    const path = await fileOf(...[1, 1, 3].map((date, name) => importLine(id, name, day(date))))
    const failing = importsWith(
      beforeSecondBatch(async () => {
        throw new Error('away')
      }),
    )
    await assert.rejects(run({ path }, failing), /away/)
    const { imported, refused } = await run({ path })
    assert.deepEqual({ imported, refused }, { imported: 0, refused: 3 })
  })

  test('an application during an import keeps its place, and the rest of the history is rejected', async () => {
    const [id, other] = [await addAdvertiser(), await addAdvertiser()]
    await folder().write('late.txt', 'a resume that comes too late')
    const path = await fileOf(
      importLine(id, 'a', day(1)),
      importLine(other, 'b', day(1)),
      importLine(id, 'c', day(2), { files: [{ type: 'resume', path: 'late.txt' }] }),
      importLine(other, 'd', day(2)),
      importLine(id, 'e', day(3)),
    )
    const blobs = await blobCount()
    const meanwhile = importsWith(beforeSecondBatch(() => applyAt(id, clock())))
    const { imported, refused, told } = await run({ path }, meanwhile)
    assert.deepEqual({ imported, refused }, { imported: 3, refused: 2 })
    assert.deepEqual(
      told.map(text => text.slice(0, 7)),
      ['line 3:', 'line 5:'],
    )
    assert.deepEqual(await seekers(id), ['a', 'seeker'])
    assert.deepEqual(await seekers(other), ['b', 'd'])
    assert.equal(await blobCount(), blobs, 'the file of the refused line is gone')
  })

  test('an import stops if its file is changed meanwhile', async () => {
    const id = await addAdvertiser()
    const lines = [1, 2, 3].map(number => importLine(id, number, day(number)))
    const path = await fileOf(...lines)
    const writing = importsWith({
      store: store => ({
        async addBatch(...args) {
          await appendFile(path, 'x')
          return store.addBatch(...args)
        },
      }),
    })
    await assert.rejects(run({ path }, writing), /changed during the import/)
    assert.deepEqual(await seekers(id), ['1', '2'])
  })
})
