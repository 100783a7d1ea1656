import type { Clock, EpochMs } from '../core/clock.ts'
import { invalidField } from '../core/fields.ts'
import { type KeptKey, type KeyState, type MadeThings, madeBefore } from '../core/idempotency-keys.ts'
import { Problem } from '../core/problems.ts'
import type { JobAdFields } from '../model/job-ad.ts'
import type { ScreenFields } from '../model/questionnaire.ts'
import { type JobAdLimits, readJobAd } from './job-ad-check.ts'
import type { JobAd, JobAdStore, OwnPostings, ScreenStore, StoredScreen } from './ports.ts'
import { readScreen, type ScreenLimits } from './questionnaire-check.ts'

export interface PostingLimits {
  intakeKeySeconds: number
  intakePageLength: number
  intakeReadAtOnce: number
}

export interface Page<Entry> {
  entries: Entry[]
  /** The last ID of the page when more follow. */
  continueAfter: number | undefined
}

type PostingRequest = Omit<KeptKey, 'expiresAt'>

/** With what a job board does for an advertiser beyond what its own people do. */
export interface Postings<Entry, Content> extends OwnPostings<Entry, Content> {
  /** The same request again, by what it said, finds what it has made, as that is now. */
  addOnce(
    advertiserId: number,
    content: Content,
    request: PostingRequest,
  ): Promise<{ entry: Entry; isReplay: boolean }>
  replace(advertiserId: number, id: number, content: Content): Promise<Entry>
  /** `reference` is for what has one. */
  list(advertiserId: number, afterId: number, limit: number, reference?: string): Promise<Page<Entry>>
}

export type Jobs = Postings<JobAd, JobAdFields>
export type Screens = Postings<StoredScreen, ScreenFields>

export function createJobs(deps: {
  ads: JobAdStore
  screens: ScreenStore
  keys: MadeThings
  clock: Clock
  limits: JobAdLimits & PostingLimits
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

    async addOnce(advertiserId, content, request) {
      const at = clock()
      // Looked for first: a repetition finds its ad, also when the screen has been closed since.
      const made = await deps.keys.madeWith(request, at)
      if (made === undefined) await assertScreen(advertiserId, content.screenId, null)
      const result = made ?? (await ads.addOnce(advertiserId, content, at, keptAt(at, request, limits)))
      return onceOf(result, request, id => ads.find(advertiserId, id))
    },

    async replace(advertiserId, id, content) {
      const current = found(await ads.find(advertiserId, id))
      await assertScreen(advertiserId, content.screenId, current.screenId)
      return found(await ads.update(advertiserId, id, content, clock()))
    },

    async revise(advertiserId, id, content, from) {
      const current = found(await ads.find(advertiserId, id))
      if (current.updatedAt !== from) return undefined
      await assertScreen(advertiserId, content.screenId, current.screenId)
      return ads.update(advertiserId, id, content, clock(), from)
    },

    setStatus: async (advertiserId, id, status) =>
      found(await ads.setStatus(advertiserId, id, status, clock())),

    find: async (advertiserId, id) => found(await ads.find(advertiserId, id)),

    list: (advertiserId, afterId, limit, reference) =>
      readPage((after, count) => ads.list(advertiserId, after, count, reference), afterId, limit, limits),
  }
}

export function createScreens(deps: {
  store: ScreenStore
  clock: Clock
  limits: ScreenLimits & PostingLimits
}): Screens {
  const { store, clock, limits } = deps
  return {
    read: body => readScreen(body, limits),

    add: (advertiserId, content) => store.add(advertiserId, content, clock()),

    async addOnce(advertiserId, content, request) {
      const at = clock()
      const result = await store.addOnce(advertiserId, content, at, keptAt(at, request, limits))
      return onceOf(result, request, id => store.find(advertiserId, id))
    },

    replace: async (advertiserId, id, content) =>
      found(await store.update(advertiserId, id, content, clock())),

    async revise(advertiserId, id, content, from) {
      const current = found(await store.find(advertiserId, id))
      // Also for what is no time at all, which no column could be compared with.
      if (current.updatedAt !== from) return undefined
      return store.update(advertiserId, id, content, clock(), from)
    },

    setStatus: async (advertiserId, id, status) =>
      found(await store.setStatus(advertiserId, id, status, clock())),

    find: async (advertiserId, id) => found(await store.find(advertiserId, id)),

    list: (advertiserId, afterId, limit) =>
      readPage((after, count) => store.list(advertiserId, after, count), afterId, limit, limits),
  }
}

function keptAt(at: EpochMs, request: PostingRequest, { intakeKeySeconds }: PostingLimits): KeptKey {
  return { ...request, expiresAt: at + intakeKeySeconds * 1000 }
}

async function onceOf<Entry extends { id: number }>(
  result: Entry | KeyState,
  { contentHash }: PostingRequest,
  find: (id: number) => Promise<Entry | undefined>,
): Promise<{ entry: Entry; isReplay: boolean }> {
  if ('id' in result) return { entry: result, isReplay: false }
  const made = madeBefore(result)
  if (made.contentHash !== contentHash) throw new Problem('idempotency-key-reused')
  return { entry: found(await find(made.madeId)), isReplay: true }
}

function found<Entry>(entry: Entry | undefined): Entry {
  if (entry === undefined) throw new Problem('not-found')
  return entry
}

/**
 * A page has as many entries as were asked for, or ends before that, once it is long: a thousand of the longest
 * would not fit into one text. For the same reason they are read a few at a time.
 */
async function readPage<Entry extends { id: number }>(
  read: (afterId: number, count: number) => Promise<Entry[]>,
  afterId: number,
  limit: number,
  { intakePageLength, intakeReadAtOnce }: PostingLimits,
): Promise<Page<Entry>> {
  const entries: Entry[] = []
  let length = 0
  for (;;) {
    // One more than is shown: it tells whether there is a next page.
    const count = Math.min(intakeReadAtOnce, limit - entries.length + 1)
    const rows = await read(entries.at(-1)?.id ?? afterId, count)
    for (const entry of rows) {
      if (entries.length === limit || length > intakePageLength) {
        return { entries, continueAfter: entries.at(-1)?.id }
      }
      entries.push(entry)
      length += JSON.stringify(entry).length
    }
    if (rows.length < count) return { entries, continueAfter: undefined }
  }
}
