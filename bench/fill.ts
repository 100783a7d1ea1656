import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Format } from '../src/model/v1/rendering.ts'
import type { Services } from '../test/harness/services.ts'
import { believableDraft } from './believable.ts'
import { openForBench, type Settings } from './bench-services.ts'
import { type BulkWriter, openBulkWriter } from './bulk-writer.ts'
import { type Block, type Calendar, isNeighbours } from './expansion.ts'
import { type ApplicationTable, pieceOf, templateRows } from './templates.ts'

/** The list sizes for the growth figures, one advertiser each. */
export const sizes = { small: 1_000, middle: 10_000, large: 100_000, huge: 1_000_000 }
const quickSizes = { small: 1_000, middle: 3_000, large: 10_000, huge: 30_000 }
export type SizeName = keyof typeof sizes
export const attachmentBytes = 1024 * 1024

export interface Account {
  advertiserId: number
  credential: string
  /** Its applications, ascending. */
  ids: number[]
}

/** The same applications under the same IDs in every database; the credentials differ. */
export interface World extends Record<SizeName, Account> {
  /** An advertiser whose applications are interleaved with theirs, as on any board; has the attachment. */
  neighbour: Account
  attachment: { applicationId: number; path: string }
}

const dayMs = 86_400_000
const stepMs = 60_000
/** The last one is dated now, so that pages for people find applications in recent days. */
const order: readonly SizeName[] = ['small', 'middle', 'huge', 'large']
const allTables: readonly ApplicationTable[] = [
  'applications',
  'application_pieces',
  'application_files',
  'application_screens',
  'application_terms',
]
/** What a list in JSON reads. The rest of a million would be gigabytes that no measurement reads. */
const listTables: readonly ApplicationTable[] = ['applications', 'application_pieces']

/**
 * Uses the real rendering, tables and indexes: later reads see what `apply` would have written. But the databases make
 * the rows themselves, from some thousand that were rendered once, and both at the same time.
 */
export async function fill(databases: readonly Settings[], isQuick: boolean): Promise<World[]> {
  const blocks = blocksOf(isQuick ? quickSizes : sizes)
  const lastId = blocks.at(-1)?.lastId ?? 0
  const startMs = Math.floor((Date.now() - dayMs) / stepMs) * stepMs - lastId * stepMs
  const calendar: Calendar = { startMs, stepMs }
  const templates = templateRows()
  const worlds: World[] = []
  const writers: BulkWriter[] = []
  try {
    for (const settings of databases) {
      worlds.push(await prepare(settings, startMs))
      writers.push(await openBulkWriter(settings, templates, calendar))
    }
    await Promise.all(
      writers.map(async (writer, index) => {
        await writer.make(blocks.map(block => ownedBlock(block, worlds[index] as World)))
        await writer.finish(lastId)
      }),
    )
  } finally {
    for (const writer of writers) await writer.close()
  }
  for (const [index, world] of worlds.entries()) {
    for (const { size, ids } of blocks) world[size].ids = ids
    await assertRendered(databases[index] ?? {}, world, calendar)
  }
  return worlds
}

interface SizedBlock {
  size: SizeName
  firstId: number
  lastId: number
  /** The owner's IDs. */
  ids: number[]
}

/** One ID is already taken, by the application with the attachment. */
function blocksOf(counts: Record<SizeName, number>): SizedBlock[] {
  let id = 2
  return order.map(size => {
    const firstId = id
    const ids: number[] = []
    for (; ids.length < counts[size]; id++) if (!isNeighbours(id)) ids.push(id)
    return { size, firstId, lastId: id - 1, ids }
  })
}

function ownedBlock({ size, firstId, lastId }: SizedBlock, world: World): Block {
  return {
    owner: world[size].advertiserId,
    neighbour: world.neighbour.advertiserId,
    firstId,
    lastId,
    tables: size === 'huge' ? listTables : allTables,
    formats: formatsOf(size),
  }
}

const formatsOf = (size: SizeName): readonly Format[] => (size === 'huge' ? ['json'] : ['json', 'xml'])

/** Creates the accounts and the attachment through the service itself. */
async function prepare(settings: Settings, now: number): Promise<World> {
  await using services = await openForBench(settings, () => now)
  await services.schema.migrate()
  const neighbour = await addAccount(services, 'Neighbour')
  return {
    neighbour,
    small: await addAccount(services, 'Small Advertiser'),
    middle: await addAccount(services, 'Middling Advertiser'),
    large: await addAccount(services, 'Large Advertiser'),
    huge: await addAccount(services, 'Huge Advertiser'),
    attachment: await addAttachment(services, settings, neighbour),
  }
}

async function addAccount({ advertisers, credentials }: Services, name: string): Promise<Account> {
  const { id } = await advertisers.add(name)
  const { value } = await credentials.issue(id, 'bench', null)
  return { advertiserId: id, credential: value, ids: [] }
}

async function addAttachment(
  { blobs, submissions }: Services,
  settings: Settings,
  { advertiserId }: Account,
) {
  const blob = await blobs.put(oneChunk(randomBytes(attachmentBytes)))
  const draft = believableDraft(0, Date.now())
  const resume = draft.files.slice(0, 1).map(file => ({ ...file, ...blob }))
  const { id } = await submissions.add(advertiserId, { ...draft, files: resume })
  return { applicationId: id, path: join(String(settings['DATA_DIR']), 'blobs', blob.blob) }
}

export async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Compares samples with the service's own rendering, character by character. */
async function assertRendered(settings: Settings, world: World, calendar: Calendar): Promise<void> {
  await using services = await openForBench(settings)
  for (const size of order) {
    const { advertiserId, ids } = world[size]
    for (const id of [ids[0], ids[ids.length >> 1], ids.at(-1)]) {
      for (const format of formatsOf(size)) await assertPiece(services, advertiserId, id ?? 0, format)
    }
  }

  async function assertPiece({ database }: Services, advertiserId: number, id: number, format: Format) {
    const stored = await database.reader
      .selectFrom('application_pieces')
      .select(['body', 'primary_info'])
      .where('advertiser_id', '=', advertiserId)
      .where('format', '=', format)
      .where('id', '=', id)
      .executeTakeFirst()
    const wanted = pieceOf(format, id, calendar.startMs + id * calendar.stepMs)
    if (stored?.body !== wanted.body || stored.primary_info !== wanted.primary_info) {
      throw new Error(`the fill has made another ${format} of application ${id} than the service would`)
    }
  }
}
