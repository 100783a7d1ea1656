import { type Kysely, type RawBuilder, sql } from 'kysely'
import { eventId, eventTypes, typeCode, typeOfCode } from '../../model/events.ts'
import { compileOnce, prepareQuery } from '../../platform/database/prepared-query.ts'
import type { ReadRows, Schema } from '../../platform/database/tables.ts'
import { text } from '../../platform/database/typed-values.ts'
import { hasVersion } from '../../schema/ledger-version.ts'
import { isWanted, type PageForm, type PageValues, restoredAt, wantedEvents } from './event-queries-store.ts'
import { type JsonPage, pageRoom } from './records.ts'

/** Precedes the number of an event in the place of its timestamp: JSON never contains this character unescaped. */
const stampMark = '\u0001'
const stampBytes = '2026-11-14T00:00:00.000Z'.length

const mark = stampMark.charCodeAt(0)
const [zero, nine] = ['0', '9'].map(digit => digit.charCodeAt(0)) as [number, number]
const [colon, point, zulu] = [':', '.', 'Z'].map(each => each.charCodeAt(0)) as [number, number, number]
const dayMs = 86_400_000
const dateBytes = '2026-11-14T'.length
let known = { day: Number.NaN, date: Buffer.alloc(dateBytes) }

/**
 * Replaces the marks and numbers in a page with the times of its events, in the form of `isoTimeOf` up to the year
 * 9999. Returns the number of the last event. Throws if the numbers do not ascend: no database promises the order in
 * which it joins rows, and a follower would lose events of a page in another order.
 */
function writeStamps(json: Buffer): number | undefined {
  const end = json.length - pageRoom
  let last: number | undefined
  for (let at = json.indexOf(mark, pageRoom); at >= 0 && at < end; at = json.indexOf(mark, at + stampBytes)) {
    const number = numberAt(json, at + 1)
    if (last !== undefined && number <= last) throw new Error('events were read in another order')
    last = number
    writeStamp(json, at, number)
  }
  return last
}

function numberAt(json: Buffer, start: number): number {
  let number = 0
  for (let at = start; ; at++) {
    const byte = json[at] as number
    if (byte < zero || byte > nine) return number
    number = number * 10 + byte - zero
  }
}

