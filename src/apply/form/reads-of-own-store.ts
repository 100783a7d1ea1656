import { type Kysely, sql } from 'kysely'
import type { ReadWay } from '../../model/application-read.ts'
import type { ProgressReason } from '../../model/application-status.ts'
import type { Schema } from '../../platform/database/tables.ts'
import { sameApplication } from '../../schema/same-application.ts'
import type { OwnHistoryEntry, OwnRead } from './own-application.ts'

/** The candidate's applications to include: all, one, or those of a period. */
export interface OwnRange {
  applicationId?: number | undefined
  from?: number | undefined
  until?: number | undefined
}

interface ReadRow {
  advertiserId: number
  day: string
  reader: string
  way: ReadWay
  firstAt: number
  lastAt: number
}

/** Applications of the candidate in this range. */
function ownIn(reader: Kysely<Schema>, candidateId: string, range: OwnRange) {
  return reader
    .selectFrom('own_applications as own')
    .where('own.candidate_id', '=', candidateId)
    .$if(range.applicationId !== undefined, query =>
      query.where('own.application_id', '=', range.applicationId ?? 0),
    )
    .$if(range.from !== undefined, query => query.where('own.submitted_at', '>=', range.from ?? 0))
    .$if(range.until !== undefined, query => query.where('own.submitted_at', '<=', range.until ?? 0))
}

/** The people of a company are one reader, and so are its credentials. */
const readerKind = (column: 'read.reader' | 'list_reads.reader') =>
  sql<string>`case when ${sql.ref(column)} like 'agent:%' then ${sql.ref(column)}
    when ${sql.ref(column)} like 'member:%' then 'member:' else 'credential:' end`

/**
 * Reads of the candidate's applications that are not erased, newest first: of all of them, or one. Grouped by company,
 * so that each recorded day has a few rows, however many applications and readers there are.
 */
export async function readsOfOwn(
  reader: Kysely<Schema>,
  candidateId: string,
  range: Pick<OwnRange, 'applicationId'>,
): Promise<OwnRead[]> {
  const mine = ownIn(reader, candidateId, range)
  // Recorded lists still cover erased applications. A subquery, because with a join the planner might read all applications.
  const own = mine.where(
    ({ selectFrom }) =>
      selectFrom('applications as application')
        .select('application.erased_at')
        .whereRef('application.advertiser_id', '=', 'own.advertiser_id')
        .whereRef('application.id', '=', 'own.application_id'),
    'is',
    null,
  )
  const [single, lists, sent] = await Promise.all([
    own
      .innerJoin('application_reads as read', join => sameApplication(join, 'read', 'own'))
      .select(['own.advertiser_id as advertiserId', 'read.day', 'read.way'])
      .select(({ fn }) => [
        readerKind('read.reader').as('reader'),
        fn.min<number>('read.first_at').as('firstAt'),
        fn.max<number>('read.last_at').as('lastAt'),
      ])
      .groupBy(['own.advertiser_id', 'read.day', 'read.way', readerKind('read.reader')])
      .execute(),
    // Any of the applications is enough for a list: with a join, a year of lists had a row for each application.
    reader
      .selectFrom('list_reads')
      .where('advertiser_id', 'in', mine.select('own.advertiser_id'))
      // Polling programs read few applications at a time, so most of their lists are before or after all of the candidate's.
      .where(
        'last_id',
        '>=',
        mine.select(({ fn }) => fn.min('own.application_id').as('first')),
      )
      .where(
        'first_id',
        '<=',
        mine.select(({ fn }) => fn.max('own.application_id').as('last')),
      )
      .where(({ exists, ref }) =>
        exists(
          own
            .select('own.application_id')
            // The plus signs keep SQLite from scanning everyone's applications instead of the candidate's.
            .where(sql`+own.advertiser_id`, '=', ref('list_reads.advertiser_id'))
            .where(sql`+own.application_id`, '>=', ref('list_reads.first_id'))
            .where(sql`+own.application_id`, '<=', ref('list_reads.last_id')),
        ),
      )
      .select(['advertiser_id as advertiserId', 'day', 'way'])
      .select(({ fn }) => [
        readerKind('list_reads.reader').as('reader'),
        fn.min<number>('first_at').as('firstAt'),
        fn.max<number>('last_at').as('lastAt'),
      ])
      .groupBy(['advertiser_id', 'day', 'way', readerKind('list_reads.reader')])
      .execute(),
    mine
      .select(({ fn }) => ['own.advertiser_id as advertiserId', fn.min<number>('own.submitted_at').as('at')])
      .groupBy('own.advertiser_id')
      .execute(),
  ])
  const sentAt = new Map(sent.map(({ advertiserId, at }) => [advertiserId, at]))
  // A day's range can begin before the application was sent, and can still grow after it was read.
  const listed = lists.map(row => {
    const at = row.firstAt >= (sentAt.get(row.advertiserId) ?? 0) ? row.firstAt : row.lastAt
    return { ...row, firstAt: at, lastAt: at }
  })
  const rows = [...single, ...listed]
  const ids = new Set(rows.flatMap(row => Number(/^agent:(\d+)$/.exec(row.reader)?.[1] ?? []) || []))
  const agents =
    ids.size === 0
      ? []
      : await reader
          .selectFrom('agents')
          .select(['id', 'name'])
          .where('id', 'in', [...ids])
          .execute()
  return gathered(rows, new Map(agents.map(({ id, name }) => [`agent:${id}`, name])))
}

