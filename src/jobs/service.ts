import type { AdRuleSet } from '../model/ad-rules.ts'
import type { JobAdFields, PostingStatus } from '../model/job-ad.ts'
import { BoardProblem } from '../model/problems.ts'
import type { QuestionnaireFields } from '../model/questionnaire.ts'
import type { Clock, EpochMs } from '../platform/core/clock.ts'
import { invalidField } from '../platform/core/fields.ts'
import {
  intakeKeySeconds,
  type KeptKey,
  type MadeThings,
  madeBefore,
} from '../platform/core/idempotency-keys.ts'
import { Problem } from '../platform/core/problems.ts'
import { assertRequired, jobAdBody, readJobAd } from './job-ad-check.ts'
import type { PostingStore, QuestionnaireStore } from './posting-store.ts'
import type { Stored } from './postings.ts'
import { questionnaireBody, readQuestionnaire, readReplacement } from './questionnaire-check.ts'

/** Limit: Characters after which a page ends: a questionnaire may have 700,000. */
const intakePageLength = 1_000_000

/** Limit: Entries read at once for a page: ten questionnaires may have 7 MB. */
const intakeReadAtOnce = 10

export interface Page<Entry> {
  entries: Entry[]
  /** The last ID of the page, if more entries follow. */
  continueAfter: number | undefined
}

type PostingRequest = Omit<KeptKey, 'expiresAt'>

/** An advertiser's ads or questionnaires. They are created, changed, closed and reopened, but never deleted. */
export interface Postings<Content> {
  /** Parses a JSON body; throws one error listing all invalid fields. */
  read(body: unknown): { advertiserId: number; content: Content }
  /** Parses the JSON body of an entry's replacement. */
  readReplacement(body: unknown, advertiserId: number, id: number): Promise<Content>
  add(advertiserId: number, content: Content): Promise<Stored<Content>>
  /** A repeated request with the same content returns the current state of the entry that it created. */
  addOnce(
    advertiserId: number,
    content: Content,
    request: PostingRequest,
  ): Promise<{ entry: Stored<Content>; isReplay: boolean }>
  replace(advertiserId: number, id: number, content: Content): Promise<Stored<Content>>
  /** Updates the entry only if it has not changed since `from`; otherwise returns undefined. */
  revise(
    advertiserId: number,
    id: number,
    content: Content,
    from: EpochMs,
  ): Promise<Stored<Content> | undefined>
  setStatus(advertiserId: number, id: number, status: PostingStatus): Promise<Stored<Content>>
  find(advertiserId: number, id: number): Promise<Stored<Content>>
  /** `reference` applies to job ads only. */
  list(
    advertiserId: number,
    afterId: number,
    limit: number,
    reference?: string,
  ): Promise<Page<Stored<Content>>>
}

export type Jobs = Postings<JobAdFields>
export type Questionnaires = Postings<QuestionnaireFields>

interface PostingDeps<Content> {
  store: PostingStore<Content>
  keys: MadeThings
  clock: Clock
}

/** The differences between job ads and questionnaires. */
interface PostingKind<Content> {
  read: Postings<Content>['read']
  readReplacement(body: unknown, current: Content): Content
  /** Throws if the content refers to anything that it may not; `current` is the content to be replaced. */
  assertAllowed(advertiserId: number, content: Content, current?: Content): Promise<void>
  /** Throws if a closed entry cannot be opened as it is. */
  assertOpenable?(content: Content): void
}

export function createJobs({
  questionnaires,
  adRules,
  ...deps
}: PostingDeps<JobAdFields> & {
  questionnaires: Pick<QuestionnaireStore, 'find'>
  adRules?: readonly AdRuleSet[] | undefined
}): Jobs {
  const description = jobAdBody(adRules)
  return createPostings(deps, {
    read: body => readJobAd(body, description),
    readReplacement: body => readJobAd(body, description).content,

    assertOpenable: content => assertRequired(content, adRules),

    /** Another advertiser's questionnaire looks like an unknown one. An ad may keep its own after that was closed. */
    async assertAllowed(advertiserId, { screenId }, current) {
      if (screenId === null || screenId === current?.screenId) return
      const questionnaire = await questionnaires.find(advertiserId, screenId)
      if (questionnaire?.status === 'open') return
      throw questionnaire === undefined
        ? invalidField('screenId', 'unknown', 'The advertiser has no screen with this ID.')
        : invalidField('screenId', 'closed', 'This screen is closed. Reopen it, or choose another one.')
    },
  })
}

export function createQuestionnaires(deps: PostingDeps<QuestionnaireFields>): Questionnaires {
  const description = questionnaireBody()
  return createPostings(deps, {
    read: body => readQuestionnaire(body, description),
    readReplacement: (body, current) => readReplacement(body, description, current),
    assertAllowed: async () => {},
  })
}

function createPostings<Content>(
  { store, keys, clock }: PostingDeps<Content>,
  { read, readReplacement, assertAllowed, assertOpenable }: PostingKind<Content>,
): Postings<Content> {
  return {
    read,

    async readReplacement(body, advertiserId, id) {
      return readReplacement(body, found(await store.find(advertiserId, id)))
    },

    async add(advertiserId, content) {
      await assertAllowed(advertiserId, content)
      return store.add(advertiserId, content, clock())
    },

    async addOnce(advertiserId, content, request) {
      const at = clock()
      // Look for the key first, so that a retry finds its entry even if its content is no longer allowed.
      const made = await keys.madeWith(request, at)
      if (made === undefined) await assertAllowed(advertiserId, content)
      const save = { ...request, expiresAt: at + intakeKeySeconds * 1000 }
      const result = made ?? (await store.addOnce(advertiserId, content, at, save))
      if ('id' in result) return { entry: result, isReplay: false }
      const { contentHash, madeId } = madeBefore(result)
      if (contentHash !== request.contentHash) throw new BoardProblem('idempotency-key-reused')
      return { entry: found(await store.find(advertiserId, madeId)), isReplay: true }
    },

    async replace(advertiserId, id, content) {
      const current = found(await store.find(advertiserId, id))
      await assertAllowed(advertiserId, content, current)
      return found(await store.update(advertiserId, id, content, clock()))
    },

    async revise(advertiserId, id, content, from) {
      const current = found(await store.find(advertiserId, id))
      // Compared here because `from` may not be a valid time, which no column could be compared with.
      if (current.updatedAt !== from) return undefined
      await assertAllowed(advertiserId, content, current)
      return store.update(advertiserId, id, content, clock(), from)
    },

    async setStatus(advertiserId, id, status) {
      if (status === 'open' && assertOpenable !== undefined) {
        const current = found(await store.find(advertiserId, id))
        // An open entry stays open.
        if (current.status === 'closed') assertOpenable(current)
      }
      return found(await store.setStatus(advertiserId, id, status, clock()))
    },

    find: async (advertiserId, id) => found(await store.find(advertiserId, id)),

    list: (advertiserId, afterId, limit, reference) =>
      readPage((after, count) => store.list(advertiserId, after, count, reference), afterId, limit),
  }
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
