import type { Kysely } from 'kysely'
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
  applicationId: number
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

/**
 * Who has read applications of the candidate, newest first, at most `limit` rows of each kind. Lists go on covering
 * what was erased: the caller leaves it out.
 */
export async function readsOfOwn(
  reader: Kysely<Schema>,
  candidateId: string,
  range: OwnRange,
  limit: number,
): Promise<OwnRead[]> {
  const own = ownIn(reader, candidateId, range)
  const [single, lists] = await Promise.all([
    own
      .innerJoin('application_reads as read', join =>
        join
          .onRef('read.advertiser_id', '=', 'own.advertiser_id')
          .onRef('read.application_id', '=', 'own.application_id'),
      )
      .select(['own.advertiser_id as advertiserId', 'own.application_id as applicationId'])
      .select(['read.day', 'read.reader', 'read.way', 'read.first_at as firstAt'])
      .orderBy('read.day', 'desc')
      .limit(limit)
      .execute(),
    own
      .innerJoin('list_reads as list', join =>
        join
          .onRef('list.advertiser_id', '=', 'own.advertiser_id')
          .onRef('list.first_id', '<=', 'own.application_id')
          .onRef('list.last_id', '>=', 'own.application_id'),
      )
      .select(['own.advertiser_id as advertiserId', 'own.application_id as applicationId'])
      .select(['list.day', 'list.reader', 'list.way', 'list.first_at as firstAt'])
      .orderBy('list.day', 'desc')
      .limit(limit)
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

/** People of a company are one reader, and so are its credentials. */
function gathered(rows: readonly ReadRow[], agents: ReadonlyMap<string, string>): OwnRead[] {
  const groups = Map.groupBy(rows, ({ applicationId, day, way, reader }) => {
    const [kind] = reader.split(':')
    return [applicationId, day, way, kind === 'agent' ? reader : kind].join(' ')
  })
  const reads = [...groups.values()].map(group => {
    const [{ advertiserId, applicationId, day, way, reader }] = group as [ReadRow]
    return {
      ...{ advertiserId, applicationId, day, way },
      agentName: agents.get(reader) ?? null,
      isByProgram: !reader.startsWith('member:'),
      firstAt: Math.min(...group.map(({ firstAt }) => firstAt)),
    }
  })
  return reads.sort((a, b) => b.firstAt - a.firstAt)
}

/** More than a year of days with several readers. */
export const mostReads = 5_000

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