/** Within a day, an export of some applications and one of all are merged. */
function gathered(rows: readonly ReadRow[], agents: ReadonlyMap<string, string>): OwnRead[] {
  const groups = Map.groupBy(rows, ({ advertiserId, day, way, reader }) =>
    [advertiserId, day, way, reader].join(' '),
  )
  const reads = [...groups.values()].map(group => {
    const [{ advertiserId, day, way, reader }] = group as [ReadRow]
    return {
      advertiserId,
      day,
      way,
      agentName: agents.get(reader) ?? null,
      isByProgram: !reader.startsWith('member:'),
      firstAt: Math.min(...group.map(({ firstAt }) => firstAt)),
      lastAt: Math.max(...group.map(({ lastAt }) => lastAt)),
    }
  })
  return reads.sort((a, b) => b.firstAt - a.firstAt)
}

// A subquery, because with a join the planner might read the whole history of an advertiser.
const shownReason = sql<ProgressReason | null>`case
  when (select shows_reasons from advertisers where id = own.advertiser_id) = 1 then entry.reason end`.as(
  'reason',
)

/**
 * Histories of the candidate's applications, oldest first, without notes, which are the company's own, and with reasons
 * only if the company shows them. A state that was reported again is one entry.
 */
export async function historiesOfOwn(
  reader: Kysely<Schema>,
  candidateId: string,
  range: OwnRange,
): Promise<Map<number, OwnHistoryEntry[]>> {
  const rows = await ownIn(reader, candidateId, range)
    .innerJoin('application_history as entry', join => sameApplication(join, 'entry', 'own'))
    .select(['own.application_id', 'entry.at', 'entry.kind', 'entry.status', 'entry.text', 'entry.position'])
    .select(['entry.former', shownReason])
    .where('entry.kind', 'in', ['status', 'withdrawn', 'document'])
    .execute()
  const inOrder = rows.toSorted((a, b) => a.position - b.position)
  const entries = Map.groupBy(inOrder, row => row.application_id)
  return new Map(
    [...entries].map(([id, ofOne]) => [
      id,
      ofOne.reduce<OwnHistoryEntry[]>((shown, { at, kind, status, text, reason, former }) => {
        // A repeated report is no news, but may give a reason.
        const isRepeated = kind === 'status' && status === former
        const earlier = isRepeated ? shown.findLast(entry => entry.kind === 'status') : undefined
        if (earlier !== undefined) earlier.reason = reason ?? earlier.reason
        else if (!isRepeated) shown.push({ at, kind, status, text, reason } as OwnHistoryEntry)
        return shown
      }, []),
    ]),
  )
}
