import type { Clock, EpochMs } from '../core/clock.ts'
import { invalidField } from '../core/fields.ts'
import { type KeptKey, type KeyState, type MadeThings, madeBefore } from '../core/idempotency-keys.ts'
import { Problem } from '../core/problems.ts'
import type { JobAdFields } from '../model/job-ad.ts'
import type { QuestionnaireFields } from '../model/questionnaire.ts'
import { type JobAdLimits, readJobAd } from './job-ad-check.ts'
import type { JobAd, JobAdStore, OwnPostings, QuestionnaireStore, StoredQuestionnaire } from './ports.ts'
import { type QuestionnaireLimits, readQuestionnaire } from './questionnaire-check.ts'

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

/** Adds what a job board can do for an advertiser beyond what the advertiser's own people can. */
export interface Postings<Entry, Content> extends OwnPostings<Entry, Content> {
  /** A repeated request with the same content returns the current state of the entry that it created. */
  addOnce(
    advertiserId: number,
    content: Content,
    request: PostingRequest,
  ): Promise<{ entry: Entry; isReplay: boolean }>
  replace(advertiserId: number, id: number, content: Content): Promise<Entry>
  /** `reference` applies to job ads only. */
  list(advertiserId: number, afterId: number, limit: number, reference?: string): Promise<Page<Entry>>
}

export type Jobs = Postings<JobAd, JobAdFields>
export type Questionnaires = Postings<StoredQuestionnaire, QuestionnaireFields>

export function createJobs(deps: {
  ads: JobAdStore
  screens: QuestionnaireStore
  keys: MadeThings
  clock: Clock
  limits: JobAdLimits & PostingLimits
}): Jobs {
  const { ads, screens, clock, limits } = deps

  /** Another advertiser's screen looks like an unknown one. An ad may keep its screen after that was closed. */
  async function assertScreen(advertiserId: number, screenId: number | null, kept: number | null) {
    if (screenId === null || screenId === kept) return
    const screen = await screens.find(advertiserId, screenId)
    if (screen?.status === 'open') return
    throw screen === undefined
      ? invalidField('screenId', 'unknown', 'The advertiser has no screen with this ID.')
      : invalidField('screenId', 'closed', 'This screen is closed. Reopen it, or choose another one.')
  }

  return {
    read: body => readJobAd(body, limits),

    async add(advertiserId, content) {
      await assertScreen(advertiserId, content.screenId, null)
      return ads.add(advertiserId, content, clock())
    },

    async addOnce(advertiserId, content, request) {
      const at = clock()
      // Look for the key first, so that a retry finds its ad even if the screen has been closed since.
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

export function createQuestionnaires(deps: {
  store: QuestionnaireStore
  clock: Clock
  limits: QuestionnaireLimits & PostingLimits
}): Questionnaires {
  const { store, clock, limits } = deps
  return {
    read: body => readQuestionnaire(body, limits),

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
      // Compared here because `from` may not be a valid time, which no column could be compared with.
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
 * Reads a page of `limit` entries, or fewer once the page is long, because a thousand of the longest entries would not
 * fit into one string. For the same reason, reads only a few entries at a time.
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
    // Read one more than needed, to know whether there is a next page.
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
