import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type JsonPage, pageRoom } from '../../events/feed/ports.ts'
import { type EventType, eventRenderer, typeOfCode } from '../../model/events.ts'
import { compileOnce, prepareQuery } from '../database/prepared-query.ts'
import type { ReadRows, Schema } from '../database/tables.ts'
import { hasVersion } from '../postgres/replica-version.ts'
import { type PageValues, restoredAt, wantedEvents } from './event-queries.ts'

/**
 * Pages of an advertiser's events as the JSON to send. A hundred rows as objects cost more than the rest of a page, so
 * SQLite returns the values of all events in one row, and those of PostgreSQL are read as the bytes that it sent. Text
 * stays as it is stored: read and written as Latin-1, in which each byte is a character, it is neither decoded nor encoded.
 */
type Values = PageValues<number>

/** The values as text: '' is none. The detail is Latin-1. */
interface FoundEvent {
  number: string
  type: EventType
  applicationId: string
  detail: string
  /** Start and end of each part of its application, among the bytes that were read. */
  parts: readonly number[]
}

type State = Pick<JsonPage, 'last' | 'from' | 'restoredAt'>

/**
 * SQLite: one row, with the values of all events by column. The aggregates read their rows in the order of the limited
 * subquery. A detail is JSON, which contains no line break.
 */
function joinedPage(db: Kysely<Schema>, includes: boolean) {
  return (values: Values) => {
    const all = (value: RawBuilder<unknown>) => sql<string | null>`string_agg(${value}, char(10))`
    const events = db
      .selectFrom(wantedEvents(db, values).as('event'))
      .select([all(sql`number`).as('numbers'), all(sql`type`).as('types')])
      .select([
        all(sql`coalesce(application_id, '')`).as('ids'),
        sql<Uint8Array | null>`cast(${all(sql`detail`)} as blob)`.as('details'),
      ])
    const page = includes
      ? events
          .leftJoin('application_pieces as piece', join =>
            join
              .on('piece.advertiser_id', '=', values.owner)
              .on('piece.format', '=', sql.lit('json'))
              .onRef('piece.id', '=', 'event.application_id'),
          )
          .select([
            all(sql`coalesce(octet_length(body) + octet_length(primary_info), 0)`).as('sizes'),
            sql<Uint8Array | null>`cast(string_agg(body || primary_info, '') as blob)`.as('applications'),
          ])
      : events.select([sql<null>`null`.as('sizes'), sql<null>`null`.as('applications')])
    return db
      .selectFrom('advertiser_ledger as ledger')
      .innerJoin(page.as('page'), join => join.onTrue())
      .select(['ledger.event_number as last', 'ledger.events_from as from', restoredAt(db, 'restoredAt')])
      .selectAll('page')
      .where('ledger.advertiser_id', '=', values.owner)
  }
}

export function joinedReader(db: Kysely<Schema>, includes: boolean) {
  const query = prepareQuery(db, joinedPage(db, includes))
  return async (values: Values): Promise<JsonPage | undefined> => {
    const row = await query(values)
    if (row === undefined) return undefined
    const types = eachOf(row.types)
    const ids = eachOf(row.ids)
    const sizes = eachOf(row.sizes)
    const details = eachOf(row.details && bufferOf(row.details).toString('latin1'))
    let end = 0
    const events = eachOf(row.numbers).map((number, index): FoundEvent => {
      const start = end
      end += Number(sizes[index] ?? 0)
      const parts = start === end ? none : [start, end]
      const [applicationId = '', detail = ''] = [ids[index], details[index]]
      return { number, type: typeOfCode(Number(types[index])), applicationId, detail, parts }
    })
    const state = { last: row.last, from: row.from, restoredAt: Number(row.restoredAt ?? 0) }
    return pageOf(state, events, bufferOf(row.applications ?? new Uint8Array()), values)
  }
}

const none: readonly number[] = []
const eachOf = (joined: string | null) => (joined === null ? [] : joined.split('\n'))
const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength)

/** PostgreSQL: the state of the log in a row whose number no event has, and a row per event. */
function rowsPage(db: Kysely<Schema>, includes: boolean) {
  return (values: Values) => {
    const noText = sql<string | null>`cast(null as text)`
    const state = db
      .selectFrom('advertiser_ledger')
      .select([sql<number>`-event_number`.as('number'), 'events_from as type'])
      .select([sql<number | null>`cast(null as bigint)`.as('application_id'), restoredAt(db, 'detail')])
      .where('advertiser_id', '=', values.owner)
    const events = db
      .selectFrom(wantedEvents(db, values).as('event'))
      .select(['number', 'type', 'application_id', 'detail'])
    if (!includes) return state.unionAll(events)
    return state.select([noText.as('body'), noText.as('primary_info')]).unionAll(
      events
        .leftJoinLateral(
          eb =>
            eb
              .selectFrom('application_pieces')
              .select(['body', 'primary_info'])
              .where('advertiser_id', '=', values.owner)
              .where('format', '=', sql.lit('json'))
              .whereRef('id', '=', 'event.application_id')
              // The planner then looks it up for each event, however many it expects.
              .limit(sql.lit(1))
              .as('piece'),
          join => join.onTrue(),
        )
        .select(['piece.body', 'piece.primary_info']),
    )
  }
}

