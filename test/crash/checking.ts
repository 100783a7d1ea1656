import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { typeCode } from '../../src/model/events.ts'
import { type ApplicationView, renderApplication } from '../../src/model/v1/rendering.ts'
import type { Services } from '../harness/services.ts'
import { parseXml } from '../harness/xml.ts'
import type { Acknowledged } from './writing.ts'

/**
 * Checks everything between two IDs, both included: each application is complete, every acknowledged one is among them,
 * and the list agrees with the rows and the files. Returns the IDs.
 */
export async function checkRange(
  services: Services,
  advertiserId: number,
  [first, last]: [number, number],
  acknowledged: Acknowledged[],
): Promise<number[]> {
  const stored = await readStored(services, advertiserId, first, last)
  const ids = stored.map(({ id }) => id)
  const byId = new Map(stored.map(application => [application.id, application]))

  for (const receipt of acknowledged) {
    const application = byId.get(receipt.id)
    assert.ok(application !== undefined, `${receipt.id} was acknowledged and is lost`)
    assert.equal(application.submittedAt, receipt.submittedAt)
    assert.equal(application.contact.email, receipt.email)
    assert.deepEqual(
      application.files.map(({ type, sha256, size }) => `${type} ${sha256} ${size}`).sort(),
      receipt.attachments.map(({ type, sha256, size }) => `${type} ${sha256} ${size}`).sort(),
    )
  }

  let previous = 0
  for (const application of stored) {
    assert.ok(application.submittedAt >= previous, `${application.id}: its date lies before the previous one`)
    previous = application.submittedAt
    await checkFilesOf(services, application)
  }
  await checkPieces(services, advertiserId, stored)
  await checkQuestionnaires(services, advertiserId, stored)
  return ids
}

type StoredApplication = ApplicationView & { files: { blob: string | null }[] }

/** The rows as they are, assembled by a reader that is not the service's own. */
async function readStored({ database }: Services, advertiserId: number, first: number, last: number) {
  const { reader } = database
  const rows = await reader
    .selectFrom('applications')
    .selectAll()
    .where('advertiser_id', '=', advertiserId)
    .where('id', '>=', first)
    .where('id', '<=', last)
    .orderBy('id')
    .execute()
  const ofThem = <T extends { application_id: number }>(parts: T[]) =>
    parts.filter(part => part.application_id >= first && part.application_id <= last)
  const files = ofThem(await reader.selectFrom('application_files').selectAll().execute())
  const screens = ofThem(await reader.selectFrom('application_screens').selectAll().execute())
  return rows.map((row): StoredApplication => {
    const screen = screens.find(candidate => candidate.application_id === row.id)
    const own = files.filter(file => file.application_id === row.id)
    assert.ok(own.length > 0, `${row.id} has lost its files`)
    assert.ok(screen !== undefined, `${row.id} has lost its screen`)
    return {
      id: row.id,
      submittedAt: row.submitted_at,
      contact: { email: row.email, firstName: row.first_name, lastName: row.last_name, phone: row.phone },
      jobSeekerId: row.job_seeker_id,
      jobReference: row.job_reference,
      files: own.map(file => ({ ...file, uploadedAt: file.uploaded_at })),
      // The writer gives each application the same.
      primaryJobSeekingInfo: {
        jobTitle: String(row.job_title),
        timeInRoleMonths: Number(row.time_in_role_months),
        isNewToWorkForce: row.is_new_to_work_force === 1,
      },
      screen: { sha256: screen.sha256, size: screen.size },
    }
  })
}

async function checkFilesOf({ blobs }: Services, { id, files }: StoredApplication): Promise<void> {
  for (const file of files) {
    const hash = createHash('sha256')
    let size = 0
    for await (const chunk of await blobs.open(file)) {
      hash.update(chunk as Buffer)
      size += chunk.length
    }
    assert.deepEqual([hash.digest('hex'), size], [file.sha256, file.size], `${file.type} of ${id}`)
  }
}

/** Both pieces of each, as rendered afresh from the rows. */
async function checkPieces({ database }: Services, advertiserId: number, stored: ApplicationView[]) {
  for (const application of stored) {
    const pieces = await database.reader
      .selectFrom('application_pieces')
      .select(['format', 'body', 'primary_info as primaryInfo'])
      .where('advertiser_id', '=', advertiserId)
      .where('id', '=', application.id)
      .orderBy('format')
      .execute()
    const fresh = (['json', 'xml'] as const).map(format => ({
      format,
      ...renderApplication(format, application),
    }))
    assert.deepEqual(
      pieces.map(piece => ({ ...piece })),
      fresh,
    )
  }
}

async function checkQuestionnaires(
  { applications }: Services,
  advertiserId: number,
  stored: ApplicationView[],
) {
  for (const { id, screen, jobSeekerId } of stored) {
    const xml = await applications.screen(advertiserId, id, 'xml')
    const sha256 = createHash('sha256').update(xml).digest('hex')
    assert.deepEqual({ sha256, size: Buffer.byteLength(xml) }, screen)
    const said = `Because of <${jobSeekerId.replace('candidate-', '')}>`
    assert.equal(parseXml(xml).children[0]?.children[0]?.text, said)
    const json = JSON.parse(await applications.screen(advertiserId, id, 'json'))
    assert.equal(json.screen.question[0].answer['#text'], said)
  }
}

/** When all writers have ended: the whole list in both formats, and the ledgers kept beside it. */
export async function checkWhole(services: Services, advertiserId: number, ids: number[]): Promise<void> {
  const owner = { advertiserId, agentId: null }
  const query = { includePrimaryInfo: true }
  const json = JSON.parse(await text(await services.applications.listAll(owner, 'json', query)))
  const listed: { ID: number }[] = json.JobApplications.JobApplicationsList
  assert.deepEqual(
    listed.map(({ ID }) => ID),
    ids,
  )
  const xml = parseXml(await text(await services.applications.listAll(owner, 'xml', query)))
  const list = xml.children.find(({ name }) => name === 'JobApplicationsList')
  assert.deepEqual(
    list?.children.map(({ children }) => Number(children[0]?.text)),
    ids,
  )
  const { reader } = services.database
  const ledger = await reader
    .selectFrom('advertiser_ledger')
    .select(['version', 'last_submitted_at'])
    .where('advertiser_id', '=', advertiserId)
    .executeTakeFirstOrThrow()
  const { newest } = await reader
    .selectFrom('applications')
    .select(eb => eb.fn.max('submitted_at').as('newest'))
    .where('advertiser_id', '=', advertiserId)
    .executeTakeFirstOrThrow()
  // The ledger moves in the same step, so it can be neither ahead nor behind.
  assert.equal(ledger.last_submitted_at, newest)
  assert.ok(ledger.version >= newest)
  assert.deepEqual(await services.counts.faults(advertiserId), [])
  // Each application has its event, in the order of the IDs: a follower has missed nothing.
  const events = await reader
    .selectFrom('events')
    .select('application_id')
    .where('advertiser_id', '=', advertiserId)
    .where('type', '=', typeCode('application.created'))
    .orderBy('number')
    .execute()
  assert.deepEqual(
    events.map(event => event.application_id),
    ids,
  )
  for (const [table, perApplication] of [
    ['application_pieces', 2],
    ['application_screens', 1],
  ] as const) {
    const { count } = await reader
      .selectFrom(table)
      .select(eb => eb.fn.countAll<number>().as('count'))
      .where('advertiser_id', '=', advertiserId)
      .executeTakeFirstOrThrow()
    assert.equal(Number(count), ids.length * perApplication, table)
  }
}
