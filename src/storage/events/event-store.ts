import { type Kysely, sql } from 'kysely'
import type { EventPage, EventQuery, EventStore } from '../../events/feed/ports.ts'
import {
  type ClientEventType,
  clientTypeCode,
  clientTypeOfCode,
  type EventType,
  type Stream,
  typeCode,
  typeOfCode,
} from '../../model/events.ts'
import { prepareStatement } from '../database/prepared-query.ts'
import type { Database, Schema } from '../database/tables.ts'
import { hasVersion } from '../postgres/replica-version.ts'
import { isWanted, type PageValues, restoredAt, wantedEvents } from './event-queries.ts'
import { emptyPage, joinedReader, rowsReader } from './json-page.ts'

export function createEventStore(database: Database): EventStore {
  const { reader, readRows, replica } = database
  const ofAdvertiser = advertiserPages(reader)
  const ofClient = prepareStatement(reader, (values: PageValues<string>) => clientPage(reader, values))
  const onReplica = replica && advertiserPages(replica.db, true)
  const asJson = bothWays(includes =>
    readRows === undefined ? joinedReader(reader, includes) : rowsReader({ db: reader, readRows }, includes),
  )
  const asJsonOnReplica = replica && bothWays(includes => rowsReader(replica, includes, true))

  return {
    async page(stream, query, number) {
      const values = valuesOf(stream, query, number)
      if ('clientId' in stream)
        return pageOf(stream, (await ofClient({ ...values, owner: stream.clientId })).rows, values)
      const owned = { ...values, owner: stream.advertiserId }
      const there = number !== undefined && onReplica?.(query)
      if (there) {
        const page = await replica?.ask(async () => {
          const { rows } = await there(owned)
          return rows.length === 0 ? undefined : pageOf(stream, rows, values)
        })
        if (page !== undefined) return page
      }
      return pageOf(stream, (await ofAdvertiser(query)(owned)).rows, values)
    },

    async jsonPage(advertiserId, query, number) {
      const values = { ...valuesOf({ advertiserId }, query, number), owner: advertiserId }
      const there = number !== undefined && asJsonOnReplica?.(query)
      const page = there ? await replica?.ask(() => there(values)) : undefined
      return page ?? (await asJson(query)(values)) ?? emptyPage(values)
    },

    async newest(advertiserId, { before, limit, types }) {
      const rows = await reader
        .selectFrom('events')
        .select(['number', 'type', 'application_id as applicationId', 'detail'])
        .where('advertiser_id', '=', advertiserId)
        .$if(before !== undefined, query => query.where('number', '<', before ?? 0))
        .where(isWanted(maskOf({ advertiserId }, types)))
        .orderBy('number', 'desc')
        .limit(limit)
        .execute()
      return rows.map(row => ({ ...row, type: typeOfCode(row.type) }))
    },

    async lastOf(streams) {
      const advertisers = streams.flatMap(stream => ('advertiserId' in stream ? stream.advertiserId : []))
      const clients = streams.flatMap(stream => ('clientId' in stream ? stream.clientId : []))
      const ofAdvertisers = await lastNumbers(database, 'advertiser_ledger', 'advertiser_id', advertisers)
      const ofClients = await lastNumbers(database, 'client_ledger', 'client_id', clients)
      return streams.map(
        stream =>
          ('advertiserId' in stream
            ? ofAdvertisers.get(stream.advertiserId)
            : ofClients.get(stream.clientId)) ?? 0,
      )
    },
  }
}

/** With one value for all streams, so that the statement is the same however many there are. */
async function lastNumbers<Id extends number | string>(
  { reader, dialect }: Database,
  ledger: 'advertiser_ledger' | 'client_ledger',
  key: string,
  ids: readonly Id[],
): Promise<Map<Id, number>> {
  if (ids.length === 0) return new Map()
  const isWaitedFor =
    dialect === 'postgres'
      ? sql`= any(${ids})`
      : sql`in (select value from json_each(${JSON.stringify(ids)}))`
  const { rows } = await sql<{ id: Id; number: number }>`select ${sql.ref(key)} as id, event_number as number
    from ${sql.table(ledger)} where ${sql.ref(key)} ${isWaitedFor}`.execute(reader)
  return new Map(rows.map(({ id, number }) => [id, number]))
}

