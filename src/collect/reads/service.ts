import type { Reader } from '../../model/application-read.ts'
import type { Background } from '../../platform/core/async/background.ts'
import { createBatchWriter } from '../../platform/core/async/batch-writer.ts'
import type { Clock, EpochMs } from '../../platform/core/clock.ts'
import type { ApplicationRead, ListRead, ReadStore } from './read-store.ts'

/** Limit: Reads written in one transaction: it holds the shared write lock for a few milliseconds. */
const readFlushRows = 500
/**
 * Limit: Reads by programs that one process remembers, about 2 MB, so that the same read is written once a day. Then
 * it forgets them all and may write some again.
 */
const readsInMemory = 10_000

const bounds = { readFlushRows, readsInMemory }

/**
 * Limit: How long reads of applications by programs are gathered in memory before they are written; a killed node loses
 * them.
 */
const readFlushSeconds = 5

export type Reads = ReturnType<typeof createReads>

const dayMs = 86_400_000

/** The reads of one reader today. */
interface Gathered {
  of: Pick<ListRead, 'advertiserId' | 'day' | 'reader' | 'way'>
  ranges: IdRange[]
  /** Ranges that are not written yet. */
  news: Set<IdRange>
}

/**
 * Records who has read which application. People's reads are written before they get the content. Programs' reads are
 * gathered in memory and written every few seconds: a poll without new applications costs a map lookup (decision 064).
 */
export function createReads(deps: {
  store: ReadStore
  background: Background
  clock: Clock
  limits?: Partial<typeof bounds>
}) {
  const { store, background, clock } = deps
  const limits = { ...bounds, ...deps.limits }
  let today = { day: '', endsAt: 0 }
  let lists = new Map<string, Gathered>()
  /** Downloads that were recorded today, written or not. */
  let known = new Set<string>()
  let kept = 0
  /** Rows to write, oldest first. */
  let rows: Row[] = []

  const batchWriter = createBatchWriter<Row>({
    take() {
      collectRows()
      // In the same order on every node, so that concurrent writes cannot deadlock.
      const taken = rows.sort(byKey)
      rows = []
      return taken
    },
    putBack(taken) {
      rows = [...taken, ...rows]
    },
    async write(batch) {
      await store.addLists(batch.filter(isRange))
      await store.addReads(batch.filter(isOfOne))
    },
    everySeconds: readFlushSeconds,
    batchRows: limits.readFlushRows,
    background,
    ifLost: unwritten,
  })

  /** Called on every request, so the day is computed only once a day. */
  function dayAt(now: number): string {
    if (now >= today.endsAt || now < today.endsAt - dayMs) {
      forgetKnown()
      const start = Math.floor(now / dayMs) * dayMs
      today = { day: new Date(start).toISOString().slice(0, 10), endsAt: start + dayMs }
    }
    return today.day
  }

  /** Moves new reads to the rows to be written. */
  function collectRows(): void {
    for (const { of, news } of lists.values()) {
      for (const range of news) rows.push({ ...of, ...range })
      news.clear()
    }
  }

  /** Recording a read again is harmless, so these can be forgotten at any time. */
  function forgetKnown(): void {
    collectRows()
    lists = new Map()
    known = new Set()
    kept = 0
    // While the database fails, only the newest rows are kept.
    rows = rows.slice(-limits.readsInMemory)
  }

  function remember(): void {
    kept += 1
    if (kept < limits.readsInMemory) batchWriter.later()
    else {
      forgetKnown()
      background.run(batchWriter.flush(), unwritten)
    }
  }

  function gather(
    advertiserId: number,
    reader: Reader,
    way: ListRead['way'],
    ids: Pick<IdRange, 'firstId' | 'lastId'>,
  ): void {
    const now = clock()
    const day = dayAt(now)
    const key = `${advertiserId} ${way} ${reader}`
    let gathered = lists.get(key)
    if (gathered === undefined) {
      gathered = { of: { advertiserId, day, reader, way }, ranges: [], news: new Set() }
      lists.set(key, gathered)
    }
    const grown = coverIds(gathered.ranges, ids, now)
    if (grown === undefined) return
    for (const range of gathered.news) {
      if (range.firstId >= grown.firstId && range.lastId <= grown.lastId) gathered.news.delete(range)
    }
    gathered.news.add(grown)
    remember()
  }

  /** Resolves once the reads are written, each application once. */
  async function write(
    advertiserId: number,
    reader: Reader,
    way: ApplicationRead['way'],
    applicationIds: readonly number[],
  ): Promise<void> {
    const now = clock()
    const read = { advertiserId, day: dayAt(now), reader, way, firstAt: now, lastAt: now }
    const ids = [...new Set(applicationIds)].sort((a, b) => a - b)
    await store.addReads(ids.map(applicationId => ({ ...read, applicationId })))
  }

  return {
    /** Records that a person of the company opens an application; call before it is read. */
    view: (advertiserId: number, reader: Reader, applicationId: number) =>
      write(advertiserId, reader, 'view', [applicationId]),

    /**
     * Records downloads of files by a person, or by a program while they may still be replaced; call before they are
     * opened.
     */
    download: (advertiserId: number, reader: Reader, ...applicationIds: number[]) =>
      write(advertiserId, reader, 'download', applicationIds),

    /** Records applications that a filter or a selection has put into an export. */
    exportSome: (advertiserId: number, reader: Reader, applicationIds: readonly number[]) =>
      write(advertiserId, reader, 'export', applicationIds),

    /** Records that an export contains every application of the advertiser in this range. */
    exportAll: (advertiserId: number, reader: Reader, firstId: number, lastId: number) =>
      gather(advertiserId, reader, 'export', { firstId, lastId }),

    /** Records that a program has received every application of the advertiser in this range. */
    list: (advertiserId: number, reader: Reader, firstId: number, lastId: number) =>
      gather(advertiserId, reader, 'list', { firstId, lastId }),

    /** Records that a program has downloaded a file. */
    fetch(advertiserId: number, reader: Reader, applicationId: number): void {
      const now = clock()
      const day = dayAt(now)
      const key = `${advertiserId} ${applicationId} ${reader}`
      if (known.has(key)) return
      known.add(key)
      rows.push({ advertiserId, applicationId, day, reader, way: 'download', firstAt: now, lastAt: now })
      remember()
    },

    flush: batchWriter.flush,
    close: batchWriter.close,
  }
}

