import type { QuestionnaireStore } from '../../jobs/posting-store.ts'
import type { StoredQuestionnaire } from '../../jobs/postings.ts'
import { statuses } from '../../model/application-status.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { parseNumericId } from '../../platform/core/ids.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { ApplicationStore } from '../application-store.ts'
import { beyondAnyId, type IdBounds } from '../list-query.ts'
import type { ProgressStore, StatusCounts } from '../progress/progress-store.ts'
import type { ApplicationFilter, Position } from './filter.ts'
import type { SearchEffort } from './find-applications-store.ts'
import type {
  AdChoice,
  ApplicationDetail,
  FoundApplication,
  FoundPage,
  Neighbours,
  RelatedApplication,
  Total,
} from './results.ts'
import type { ApplicationSearchStore } from './search-store.ts'

/**
 * Limit: Applications read at once for a CSV export: about two milliseconds, during which SQLite serves no other
 * query. 200 were a tenth faster.
 */
const exportChunk = 128
/** Limit: Applications on one page of an advertiser's table: one screenful, 20 kB. */
const consoleApplicationsShown = 25
/**
 * Limit: Applications counted for the number above the table and the position of an application; beyond it, pages say
 * "more than".
 */
const consoleApplicationsCounted = 1000

const bounds = { exportChunk, consoleApplicationsShown, consoleApplicationsCounted }

/** Limit: Other applications of the same person beside an application; a link leads to all of them. */
const consoleRelatedShown = 5
/**
 * Limit: Ads to choose from above the table of applications, the newest: 6 kB of a page. The list of ads leads to the
 * applications of any ad.
 */
const consoleAdsOffered = 100

export type ApplicationSearch = ReturnType<typeof createApplicationSearch>