/** Prepares a read with applications and one without. */
function bothWays<Run>(prepare: (includes: boolean) => Run) {
  const [plain, including] = [prepare(false), prepare(true)]
  return ({ includesApplications = false }: EventQuery) => (includesApplications ? including : plain)
}

const advertiserPages = (db: Kysely<Schema>, isReplica = false) =>
  bothWays(includes =>
    prepareStatement(db, (values: PageValues<number>) => {
      const page = advertiserPage(db, values, includes)
      if (!isReplica) return page
      return page.where(hasVersion(db, values.owner, values.upTo, 'event_number'))
    }),
  )

/** One row per event, each with the state of the stream; one row without an event if there is none. */
interface PageRow {
  last: number
  from: number
  restoredAt: string | null
  number: number | null
  type: number | null
  detail: string | null
  applicationId?: number | null
  application?: string | null
}

function advertiserPage(db: Kysely<Schema>, values: PageValues<number>, includes: boolean) {
  const events = wantedEvents(db, values)
  const page = db
    .selectFrom('advertiser_ledger as ledger')
    .leftJoin(events.as('event'), join => join.onTrue())
    .select(['ledger.event_number as last', 'ledger.events_from as from', restoredAt(db, 'restoredAt')])
    .select(['event.number', 'event.type', 'event.detail', 'event.application_id as applicationId'])
    .where('ledger.advertiser_id', '=', values.owner)
  if (!includes) return page
  return page.select(({ selectFrom }) =>
    selectFrom('application_pieces as piece')
      .select(sql<string>`piece.body || piece.primary_info`.as('text'))
      .where('piece.advertiser_id', '=', values.owner)
      .where('piece.format', '=', sql.lit('xml'))
      .whereRef('piece.id', '=', 'event.application_id')
      .as('application'),
  )
}

function clientPage(db: Kysely<Schema>, values: PageValues<string>) {
  const events = db
    .selectFrom('client_events')
    .select(['number', 'type', 'detail'])
    .where('client_id', '=', values.owner)
    .where('number', '>', values.after)
    .where('number', '<=', values.upTo)
    .where(isWanted(values.types))
    .orderBy('number')
    .limit(sql<number>`${values.limit} + 0`)
  return db
    .selectFrom('client_ledger as ledger')
    .leftJoin(events.as('event'), join => join.onTrue())
    .select(['ledger.event_number as last', 'ledger.events_from as from', restoredAt(db, 'restoredAt')])
    .select(['event.number', 'event.type', 'event.detail'])
    .where('ledger.client_id', '=', values.owner)
}

function pageOf(
  stream: Stream,
  rows: readonly PageRow[],
  { upTo, limit }: { upTo: number; limit: number },
): EventPage {
  const [state] = rows
  // Joining them need not keep their order.
  const found = rows
    .toSorted((a, b) => (a.number ?? 0) - (b.number ?? 0))
    .flatMap(({ number, type, detail, applicationId = null, application = null }) =>
      number === null || type === null || detail === null
        ? []
        : {
            number,
            type: 'advertiserId' in stream ? typeOfCode(type) : clientTypeOfCode(type),
            applicationId,
            detail,
            ...(application === null ? {} : { application }),
          },
    )
  const hasMore = found.length === limit
  const events = hasMore ? found.slice(0, -1) : found
  return {
    ...{ events, hasMore, newest: events.at(-1)?.number },
    last: Math.min(state?.last ?? 0, upTo),
    from: state?.from ?? 0,
    restoredAt: Number(state?.restoredAt ?? 0),
  }
}

const valuesOf = (stream: Stream, { after, limit, types }: EventQuery, number?: number) => ({
  ...{ after, limit: limit + 1 },
  types: maskOf(stream, types),
  upTo: number ?? Number.MAX_SAFE_INTEGER,
})

const everyType = 2 ** 31 - 1

function maskOf(stream: Stream, types: EventQuery['types']): number {
  const codeOf = (type: EventType | ClientEventType) =>
    'advertiserId' in stream ? typeCode(type as EventType) : clientTypeCode(type as ClientEventType)
  return types === undefined ? everyType : types.reduce((mask, type) => mask | (1 << codeOf(type)), 0)
}
