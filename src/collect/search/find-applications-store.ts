import { type Kysely, sql } from 'kysely'
import type { ApplicationStatus } from '../../model/application-status.ts'
import { unansweredStatuses } from '../../model/unanswered.ts'
import type { Schema } from '../../platform/database/tables.ts'
import { searchTerms } from '../../schema/writing/search-terms.ts'
import type { IdBounds } from '../list-query.ts'
import { type ApplicationFilter, afterPrefix } from './filter.ts'

/** Limit: Search terms examined at once: up to this number every match is found within a few milliseconds. */
const searchedTerms = 30_000
/**
 * Limit: Applications that a search examines one by one: a search that matches more than searchedTerms of a million has
 * filled a page by then.
 */
const searchWindow = 2_000

const usualEffort = { searchedTerms, searchWindow }

/** The conditions of a filter, except for the date of the application and the order. */
export type ApplicationTraits = Omit<ApplicationFilter, 'from' | 'until' | 'unreadFirst'>

export interface SearchRequest {
  traits: ApplicationTraits
  bounds: IdBounds
  oldestFirst: boolean
  limit: number
  effort?: SearchEffort | undefined
}

/** How much a search reads before it switches strategy: see docs/decisions/022-find-applications-by-index-ranges.md. */
export type SearchEffort = typeof usualEffort

/** A search of an advertiser's applications. */
interface Question extends SearchRequest {
  db: Kysely<Schema>
  advertiserId: number
}

/** An application is found by at most this many terms. */
const termsOfOne = 4
/** Pages of the newest applications that are read before anything else. */
const pagesAtFirst = 5

/**
 * Returns the matching IDs in order. Without a prefix, they come from one index. With a prefix there are two
 * strategies, and neither is best for all searches: the cost of reading the search terms grows with the number of
 * matches, and the cost of walking through the applications grows with the gaps between matches. docs/decisions/022 has
 * the figures.
 */
export async function findIds(
  db: Kysely<Schema>,
  advertiserId: number,
  request: SearchRequest,
): Promise<number[]> {
  const question = { ...request, db, advertiserId }
  if (request.traits.prefix === '') return candidates(question, request.limit)
  const [begun, named] = await Promise.all([begunIds(question), namedId(question)])
  return [...new Set(merged([begun, named], question))].slice(0, request.limit)
}

/**
 * Returns the newest matching IDs, to count them. With a prefix, every match is found by the terms. If there are more
 * terms than `limit` matches can have, there are more matches than that, unless another condition excludes some.
 */
export async function countedIds(
  db: Kysely<Schema>,
  advertiserId: number,
  request: Pick<SearchRequest, 'traits' | 'bounds' | 'limit'>,
): Promise<number[] | undefined> {
  const effort = { searchedTerms: request.limit * termsOfOne, searchWindow: 0 }
  const question = { ...request, oldestFirst: false, effort, db, advertiserId }
  if (request.traits.prefix === '') return candidates(question, request.limit)
  if (!(await isRare(question))) return undefined
  const [begun, named] = await Promise.all([matches(question), namedId(question)])
  return [...new Set(merged([begun, named], question))].slice(0, request.limit)
}

/** The number of unanswered applications, counted up to `limit`. */
export async function countUnanswered(
  db: Kysely<Schema>,
  advertiserId: number,
  { bounds, limit }: Pick<SearchRequest, 'bounds' | 'limit'>,
): Promise<number> {
  const traits = { prefix: '', hasVirus: false, isUnanswered: true }
  const question = { traits, bounds, limit, oldestFirst: false, db, advertiserId }
  const counts = branchesOf(question).map(branch =>
    db
      .selectFrom(inOrder(branch, question).select('id').limit(limit).as('unanswered'))
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow(),
  )
  return Math.min(
    limit,
    (await Promise.all(counts)).reduce((sum, { count }) => sum + Number(count), 0),
  )
}

/** If the typed text could be an ID, looks that application up, with the same traits. */
async function namedId(question: Question): Promise<number[]> {
  const { traits, bounds } = question
  const id = traits.applicationId
  if (id === undefined || id <= bounds.after || id >= bounds.before) return []
  return candidates({ ...question, bounds: { after: id - 1, before: id + 1 } }, 1)
}

async function begunIds(question: Question): Promise<number[]> {
  const { limit, effort = usualEffort } = question
  const first = limit * pagesAtFirst
  const start = await walk(question, first)
  if (start.isDone) return start.ids
  // If matches stay this frequent, the window suffices; otherwise the terms show whether there are many matches at all.
  const isLikely = start.ids.length * effort.searchWindow >= limit * first
  if (isLikely || !(await isRare(question))) {
    const all = await walkOn(question, start, first)
    if (all !== undefined) return all
  }
  return matches(question)
}

type Walked = Awaited<ReturnType<typeof walk>>

