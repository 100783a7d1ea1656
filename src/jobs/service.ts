import type { Clock } from '../core/clock.ts'
import { invalidField } from '../core/fields.ts'
import { Problem } from '../core/problems.ts'
import type { JobAdFields, PostingStatus } from './job-ad.ts'
import { type JobAdLimits, readJobAd } from './job-ad-check.ts'
import type { JobAd, JobAdStore, ScreenStore, StoredScreen } from './ports.ts'
import type { ScreenFields } from './screen.ts'
import { readScreen, type ScreenLimits } from './screen-check.ts'

export interface Page<Entry> {
  entries: Entry[]
  /** The last ID of the page when more follow. */
  continueAfter: number | undefined
}

/** What an advertiser keeps here: it is written, changed, closed and opened again, and never removed. */
export interface Postings<Entry, Content> {
  /** What a JSON body says, and of whom; throws with every wrong field. */
  read(body: unknown): { advertiserId: number; content: Content }
  add(advertiserId: number, content: Content): Promise<Entry>
  replace(advertiserId: number, id: number, content: Content): Promise<Entry>
  setStatus(advertiserId: number, id: number, status: PostingStatus): Promise<Entry>
  find(advertiserId: number, id: number): Promise<Entry>
  list(advertiserId: number, afterId: number, limit: number): Promise<Page<Entry>>
}

export type Jobs = Postings<JobAd, JobAdFields>
export type Screens = Postings<StoredScreen, ScreenFields>

export function createJobs(deps: {
  ads: JobAdStore
  screens: ScreenStore
  clock: Clock
  limits: JobAdLimits
}): Jobs {
  const { ads, screens, clock, limits } = deps

  /** Somebody else's looks like one that does not exist; an ad keeps the one it has, closed or not. */
  async function assertScreen(advertiserId: number, screenId: number | null, kept: number | null) {
    if (screenId === null || screenId === kept) return
    const screen = await screens.find(advertiserId, screenId)
    if (screen?.status === 'open') return
    throw screen === undefined
      ? invalidField('screenId', 'unknown', 'The advertiser has no such screen.')
      : invalidField('screenId', 'closed', 'This screen is closed. Open it again, or take another one.')
  }

  return {
    read: body => readJobAd(body, limits),

    async add(advertiserId, content) {
      await assertScreen(advertiserId, content.screenId, null)
      return ads.add(advertiserId, content, clock())
    },

    async replace(advertiserId, id, content) {
      const current = found(await ads.find(advertiserId, id))
      await assertScreen(advertiserId, content.screenId, current.screenId)
      return found(await ads.update(advertiserId, id, content, clock()))
    },

    setStatus: async (advertiserId, id, status) =>
      found(await ads.setStatus(advertiserId, id, status, clock())),

    find: async (advertiserId, id) => found(await ads.find(advertiserId, id)),

    list: async (advertiserId, afterId, limit) =>
      pageOf(await ads.list(advertiserId, afterId, limit + 1), limit),
  }
}

export function createScreens(deps: { store: ScreenStore; clock: Clock; limits: ScreenLimits }): Screens {
  const { store, clock, limits } = deps
  return {
    read: body => readScreen(body, limits),

    add: (advertiserId, content) => store.add(advertiserId, content, clock()),

    replace: async (advertiserId, id, content) =>
      found(await store.update(advertiserId, id, content, clock())),

    setStatus: async (advertiserId, id, status) =>
      found(await store.setStatus(advertiserId, id, status, clock())),

    find: async (advertiserId, id) => found(await store.find(advertiserId, id)),

    list: async (advertiserId, afterId, limit) =>
      pageOf(await store.list(advertiserId, afterId, limit + 1), limit),
  }
}

function found<Entry>(entry: Entry | undefined): Entry {
  if (entry === undefined) throw new Problem('not-found')
  return entry
}

/** One more was asked for than is shown: it tells whether there is a next page. */
function pageOf<Entry extends { id: number }>(rows: Entry[], limit: number): Page<Entry> {
  const entries = rows.slice(0, limit)
  return { entries, continueAfter: rows.length > limit ? entries.at(-1)?.id : undefined }
}