/** Lets an advertiser's people search, read and export its applications. */
export function createApplicationSearch(deps: {
  search: ApplicationSearchStore
  store: Pick<ApplicationStore, 'resolveBounds'>
  questionnaires: Pick<QuestionnaireStore, 'find'>
  progress: Pick<ProgressStore, 'counts'>
  limits?: Partial<typeof bounds>
  effort?: SearchEffort
}) {
  const { search, store, effort } = deps
  const limits = { ...bounds, ...deps.limits }

  /** Turns times into bounds on IDs, which works because dates never decrease with IDs. */
  async function boundsOf(advertiserId: number, { from, until }: ApplicationFilter): Promise<IdBounds> {
    if (from === undefined && until === undefined) return { after: 0, before: beyondAnyId }
    return store.resolveBounds(advertiserId, {
      ...(from === undefined ? {} : { afterDate: from - 1 }),
      ...(until === undefined ? {} : { beforeDate: until }),
    })
  }

  const max = limits.consoleApplicationsCounted
  const newestIds = (advertiserId: number, filter: ApplicationFilter, bounds: IdBounds) =>
    search.newestIds(advertiserId, { traits: filter, bounds, limit: max + 1 })
  const totalOf = (ids: readonly number[]): Total => ({
    count: Math.min(ids.length, max),
    isMore: ids.length > max,
  })

  /** Counts by status, if the filter has no conditions other than status and ad. */
  async function countsOf(
    advertiserId: number,
    filter: ApplicationFilter,
  ): Promise<StatusCounts | undefined> {
    const { prefix, jobAdId, hasVirus, statuses: _statuses, unreadFirst: _order, ...others } = filter
    if (prefix !== '' || hasVirus || Object.keys(others).length > 0) return undefined
    return deps.progress.counts(advertiserId, jobAdId)
  }

  type Listed = Omit<FoundPage, 'total' | 'counts'>

  async function totalIn(
    advertiserId: number,
    filter: ApplicationFilter,
    { bounds, page, counts }: { bounds: IdBounds; page: Listed; counts: StatusCounts | undefined },
  ): Promise<Total> {
    const { applications, newer, older } = page
    if ((newer ?? older) === undefined) return { count: applications.length, isMore: false }
    if (counts !== undefined) {
      const wanted = filter.statuses ?? statuses
      return { count: wanted.reduce((sum, status) => sum + counts[status], 0), isMore: false }
    }
    const ids = await newestIds(advertiserId, filter, bounds)
    if (ids !== undefined) return totalOf(ids)
    // Too many terms to count: without other conditions, they belong to more applications than are counted.
    const { prefix: _prefix, otherPrefixes: _prefixes, applicationId: _id, hasVirus, ...others } = filter
    const isPrefixAlone = !hasVirus && Object.keys(others).length === 0
    return { count: isPrefixAlone ? max : applications.length, isMore: true }
  }

  type Look = (
    filter: ApplicationFilter,
    within: { before?: number; after?: number },
    options?: { oldestFirst?: boolean; limit?: number },
  ) => Promise<FoundApplication[]>
  const size = limits.consoleApplicationsShown

  async function byDate(look: Look, filter: ApplicationFilter, position: Position): Promise<Listed> {
    if (position !== undefined && 'after' in position) {
      const found = await look(filter, { after: position.after }, { oldestFirst: true })
      // If there is less than a full page of newer matches, show the newest page instead.
      if (found.length >= size) {
        const applications = found.slice(0, size).reverse()
        const [first, last] = [applications[0], applications.at(-1)]
        return {
          applications,
          newer: found.length > size && first !== undefined ? { after: first.id } : undefined,
          older: last === undefined ? undefined : { before: last.id },
        }
      }
    }
    const before = position !== undefined && 'before' in position ? position.before : beyondAnyId
    const found = await look(filter, { before })
    const applications = found.slice(0, size)
    const [first, last] = [applications[0], applications.at(-1)]
    return {
      applications,
      newer: before === beyondAnyId || first === undefined ? undefined : { after: first.id },
      older: found.length > size && last !== undefined ? { before: last.id } : undefined,
    }
  }

  /** New applications, then the others, each newest first. If a page has room for both, it shows both. */
  async function unreadFirst(look: Look, filter: ApplicationFilter, position: Position): Promise<Listed> {
    const wanted = filter.statuses ?? statuses
    const isFresh = position === undefined || !('read' in position)
    const start = position !== undefined && 'before' in position ? position : {}
    const fresh = isFresh && wanted.includes('new') ? await look({ ...filter, statuses: ['new'] }, start) : []
    const shown = fresh.slice(0, size)
    const last = shown.at(-1)
    if (fresh.length > size && last !== undefined)
      return { applications: shown, newer: undefined, older: { before: last.id } }
    const before = position !== undefined && 'read' in position ? position.read : beyondAnyId
    const others = wanted.filter(status => status !== 'new')
    const room = size - shown.length
    const read =
      others.length === 0 ? [] : await look({ ...filter, statuses: others }, { before }, { limit: room + 1 })
    const lastRead = read.slice(0, room).at(-1)?.id ?? before
    return {
      applications: [...shown, ...read.slice(0, room)],
      newer: undefined,
      older: read.length > room ? { read: lastRead } : undefined,
    }
  }

  return {
    async page(advertiserId: number, filter: ApplicationFilter, position: Position): Promise<FoundPage> {
      const bounds = await boundsOf(advertiserId, filter)
      const look: Look = (traits, within, { oldestFirst = false, limit = size + 1 } = {}) =>
        search.page(advertiserId, {
          traits,
          bounds: {
            after: Math.max(bounds.after, within.after ?? 0),
            before: Math.min(bounds.before, within.before ?? beyondAnyId),
          },
          oldestFirst,
          limit,
          effort,
        })
      const [page, counts] = await Promise.all([
        filter.unreadFirst ? unreadFirst(look, filter, position) : byDate(look, filter, position),
        countsOf(advertiserId, filter),
      ])
      return { ...page, counts, total: await totalIn(advertiserId, filter, { bounds, page, counts }) }
    },

    /**
     * Every match up to the newest at this moment, newest first, in chunks. The first chunk is read before this resolves,
     * so that an error until then can still be sent as a proper response. `beforeMore` is called if there are more chunks.
     */
    async all(
      advertiserId: number,
      filter: ApplicationFilter,
      beforeMore?: () => Promise<void>,
    ): Promise<AsyncIterable<FoundApplication[]>> {
      const bounds = await boundsOf(advertiserId, filter)
      const read = (before: number, limit: number) =>
        search.page(advertiserId, {
          traits: filter,
          bounds: { ...bounds, before },
          oldestFirst: false,
          limit,
          effort,
        })
      // Read only a page at first, so that the export starts as fast as a page.
      const first = await read(bounds.before, size)
      if (first.length === size) await beforeMore?.()
      return chunksFrom(first, size, before => read(before, limits.exportChunk), limits.exportChunk)
    },

    /** Rejects with `not-found` if the advertiser has no such application. */
    async detail(advertiserId: number, applicationId: number): Promise<ApplicationDetail> {
      const detail = await search.find(advertiserId, applicationId)
      if (detail === undefined) throw new Problem('not-found')
      return detail
    },

    /** The application itself need not match the filter. */
    async neighbours(
      advertiserId: number,
      applicationId: number,
      filter: ApplicationFilter,
    ): Promise<Neighbours> {
      const bounds = await boundsOf(advertiserId, filter)
      const ids = (await newestIds(advertiserId, filter, bounds)) ?? []
      const at = ids.indexOf(applicationId)
      if (at >= 0 && at < max) {
        const place = { number: at + 1, total: totalOf(ids) }
        return { newerId: ids[at - 1], olderId: ids[at + 1], place }
      }
      const next = async (within: IdBounds, oldestFirst: boolean) => {
        const request = { traits: filter, bounds: within, oldestFirst, limit: 1, effort }
        const [found] = await search.page(advertiserId, request)
        return found?.id
      }
      const [newerId, olderId] = await Promise.all([
        next({ ...bounds, after: Math.max(bounds.after, applicationId) }, true),
        next({ ...bounds, before: Math.min(bounds.before, applicationId) }, false),
      ])
      return { newerId, olderId }
    },

    /** The new application that has waited longest. */
    async oldestUnread(advertiserId: number): Promise<FoundApplication | undefined> {
      const [oldest] = await search.page(advertiserId, {
        traits: { prefix: '', hasVirus: false, statuses: ['new'] },
        bounds: { after: 0, before: beyondAnyId },
        oldestFirst: true,
        limit: 1,
        effort,
      })
      return oldest
    },

    /** The number of applications that arrived after this time. */
    async countSince(advertiserId: number, since: EpochMs): Promise<Total> {
      const filter = { prefix: '', hasVirus: false }
      const bounds = await boundsOf(advertiserId, { ...filter, from: since + 1 })
      return totalOf((await newestIds(advertiserId, filter, bounds)) ?? [])
    },

    /** The number of unanswered applications sent before this time, counted up to `most`. */
    async countUnanswered(advertiserId: number, before: EpochMs, most = max): Promise<Total> {
      const bounds = await boundsOf(advertiserId, { prefix: '', hasVirus: false, until: before })
      const count = await search.countUnanswered(advertiserId, { bounds, limit: most + 1 })
      return { count: Math.min(count, most), isMore: count > most }
    },

    /** Other applications of the same person to this advertiser, newest first. */
    async related(
      advertiserId: number,
      { id, contact, erasedAt }: Pick<ApplicationDetail, 'id' | 'contact' | 'erasedAt'>,
    ): Promise<{ shown: RelatedApplication[]; hasMore: boolean }> {
      const size = consoleRelatedShown
      if (erasedAt !== null) return { shown: [], hasMore: false }
      const found = await search.related(advertiserId, { id, email: contact.email }, size + 1)
      return { shown: found.slice(0, size), hasMore: found.length > size }
    },

    /** The current version of an answered questionnaire; undefined if the advertiser has none with this ID. */
    async questionnaireNow(advertiserId: number, screenId: string): Promise<StoredQuestionnaire | undefined> {
      const id = parseNumericId(screenId)
      return id === undefined ? undefined : deps.questionnaires.find(advertiserId, id)
    },

    /** Newest first. */
    adChoices: (advertiserId: number): Promise<AdChoice[]> =>
      search.adChoices(advertiserId, consoleAdsOffered),
  }
}

async function* chunksFrom(
  first: FoundApplication[],
  firstSize: number,
  read: (before: number) => Promise<FoundApplication[]>,
  size: number,
): AsyncGenerator<FoundApplication[]> {
  let [chunk, full] = [first, firstSize]
  for (;;) {
    yield chunk
    const last = chunk.at(-1)
    if (last === undefined || chunk.length < full) return
    chunk = await read(last.id)
    full = size
  }
}
