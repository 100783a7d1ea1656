import { type Kysely, sql } from 'kysely'
import { type Format, pieceSeparator } from '../model/v1/rendering.ts'
import { compileOnce, prepareQuery } from '../platform/database/prepared-query.ts'
import type { Database, ReadRows, Replica, Schema } from '../platform/database/tables.ts'
import { hasVersion } from '../schema/ledger-version.ts'
import type { IdBounds } from './list-query.ts'

export interface PageRequest extends IdBounds {
  format: Format
  includePrimaryInfo: boolean
  limit: number
  /** Text to put before and after the pieces, if any. */
  head: string
  tail: string
}

export interface Page {
  /**
   * The joined pieces in UTF-8 between head and tail, without the closing of the last piece; empty if there are no
   * pieces.
   */
  content: Buffer
  count: number
  /** The last ID of the page; meaningless if the page is empty. */
  lastId: number
  hasMore: boolean
}

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
 * SQLite: one row per page. The database joins the pieces, which is several times faster than fetching a hundred rows,
 * and returns the exact bytes to send, including the frame, because every copy made here would be more work for the
 * garbage collector. The aggregate reads its rows in the order of the limited subquery; a property test checks that.
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
      // SQLite replans a statement whenever a bare LIMIT parameter is bound; with a sum it does not.
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
 * PostgreSQL: one row per piece, plus one more to know whether there is a next page. Joining them costs the server more
 * than sending them, and this process has to copy them anyway, so it joins them while copying.
 */
function rowsQuery(db: Kysely<Schema>, format: Format, includePrimaryInfo: boolean) {
  return (values: PageValues) =>
    wantedPieces(db, format, values)
      .select(includePrimaryInfo ? ['id', 'body', 'primary_info'] : ['id', 'body'])
      .where('id', '>', values.after)
      .orderBy('id')
      .limit(values.limit)
}

/** Like `rowsQuery`, from a replica. No row means that it does not have the version; a row without an ID means no pieces. */
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

/** Prepares a query for each format, with and without primary job-seeking info. */
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

/** Joins rows in PostgreSQL's wire format: the number of values, then length and bytes of each; ID first, then the piece. */
function pageOfRows(rows: Buffer, { format, limit, head, tail }: PageRequest): Page {
  /** Start and end offsets of each text. */
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

/** Reads a page from a replica; undefined if it does not have the version. */
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
