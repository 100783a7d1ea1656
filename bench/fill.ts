import { randomBytes } from 'node:crypto'
import { openServices, type Services } from '../src/app.ts'
import { type ApplicationView, type Format, renderPiece } from '../src/applications/rendering.ts'
import type { ApplicationDraft, ScreenResult } from '../src/applications/rules.ts'
import { type RenderedScreen, renderScreen } from '../src/applications/screen-rendering.ts'
import { searchTerms } from '../src/applications/search-terms.ts'
import { readConfig } from '../src/config.ts'
import type { Clock } from '../src/core/clock.ts'
import { createLog } from '../src/logging.ts'
import { believableDraft } from './believable.ts'
import { type BulkWriter, openBulkWriter, type Rows } from './bulk-writer.ts'

export type Settings = Record<string, string>

export const counts = { large: 100_000, small: 1_000 }
export const attachmentBytes = 1024 * 1024

export interface Account {
  advertiserId: number
  credential: string
  /** Its applications, ascending. */
  ids: number[]
}

/** The same applications under the same IDs in every database; the credentials differ. */
export interface World {
  large: Account
  small: Account
  /** Somebody whose applications lie between theirs, as on any board; has the attachment. */
  neighbour: Account
  attachment: { applicationId: number; path: string }
}

const dayMs = 86_400_000
const batchSize = 2_000
const formats: readonly Format[] = ['json', 'xml']
/** One a minute, the last of them now: three months of a busy board. */
const applicationMs = 60_000
const firstSubmittedAt = Date.now() - (counts.large + counts.small) * 1.25 * applicationMs - dayMs
const submittedAtOf = (id: number) => firstSubmittedAt + id * applicationMs

export const silentLog = createLog({ level: 'silent', format: 'json', write: () => {} })

export function openForBench(settings: Settings, clock?: Clock): Promise<Services> {
  return openServices(readConfig(settings), silentLog, clock)
}

/**
 * The real rendering, the real tables, and big transactions: what is read later is what `apply` would have
 * left behind, but it takes seconds instead of many minutes. Rendered once for all databases.
 */
export async function fill(databases: readonly Settings[]): Promise<World[]> {
  const worlds: World[] = []
  for (const settings of databases) worlds.push(await prepare(settings))
  const [{ large, small, neighbour, attachment }] = worlds as [World, ...World[]]
  const writers: BulkWriter[] = []
  try {
    for (const settings of databases) writers.push(await openBulkWriter(settings))
    // Both among as many strangers, so that the pages of both lie equally scattered on the disk.
    const middle = await addMany(writers, small, counts.small, neighbour, attachment.applicationId + 1)
    const end = await addMany(writers, large, counts.large, neighbour, middle)
    for (const writer of writers) {
      await writer.finish({ lastId: end - 1, lastSubmittedAt: submittedAtOf(end - 1) })
    }
  } finally {
    for (const writer of writers) await writer.close()
  }
  return worlds.map(world => ({
    ...world,
    large: { ...world.large, ids: large.ids },
    small: { ...world.small, ids: small.ids },
  }))
}

/** The accounts and the attachment, made by the service itself. */
async function prepare(settings: Settings): Promise<World> {
  const services = await openForBench(settings, () => submittedAtOf(1))
  try {
    await services.schema.migrate()
    const large = await addAccount(services, 'Large Advertiser')
    const small = await addAccount(services, 'Small Advertiser')
    const neighbour = await addAccount(services, 'Neighbour')
    return { large, small, neighbour, attachment: await addAttachment(services, neighbour) }
  } finally {
    await services.close()
  }
}

async function addAccount({ advertisers, credentials }: Services, name: string): Promise<Account> {
  const { id } = await advertisers.add(name)
  const { value } = await credentials.issue(id, 'bench', null)
  return { advertiserId: id, credential: value, ids: [] }
}

async function addAttachment({ blobs, applications }: Services, { advertiserId }: Account) {
  const blob = await blobs.put(oneChunk(randomBytes(attachmentBytes)))
  const draft = believableDraft(0, submittedAtOf(1))
  const resume = draft.files.slice(0, 1).map(file => ({ ...file, ...blob }))
  const { id } = await applications.apply(advertiserId, { ...draft, files: resume })
  return { applicationId: id, path: blobs.pathOf(blob.blob) }
}

