// Compares reading a page of 100 as pieces with reading it from blocks of consecutive pieces, for decision 081:
// `node bench/blocks-against-pieces.ts`.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { createApplicationStore } from '../src/collect/application-store.ts'
import { pieceSeparator } from '../src/model/v1/rendering.ts'
import { compileOnce } from '../src/platform/database/prepared-query.ts'
import type { Database } from '../src/platform/database/tables.ts'
import { startPostgres } from '../test/harness/postgres.ts'
import { openForBench, type Settings } from './bench-services.ts'
import { type Account, fill } from './fill.ts'
import { cpuSeconds } from './process-figures.ts'
import { median } from './rounds.ts'

const pageSize = 100
const blockSizes = [16, 32, 64, 128]
const [rounds, pages] = [7, 1_000]

/** Makes a table of blocks of the advertiser's JSON: the last ID, the IDs with the length of each piece, the pieces. */
async function seal({ dialect, writer, migrator }: Database, advertiserId: number, size: number) {
  const isPostgres = dialect === 'postgres'
  const table = sql.table(`blocks_${size}`)
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  const place = isPostgres
    ? sql`lpad(id::text, 16, '0') || lpad(octet_length(body)::text, 8, '0')`
    : sql`printf('%016d%08d', id, octet_length(body))`
  await sql`create table ${table} (
    advertiser_id ${integer} not null, last_id ${integer} not null, places text not null, bodies text not null,
    primary key (advertiser_id, last_id))`.execute(migrator)
  // Out of line and uncompressed, because decompressing costs more than reading.
  if (isPostgres) await sql`alter table ${table} alter column bodies set storage external`.execute(migrator)
  await sql`insert into ${table} (advertiser_id, last_id, places, bodies)
    select advertiser_id, max(id), string_agg(${place}, '' order by id), string_agg(body, '},' order by id)
    from (
      select advertiser_id, id, body, (row_number() over (order by id) - 1) / ${sql.lit(size)} as block
      from application_pieces where advertiser_id = ${advertiserId} and format = 'json') piece
    group by advertiser_id, block`.execute(writer)
  if (isPostgres) await sql`vacuum analyze ${table}`.execute(migrator)
}

const [idDigits, lengthDigits] = [16, 8]
const separator = Buffer.from(pieceSeparator.json)

/** A block as it was read. */
interface Block {
  places: Buffer
  bodies: Buffer
}

function readBlocks({ reader, readRows }: Database, { advertiserId }: Account, size: number) {
  // A page that begins in the middle of a block reaches into one more.
  const blocks = 1 + Math.ceil(pageSize / size)
  const asBytes = (column: string) =>
    readRows === undefined ? sql`cast(${sql.ref(column)} as blob) as ${sql.ref(column)}` : sql.ref(column)
  const query = compileOnce(({ after }: { after: number }) => ({
    compile: () =>
      sql<Record<keyof Block, Uint8Array>>`select ${asBytes('places')}, ${asBytes('bodies')}
        from ${sql.table(`blocks_${size}`)}
        where advertiser_id = ${advertiserId} and last_id > ${after} order by last_id limit ${blocks}`.compile(
        reader,
      ),
  }))
  return async (after: number) => {
    if (readRows !== undefined) return readRows(query({ after }), rows => pageOf(blocksIn(rows), after))
    const { rows } = await reader.executeQuery(query({ after }))
    return pageOf(
      rows.map(({ places, bodies }) => ({ places: bufferOf(places), bodies: bufferOf(bodies) })),
      after,
    )
  }
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength)

/** Rows in PostgreSQL's wire format: the number of values, then length and bytes of each. */
function blocksIn(rows: Buffer): Block[] {
  const found: Block[] = []
  for (let at = 0; at < rows.length; ) {
    const placesAt = at + 6
    const bodiesAt = placesAt + rows.readInt32BE(placesAt - 4) + 4
    at = bodiesAt + rows.readInt32BE(bodiesAt - 4)
    found.push({ places: rows.subarray(placesAt, bodiesAt - 4), bodies: rows.subarray(bodiesAt, at) })
  }
  return found
}

