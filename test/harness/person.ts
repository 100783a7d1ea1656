import type { ApplicationFile } from '../../src/model/application.ts'
import type { ProfileToken } from '../../src/model/principal.ts'
import { emptyProfile } from '../../src/model/profile.ts'
import { renderScreen } from '../../src/model/v1/screen-rendering.ts'
import { sha256Hex } from '../../src/platform/core/hashing.ts'
import { dataTables } from '../../src/schema/data-tables.ts'
import { scopes } from '../../src/share/protocol/scopes.ts'
import type { Stores } from '../store/stores.ts'
import { uploaded } from './applications.ts'
import { byPassword } from './proof.ts'
import type { Services } from './services.ts'

/** A person with one of everything an account can have, in words that occur nowhere else. */
export interface Person {
  candidateId: string
  email: string
  passwordHash: string
  /** Every word that would identify the person. */
  marks: string[]
  applicationId: number
  grantId: string
  clientId: string
  token: ProfileToken
  /** Issued and not redeemed. */
  codeHash: string
  resumeId: string
  /** In the account and in the application. */
  shared: ApplicationFile
  /** In the application alone. */
  letter: ApplicationFile
}

export const personRedirectUri = 'https://client.example/back'
/** Of the client's secret. */
export const personSecretHash = 'b'.repeat(64)

/** The client of people: with the scopes that a test needs. */
export function addPersonClient(
  { clients }: Pick<Stores, 'clients'>,
  { id = 'client', scopes: its = [], at = Date.now() }: { id?: string; scopes?: string[]; at?: number } = {},
) {
  const client = { id, name: 'Careers', agentId: null, requirePkce: false, scopes: its }
  return clients.add({ ...client, redirectUris: [personRedirectUri] }, personSecretHash, at)
}

export async function addPerson(
  services: Services,
  stores: Stores,
  { name, advertiserId, clientId }: { name: string; advertiserId: number; clientId: string },
): Promise<Person> {
  const at = services.clock()
  const later = at + 3_600_000
  const candidateId = `${name}-id`
  const email = `${name}@example.org`
  const passwordHash = `hash of ${name}`
  const contact = { email, firstName: `First${name}`, lastName: `Last${name}`, phone: `+61 ${name}` }
  const marks = [email, contact.firstName, contact.lastName, contact.phone, `${name}-`, `${name} `]
  await stores.accounts.add({
    candidateId,
    ...contact,
    passwordHash,
    profile: JSON.stringify({ ...emptyProfile, phoneNumber: contact.phone }),
    createdAt: at,
  })
  const shared = await uploaded(services, { type: 'resume', fileName: `${name}-cv.pdf` }, `cv of ${name}`)
  const letter = await uploaded(services, { type: 'coverLetter', fileName: `${name}-a.pdf` }, `a ${name}`)
  const resumeId = `${name}-resume`
  await stores.candidates.addResume(candidateId, { id: resumeId, ...shared }, 9)
  await stores.sessions.add(candidateId, passwordHash, {
    hash: `${name}-session-hash`,
    sessionId: `${name}-session`,
    browser: `Firefox of ${name} `,
    ...byPassword,
    createdAt: at,
    expiresAt: later,
  })
  await stores.accounts.addLink({
    hash: `${name}-link`,
    purpose: 'change-email',
    candidateId,
    email: `new-${email}`,
    expiresAt: later,
  })
  const sent = await stores.ownApplications.send(
    candidateId,
    {
      formKey: `${name}-form`,
      resumeId,
      ad: {
        advertiserId,
        jobAdId: 1,
        jobTitle: 'Baker',
        jobLocation: 'Newcastle',
        advertiserName: 'Harbour',
      },
      application: {
        jobSeekerId: candidateId,
        contact,
        jobAdId: 1,
        jobReference: 'HCR-7',
        files: [letter],
        primaryJobSeekingInfo: {
          jobTitle: `Title ${name}-`,
          companyName: `${name}-Co`,
          isNewToWorkForce: false,
        },
        screen: {
          successful: true,
          ...renderScreen({
            id: '1',
            name: 'Screen',
            successful: true,
            questions: [
              {
                id: '1',
                type: 'Text',
                text: 'Why?',
                answers: [{ id: '1', text: `${name}-answer`, selected: true }],
              },
            ],
          }),
        },
      },
    },
    at,
  )
  if (sent.kind !== 'sent') throw new Error('could not apply')
  const grantId = `${name}-grant`
  const key = { candidateId, clientId, advertiserId: null }
  const code = (hash: string) => ({
    hash,
    redirectUri: personRedirectUri,
    scope: scopes.profile,
    challenge: null,
    issuedAt: at,
    expiresAt: later,
  })
  const decision = { grantId, scope: scopes.profile, released: 63, filled: 63, decidedAt: at, resumeId }
  await stores.oauth.recordConsent(key, decision, code(`${name}-first-code`))
  const holder = { clientId, secretHash: personSecretHash, redirectUri: personRedirectUri, challenge: '' }
  const tokenHash = `${name}-token`
  const newToken = { hash: tokenHash, issuedAt: at, expiresAt: later }
  if (!(await stores.oauth.redeem(`${name}-first-code`, holder, newToken, 3)))
    throw new Error('could not redeem')
  await stores.oauth.issueCode(grantId, code(`${name}-code`))
  const token = { hash: tokenHash, clientId, candidateId, grantId, advertiserId: null, released: 63 }
  await stores.sharing.recordPrefill(token, newPrefill(name, advertiserId, resumeId), at)
  await stores.members.join(await invite(stores, advertiserId, name, email, at), { candidateId, email }, at)
  return {
    candidateId,
    email,
    passwordHash,
    marks,
    applicationId: sent.applicationId,
    grantId,
    clientId,
    token,
    codeHash: `${name}-code`,
    resumeId,
    shared,
    letter,
  }
}

