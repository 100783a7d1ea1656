import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Page, PageRequest } from '../applications/ports.ts'
import { type Format, pieceSeparator } from '../applications/rendering.ts'
import { prepareQuery } from './prepared-query.ts'
import { hasVersion } from './replica-version.ts'
import type { Dialect, Schema } from './schema.ts'

/**
 * The bytes of the page are what is sent, so decoding them here only to encode them again would be waste.
 * SQLite hands them over as a blob. The driver for PostgreSQL knows text only, so there each byte is made one
 * character: such text is a copy to make bytes of, while encoding 100 kB of mixed scripts took 0.4 ms.
 */
function bytesAsLatin1(text: RawBuilder<unknown>) {
  return sql`convert_from(convert_to(${text}, 'UTF8'), 'LATIN1')`
}

interface PageValues {
  advertiserId: number
  after: number
  before: number
  limit: number
}

/**
 * One row per page: the database puts the pieces together, which is several times faster than carrying a
 * hundred rows over. The aggregate takes its rows in the order of the limited subquery; PostgreSQL documents
 * that, SQLite does it, and a property test watches both.
 */
function pageQuery(db: Kysely<Schema>, dialect: Dialect, format: Format, includePrimaryInfo: boolean) {
  const joined = sql`string_agg(piece, ${sql.lit(pieceSeparator[format])})`
  const content = dialect === 'sqlite' ? sql`cast(${joined} as blob)` : bytesAsLatin1(joined)
  return ({ advertiserId, after, before, limit }: PageValues) => {
    const wanted = db
      .selectFrom('application_pieces')
      .where('advertiser_id', '=', advertiserId)
      .where('format', '=', sql.lit(format))
      .where('id', '<', before)
    const pieces = wanted
      .select(['id', includePrimaryInfo ? sql<string>`body || primary_info`.as('piece') : 'body as piece'])
      .where('id', '>', after)
      .orderBy('id')
      // SQLite plans a statement anew whenever a bare parameter of its LIMIT is bound; a sum it leaves alone.
      .limit(dialect === 'sqlite' ? sql<number>`${limit} + 0` : limit)
    const page = db
      .selectFrom(pieces.as('pieces'))
      .select(eb => [
        content.$castTo<string | Uint8Array | null>().as('content'),
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

type PageQuery = ReturnType<typeof pageQuery>

/** Prepared for each form that a page can have. */
function preparePages<Run>(db: Kysely<Schema>, dialect: Dialect, prepare: (query: PageQuery) => Run) {
  const bothOf = (format: Format) => ({
    plain: prepare(pageQuery(db, dialect, format, false)),
    withPrimaryInfo: prepare(pageQuery(db, dialect, format, true)),
  })
  const pages = { json: bothOf('json'), xml: bothOf('xml') }
  return ({ format, includePrimaryInfo }: PageRequest) =>
    pages[format][includePrimaryInfo ? 'withPrimaryInfo' : 'plain']
}

interface PageRow {
  content: string | Uint8Array | null
  count: number
  lastId: number
  hasMore: unknown
}

function pageOf(row: PageRow | undefined): Page {
  const content = row?.content ?? ''
  return {
    content: typeof content === 'string' ? Buffer.from(content, 'latin1') : content,
    count: row?.count ?? 0,
    lastId: row?.lastId ?? 0,
    hasMore: Boolean(row?.hasMore),
  }
}

export function pageReader(db: Kysely<Schema>, dialect: Dialect) {
  const queryFor = preparePages(db, dialect, query => prepareQuery(db, query))

  return async (advertiserId: number, request: PageRequest): Promise<Page> => {
    const { after, before, limit } = request
    return pageOf(await queryFor(request)({ advertiserId, after, before, limit }))
  }
}

/** The same from a replica, as far as it has the version. */
export function replicaPageReader(db: Kysely<Schema>) {
  const queryFor = preparePages(db, 'postgres', query =>
    prepareQuery(db, (values: PageValues & { version: number }) =>
      query(values).where(hasVersion(db, values.advertiserId, values.version)),
    ),
  )

  return async (advertiserId: number, request: PageRequest, version: number): Promise<Page | undefined> => {
    const { after, before, limit } = request
    const row = await queryFor(request)({ advertiserId, after, before, limit, version })
    return row && pageOf(row)
  }
}
