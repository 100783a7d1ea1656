import { type Kysely, sql } from 'kysely'
import {
  type ClientEventType,
  clientTypeCode,
  clientTypeOfCode,
  type EventType,
  type StoredEvent,
  type Stream,
  typeCode,
  typeOfCode,
} from '../../model/events.ts'
import { prepareStatement } from '../../platform/database/prepared-query.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { hasVersion } from '../../schema/ledger-version.ts'
import {
  isWanted,
  ownDetailOf,
  type PageForm,
  type PageValues,
  restoredAt,
  wantedEvents,
} from './event-queries-store.ts'
import { emptyPage, joinedReader, rowsReader } from './json-page-store.ts'
import type { EventPage, EventQuery, JsonPage, NewestQuery } from './records.ts'

export type EventStore = ReturnType<typeof createEventStore>

export function createEventStore(database: Database) {
  const { reader, readRows, replica } = database
  const ofAdvertiser = advertiserPages(reader)
  const ofClient = prepareStatement(reader, (values: PageValues<string>) => clientPage(reader, values))
  const onReplica = replica && advertiserPages(replica.db, true)
  const asJson = inEachForm(form =>
    readRows === undefined ? joinedReader(reader, form) : rowsReader({ db: reader, readRows }, form),
  )
  const asJsonOnReplica = replica && inEachForm(form => rowsReader(replica, form, true))

  return {
    /**
     * Uses one statement, so `last` is never ahead of the page. A stream without events has an empty page. With
     * `number`, the number of the last event when the caller was checked, the page ends there, and a replica that has
     * that event may answer.
     */
    async page(stream: Stream, query: EventQuery, number?: number): Promise<EventPage> {
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

    /** `page` for an advertiser's stream, as JSON, in a fraction of the time. */
    async jsonPage(advertiserId: number, query: EventQuery, number?: number): Promise<JsonPage> {
      const values = { ...valuesOf({ advertiserId }, query, number), owner: advertiserId }
      const there = number !== undefined && asJsonOnReplica?.(query)
      const page = there ? await replica?.ask(() => there(values)) : undefined
      return page ?? (await asJson(query)(values)) ?? emptyPage(values)
    },

    /** Resolves when an advertiser's events up to `number` are durable. */
    whenDurable: async (advertiserId: number, number: number): Promise<void> =>
      database.whenVersionDurable?.(`events of ${advertiserId}`, number, async () => number),

    /** Newest first, for people. */
    async newest(advertiserId: number, { before, limit, types }: NewestQuery): Promise<StoredEvent[]> {
      const rows = await reader
        .selectFrom('events')
        .select(['number', 'type', 'application_id as applicationId', 'detail'])
        .where('advertiser_id', '=', advertiserId)
        .$if(before !== undefined, query => query.where('number', '<', before ?? 0))
        .where(isWanted({ types: maskOf({ advertiserId }, types), ownDetail: '' }, false))
        .orderBy('number', 'desc')
        .limit(limit)
        .execute()
      return rows.map(row => ({ ...row, type: typeOfCode(row.type) }))
    },

    /** The numbers of the last events of these streams, in this order; 0 if there is none. */
    async lastOf(streams: readonly Stream[]): Promise<number[]> {
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

/** Binds one value for all streams, so that the statement is the same however many there are. */
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

/**
 * Prepares reads with and without applications, for advertisers and for agents: an advertiser's read has no filter to
 * pay for.
 */
function inEachForm<Run>(prepare: (form: PageForm) => Run) {
  const withAndWithout = (isOfAgent: boolean) => ({
    plain: prepare({ includes: false, isOfAgent }),
    including: prepare({ includes: true, isOfAgent }),
  })
  const [ofAdvertiser, ofAgent] = [withAndWithout(false), withAndWithout(true)]
  return ({ includesApplications = false, agentId = null }: EventQuery) => {
    const { plain, including } = agentId === null ? ofAdvertiser : ofAgent
    return includesApplications ? including : plain
  }
}

const advertiserPages = (db: Kysely<Schema>, isReplica = false) =>
  inEachForm(form =>
    prepareStatement(db, (values: PageValues<number>) => {
      const page = advertiserPage(db, values, form)
      if (!isReplica) return page
      return page.where(hasVersion(db, values.owner, values.upTo, 'event_number'))
    }),
  )

/** One row per event, each with the state of the stream; without events, one row with the state only. */
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

function advertiserPage(db: Kysely<Schema>, values: PageValues<number>, { includes, isOfAgent }: PageForm) {
  const events = wantedEvents(db, values, isOfAgent)
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
    .where(isWanted(values, false))
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
  // A join need not keep the order of its rows.
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
    events,
    hasMore,
    newest: events.at(-1)?.number,
    last: Math.min(state?.last ?? 0, upTo),
    from: state?.from ?? 0,
    restoredAt: Number(state?.restoredAt ?? 0),
  }
}

const valuesOf = (stream: Stream, { after, limit, types, agentId }: EventQuery, number?: number) => ({
  after,
  limit: limit + 1,
  types: maskOf(stream, types),
  ownDetail: ownDetailOf(agentId),
  upTo: number ?? Number.MAX_SAFE_INTEGER,
})

const everyType = 2 ** 31 - 1

function maskOf(stream: Stream, types: EventQuery['types']): number {
  const codeOf = (type: EventType | ClientEventType) =>
    'advertiserId' in stream ? typeCode(type as EventType) : clientTypeCode(type as ClientEventType)
  return types === undefined ? everyType : types.reduce((mask, type) => mask | (1 << codeOf(type)), 0)
}
