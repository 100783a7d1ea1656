import type { ApplicationDraft, ApplicationFile } from '../../src/model/application.ts'
import { open, type TestDatabase } from './database.ts'
import type { Services } from './services.ts'

export const listPath = '/v1/advertiser/applications'

/** An advertiser of its own with a credential, as an operator would add them. */
export interface Tenant {
  advertiserId: number
  credentialId: string
  /** As it is sent in `Authorization: SWS ...`. */
  credential: string
  headers: { authorization: string }
}

export async function addTenant(services: Services, name = 'Test Advertiser'): Promise<Tenant> {
  const { id: advertiserId } = await services.advertisers.add(name)
  const { id: credentialId, value: credential } = await services.credentials.issue(advertiserId, 'test', null)
  return { advertiserId, credentialId, credential, headers: { authorization: `SWS ${credential}` } }
}

/** For tests that only talk to the process: the database is closed again before it starts. */
export async function prepareTenant<T extends object>(
  { settings }: TestDatabase,
  fill: (services: Services, tenant: Tenant) => Promise<T>,
): Promise<Tenant & T>
export async function prepareTenant(database: TestDatabase): Promise<Tenant>
export async function prepareTenant(
  { settings }: TestDatabase,
  fill: (services: Services, tenant: Tenant) => Promise<object> = async () => ({}),
): Promise<Tenant> {
  const services = await open(settings)
  try {
    await services.schema.migrate()
    const tenant = await addTenant(services)
    return { ...tenant, ...(await fill(services, tenant)) }
  } finally {
    await services.close()
  }
}

/** An application with something in every part; `serial` distinguishes it from the others. */
export function draftOf(serial: string | number, files: ApplicationFile[] = []): ApplicationDraft {
  return {
    jobSeekerId: `candidate-${serial}`,
    contact: {
      email: `candidate.${serial}@example.com`,
      firstName: 'Casey',
      lastName: `O'Neill & Søn ${serial}`,
      phone: '0491 570 156',
    },
    jobReference: `REF-${serial}`,
    files,
    primaryJobSeekingInfo: { jobTitle: 'Barista', timeInRoleMonths: 18, isNewToWorkForce: false },
    screen: {
      id: 'screen-1',
      name: 'A few questions',
      successful: true,
      questions: [
        {
          id: 'q1',
          type: 'Text',
          text: 'Why here?',
          answers: [{ id: 'a1', text: `Because of <${serial}>`, selected: true }],
        },
      ],
    },
  }
}

/** Puts the bytes into the blob store, as an upload would, and describes them for an application. */
export async function putFile(
  { blobs }: Pick<Services, 'blobs'>,
  type: ApplicationFile['type'],
  bytes: Buffer,
): Promise<ApplicationFile> {
  async function* content() {
    yield bytes
  }
  const blob = await blobs.put(content())
  const described = {
    fileName: `${type}.txt`,
    contentType: 'text/plain',
    scan: 'clean',
    uploadedAt: Date.now(),
  }
  return { type, ...blob, ...described } as ApplicationFile
}
