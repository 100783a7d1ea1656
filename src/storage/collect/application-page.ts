import { type Kysely, sql } from 'kysely'
import type { Page, PageRequest } from '../../collect/ports.ts'
import { type Format, pieceSeparator } from '../../model/v1/rendering.ts'
import { compileOnce, prepareQuery } from '../database/prepared-query.ts'
import type { Database, ReadRows, Replica, Schema } from '../database/tables.ts'
import { hasVersion } from '../postgres/replica-version.ts'

interface PageValues {
  advertiserId: number
  after: number
  before: number
  limit: number
}

function wantedPieces(db: Kysely<Schema>, format: Format, { advertiserId, before }: PageValues) {
  return db
    .selectFrom('application_pieces')
    .where('advertiser_id', '=', advertiserId)
    .where('format', '=', sql.lit(format))
    .where('id', '<', before)
}

/**
 * SQLite: one row per page. The database puts the pieces together, which is several times faster than carrying a
 * hundred rows over, and hands them over as the bytes that are sent, with their frame: each copy that is made here
 * instead is new memory for the garbage collector. The aggregate takes its rows in the order of the limited subquery;
 * a property test watches that.
 */
function joinedQuery(db: Kysely<Schema>, format: Format, includePrimaryInfo: boolean) {
  return (values: PageValues & { head: string; tail: string }) => {
    const { head, tail } = values
    const wanted = wantedPieces(db, format, values)
    const joined = sql`string_agg(piece, ${sql.lit(pieceSeparator[format])})`
    const pieces = wanted
      .select(['id', includePrimaryInfo ? sql<string>`body || primary_info`.as('piece') : 'body as piece'])
      .where('id', '>', values.after)
      .orderBy('id')
      // SQLite plans a statement anew whenever a bare parameter of its LIMIT is bound; a sum it leaves alone.
      .limit(sql<number>`${values.limit} + 0`)
    const page = db
      .selectFrom(pieces.as('pieces'))
      .select(eb => [
        sql<Uint8Array | null>`cast(${head} || ${joined} || ${tail} as blob)`.as('content'),
        eb.fn.countAll<number>().as('count'),
        eb.fn.max('id').as('lastId'),
      ])
    return db
      .selectFrom(page.as('page'))
      .select(['content', 'count', 'lastId'])
      .select(eb =>
        eb
          .exists(wanted.select(sql.lit(1).as('one')).whereRef('id', '>', eb.ref('page.lastId')))
          .as('hasMore'),
      )
  }
}

/**
 * PostgreSQL: the pieces as they are, and one more than the page has, to know whether there is. To put them together
 * costs the server more than to send them, and here they are put together while they are copied anyway.
 */
function rowsQuery(db: Kysely<Schema>, format: Format, includePrimaryInfo: boolean) {
  return (values: PageValues) =>
    wantedPieces(db, format, values)
      .select(includePrimaryInfo ? ['id', 'body', 'primary_info'] : ['id', 'body'])
      .where('id', '>', values.after)
      .orderBy('id')
      .limit(values.limit)
}

/** The same from a replica. No row at all: it has not got the version. A row without an ID: there are none. */
function replicaRowsQuery(db: Kysely<Schema>, format: Format, includePrimaryInfo: boolean) {
  const pieces = rowsQuery(db, format, includePrimaryInfo)
  return (values: PageValues & { version: number }) => {
    const version = db
      .selectNoFrom(sql.lit(1).as('one'))
      .where(hasVersion(db, values.advertiserId, values.version))
    return db
      .selectFrom(version.as('version'))
      .leftJoin(pieces(values).as('piece'), join => join.onTrue())
      .selectAll('piece')
  }
}

/** Prepared for each form that a page can have. */
function preparePages<Run>(prepare: (format: Format, includePrimaryInfo: boolean) => Run) {
  const bothOf = (format: Format) => ({
    plain: prepare(format, false),
    withPrimaryInfo: prepare(format, true),
  })
  const pages = { json: bothOf('json'), xml: bothOf('xml') }
  return ({ format, includePrimaryInfo }: PageRequest) =>
    pages[format][includePrimaryInfo ? 'withPrimaryInfo' : 'plain']
}

