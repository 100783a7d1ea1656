import type { Background } from '../../core/async/background.ts'
import type { Clock } from '../../core/clock.ts'
import type { Limits } from '../../limits.ts'
import type { Reader } from '../../model/application-read.ts'
import { coverIds, type IdRange } from './id-ranges.ts'
import type { ApplicationRead, ListRead, ReadStore } from './ports.ts'

export type Reads = ReturnType<typeof createReads>

const dayMs = 86_400_000

/** What one reader has listed today. */
interface Gathered {
  of: Pick<ListRead, 'advertiserId' | 'day' | 'reader' | 'way'>
  ranges: IdRange[]
  /** Those of the ranges that are not written yet. */
  news: Set<IdRange>
}

/**
 * Records who has read which application. People's reads are written before they get the content. Those of programs are
 * gathered in memory and written every few seconds: a poll that brings nothing new costs a look into a map
 * (decision 064).
 */
export function createReads(deps: {
  store: ReadStore
  background: Background
  clock: Clock
  limits: Pick<Limits, 'readFlushSeconds' | 'readFlushRows' | 'readsInMemory'>
}) {
  const { store, background, clock, limits } = deps
  let today = { day: '', endsAt: 0 }
  let lists = new Map<string, Gathered>()
  /** Downloads that were recorded today, written or not. */
  let known = new Set<string>()
  let kept = 0
  /** To be written, oldest first. */
  let listRows: ListRead[] = []
  let readRows: ApplicationRead[] = []
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> | undefined
  let isClosed = false

  /** Called on every request, so the day is computed only once a day. */
  function dayAt(now: number): string {
    if (now >= today.endsAt || now < today.endsAt - dayMs) {
      forgetKnown()
      const start = Math.floor(now / dayMs) * dayMs
      today = { day: new Date(start).toISOString().slice(0, 10), endsAt: start + dayMs }
    }
    return today.day
  }

  /** Moves what is new to the rows to be written. */
  function collectRows(): void {
    for (const { of, news } of lists.values()) {
      for (const range of news) listRows.push({ ...of, ...range })
      news.clear()
    }
  }

  /** Recording something again is harmless, so what is known can be forgotten at any time. */
  function forgetKnown(): void {
    collectRows()
    lists = new Map()
    known = new Set()
    kept = 0
    // While the database fails, the newest are kept.
    listRows = listRows.slice(-limits.readsInMemory)
    readRows = readRows.slice(-limits.readsInMemory)
  }

  function flushLater(): void {
    if (isClosed) return
    timer ??= setTimeout(flushInBackground, limits.readFlushSeconds * 1000)
    // The timer need not keep the process alive: a shutdown flushes first.
    timer.unref()
  }

  function remember(): void {
    kept += 1
    if (kept >= limits.readsInMemory) {
      forgetKnown()
      flushInBackground()
    } else if (timer === undefined) flushLater()
  }

  function flushInBackground(): void {
    background.run(flush(), 'reads of applications have not been written yet')
  }

  /** Runs one at a time: a second call waits for the first, then writes what has come since. */
  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    // The flush that failed reports it itself.
    while (flushing !== undefined) await flushing.catch(() => {})
    flushing = writeAll()
    try {
      await flushing
    } catch (error) {
      flushLater()
      throw error
    } finally {
      flushing = undefined
    }
  }

  /** Rows that could not be written stay, and go with the next write. */
  async function writeAll(): Promise<void> {
    collectRows()
    // In one order on every node, so that concurrent writes cannot deadlock.
    listRows.sort(
      (a, b) => a.advertiserId - b.advertiserId || compare(keyOf(a), keyOf(b)) || a.firstId - b.firstId,
    )
    readRows.sort(
      (a, b) =>
        a.advertiserId - b.advertiserId || a.applicationId - b.applicationId || compare(keyOf(a), keyOf(b)),
    )
    while (listRows.length > 0) {
      const batch = new Set(listRows.slice(0, limits.readFlushRows))
      await store.addLists([...batch])
      listRows = listRows.filter(row => !batch.has(row))
    }
    while (readRows.length > 0) {
      const batch = new Set(readRows.slice(0, limits.readFlushRows))
      await store.addReads([...batch])
      readRows = readRows.filter(row => !batch.has(row))
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

  /** Written before this resolves, each application once. */
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
    /** A person of the company opens an application; call before it is read. */
    view: (advertiserId: number, reader: Reader, applicationId: number) =>
      write(advertiserId, reader, 'view', [applicationId]),

    /** A person of the company downloads files of applications; call before they are opened. */
    download: (advertiserId: number, reader: Reader, ...applicationIds: number[]) =>
      write(advertiserId, reader, 'download', applicationIds),

    /** Applications that a filter or a selection has put into an export. */
    exportSome: (advertiserId: number, reader: Reader, applicationIds: readonly number[]) =>
      write(advertiserId, reader, 'export', applicationIds),

    /** Every application of the advertiser in this range is in an export. */
    exportAll: (advertiserId: number, reader: Reader, firstId: number, lastId: number) =>
      gather(advertiserId, reader, 'export', { firstId, lastId }),

    /** A program has received every application of the advertiser in this range. */
    list: (advertiserId: number, reader: Reader, firstId: number, lastId: number) =>
      gather(advertiserId, reader, 'list', { firstId, lastId }),

    /** A program has downloaded a file. */
    fetch(advertiserId: number, reader: Reader, applicationId: number): void {
      const now = clock()
      const day = dayAt(now)
      const key = `${advertiserId} ${applicationId} ${reader}`
      if (known.has(key)) return
      known.add(key)
      readRows.push({ advertiserId, applicationId, day, reader, way: 'download', firstAt: now, lastAt: now })
      remember()
    },

    flush,

    /** Call before the database is closed. Reads that cannot be written now are lost. */
    async close(): Promise<void> {
      isClosed = true
      flushInBackground()
      await background.settle()
    },
  }
}

const keyOf = ({ day, reader, way }: Pick<ApplicationRead | ListRead, 'day' | 'reader' | 'way'>) =>
  `${day} ${reader} ${way}`

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))