function writeStamp(json: Buffer, at: number, number: number): void {
  const day = Math.floor(number / dayMs)
  if (day !== known.day)
    known = { day, date: Buffer.from(new Date(day * dayMs).toISOString().slice(0, dateBytes)) }
  for (let byte = 0; byte < dateBytes; byte++) json[at + byte] = known.date[byte] as number
  const ms = number - day * dayMs
  const seconds = Math.floor(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  writeTwo(json, at + 11, Math.floor(minutes / 60))
  json[at + 13] = colon
  writeTwo(json, at + 14, minutes % 60)
  json[at + 16] = colon
  writeTwo(json, at + 17, seconds % 60)
  json[at + 19] = point
  json[at + 20] = zero + Math.floor((ms % 1000) / 100)
  writeTwo(json, at + 21, ms % 100)
  json[at + 23] = zulu
}

function writeTwo(json: Buffer, at: number, value: number): void {
  json[at] = zero + Math.floor(value / 10)
  json[at + 1] = zero + (value % 10)
}

/**
 * Pages of an advertiser's events as the JSON to send, rendered by the database as `renderEvent` does: a hundred rows
 * as objects cost more than the rest of a page. Only the timestamps are written here, over the bytes, because no
 * database formats times as fast.
 */
type Values = PageValues<number>

/** The parts of an event that all events on a page share. */
interface Frame {
  head: string
  stamp: string
  data: string
}

const frameOf = (advertiserId: number): Frame => ({
  head: `{"id":"${eventId({ advertiserId }, '')}`,
  stamp: `","timestamp":"${stampMark}`,
  data: `","data":{"advertiserId":${advertiserId}`,
})

const idHead = ',"applicationId":'
const applicationHead = ',"application":'

const typeWords = sql.join(
  eventTypes.map(type => sql`when ${sql.lit(typeCode(type))} then ${sql.lit(`","type":"${type}`)}`),
  sql` `,
)
const blanks = sql.lit(' '.repeat(stampBytes))

/** An event without its last brace. After the mark, the number fills the place of the timestamp. */
const rendered = ({ head, stamp, data }: Frame) =>
  sql<string>`${text(head)} || number || case type ${typeWords} end
    || ${text(stamp)} || substr(number || ${blanks}, 1, ${sql.lit(stampBytes - 1)})
    || ${text(data)} || coalesce(${sql.lit(idHead)} || application_id, '')
    || case detail when '' then '}' else ',' || detail || '}' end`

type State = Pick<JsonPage, 'last' | 'from' | 'restoredAt'>

/**
 * SQLite: one row per page, with the bytes to send and room for their frame. The aggregate reads its rows in the order of
 * the limited subquery; `writeStamps` checks it.
 */
function joinedPage(db: Kysely<Schema>, { includes, isOfAgent }: PageForm) {
  return (values: Values & Frame & { room: string }) => {
    const wanted = db.selectFrom(wantedEvents(db, values, isOfAgent).as('event'))
    const joined = (event: RawBuilder<string>) =>
      sql<Uint8Array | null>`cast(${values.room} || string_agg(${event}, '},') || '}' || ${values.room} as blob)`
    const newest = sql<number | null>`max(number)`.as('newest')
    const page = includes
      ? wanted
          .leftJoin('application_pieces as piece', join =>
            join
              .on('piece.advertiser_id', '=', values.owner)
              .on('piece.format', '=', sql.lit('json'))
              .onRef('piece.id', '=', 'event.application_id'),
          )
          .select([newest, joined(withApplication(rendered(values))).as('json'), includedIds.as('ids')])
      : wanted.select([newest, joined(rendered(values)).as('json'), sql<string | null>`null`.as('ids')])
    return db
      .selectFrom('advertiser_ledger as ledger')
      .innerJoin(page.as('page'), join => join.onTrue())
      .select(['ledger.event_number as last', 'ledger.events_from as from', restoredAt(db, 'restoredAt')])
      .select(['page.json', 'page.ids'])
      .select(({ exists, selectFrom, ref }) =>
        exists(
          selectFrom('events')
            .select(sql.lit(1).as('one'))
            .where('advertiser_id', '=', values.owner)
            .where('number', '>', ref('page.newest'))
            .where('number', '<=', values.upTo)
            .where(isWanted(values, isOfAgent)),
        ).as('hasMore'),
      )
      .where('ledger.advertiser_id', '=', values.owner)
  }
}

const withApplication = (event: RawBuilder<string>) =>
  sql<string>`${event} || coalesce(${sql.lit(applicationHead)} || body || primary_info || '}', '')`

/** The type and ID of each event that includes its application. */
const includedIds = sql<
  string | null
>`string_agg(case when body is not null then type || ' ' || application_id end, ' ')`

const room = ' '.repeat(pageRoom)

export function joinedReader(db: Kysely<Schema>, form: PageForm) {
  const query = prepareQuery(db, joinedPage(db, form))
  return async (values: Values): Promise<JsonPage | undefined> => {
    const row = await query({ ...values, limit: values.limit - 1, ...frameOf(values.owner), room })
    if (row === undefined) return undefined
    const state = { last: row.last, from: row.from, restoredAt: Number(row.restoredAt ?? 0) }
    const bytes = row.json ?? noEvents
    const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    return pageOf(json, Boolean(row.hasMore), row.ids?.split(' ') ?? [], state, values)
  }
}

/** PostgreSQL: one row with the state of the log, whose number no event has, and one row per event. */
function rowsPage(db: Kysely<Schema>, { includes, isOfAgent }: PageForm) {
  return (values: Values) => {
    const noText = sql<string | null>`cast(null as text)`
    const state = db
      .selectFrom('advertiser_ledger')
      .select([sql<number>`-event_number`.as('number'), 'events_from as type'])
      .select([sql<number | null>`cast(null as bigint)`.as('application_id'), restoredAt(db, 'detail')])
      .where('advertiser_id', '=', values.owner)
    const events = db
      .selectFrom(wantedEvents(db, values, isOfAgent).as('event'))
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
              // The limit makes the planner look it up for each event, however many it expects.
              .limit(sql.lit(1))
              .as('piece'),
          join => join.onTrue(),
        )
        .select(['piece.body', 'piece.primary_info']),
    )
  }
}

/** `rowsPage` from a replica, if its last event has exactly this number. */
function replicaRowsPage(db: Kysely<Schema>, form: PageForm) {
  const page = rowsPage(db, form)
  return (values: Values) =>
    db
      .selectFrom(page(values).as('page'))
      .selectAll()
      .where(hasVersion(db, values.owner, values.upTo, 'event_number'))
}

/** Undefined if there is no state: the ledger has no such row, or a replica has another number. */
export function rowsReader(
  { db, readRows }: { db: Kysely<Schema>; readRows: ReadRows },
  form: PageForm,
  isReplica = false,
) {
  const bind = compileOnce<Values, unknown>((isReplica ? replicaRowsPage : rowsPage)(db, form))
  return (values: Values): Promise<JsonPage | undefined> =>
    readRows(bind(values), rows => pageOfRows(rows, values))
}