const separators: Record<Format, Buffer> = {
  json: Buffer.from(pieceSeparator.json),
  xml: Buffer.from(pieceSeparator.xml),
}

const noPieces: Page = { content: Buffer.alloc(0), count: 0, lastId: 0, hasMore: false }

/** Each row is its ID and what makes up the piece: the number of values, and the length and the bytes of each. */
function pageOfRows(rows: Buffer, { format, limit, head, tail }: PageRequest): Page {
  /** Where each text begins and ends. */
  const texts: number[] = []
  let [at, count, textBytes] = [0, 0, 0]
  let lastId = { from: 0, to: 0 }
  while (at < rows.length && count < limit) {
    const values = rows.readInt16BE(at)
    const idLength = rows.readInt32BE(at + 2)
    if (idLength < 0) return noPieces
    lastId = { from: at + 6, to: at + 6 + idLength }
    at = lastId.to
    for (let value = 1; value < values; value++) {
      const from = at + 4
      at = from + rows.readInt32BE(at)
      texts.push(from, at)
      textBytes += at - from
    }
    count++
  }
  if (count === 0) return noPieces
  const separator = separators[format]
  const frameBytes = Buffer.byteLength(head) + Buffer.byteLength(tail)
  const content = Buffer.allocUnsafeSlow(frameBytes + textBytes + (count - 1) * separator.length)
  const ofOnePiece = texts.length / count
  let length = content.write(head)
  for (let index = 0; index < texts.length; index += 2) {
    if (index > 0 && index % ofOnePiece === 0) length += separator.copy(content, length)
    length += rows.copy(content, length, texts[index], texts[index + 1])
  }
  content.write(tail, length)
  const id = Number(rows.toString('latin1', lastId.from, lastId.to))
  return { content, count, lastId: id, hasMore: at < rows.length }
}

type ReadPage = (advertiserId: number, request: PageRequest) => Promise<Page>

export function pageReader(database: PageDatabase): ReadPage {
  return readsRows(database) ? rowsPageReader(database) : joinedPageReader(database.reader)
}

type PageDatabase = Pick<Database, 'reader' | 'readRows'>

const readsRows = (database: PageDatabase): database is PageDatabase & { readRows: ReadRows } =>
  database.readRows !== undefined

function joinedPageReader(db: Kysely<Schema>): ReadPage {
  const queryFor = preparePages((...form) => prepareQuery(db, joinedQuery(db, ...form)))
  return async (advertiserId, request) => {
    const { after, before, limit, head, tail } = request
    const row = await queryFor(request)({ advertiserId, after, before, limit, head, tail })
    if (row === undefined || row.content === null) return noPieces
    const { content: bytes, count, lastId } = row
    const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    return { content, count, lastId, hasMore: Boolean(row.hasMore) }
  }
}

function rowsPageReader(database: PageDatabase & { readRows: ReadRows }): ReadPage {
  const queryFor = preparePages((...form) => compileOnce(rowsQuery(database.reader, ...form)))
  return (advertiserId, request) => {
    const { after, before, limit } = request
    const values = { advertiserId, after, before, limit: limit + 1 }
    return database.readRows(queryFor(request)(values), rows => pageOfRows(rows, request))
  }
}

/** The same from a replica, as far as it has the version. */
export function replicaPageReader({ db, readRows }: Pick<Replica, 'db' | 'readRows'>) {
  const queryFor = preparePages((...form) => compileOnce(replicaRowsQuery(db, ...form)))

  return (advertiserId: number, request: PageRequest, version: number): Promise<Page | undefined> => {
    const { after, before, limit } = request
    const values = { advertiserId, after, before, limit: limit + 1, version }
    return readRows(queryFor(request)(values), rows =>
      rows.length === 0 ? undefined : pageOfRows(rows, request),
    )
  }
}