/** Walks on in growing steps, until the page is full or the window is used up. */
async function walkOn(question: Question, start: Walked, first: number): Promise<number[] | undefined> {
  const { limit, effort = usualEffort } = question
  const ids = [...start.ids]
  let [rest, seen] = [start.rest, first]
  while (seen < effort.searchWindow) {
    const step = await walk({ ...question, bounds: rest, limit: limit - ids.length }, seen)
    ids.push(...step.ids)
    if (step.isDone) return ids
    rest = step.rest
    seen *= 2
  }
  return undefined
}

/** Reads up to `count` applications and returns the matching ones. */
async function walk(question: Question, count: number) {
  const { db, advertiserId, traits, bounds, limit, oldestFirst } = question
  const seen = await candidates(question, count)
  const rows =
    seen.length === 0
      ? []
      : await ownOf(db, advertiserId)
          .select(['id', 'email', 'first_name', 'last_name', 'job_reference'])
          .where('id', 'in', padded(seen))
          .execute()
  const matching = new Set(
    rows
      .filter(row => {
        const contact = { firstName: row.first_name, lastName: row.last_name, email: row.email, phone: '' }
        const terms = searchTerms(contact, row.job_reference)
        return prefixesOf(traits).some(prefix => terms.some(term => term.startsWith(prefix)))
      })
      .map(({ id }) => id),
  )
  const ids = seen.filter(id => matching.has(id)).slice(0, limit)
  const last = seen.at(-1) ?? 0
  return {
    ids,
    isDone: ids.length === limit || seen.length < count,
    rest: oldestFirst ? { ...bounds, after: last } : { ...bounds, before: last },
  }
}

/** Repeats some IDs to reach a power of two, so that there are few prepared variants of the statement. */
export function padded(ids: readonly number[]): number[] {
  const length = 2 ** Math.ceil(Math.log2(ids.length))
  return Array.from({ length }, (_, index) => ids[index % ids.length] as number)
}

/** The IDs that have the traits, ignoring the prefix, in order. */
async function candidates(question: Question, count: number): Promise<number[]> {
  const branches = branchesOf(question).map(branch => inOrder(branch, question).limit(count))
  return merged(await Promise.all(branches.map(idsOf)), question).slice(0, count)
}

/** Selects only the ID, so that the query is answered from the index alone. */
async function idsOf(found: Applications): Promise<number[]> {
  return (await found.select('id').execute()).map(({ id }) => id)
}

function merged(lists: readonly number[][], { oldestFirst }: Question): number[] {
  const [first = [], ...others] = lists
  const sign = oldestFirst ? 1 : -1
  return others.length === 0 ? first : lists.flat().sort((a, b) => sign * (a - b))
}

const ownOf = (db: Kysely<Schema>, advertiserId: number) =>
  db.selectFrom('applications').where('advertiser_id', '=', advertiserId)
type Applications = ReturnType<typeof ownOf>

/** A status other than `unansweredStatuses` that the candidate was shown, even if the status was set back since. */
const answerTo = (db: Kysely<Schema>, advertiserId: number) =>
  db
    .selectFrom('application_history as entry')
    .select('entry.position')
    .where('entry.advertiser_id', '=', advertiserId)
    .whereRef('entry.application_id', '=', 'applications.id' as 'entry.application_id')
    .where('entry.kind', '=', sql.lit('status'))
    .where(
      'entry.status',
      'not in',
      unansweredStatuses.map(status => sql.lit(status)),
    )
    .limit(1)

interface Branch {
  found: Applications
  jobAdId?: number | undefined
  /** The index column between ad and ID; undefined for any. */
  key?: { column: 'screen_successful'; value: number | null } | { column: 'status'; value: ApplicationStatus }
}

/** Splits the search into branches, each one range of one index in ID order. */
function branchesOf({ db, advertiserId, traits }: Question): Branch[] {
  const { jobAdId, isQuestionnairePassed, hasVirus, isUnanswered = false } = traits
  const statuses = isUnanswered
    ? unansweredStatuses.filter(status => traits.statuses?.includes(status) ?? true)
    : traits.statuses
  const own = ownOf(db, advertiserId)
  if (statuses?.length === 0) return []
  // Matches the index of kept applications. Few of an ad's or of infected applications were erased, so an expression
  // avoids it there.
  const isFew = jobAdId !== undefined || hasVirus
  const found = isUnanswered
    ? own
        .where(isFew ? sql`+erased_at` : 'erased_at', 'is', null)
        // Not an EXISTS, for which PostgreSQL would read the histories of all applications.
        .where(answerTo(db, advertiserId), 'is', null)
    : own
  // An expression keeps the planner from using other indexes.
  const alike = (rows: Applications) =>
    isQuestionnairePassed === undefined
      ? rows
      : rows.where(sql`+screen_successful`, '=', Number(isQuestionnairePassed))
  if (hasVirus) {
    // There are few infected applications, so scan them.
    const infected = alike(found.where('has_virus', '=', sql.lit(1)))
    const ofAd = jobAdId === undefined ? infected : infected.where(sql`+job_ad_id`, '=', jobAdId)
    return [{ found: statuses === undefined ? ofAd : ofAd.where(sql`status || ''`, 'in', statuses) }]
  }
  if (statuses !== undefined)
    return statuses.map(value => ({ found: alike(found), jobAdId, key: { column: 'status', value } }))
  const outcomes = (values: readonly (number | null)[]): Branch[] =>
    values.map(value => ({ found, jobAdId, key: { column: 'screen_successful', value } }))
  if (isQuestionnairePassed !== undefined) return outcomes([Number(isQuestionnairePassed)])
  return jobAdId === undefined ? [{ found }] : outcomes([1, 0, null])
}

