import { parseNumericId } from '../../core/ids.ts'
import { Problem } from '../../core/problems.ts'
import type { QuestionnaireStore } from '../../jobs/ports.ts'
import type { Limits } from '../../limits.ts'
import { beyondAnyId, type IdBounds } from '../list-query.ts'
import type { ApplicationStore } from '../ports.ts'
import type { ApplicationFilter } from './filter.ts'
import type {
  ApplicationFinding,
  ApplicationSearch,
  FoundApplication,
  FoundPage,
  SearchEffort,
  Total,
} from './ports.ts'

export function createFinding(deps: {
  search: ApplicationSearch
  store: Pick<ApplicationStore, 'resolveBounds'>
  questionnaires: Pick<QuestionnaireStore, 'find'>
  limits: SearchEffort &
    Pick<
      Limits,
      | 'consoleApplicationsShown'
      | 'consoleApplicationsCounted'
      | 'consoleRelatedShown'
      | 'consoleAdsOffered'
      | 'exportChunk'
    >
}): ApplicationFinding {
  const { search, store, limits } = deps

  /** Turns times into bounds on IDs, which works because dates never decrease with IDs. */
  async function boundsOf(advertiserId: number, { from, until }: ApplicationFilter): Promise<IdBounds> {
    if (from === undefined && until === undefined) return { after: 0, before: beyondAnyId }
    return store.resolveBounds(advertiserId, {
      ...(from === undefined ? {} : { afterDate: from - 1 }),
      ...(until === undefined ? {} : { beforeDate: until }),
    })
  }

  const most = limits.consoleApplicationsCounted
  const newestIds = (advertiserId: number, filter: ApplicationFilter, bounds: IdBounds) =>
    search.newestIds(advertiserId, { traits: filter, bounds, limit: most + 1 })
  const totalOf = (ids: readonly number[]): Total => ({
    count: Math.min(ids.length, most),
    isMore: ids.length > most,
  })

  async function counted(
    advertiserId: number,
    filter: ApplicationFilter,
    bounds: IdBounds,
    page: Omit<FoundPage, 'total'>,
  ): Promise<FoundPage> {
    const { applications, newer, older } = page
    if ((newer ?? older) === undefined)
      return { ...page, total: { count: applications.length, isMore: false } }
    const ids = await newestIds(advertiserId, filter, bounds)
    if (ids !== undefined) return { ...page, total: totalOf(ids) }
    // Too many terms to count: without other conditions, they belong to more applications than are counted.
    const { prefix: _prefix, applicationId: _id, hasVirus, ...others } = filter
    const isPrefixAlone = !hasVirus && Object.keys(others).length === 0
    return { ...page, total: { count: isPrefixAlone ? most : applications.length, isMore: true } }
  }

  return {
    async page(advertiserId, filter, position) {
      const bounds = await boundsOf(advertiserId, filter)
      const size = limits.consoleApplicationsShown
      const look = (within: IdBounds, oldestFirst: boolean) =>
        search.page(advertiserId, {
          traits: filter,
          bounds: within,
          oldestFirst,
          limit: size + 1,
          effort: limits,
        })

      if (position !== undefined && 'after' in position) {
        const within = { ...bounds, after: Math.max(bounds.after, position.after) }
        const found = await look(within, true)
        // With less than a full page of newer matches, show the newest page instead.
        if (found.length >= size) {
          const applications = found.slice(0, size).reverse()
          const [first, last] = [applications[0], applications.at(-1)]
          return counted(advertiserId, filter, bounds, {
            applications,
            newer: found.length > size && first !== undefined ? { after: first.id } : undefined,
            older: last === undefined ? undefined : { before: last.id },
          })
        }
      }
      const before = position !== undefined && 'before' in position ? position.before : beyondAnyId
      const found = await look({ ...bounds, before: Math.min(bounds.before, before) }, false)
      const applications = found.slice(0, size)
      const [first, last] = [applications[0], applications.at(-1)]
      return counted(advertiserId, filter, bounds, {
        applications,
        newer: before === beyondAnyId || first === undefined ? undefined : { after: first.id },
        older: found.length > size && last !== undefined ? { before: last.id } : undefined,
      })
    },

    async all(advertiserId, filter, beforeMore) {
      const bounds = await boundsOf(advertiserId, filter)
      const read = (before: number, limit: number) =>
        search.page(advertiserId, {
          traits: filter,
          bounds: { ...bounds, before },
          oldestFirst: false,
          limit,
          effort: limits,
        })
      // Read only a page at first, so that the export starts as fast as a page.
      const size = limits.consoleApplicationsShown
      const first = await read(bounds.before, size)
      if (first.length === size) await beforeMore?.()
      return chunksFrom(first, size, before => read(before, limits.exportChunk), limits.exportChunk)
    },

    async detail(advertiserId, applicationId) {
      const detail = await search.find(advertiserId, applicationId)
      if (detail === undefined) throw new Problem('not-found')
      return detail
    },

    async neighbours(advertiserId, applicationId, filter) {
      const bounds = await boundsOf(advertiserId, filter)
      const ids = (await newestIds(advertiserId, filter, bounds)) ?? []
      const at = ids.indexOf(applicationId)
      if (at >= 0 && at < most) {
        const place = { number: at + 1, total: totalOf(ids) }
        return { newerId: ids[at - 1], olderId: ids[at + 1], place }
      }
      const next = async (within: IdBounds, oldestFirst: boolean) => {
        const request = { traits: filter, bounds: within, oldestFirst, limit: 1, effort: limits }
        const [found] = await search.page(advertiserId, request)
        return found?.id
      }
      const [newerId, olderId] = await Promise.all([
        next({ ...bounds, after: Math.max(bounds.after, applicationId) }, true),
        next({ ...bounds, before: Math.min(bounds.before, applicationId) }, false),
      ])
      return { newerId, olderId }
    },

    async related(advertiserId, { id, contact, erasedAt }) {
      const size = limits.consoleRelatedShown
      if (erasedAt !== null) return { shown: [], hasMore: false }
      const found = await search.related(advertiserId, { id, email: contact.email }, size + 1)
      return { shown: found.slice(0, size), hasMore: found.length > size }
    },

    async questionnaireNow(advertiserId, screenId) {
      const id = parseNumericId(screenId)
      return id === undefined ? undefined : deps.questionnaires.find(advertiserId, id)
    },

    adChoices: advertiserId => search.adChoices(advertiserId, limits.consoleAdsOffered),
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
