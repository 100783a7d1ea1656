import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { plainDraft } from '../../../test/harness/applications.ts'
import { movableClock } from '../../../test/harness/clock.ts'
import { silentLog, withServices } from '../../../test/harness/database.ts'
import { createExpiry } from '../../operator/upkeep/expiry-service.ts'
import { createExpiryStore } from '../../operator/upkeep/expiry-store.ts'
import { createBackground } from '../../platform/core/async/background.ts'
import { defaultLimits } from '../../settings-limits.ts'
import { createReadStore, type ReadStore } from './read-store.ts'
import { createReads } from './service.ts'

const clock = movableClock(Date.parse('2026-05-03T23:00:00Z'))
const [harbour, northwind, rae] = ['credential:h', 'agent:7', 'member:rae'] as const

withServices('reads of applications', { clock }, services => {
  let advertiserId: number
  let ids: number[]
  before(async () => {
    advertiserId = (await services().advertisers.add('Harbour')).id
    const added = [1, 2, 3].map(() => services().submissions.add(advertiserId, plainDraft()))
    ids = (await Promise.all(added)).map(({ id }) => id).toSorted((a, b) => a - b)
  })

  const store = () => createReadStore(services().database)
  const readsWith = (change: Partial<ReadStore> = {}, limits = {}) =>
    createReads({
      store: { ...store(), ...change },
      background: createBackground(silentLog),
      clock,
      limits: limits,
    })

  const rows = () =>
    services()
      .database.writer.selectFrom('application_reads')
      .select(['application_id', 'day', 'reader', 'way', 'first_at', 'last_at'])
      .where('advertiser_id', '=', advertiserId)
      .orderBy('application_id')
      .orderBy('day')
      .orderBy('way')
      .execute()
  const lists = () =>
    services()
      .database.writer.selectFrom('list_reads')
      .select(['day', 'reader', 'way', 'first_id', 'last_id'])
      .where('advertiser_id', '=', advertiserId)
      .orderBy('day')
      .orderBy('reader')
      .orderBy('way')
      .orderBy('first_id')
      .execute()
  async function empty(): Promise<void> {
    await services().database.writer.deleteFrom('application_reads').execute()
    await services().database.writer.deleteFrom('list_reads').execute()
  }

  test('by people are written at once, one row per day, reader and way', async () => {
    await empty()
    clock.set(Date.parse('2026-05-03T23:00:00Z'))
    const [id = 0, other = 0] = ids
    const reads = readsWith()
    const at = clock()
    await reads.view(advertiserId, rae, id)
    clock.advance(60_000)
    await reads.view(advertiserId, rae, id)
    await reads.download(advertiserId, rae, id)
    await reads.exportSome(advertiserId, rae, [other, id, other])
    // The next day in UTC.
    clock.advance(3_600_000)
    await reads.view(advertiserId, rae, id)
    const [today, tomorrow] = ['2026-05-03', '2026-05-04']
    const of = (application_id: number, day: string, way: string, first = at + 60_000, last = first) => ({
      application_id,
      day,
      reader: rae,
      way,
      first_at: first,
      last_at: last,
    })
    assert.deepEqual(await rows(), [
      of(id, today, 'download'),
      of(id, today, 'export'),
      of(id, today, 'view', at, at + 60_000),
      of(id, tomorrow, 'view', at + 3_660_000),
      of(other, today, 'export'),
    ])
  })

  test('of another advertiser, or of nothing, leave no trace', async () => {
    await empty()
    const { id: stranger } = await services().advertisers.add('Stranger')
    const reads = readsWith()
    await reads.view(stranger, rae, ids[0] ?? 0)
    await reads.view(advertiserId, rae, 999_999)
    reads.fetch(stranger, harbour, ids[0] ?? 0)
    reads.list(99_999_999, harbour, 1, 5)
    await reads.flush()
    assert.deepEqual([await rows(), await lists()], [[], []])
  })

  test('by programs are gathered as ranges that grow, per reader and day', async () => {
    await empty()
    clock.set(Date.parse('2026-05-03T20:00:00Z'))
    const reads = readsWith()
    reads.list(advertiserId, harbour, 1, 10)
    reads.list(advertiserId, northwind, 4, 5)
    assert.deepEqual(await lists(), [], 'not before they are flushed')
    await reads.flush()
    reads.list(advertiserId, harbour, 2, 9)
    reads.list(advertiserId, harbour, 11, 12)
    reads.list(advertiserId, harbour, 20, 21)
    reads.exportAll(advertiserId, rae, 8, 9)
    reads.exportAll(advertiserId, rae, 6, 9)
    await reads.flush()
    clock.advance(86_400_000)
    reads.list(advertiserId, harbour, 12, 12)
    await reads.flush()
    const of = (reader: string, first_id: number, last_id: number, way = 'list', day = '2026-05-03') => ({
      day,
      reader,
      way,
      first_id,
      last_id,
    })
    assert.deepEqual(await lists(), [
      of(northwind, 4, 5),
      of(harbour, 1, 12),
      of(harbour, 20, 21),
      of(rae, 6, 9, 'export'),
      of(harbour, 12, 12, 'list', '2026-05-04'),
    ])
  })

  test('that bring nothing new write nothing', async () => {
    let written = 0
    const reads = readsWith({
      addLists: async lists => {
        written += lists.length
      },
      addReads: async reads => {
        written += reads.length
      },
    })
    for (let round = 0; round < 3; round++) {
      reads.list(advertiserId, harbour, 1, 10)
      reads.list(advertiserId, harbour, 3, 7)
      reads.fetch(advertiserId, harbour, 5)
      await reads.flush()
    }
    assert.equal(written, 2)
  })

  test('that could not be written go with the next write', async () => {
    await empty()
    let isAway = true
    const reads = readsWith({
      addLists: async lists => {
        if (isAway) throw new Error('the database is unavailable')
        await store().addLists(lists)
      },
    })
    reads.list(advertiserId, harbour, 1, 3)
    reads.fetch(advertiserId, northwind, ids[0] ?? 0)
    await assert.rejects(reads.flush())
    isAway = false
    reads.list(advertiserId, harbour, 4, 5)
    await reads.close()
    assert.deepEqual(
      (await lists()).map(row => [row.first_id, row.last_id]),
      [[1, 5]],
    )
    assert.deepEqual(
      (await rows()).map(row => [row.reader, row.way]),
      [[northwind, 'download']],
    )
  })

  test('take up bounded memory: what is known is written and forgotten', async () => {
    await empty()
    const reads = readsWith({}, { readsInMemory: 10, readFlushRows: 3 })
    for (let id = 1; id < 100; id += 2) {
      reads.list(advertiserId, harbour, id, id)
      if (id % 10 === 1) await reads.flush()
    }
    for (const id of ids) reads.fetch(advertiserId, harbour, id)
    await reads.close()
    assert.equal((await lists()).length, 50)
    assert.equal((await rows()).length, ids.length)
  })

  test('take up bounded memory while the database is unavailable: the newest are kept', async () => {
    await empty()
    let isAway = true
    const addLists: ReadStore['addLists'] = async lists => {
      if (isAway) throw new Error('the database is unavailable')
      await store().addLists(lists)
    }
    const reads = readsWith({ addLists }, { readsInMemory: 10 })
    for (let id = 1; id < 100; id += 2) reads.list(advertiserId, harbour, id, id)
    isAway = false
    await reads.close()
    const firstIds = (await lists()).map(row => row.first_id)
    assert.ok(firstIds.length >= 10 && firstIds.length <= 20, String(firstIds.length))
    assert.equal(firstIds.at(-1), 99)
  })

  test('expire after their days, and go with an erasure', async () => {
    await empty()
    clock.set(Date.parse('2026-05-03T20:00:00Z'))
    const [id = 0, other = 0] = ids
    const reads = services().reads
    await reads.view(advertiserId, rae, id)
    await reads.view(advertiserId, rae, other)
    reads.list(advertiserId, harbour, 1, id)
    await reads.flush()
    await services().erasure.erase(advertiserId, other)
    await reads.view(advertiserId, rae, other)
    assert.deepEqual(
      (await rows()).map(row => row.application_id),
      [id],
    )
    const expiry = createExpiry({
      store: createExpiryStore(services().database),
      clock,
      limits: defaultLimits,
      batch: 1,
    })
    clock.advance(defaultLimits.readDays * 86_400_000)
    await expiry.run()
    assert.deepEqual([(await rows()).length, (await lists()).length], [1, 1])
    clock.advance(86_400_000)
    const { did } = await expiry.run()
    assert.deepEqual([did['reads'], did['listReads']], [1, 1])
    assert.deepEqual([await rows(), await lists()], [[], []])
  })
})