/** Joins rows in PostgreSQL's wire format: the number of values, then length and bytes of each. */
function pageOfRows(rows: Buffer, values: Values): JsonPage | undefined {
  let state: State | undefined
  /** Start and end of each value of each event; equal for null. */
  const ends: number[] = []
  let perEvent = 0
  for (let at = 0; at < rows.length; ) {
    const before = ends.length
    perEvent = 2 * rows.readInt16BE(at)
    at += 2
    for (let value = 0; value < perEvent; value += 2) {
      const start = at + 4
      at = start + Math.max(0, rows.readInt32BE(at))
      ends.push(start, at)
    }
    const textOf = (value: number) =>
      rows.toString('latin1', ends[before + 2 * value], ends[before + 2 * value + 1])
    const first = rows[ends[before] as number]
    if (first !== minus && first !== zero) continue
    state = { last: -Number(textOf(0)), from: Number(textOf(1)), restoredAt: Number(textOf(3)) }
    ends.length = before
  }
  if (state === undefined) return undefined
  const hasMore = ends.length === perEvent * values.limit
  if (hasMore) ends.length -= perEvent
  const { json, ids } = joinRows(rows, ends, perEvent, values.owner)
  return pageOf(json, hasMore, ids, state, values)
}

const [minus, space] = ['-', ' '].map(each => each.charCodeAt(0)) as [number, number]
const typeBytes = eventTypes.map(type => Buffer.from(`","type":"${type}`))
const glue = {
  comma: Buffer.from(','),
  end: Buffer.from('}'),
  id: Buffer.from(idHead),
  application: Buffer.from(applicationHead),
}
/** Maximum size of an event's JSON around its values. */
const frameBytes = 256
/** Up to this size a loop is faster than the engine's own copy. */
const shortBytes = 64

/** Does the same as `rendered`, but from the values, byte by byte: PostgreSQL would take longer. */
function joinRows(rows: Buffer, ends: readonly number[], perEvent: number, advertiserId: number) {
  const frame = frameOf(advertiserId)
  const [head, stamp, data] = [frame.head, frame.stamp, frame.data].map(part => Buffer.from(part)) as [
    Buffer,
    Buffer,
    Buffer,
  ]
  const json = Buffer.allocUnsafeSlow(2 * pageRoom + rows.length + (ends.length / perEvent) * frameBytes)
  const ids: string[] = []
  let at = pageRoom
  function put(bytes: Buffer, from = 0, to = bytes.length): void {
    if (to - from > shortBytes) bytes.copy(json, at, from, to)
    else for (let byte = from; byte < to; byte++) json[at + byte - from] = bytes[byte] as number
    at += to - from
  }
  for (let event = 0; event < ends.length; event += perEvent) {
    const startOf = (value: number) => ends[event + 2 * value] as number
    const endOf = (value: number) => ends[event + 2 * value + 1] as number
    const has = (value: number) => 2 * value < perEvent && endOf(value) > startOf(value)
    const putValue = (value: number) => put(rows, startOf(value), endOf(value))
    if (event > 0) put(glue.comma)
    put(head)
    putValue(0)
    const type = rows.toString('latin1', startOf(1), endOf(1))
    put(typeBytes[Number(type) - 1] as Buffer)
    put(stamp)
    putValue(0)
    // A space ends the number; the time is written over the number and the rest of its place.
    json[at] = space
    at += stampBytes - 1 - (endOf(0) - startOf(0))
    put(data)
    if (has(2)) {
      put(glue.id)
      putValue(2)
    }
    if (has(3)) {
      put(glue.comma)
      putValue(3)
    }
    put(glue.end)
    if (has(4)) {
      ids.push(type, rows.toString('latin1', startOf(2), endOf(2)))
      put(glue.application)
      putValue(4)
      putValue(5)
      put(glue.end)
    }
    put(glue.end)
  }
  return { json: json.subarray(0, at + pageRoom), ids }
}

const noEvents = new Uint8Array(2 * pageRoom)

export const emptyPage = (values: Values) =>
  pageOf(Buffer.from(noEvents), false, [], { last: 0, from: 0, restoredAt: 0 }, values)

/** `ids`: type and ID in alternation. */
function pageOf(
  json: Buffer,
  hasMore: boolean,
  ids: readonly string[],
  state: State,
  { upTo }: Values,
): JsonPage {
  const withApplication = []
  for (let at = 0; at < ids.length; at += 2)
    withApplication.push({ type: typeOfCode(Number(ids[at])), applicationId: Number(ids[at + 1]) })
  return {
    json,
    hasMore,
    newest: writeStamps(json),
    withApplication,
    last: Math.min(state.last, upTo),
    from: state.from,
    restoredAt: state.restoredAt,
  }
}