/** Copies one slice of each block. */
function pageOf(blocks: readonly Block[], after: number): Buffer {
  const slices: Buffer[] = []
  let [count, bytes] = [0, 0]
  for (const { places, bodies } of blocks) {
    let [offset, start, end] = [0, -1, -1]
    for (let at = 0; at < places.length && count < pageSize; at += idDigits + lengthDigits) {
      const length = numberAt(places, at + idDigits, lengthDigits)
      if (numberAt(places, at, idDigits) > after) {
        if (start < 0) start = offset
        end = offset + length
        count++
      }
      offset += length + separator.length
    }
    if (start >= 0) slices.push(bodies.subarray(start, end))
    bytes += end - start
  }
  const page = Buffer.allocUnsafeSlow(bytes + (slices.length - 1) * separator.length)
  let length = 0
  for (const [index, slice] of slices.entries()) {
    if (index > 0) length += separator.copy(page, length)
    length += slice.copy(page, length)
  }
  return page
}

function numberAt(digits: Buffer, at: number, length: number): number {
  let value = 0
  for (let index = at; index < at + length; index++) value = value * 10 + (digits[index] ?? 0) - 48
  return value
}

function readPieces(database: Database, { advertiserId }: Account) {
  const store = createApplicationStore(database)
  const request = { format: 'json', includePrimaryInfo: false, limit: pageSize, head: '', tail: '' } as const
  return async (after: number) =>
    (await store.page(advertiserId, { ...request, after, before: Number.MAX_SAFE_INTEGER })).content
}

async function measure(label: string, settings: Settings, serverPid?: number): Promise<void> {
  const [world] = await fill([settings], true)
  if (world === undefined) throw new Error('nothing was filled')
  await using services = await openForBench(settings)
  const { database } = services
  // Larger than the cache of SQLite.
  const account = world.huge
  const ways = new Map<string, Read>([['pieces', readPieces(database, account)]])
  for (const size of blockSizes) {
    await seal(database, account.advertiserId, size)
    ways.set(`blocks of ${size}`, readBlocks(database, account, size))
  }
  const found = new Map([...ways.keys()].map(way => [way, { ours: [] as number[], server: [] as number[] }]))
  for (const [way, read] of ways) await assertSame(way, read, readPieces(database, account), account.ids)
  for (let round = 0; round < rounds; round++) {
    for (const [way, read] of ways) {
      const { ours, server } = await cpuOf(read, account.ids, serverPid)
      found.get(way)?.ours.push(ours)
      found.get(way)?.server.push(server)
    }
  }
  console.log(`${label}: CPU µs for a page of ${pageSize}, medians of ${rounds} rounds`)
  console.table(
    [...found].map(([way, { ours, server }]) => ({
      way,
      ours: Math.round(median(ours)),
      ...(serverPid === undefined ? {} : { server: Math.round(median(server)) }),
    })),
  )
}

type Read = (after: number) => Promise<Buffer>

async function assertSame(way: string, read: Read, wanted: Read, ids: readonly number[]): Promise<void> {
  for (const after of [0, ids[0] ?? 0, ids[31] ?? 0, ids[ids.length >> 1] ?? 0]) {
    if (!(await read(after)).equals(await wanted(after))) throw new Error(`${way} after ${after} differ`)
  }
}

async function cpuOf(read: Read, ids: readonly number[], serverPid?: number) {
  const serverSeconds = () => (serverPid === undefined ? 0 : (cpuSeconds(serverPid) ?? 0))
  const readSome = async (count: number) => {
    for (let page = 0; page < count; page++) {
      await read(ids[Math.floor(Math.random() * (ids.length - 2 * pageSize))] ?? 0)
    }
  }
  await readSome(pages / 10)
  const [before, serverBefore] = [process.cpuUsage(), serverSeconds()]
  await readSome(pages)
  const { user, system } = process.cpuUsage(before)
  return { ours: (user + system) / pages, server: ((serverSeconds() - serverBefore) * 1e6) / pages }
}

const folder = await mkdtemp(join(tmpdir(), 'dossier-blocks-'))
const postgres = await startPostgres()
try {
  await measure('SQLite', { DATA_DIR: join(folder, 'sqlite') })
  const name = await postgres.createDatabase()
  const [row] = await postgres.query("select split_part(pg_read_file('postmaster.pid'), e'\\n', 1) as pid")
  const settings = { DATA_DIR: join(folder, 'postgres'), DATABASE_URL: postgres.url(name) }
  await measure('PostgreSQL', settings, Number(row?.['pid']))
} finally {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