/** The same from a replica, if it has exactly this number. */
function replicaRowsPage(db: Kysely<Schema>, includes: boolean) {
  const page = rowsPage(db, includes)
  return (values: Values) =>
    db
      .selectFrom(page(values).as('page'))
      .selectAll()
      .where(hasVersion(db, values.owner, values.upTo, 'event_number'))
}

/** Undefined if there is no state: the ledger has no such row, or a replica has another number. */
export function rowsReader(
  { db, readRows }: { db: Kysely<Schema>; readRows: ReadRows },
  includes: boolean,
  isReplica = false,
) {
  const bind = compileOnce<Values, unknown>((isReplica ? replicaRowsPage : rowsPage)(db, includes))
  return (values: Values): Promise<JsonPage | undefined> =>
    readRows(bind(values), rows => {
      let state: State | undefined
      const events: FoundEvent[] = []
      for (let at = 0; at < rows.length; ) {
        const count = rows.readInt16BE(at)
        at += 2
        /** Start and end of each value; the same for null. */
        const ends: number[] = []
        for (let value = 0; value < count; value++) {
          const length = rows.readInt32BE(at)
          at += 4
          ends.push(at, length < 0 ? at : at + length)
          at = ends.at(-1) as number
        }
        const textOf = (value: number) => rows.toString('latin1', ends[2 * value], ends[2 * value + 1])
        const [number, type, applicationId, detail] = [textOf(0), Number(textOf(1)), textOf(2), textOf(3)]
        if (Number(number) <= 0) state = { last: -Number(number), from: type, restoredAt: Number(detail) }
        else
          events.push({
            ...{ number, type: typeOfCode(type), applicationId, detail },
            parts: ends[8] === ends[9] ? none : ends.slice(8),
          })
      }
      return state && pageOf(state, events, rows, values)
    })
}

export const emptyPage = (values: Values) =>
  pageOf({ last: 0, from: 0, restoredAt: 0 }, [], Buffer.alloc(0), values)

/** Compares numbers as text: the longer one is greater. */
const isBefore = ({ number: a }: FoundEvent, { number: b }: FoundEvent) =>
  a.length === b.length ? a < b : a.length < b.length

/** Joins the events, without the one beyond the limit, and inserts each application before the end of its event. */
function pageOf(state: State, found: FoundEvent[], bytes: Buffer, { owner, limit, upTo }: Values): JsonPage {
  // The databases keep the order of the subquery, though neither promises it.
  if (found.some((event, index) => index > 0 && isBefore(event, found[index - 1] as FoundEvent)))
    found.sort((a, b) => (isBefore(a, b) ? -1 : 1))
  const hasMore = found.length === limit
  const events = hasMore ? found.slice(0, -1) : found
  const render = eventRenderer({ advertiserId: owner })
  const texts: string[] = []
  let glue = ''
  let length = 2 * pageRoom
  for (const { number, type, applicationId, detail, parts } of events) {
    const hasApplication = parts.length > 0
    const text = `${glue}${render(number, type, applicationId, detail)}${hasApplication ? ',"application":' : ''}`
    texts.push(text)
    length += text.length
    for (let part = 0; part < parts.length; part += 2)
      length += (parts[part + 1] as number) - (parts[part] as number)
    glue = hasApplication ? '}},' : '},'
  }
  const end = glue.slice(0, -1)
  const json = Buffer.allocUnsafeSlow(length + end.length)
  let at = pageRoom
  for (let index = 0; index < texts.length; index++) {
    at += json.write(texts[index] as string, at, 'latin1')
    const { parts } = events[index] as FoundEvent
    for (let part = 0; part < parts.length; part += 2)
      at += bytes.copy(json, at, parts[part], parts[part + 1])
  }
  json.write(end, at, 'latin1')
  return {
    ...{ json, hasMore, newest: events.length === 0 ? undefined : Number(events.at(-1)?.number) },
    withApplication: events.flatMap(({ type, applicationId, parts }) =>
      parts.length === 0 ? [] : { type, applicationId: Number(applicationId) },
    ),
    ...{ last: Math.min(state.last, upTo), from: state.from, restoredAt: state.restoredAt },
  }
}