/**
 * Expresses equality as a range in the order of an index. With equalities and an order by ID, PostgreSQL may choose
 * another index and scan a million rows without a single match.
 */
function inOrder(branch: Branch, { bounds, oldestFirst }: Question): Applications {
  const { found, jobAdId, key } = branch
  const order = oldestFirst ? 'asc' : 'desc'
  if (key === undefined || key.value === null) {
    const sorted = key === undefined ? found : equal(branch).orderBy(key.column, order)
    return sorted.where('id', '>', bounds.after).where('id', '<', bounds.before).orderBy('id', order)
  }
  const { column, value } = key
  const sorted =
    jobAdId === undefined
      ? found.where(column, 'is not', null)
      : found.where('job_ad_id', 'is not', null).orderBy('job_ad_id', order)
  const keyColumn = sql.ref(column)
  const columns = jobAdId === undefined ? sql`(${keyColumn}, id)` : sql`(job_ad_id, ${keyColumn}, id)`
  const at = (id: number) =>
    jobAdId === undefined ? sql`(${value}, ${id})` : sql`(${jobAdId}, ${value}, ${id})`
  return sorted
    .where(columns, '>', at(bounds.after))
    .where(columns, '<', at(bounds.before))
    .orderBy(column, order)
    .orderBy('id', order)
}

function equal({ found, jobAdId, key }: Branch): Applications {
  const ofAd = jobAdId === undefined ? found : found.where('job_ad_id', '=', jobAdId)
  if (key === undefined) return ofAd
  return key.column === 'status'
    ? ofAd.where('status', '=', key.value)
    : ofAd.where('screen_successful', key.value === null ? 'is' : '=', key.value)
}

/** One range of the index. With several ranges in one statement, SQLite reads all terms of the advertiser. */
function termsWith({ db, advertiserId }: Question, prefix: string) {
  const from = db
    .selectFrom('application_terms')
    .where('advertiser_id', '=', advertiserId)
    .where('term', '>=', prefix)
  const end = afterPrefix(prefix)
  return end === undefined ? from : from.where('term', '<', end)
}

const prefixesOf = ({ prefix, otherPrefixes = [] }: Question['traits']) => [prefix, ...otherPrefixes]

async function isRare(question: Question): Promise<boolean> {
  const { db, effort = usualEffort, traits } = question
  const counts = prefixesOf(traits).map(prefix =>
    db
      .selectFrom(
        termsWith(question, prefix)
          .select('application_id')
          .limit(effort.searchedTerms + 1)
          .as('found'),
      )
      .select(eb => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow(),
  )
  return (
    (await Promise.all(counts)).reduce((sum, { count }) => sum + Number(count), 0) <= effort.searchedTerms
  )
}

/** Finds every match by the search terms. */
async function matches(question: Question): Promise<number[]> {
  const lists = await Promise.all(prefixesOf(question.traits).map(prefix => matchesOf(question, prefix)))
  return [...new Set(merged(lists, question))].slice(0, question.limit)
}

async function matchesOf(question: Question, prefix: string): Promise<number[]> {
  const { traits, bounds, limit, oldestFirst } = question
  const order = oldestFirst ? 'asc' : 'desc'
  const terms = termsWith(question, prefix)
    .select('application_id')
    .where('application_id', '>', bounds.after)
    .where('application_id', '<', bounds.before)
  const { jobAdId, isQuestionnairePassed, hasVirus, isUnanswered = false, statuses } = traits
  const isAny = jobAdId === undefined && isQuestionnairePassed === undefined && statuses === undefined
  if (isAny && !hasVirus && !isUnanswered) {
    const rows = await terms
      .orderBy('application_id', order)
      .limit(limit * termsOfOne)
      .execute()
    return [...new Set(rows.map(row => row.application_id))].slice(0, limit)
  }
  const branches = branchesOf(question).map(branch =>
    equal(branch).where('id', 'in', terms).orderBy('id', order).limit(limit),
  )
  return merged(await Promise.all(branches.map(idsOf)), question).slice(0, limit)
}
