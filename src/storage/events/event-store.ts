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
import { hasVersion } from '../postgres/replica-version.ts'

export function createEventStore(database: Database): EventStore {
  const { reader, replica } = database
  const ofAdvertiser = advertiserPages(reader)
  const ofClient = prepareStatement(reader, (values: PageValues<string>) => clientPage(reader, values))
  const onReplica = replica && advertiserPages(replica.db, true)

  return {
    async page(stream, query, number) {
      const { after, limit } = query
      const values = {
        after,
        limit,
        types: maskOf(stream, query.types),
        upTo: number ?? Number.MAX_SAFE_INTEGER,
      }
      if ('clientId' in stream)
        return pageOf(stream, (await ofClient({ ...values, owner: stream.clientId })).rows, values)
      const owned = { ...values, owner: stream.advertiserId }
      const there = number !== undefined && onReplica?.[query.include ?? 'plain']
      if (there) {
        const page = await replica?.ask(async () => {
          const { rows } = await there(owned)
          return rows.length === 0 ? undefined : pageOf(stream, rows, values)
        })
        if (page !== undefined) return page
      }
      return pageOf(stream, (await ofAdvertiser[query.include ?? 'plain'](owned)).rows, values)
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

function advertiserPages(db: Kysely<Schema>, isReplica = false) {
  const prepare = (include?: Format) =>
    prepareStatement(db, (values: PageValues<number>) => {
      const page = advertiserPage(db, values, include)
      if (!isReplica) return page
      return page.where(hasVersion(db, values.owner, values.upTo, 'event_number'))
    })
  return { plain: prepare(), json: prepare('json'), xml: prepare('xml') }
}

interface PageValues<Owner> {
  owner: Owner
  after: number
  upTo: number
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
    .where('number', '<=', values.upTo)
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
    .where('number', '<=', values.upTo)
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

function pageOf(stream: Stream, rows: readonly PageRow[], { upTo }: { upTo: number }): EventPage {
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
    last: Math.min(state?.last ?? 0, upTo),
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