type Row = ListRead | ApplicationRead

const unwritten = 'reads of applications have not been written yet'

const isRange = (row: Row): row is ListRead => 'firstId' in row
const isOfOne = (row: Row): row is ApplicationRead => !isRange(row)

/** Ranges come first. */
const byKey = (a: Row, b: Row) =>
  Number(isOfOne(a)) - Number(isOfOne(b)) ||
  a.advertiserId - b.advertiserId ||
  (isOfOne(a) && isOfOne(b) ? a.applicationId - b.applicationId : 0) ||
  compare(keyOf(a), keyOf(b)) ||
  (isOfOne(a) || isOfOne(b) ? 0 : a.firstId - b.firstId)

const keyOf = ({ day, reader, way }: Row) => `${day} ${reader} ${way}`

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

export interface IdRange {
  firstId: number
  lastId: number
  firstAt: EpochMs
  lastAt: EpochMs
}

/**
 * Adds a range to ascending ranges, of which no two touch, and keeps them so. Returns the resulting range; undefined if
 * it was already covered. Most readers continue where they stopped, so it searches from the end.
 */
export function coverIds(
  ranges: IdRange[],
  { firstId, lastId }: Pick<IdRange, 'firstId' | 'lastId'>,
  at: EpochMs,
): IdRange | undefined {
  let end = ranges.length
  while (end > 0 && (ranges[end - 1] as IdRange).firstId > lastId + 1) end -= 1
  let start = end
  while (start > 0 && (ranges[start - 1] as IdRange).lastId >= firstId - 1) start -= 1
  const [first, last] = [ranges[start], ranges[end - 1]]
  const isTouched = start < end && first !== undefined && last !== undefined
  if (isTouched && first.firstId <= firstId && first.lastId >= lastId) return undefined
  const whole = {
    firstId: isTouched ? Math.min(firstId, first.firstId) : firstId,
    lastId: isTouched ? Math.max(lastId, last.lastId) : lastId,
    firstAt: Math.min(at, ...ranges.slice(start, end).map(each => each.firstAt)),
    lastAt: at,
  }
  ranges.splice(start, end - start, whole)
  return whole
}