export async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** `count` applications of one advertiser, with one of the neighbour after every four; returns the next ID. */
async function addMany(
  writers: readonly BulkWriter[],
  owner: Account,
  count: number,
  neighbour: Account,
  firstId: number,
): Promise<number> {
  let id = firstId
  let added = 0
  while (added < count) {
    const rows = noRows()
    while (added < count && rows.applications.length < batchSize) {
      const isNeighbours = id % 5 === 0
      const account = isNeighbours ? neighbour : owner
      addRows(rows, account.advertiserId, id)
      account.ids.push(id)
      if (!isNeighbours) added++
      id++
    }
    for (const writer of writers) await writer.write(rows)
  }
  return id
}

const noRows = (): Rows => ({
  applications: [],
  application_files: [],
  application_screens: [],
  application_pieces: [],
  application_terms: [],
})

function addRows(rows: Rows, advertiserId: number, id: number): void {
  const submittedAt = submittedAtOf(id)
  const draft = believableDraft(id, submittedAt)
  const screen = draft.screen === undefined ? null : rendered(draft.screen)
  const owner = { advertiser_id: advertiserId, application_id: id }
  rows.applications.push(applicationRow(advertiserId, id, submittedAt, draft))
  for (const file of draft.files) {
    rows.application_files.push({
      ...owner,
      type: file.type,
      file_name: file.fileName,
      content_type: file.contentType,
      blob: file.blob,
      sha256: file.sha256,
      size: file.size,
      scan: file.scan,
      uploaded_at: file.uploadedAt,
      changed_at: file.uploadedAt,
    })
  }
  if (screen !== null) {
    const { json, xml, sha256, size } = screen
    rows.application_screens.push({
      ...owner,
      json,
      xml,
      sha256,
      size,
      successful: Number(draft.screen?.successful),
    })
  }
  for (const term of searchTerms(draft.contact, draft.jobReference ?? null)) {
    rows.application_terms.push({ ...owner, term })
  }
  const view: ApplicationView = {
    id,
    submittedAt,
    contact: draft.contact,
    jobSeekerId: draft.jobSeekerId,
    jobReference: draft.jobReference ?? null,
    files: draft.files,
    primaryJobSeekingInfo: draft.primaryJobSeekingInfo ?? null,
    screen,
  }
  for (const format of formats) {
    const { body, primaryInfo } = renderPiece(format, view)
    rows.application_pieces.push({
      advertiser_id: advertiserId,
      format,
      id,
      body,
      primary_info: primaryInfo,
    })
  }
}

function applicationRow(advertiserId: number, id: number, submittedAt: number, draft: ApplicationDraft) {
  const { contact, primaryJobSeekingInfo: info } = draft
  return {
    advertiser_id: advertiserId,
    id,
    submitted_at: submittedAt,
    job_seeker_id: draft.jobSeekerId,
    email: contact.email,
    first_name: contact.firstName,
    last_name: contact.lastName,
    phone: contact.phone,
    job_reference: draft.jobReference ?? null,
    job_title: info?.jobTitle ?? null,
    company_name: info?.companyName ?? null,
    time_in_role_months: info?.timeInRoleMonths ?? null,
    is_new_to_work_force: info === undefined ? null : Number(info.isNewToWorkForce),
    // Two in three were made for one of fifty ads; bench/page-rows.ts makes those of the large advertiser.
    job_ad_id: id % 3 === 0 ? null : 1 + (id % 50),
    screen_successful: draft.screen === undefined ? null : Number(draft.screen.successful),
    has_virus: Number(id % 1_000 === 0),
    erased_at: null,
  }
}

const screens = new Map<ScreenResult, RenderedScreen>()

/** Few questionnaires are in use at once: each answered form is rendered once. */
function rendered(screen: ScreenResult): RenderedScreen {
  let known = screens.get(screen)
  if (known === undefined) {
    known = renderScreen(screen)
    screens.set(screen, known)
  }
  return known
}
