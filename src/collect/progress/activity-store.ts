import { type Kysely, sql } from 'kysely'
import { type AnyFileType, answerFileType, type FileType } from '../../model/application.ts'
import { typeCode } from '../../model/events.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'

/** Changes to an application made by no one at the company. */
export type Activity =
  | { kind: 'scanned'; at: EpochMs; file: AnyFileType; verdict: 'clean' | 'infected' }
  /** The first time a program collected it. Null: an agent or a credential that no longer exists. */
  | { kind: 'collected'; at: EpochMs; by: 'agent' | 'company'; name: string | null }

interface VerdictData {
  attachmentType: FileType
  /** The question, if the file is an answer and not a document. */
  question?: number
  to: 'clean' | 'infected'
}

/** Verdicts about the files of an application, and the programs that have collected it, in any order. */
export async function activitiesOf(
  { reader: db, dialect }: Pick<Database, 'reader' | 'dialect'>,
  advertiserId: number,
  { id, submittedAt }: { id: number; submittedAt: number },
): Promise<Activity[]> {
  // Without statistics, SQLite expects an advertiser to have few events and would scan all of them.
  const isOfIt =
    dialect === 'sqlite'
      ? sql<boolean>`likelihood(application_id = ${id}, 0.00001)`
      : sql<boolean>`application_id = ${id}`
  const [events, collected] = await Promise.all([
    db
      .selectFrom('events')
      .select(['number', 'type', 'detail'])
      .where('advertiser_id', '=', advertiserId)
      .where(isOfIt)
      // Must match the condition of the index.
      .where('type', '>', sql.lit(2))
      .execute(),
    collectedBy(db, advertiserId, id, new Date(submittedAt).toISOString().slice(0, 10)),
  ])
  const verdicts = events
    .filter(({ type }) => type === typeCode('attachment.scanned'))
    .map(({ number, detail }): Activity => {
      const data: VerdictData = JSON.parse(`{${detail}}`)
      const file = data.question === undefined ? data.attachmentType : answerFileType(data.question - 1)
      return { kind: 'scanned', at: number, file, verdict: data.to }
    })
  return [...verdicts, ...collected]
}

/** The first collection by each agent, and by each credential. */
async function collectedBy(
  db: Kysely<Schema>,
  advertiserId: number,
  id: number,
  sinceDay: string,
): Promise<Activity[]> {
  const single = db
    .selectFrom('application_reads')
    .select(['reader', 'first_at as at'])
    .where('advertiser_id', '=', advertiserId)
    .where('application_id', '=', id)
  const lists = db
    .selectFrom('list_reads')
    .select(['reader', 'first_at as at'])
    .where('advertiser_id', '=', advertiserId)
    .where('day', '>=', sinceDay)
    .where('first_id', '<=', id)
    .where('last_id', '>=', id)
  const rows = await db
    .selectFrom(single.unionAll(lists).as('read'))
    .select(({ fn }) => ['reader', fn.min<number>('at').as('at')])
    .where('reader', 'not like', sql.lit('member:%'))
    .groupBy('reader')
    .execute()
  const idsOf = (kind: 'agent' | 'credential') =>
    rows.flatMap(({ reader }) => (reader.startsWith(`${kind}:`) ? reader.slice(kind.length + 1) : []))
  const [agents, labels] = await Promise.all([
    namesOf(idsOf('agent'), ids =>
      db.selectFrom('agents').select(['id', 'name']).where('id', 'in', ids.map(Number)).execute(),
    ),
    namesOf(idsOf('credential'), ids =>
      db
        .selectFrom('sws_credentials')
        .select(['id', 'label as name'])
        .where('advertiser_id', '=', advertiserId)
        .where('id', 'in', ids)
        .execute(),
    ),
  ])
  return rows.map(({ reader, at }) => {
    const [kind, readerId = ''] = reader.split(':')
    return kind === 'agent'
      ? { kind: 'collected', at, by: 'agent', name: agents.get(readerId) ?? null }
      : { kind: 'collected', at, by: 'company', name: labels.get(readerId) ?? null }
  })
}

async function namesOf(
  ids: readonly string[],
  find: (ids: readonly string[]) => Promise<{ id: number | string; name: string }[]>,
): Promise<Map<string, string>> {
  const found = ids.length === 0 ? [] : await find(ids)
  return new Map(found.map(({ id, name }) => [String(id), name]))
}