async function invite(stores: Stores, advertiserId: number, name: string, email: string, at: number) {
  const hash = `${name}-invitation`
  const times = { createdAt: at, expiresAt: at + 3_600_000 }
  await stores.members.invite(advertiserId, { id: hash, hash, email, role: 'recruiter', ...times }, 99)
  return hash
}

/** The ID of the person's prefilled application. */
export const prefilledId = (name: string) => `prefilled-${sha256Hex(name).slice(0, 12)}`

export function newPrefill(name: string, advertiserId: number, resumeId: string) {
  return {
    // Says nothing about the person, and stays in the log of events after an erasure.
    id: prefilledId(name),
    retryKey: `${name}-retry`,
    request: {
      advertiserId,
      applicationFormUrl: `https://client.example/${name}-form`,
      positionTitle: 'Barista',
      positionUri: null,
      positionReference: null,
      countryCode: 'AU',
      postalCode: null,
    },
    resume: { resumeId, releasedId: `${name}-released` },
    disclosure: { id: `${name}-disclosure`, filled: 31 },
  }
}

/** Every row of every table as text. */
export async function everyRow({ database }: Services): Promise<string[]> {
  const rows: string[] = []
  for (const table of [...dataTables, 'meta'] as const) {
    for (const row of await database.writer.selectFrom(table).selectAll().execute())
      rows.push(`${table} ${JSON.stringify(row)}`)
  }
  return rows.toSorted()
}

/** The texts that contain a word that identifies the person. */
export async function tracesOf(services: Services, { marks }: Pick<Person, 'marks'>): Promise<string[]> {
  const words = marks.map(mark => mark.toLowerCase())
  return (await everyRow(services)).filter(
    // The ID of what is gone, until it is noted beside the files.
    row => !row.startsWith('tombstones ') && words.some(word => withoutIds(row).toLowerCase().includes(word)),
  )
}

/** The audit log keeps IDs of accounts, from which nothing leads to the person. */
const withoutIds = (row: string) =>
  row.startsWith('audit_entries ')
    ? row.replaceAll(/"(actor_id|target|invitation)\\?":\\?"[^"\\]*/g, '')
    : row
