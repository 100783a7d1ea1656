import { type Kysely, sql } from 'kysely'
import type { OwnHistoryEntry, OwnRead } from '../../apply/form/ports.ts'
import type { ReadWay } from '../../model/application-read.ts'
import type { Schema } from '../database/tables.ts'

/** Which applications of the candidate: all, one, or those of a time. */
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
 * Who has read applications of the candidate that are not erased, newest first: all of them, or one. By company, so that
 * each day on record has a few rows, however many applications and readers there are.
 */
export async function readsOfOwn(
  reader: Kysely<Schema>,
  candidateId: string,
  range: Pick<OwnRange, 'applicationId'>,
): Promise<OwnRead[]> {
  const mine = ownIn(reader, candidateId, range)
  // Lists go on covering what was erased. A subquery, because with a join the planner might read all applications.
  const own = mine.where(
    ({ selectFrom }) =>
      selectFrom('applications as application')
        .select('application.erased_at')
        .whereRef('application.advertiser_id', '=', 'own.advertiser_id')
        .whereRef('application.id', '=', 'own.application_id'),
    'is',
    null,
  )
  const [single, lists] = await Promise.all([
    own
      .innerJoin('application_reads as read', join =>
        join
          .onRef('read.advertiser_id', '=', 'own.advertiser_id')
          .onRef('read.application_id', '=', 'own.application_id'),
      )
      .select(['own.advertiser_id as advertiserId', 'read.day', 'read.way'])
      .select(({ fn }) => [
        readerKind('read.reader').as('reader'),
        fn.min<number>('read.first_at').as('firstAt'),
      ])
      .groupBy(['own.advertiser_id', 'read.day', 'read.way', readerKind('read.reader')])
      .execute(),
    // Any of the applications is enough for a list: joined, a year of lists had as many rows for each application.
    reader
      .selectFrom('list_reads')
      .where('advertiser_id', 'in', mine.select('own.advertiser_id'))
      // Programs that poll read few applications at a time: most of their lists are before or after all of the candidate's.
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
            // The signs keep SQLite from going through the applications of everybody instead of the candidate's.
            .where(sql`+own.advertiser_id`, '=', ref('list_reads.advertiser_id'))
            .where(sql`+own.application_id`, '>=', ref('list_reads.first_id'))
            .where(sql`+own.application_id`, '<=', ref('list_reads.last_id')),
        ),
      )
      .select(['advertiser_id as advertiserId', 'day', 'way'])
      .select(({ fn }) => [
        readerKind('list_reads.reader').as('reader'),
        fn.min<number>('first_at').as('firstAt'),
      ])
      .groupBy(['advertiser_id', 'day', 'way', readerKind('list_reads.reader')])
      .execute(),
  ])
  const rows = [...single, ...lists]
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

/** An export of some applications and one of all are one way of a day. */
function gathered(rows: readonly ReadRow[], agents: ReadonlyMap<string, string>): OwnRead[] {
  const groups = Map.groupBy(rows, ({ advertiserId, day, way, reader }) =>
    [advertiserId, day, way, reader].join(' '),
  )
  const reads = [...groups.values()].map(group => {
    const [{ advertiserId, day, way, reader }] = group as [ReadRow]
    return {
      ...{ advertiserId, day, way },
      agentName: agents.get(reader) ?? null,
      isByProgram: !reader.startsWith('member:'),
      firstAt: Math.min(...group.map(({ firstAt }) => firstAt)),
    }
  })
  return reads.sort((a, b) => b.firstAt - a.firstAt)
}

/** What happened to applications of the candidate, oldest first, without notes, which are the company's own. */
export async function historiesOfOwn(
  reader: Kysely<Schema>,
  candidateId: string,
  range: OwnRange,
): Promise<Map<number, OwnHistoryEntry[]>> {
  const rows = await ownIn(reader, candidateId, range)
    .innerJoin('application_history as entry', join =>
      join
        .onRef('entry.advertiser_id', '=', 'own.advertiser_id')
        .onRef('entry.application_id', '=', 'own.application_id'),
    )
    .select(['own.application_id', 'entry.at', 'entry.kind', 'entry.status', 'entry.text', 'entry.position'])
    .where('entry.kind', 'in', ['status', 'withdrawn', 'document'])
    .execute()
  const inOrder = rows.toSorted((a, b) => a.position - b.position)
  const entries = Map.groupBy(inOrder, row => row.application_id)
  return new Map(
    [...entries].map(([id, ofOne]) => [
      id,
      ofOne.map(({ at, kind, status, text }) => ({ at, kind, status, text }) as OwnHistoryEntry),
    ]),
  )
}
