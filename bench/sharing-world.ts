import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { demoCandidates } from '../src/demo/world/world.ts'
import { allCategories } from '../src/model/categories.ts'
import { hashSecret, newSecret } from '../src/platform/core/secrets.ts'
import type { Schema } from '../src/platform/database/tables.ts'
import {
  type AuthorizationServer,
  candidateCount,
  createCodeSupply,
  type RegisteredClient,
  redirectUri,
  scope,
} from './authorization-server.ts'
import { openForBench, type Settings } from './bench-services.ts'
import { openRowWriter, type Place, type RowWriter } from './row-writer.ts'
import type { Subject } from './subject.ts'

/** A candidate who is signed in and has consented, with the client's token. */
export interface Person {
  candidateId: string
  resumeId: string
  grantId: string
  session: string
  token: string
}

/** Adds candidates, their consents and their sessions beside a running service. */
export interface SharingWorld {
  client: RegisteredClient
  people: Person[]
  writer: RowWriter
}

const dayMs = 86_400_000

export function placeOf(settings: Settings): Place {
  const url = settings['DATABASE_URL']
  return url === undefined ? { file: join(settings['DATA_DIR'] ?? '', 'dossier.db') } : { url }
}

export async function openSharingWorld({ settings }: Pick<Subject, 'settings'>): Promise<SharingWorld> {
  await using services = await openForBench(settings)
  const { client, secret } = await services.clients.add({
    id: 'bench-ats',
    name: 'Bench ATS',
    redirectUris: [redirectUri],
    agentId: null,
    requirePkce: false,
  })
  const writer = await openRowWriter(placeOf(settings))
  const people = Array.from({ length: candidateCount }, newPerson)
  await addPeople(writer, client.id, people)
  return { client: { id: client.id, secret }, people, writer }
}

function newPerson(): Person {
  return {
    candidateId: randomUUID(),
    resumeId: randomUUID(),
    grantId: randomUUID(),
    session: newSecret('session'),
    token: newSecret('token'),
  }
}

/** With complete profiles and everything released, so that the consent page is skipped. */
async function addPeople(writer: RowWriter, clientId: string, people: readonly Person[]): Promise<void> {
  const now = Date.now()
  const [model] = demoCandidates
  const profile = JSON.stringify(model?.profile)
  await writer.insert(
    'candidates',
    people.map(({ candidateId }, index) => ({
      id: candidateId,
      email: `candidate.${1_000 + index}@example.com`,
      email_confirmed_at: now,
      password_hash: 'no account signs in with it',
      first_name: model?.firstName ?? '',
      last_name: model?.lastName ?? '',
      profile,
      created_at: now,
    })),
  )
  await writer.insert(
    'resumes',
    people.map(({ candidateId, resumeId }) => ({
      id: resumeId,
      candidate_id: candidateId,
      file_name: 'resume.pdf',
      content_type: 'application/pdf',
      sha256: randomBytes(32).toString('hex'),
      size: 120_000,
      scan: 'clean',
      uploaded_at: now,
      is_default: 1,
    })),
  )
  await writer.insert(
    'grants',
    people.map(({ candidateId, grantId, resumeId }) => ({
      id: grantId,
      candidate_id: candidateId,
      client_id: clientId,
      advertiser_id: null,
      scope,
      released: allCategories,
      filled: allCategories,
      created_at: now,
      decided_at: now,
      withdrawn_at: null,
      // The default: a consent for another one is asked for again.
      resume_id: resumeId,
    })),
  )
  await writer.insert(
    'sessions',
    people.map(({ candidateId, session }) => ({
      hash: hashSecret(session),
      id: randomUUID(),
      candidate_id: candidateId,
      browser: 'Firefox on Linux',
      created_at: now,
      last_used_at: now,
      expires_at: now + dayMs,
    })),
  )
  await writer.insert(
    'oauth_tokens',
    people.map(({ candidateId, grantId, token }): Schema['oauth_tokens'] => ({
      hash: hashSecret(token),
      client_id: clientId,
      scope,
      grant_id: grantId,
      candidate_id: candidateId,
      released: allCategories,
      advertiser_id: null,
      agent_id: null,
      agent_authorised_at: null,
      issued_at: now,
      expires_at: now + dayMs,
      revoked_at: null,
    })),
  )
  await writer.settle()
}

export function asAuthorizationServer(
  subject: Omit<Subject, 'world'>,
  world: SharingWorld,
): AuthorizationServer {
  const { client, people, writer } = world
  return {
    name: `dossier, ${subject.label}`,
    process: subject.service,
    databasePid: subject.databasePid,
    authorizePath: '/api/iam/oauth2/authorize',
    tokenPath: '/api/iam/oauth2/token',
    client,
    cookies: people.map(({ session }) => `dossier-session=${session}`),
    codes: createCodeSupply(async count => {
      const codes = Array.from({ length: count }, () => newSecret('code'))
      const now = Date.now()
      const rows = codes.map((code, index): Schema['oauth_codes'] => {
        const { grantId, candidateId } = people[index % people.length] as Person
        return {
          hash: hashSecret(code),
          client_id: client.id,
          grant_id: grantId,
          candidate_id: candidateId,
          advertiser_id: null,
          redirect_uri: redirectUri,
          scope,
          released: allCategories,
          challenge: null,
          issued_at: now,
          expires_at: now + dayMs,
          failed_attempts: 0,
          redeemed_at: null,
          token_hash: null,
        }
      })
      await writer.insert('oauth_codes', rows)
      await writer.settle()
      return codes
    }),
    codeLength: newSecret('code').length,
  }
}
