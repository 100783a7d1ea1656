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
import type { Format } from '../../model/v1/rendering.ts'
import { prepareStatement } from '../database/prepared-query.ts'
import { restoredKey } from '../database/server-history.ts'
import type { Database, Schema } from '../database/tables.ts'
import { integer } from '../database/typed-values.ts'

export function createEventStore(database: Database): EventStore {
  const { reader } = database
  const prepare = (include?: Format) =>
    prepareStatement(reader, (values: PageValues<number>) => advertiserPage(reader, values, include))
  const ofAdvertiser = { plain: prepare(), json: prepare('json'), xml: prepare('xml') }
  const ofClient = prepareStatement(reader, (values: PageValues<string>) => clientPage(reader, values))

  return {
    async page(stream, query) {
      const values = { after: query.after, limit: query.limit, types: maskOf(stream, query.types) }
      const { rows } =
        'advertiserId' in stream
          ? await ofAdvertiser[query.include ?? 'plain']({ ...values, owner: stream.advertiserId })
          : await ofClient({ ...values, owner: stream.clientId })
      return pageOf(stream, rows)
    },

    async lastOf(streams) {
      const advertisers = streams.flatMap(stream => ('advertiserId' in stream ? stream.advertiserId : []))
      const clients = streams.flatMap(stream => ('clientId' in stream ? stream.clientId : []))
      const last = new Map<number | string, number>()
      if (advertisers.length > 0) {
        const rows = await reader
          .selectFrom('advertiser_ledger')
          .select(['advertiser_id', 'event_number'])
          .where('advertiser_id', 'in', advertisers)
          .execute()
        for (const row of rows) last.set(row.advertiser_id, row.event_number)
      }
      if (clients.length > 0) {
        const rows = await reader
          .selectFrom('client_ledger')
          .select(['client_id', 'event_number'])
          .where('client_id', 'in', clients)
          .execute()
        for (const row of rows) last.set(row.client_id, row.event_number)
      }
      return streams.map(
        stream => last.get('advertiserId' in stream ? stream.advertiserId : stream.clientId) ?? 0,
      )
    },
  }
}

interface PageValues<Owner> {
  owner: Owner
  after: number
  limit: number
  /** Bits of the wanted types. */
  types: number
}

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

const isWanted = (types: number) => sql<boolean>`(1 << cast(type as integer)) & ${integer(types)} <> 0`
const restoredAt = (db: Kysely<Schema>) =>
  db.selectFrom('meta').select('value').where('key', '=', sql.lit(restoredKey)).as('restoredAt')

function advertiserPage(db: Kysely<Schema>, values: PageValues<number>, include?: Format) {
  const events = db
    .selectFrom('events')
    .select(['number', 'type', 'application_id as applicationId', 'detail'])
    .where('advertiser_id', '=', values.owner)
    .where('number', '>', values.after)
    .where(isWanted(values.types))
    .orderBy('number')
    .limit(sql<number>`${values.limit} + 0`)
  const page = db
    .selectFrom('advertiser_ledger as ledger')
    .leftJoin(events.as('event'), join => join.onTrue())
    .select(['ledger.event_number as last', 'ledger.events_from as from', restoredAt(db)])
    .select(['event.number', 'event.type', 'event.detail', 'event.applicationId'])
    .where('ledger.advertiser_id', '=', values.owner)
  if (include === undefined) return page
  return page.select(({ selectFrom }) =>
    selectFrom('application_pieces as piece')
      .select(sql<string>`piece.body || piece.primary_info`.as('text'))
      .where('piece.advertiser_id', '=', values.owner)
      .where('piece.format', '=', sql.lit(include))
      .whereRef('piece.id', '=', 'event.applicationId')
      .as('application'),
  )
}

function clientPage(db: Kysely<Schema>, values: PageValues<string>) {
  const events = db
    .selectFrom('client_events')
    .select(['number', 'type', 'detail'])
    .where('client_id', '=', values.owner)
    .where('number', '>', values.after)
    .where(isWanted(values.types))
    .orderBy('number')
    .limit(sql<number>`${values.limit} + 0`)
  return db
    .selectFrom('client_ledger as ledger')
    .leftJoin(events.as('event'), join => join.onTrue())
    .select(['ledger.event_number as last', 'ledger.events_from as from', restoredAt(db)])
    .select(['event.number', 'event.type', 'event.detail'])
    .where('ledger.client_id', '=', values.owner)
}

function pageOf(stream: Stream, rows: readonly PageRow[]): EventPage {
  const [state] = rows
  return {
    // Joining them need not keep their order.
    events: rows
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
      ),
    last: state?.last ?? 0,
    from: state?.from ?? 0,
    restoredAt: Number(state?.restoredAt ?? 0),
  }
}

const everyType = 2 ** 31 - 1

function maskOf(stream: Stream, types: EventQuery['types']): number {
  const codeOf = (type: EventType | ClientEventType) =>
    'advertiserId' in stream ? typeCode(type as EventType) : clientTypeCode(type as ClientEventType)
  return types === undefined ? everyType : types.reduce((mask, type) => mask | (1 << codeOf(type)), 0)
}
