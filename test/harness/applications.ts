import type { Insertable } from 'kysely'
import { createApplicationStore } from '../../src/collect/application-store.ts'
import { type Applications, createApplications } from '../../src/collect/service.ts'
import type { ApplicationDraft, ApplicationFile } from '../../src/model/application.ts'
import type { Schema } from '../../src/platform/database/tables.ts'
import { defaultLimits } from '../../src/settings-limits.ts'
import type { Services } from './services.ts'
import { putFile } from './tenant.ts'

type OwnApplication = Insertable<Schema['own_applications']>

/** The use cases on the database of these services, with chunks so small that every list spans several. */
export function applicationsInSmallChunks(services: Services, streamChunk: number): Applications {
  return createApplications({
    store: createApplicationStore(services.database),
    blobs: services.blobs,
    clock: services.clock,
    limits: { ...defaultLimits, streamChunk },
    holdUnscanned: false,
  })
}

/** An application with only the required fields. */
export function plainDraft(change: Partial<ApplicationDraft> = {}): ApplicationDraft {
  return {
    jobSeekerId: 'seeker',
    contact: { email: 'mary@example.com', firstName: 'Mary', lastName: 'Nguyen', phone: '' },
    files: [],
    ...change,
  }
}

/** A file whose bytes are in the blob store, as part of a draft. */
export async function uploaded(
  { blobs }: Services,
  file: Pick<ApplicationFile, 'type'> & Partial<ApplicationFile>,
  text: string,
): Promise<ApplicationFile> {
  const stored = await putFile({ blobs }, file.type, Buffer.from(text))
  return { ...stored, ...file }
}

/** Makes an application one that a candidate sent from their account. */
export async function giveToCandidate(
  { database: { writer }, clock }: Services,
  candidate_id: string,
  application: Pick<OwnApplication, 'advertiser_id' | 'application_id'> & Partial<OwnApplication>,
): Promise<void> {
  const form = { form_key: `form ${application.application_id}`, submitted_at: clock() }
  const ad = { job_ad_id: 31, job_title: 'Barista', job_location: '', advertiser_name: 'Harbour' }
  await writer
    .insertInto('own_applications')
    .values({ candidate_id, ...form, ...ad, ...application })
    .execute()
}

/** A candidate who can have resumes, and nothing else. */
export async function addCandidate({ database }: Services, id: string): Promise<void> {
  const rest = { password_hash: '', first_name: 'A', last_name: 'B', profile: '{}', created_at: 0 }
  await database.writer
    .insertInto('candidates')
    .values({ id, email: `${id}@example.net`, ...rest })
    .execute()
}
