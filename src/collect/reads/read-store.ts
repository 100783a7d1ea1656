import { type Kysely, sql } from 'kysely'
import type { Reader } from '../../model/application-read.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { prepareStatement } from '../../platform/database/prepared-query.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { integer, text } from '../../platform/database/typed-values.ts'

/** Covers every application of the advertiser from the first ID to the last. */
export interface ListRead extends Read {
  way: 'list' | 'export'
  firstId: number
  lastId: number
}

export interface ApplicationRead extends Read {
  applicationId: number
  way: 'view' | 'download' | 'export'
}

export interface Read {
  advertiserId: number
  /** YYYY-MM-DD, in UTC. */
  day: string
  reader: Reader
  firstAt: EpochMs
  lastAt: EpochMs
}

export type ReadStore = ReturnType<typeof createReadStore>

/** One row per day, reader, way and application or range: writing it again only moves the times. */
export function createReadStore({ writer, dialect }: Database) {
  const addRead = prepareStatement(writer, (read: ApplicationRead) =>
    writer
      .insertInto('application_reads')
      .columns(['advertiser_id', 'application_id', 'day', 'reader', 'way', 'first_at', 'last_at'])
      .expression(eb => {
        const application = eb
          .selectFrom('applications')
          .select([
            'advertiser_id',
            'id',
            text(read.day).as('day'),
            text(read.reader).as('reader'),
            text(read.way).as('way'),
            integer(read.firstAt).as('first_at'),
            integer(read.lastAt).as('last_at'),
          ])
          .where('advertiser_id', '=', read.advertiserId)
          .where('id', '=', read.applicationId)
          .where('erased_at', 'is', null)
        // An erasure, or the replacement of a document, also locks the row: it either comes before this or sees it.
        return dialect === 'postgres' ? application.forShare() : application
      })
      .onConflict(conflict =>
        conflict
          .columns(['advertiser_id', 'application_id', 'day', 'reader', 'way'])
          .doUpdateSet({ last_at: later('application_reads') }),
      ),
  )

  const addList = prepareStatement(writer, (list: ListRead) =>
    writer
      .insertInto('list_reads')
      .columns(['advertiser_id', 'day', 'reader', 'way', 'first_id', 'last_id', 'first_at', 'last_at'])
      .expression(eb =>
        eb
          .selectFrom('advertisers')
          .select([
            'id',
            text(list.day).as('day'),
            text(list.reader).as('reader'),
            text(list.way).as('way'),
            integer(list.firstId).as('first_id'),
            integer(list.lastId).as('last_id'),
            integer(list.firstAt).as('first_at'),
            integer(list.lastAt).as('last_at'),
          ])
          .where('id', '=', list.advertiserId),
      )
      .onConflict(conflict =>
        conflict.columns(['advertiser_id', 'day', 'reader', 'way', 'first_id']).doUpdateSet({
          last_id: sql<number>`case when excluded.last_id > list_reads.last_id then excluded.last_id else list_reads.last_id end`,
          last_at: later('list_reads'),
        }),
      ),
  )

  /** A single row needs no transaction. */
  async function addAll<Row>(
    rows: readonly Row[],
    add: (row: Row, on?: Kysely<Schema>) => Promise<unknown>,
  ): Promise<void> {
    const [first, ...others] = rows
    if (first === undefined) return
    if (others.length === 0) await add(first)
    else
      await writer.transaction().execute(async trx => {
        for (const row of rows) await add(row, trx)
      })
  }

  return {
    /** Ignores applications that do not exist or are erased. */
    addReads: (reads: readonly ApplicationRead[]): Promise<void> => addAll(reads, addRead),
    /** Ignores advertisers that do not exist. */
    addLists: (lists: readonly ListRead[]): Promise<void> => addAll(lists, addList),
  }
}

const later = (table: 'application_reads' | 'list_reads') => {
  const current = sql.ref<number>(`${table}.last_at`)
  return sql<number>`case when excluded.last_at > ${current} then excluded.last_at else ${current} end`
}
