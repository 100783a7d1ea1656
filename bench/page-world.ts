import { randomUUID } from 'node:crypto'
import { hashPassword } from '../src/platform/core/password.ts'
import type { Services } from '../test/harness/services.ts'
import { redirectUri, scope } from './authorization-server.ts'
import { believableDraft } from './believable.ts'
import { openForBench } from './bench-services.ts'
import { oneChunk } from './fill.ts'
import {
  addCallDays,
  addLinks,
  addMemberships,
  addOwnApplications,
  addPeople,
  addPostings,
  addSharing,
  dayMs,
  serials,
} from './page-rows.ts'
import { openRowWriter } from './row-writer.ts'
import { placeOf } from './sharing-world.ts'
import type { Subject } from './subject.ts'

/** A person who is a candidate, an admin of advertisers and of an agent, and an operator, and so may open every page. */
export interface PageWorld {
  email: string
  password: string
  /** An authorization request to which this person has not consented yet. */
  authorizeQuery: string
  /** Values for the parameters in the addresses of pages. */
  parameters: Record<string, string>
  /** The positions half-way through the lists. */
  middle: {
    application: number
    oldApplication: number
    ownApplication: string
    disclosure: string
    jobAd: number
  }
}

const colleagues = 20
const credentials = 10
const agents = 20
const ownApplications = 300
/** Occurs in one application only. */
export const rareEmail = 'quentin.quokka@example.net'

export async function addPageWorld(subject: Pick<Subject, 'settings' | 'world'>): Promise<PageWorld> {
  const { large, small, neighbour } = subject.world
  const { advertiserId } = large
  const now = Date.now()
  const password = 'a long enough pass phrase'
  const me = { id: randomUUID(), email: 'pat.page@example.com', passwordHash: await hashPassword(password) }
  const others = serials(colleagues).map(serial => ({
    id: randomUUID(),
    email: `colleague.${serial}@example.com`,
    passwordHash: 'no account signs in with it',
  }))
  await using services = await openForBench(subject.settings)
  const writer = await openRowWriter(placeOf(subject.settings))
  try {
    const clientId = await addClient(services, 'page-ats')
    const askingClientId = await addClient(services, 'page-form')
    await addPeople(writer, [me, ...others], now)
    await addMemberships(
      writer,
      [
        ...[large, small].map(own => ({ ...own, candidateId: me.id, role: 'admin' as const })),
        ...others.map(({ id }) => ({ advertiserId, candidateId: id, role: 'recruiter' as const })),
      ],
      now,
    )
    await addLinks(writer, me, neighbour.advertiserId, now)
    const postings = await addPostings(writer, { owner: advertiserId, other: neighbour.advertiserId }, now)
    const { applicationId, resumeId } = await addFiles(services, advertiserId, me.id, now)
    const ids = [...large.ids.slice(-ownApplications), applicationId]
    const own = await addOwnApplications(writer, me.id, { advertiserId, ids }, now)
    const sharing = await addSharing(writer, me.id, { clientId, advertiserId }, now)
    await addCallDays(writer, advertiserId, now)
    await services.privacyNotices.set(advertiserId, { url: '', content: 'We read your application.' })
    await writer.settle()
    return {
      email: me.email,
      password,
      authorizeQuery: new URLSearchParams({
        client_id: askingClientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope,
        state: 'state',
        advertiser_id: String(advertiserId),
      }).toString(),
      parameters: {
        advertiserId: String(advertiserId),
        personId: others[0]?.id ?? '',
        jobAdId: String(postings.jobAdId),
        screenId: String(postings.screenId),
        applicationId: String(applicationId),
        resumeId,
        type: 'resume',
        version: '1',
        token: await unsubscribeToken(services, me.id),
        ...(await addAccess(services, advertiserId, [me.id, others[0]?.id ?? ''], now)),
      },
      middle: {
        application: large.ids[large.ids.length >> 1] ?? 0,
        oldApplication: large.ids[100] ?? 0,
        ownApplication: own.middle,
        disclosure: sharing.middle,
        jobAd: postings.middleAd,
      },
    }
  } finally {
    await writer.close()
  }
}

async function addClient({ clients }: Services, id: string): Promise<string> {
  const { client } = await clients.add({
    id,
    name: `Client ${id}`,
    redirectUris: [redirectUri],
    agentId: null,
    requirePkce: false,
  })
  return client.id
}

async function addAccess(services: Services, advertiserId: number, people: readonly string[], now: number) {
  for (const serial of serials(credentials)) {
    await services.credentials.issue(advertiserId, `Collector ${serial}`, now + (serial + 1) * dayMs)
  }
  for (const serial of serials(agents)) {
    const { id } = await services.agents.add(`Agent ${serial}`)
    if (serial < agents / 2) await services.agents.authorise(advertiserId, id)
  }
  const [credential] = await services.credentials.list(advertiserId)
  const [agent] = (await services.agents.listFor(advertiserId)).filter(
    ({ authorisedAt }) => authorisedAt !== null,
  )
  const fields = { types: ['application.created'], description: 'Our ATS', scheme: 'v1' as const }
  const { endpoint } = await services.webhooks.add(
    { advertiserId },
    { url: 'https://ats.example/hooks', ...fields },
  )
  const agentId = agent?.id ?? 0
  await services.database.writer
    .insertInto('agent_members')
    .values(people.map(candidate_id => ({ agent_id: agentId, candidate_id, role: 'admin', created_at: now })))
    .execute()
  await services.database.writer
    .insertInto('operators')
    .values({ candidate_id: people[0] ?? '', role: 'operator', created_at: now })
    .execute()
  const ofAgent = await services.webhooks.add({ agentId }, { url: 'https://ats.example/hooks', ...fields })
  const { client } = await services.clients.add({
    id: 'bench-agent',
    name: 'Agent',
    redirectUris: [redirectUri],
    agentId,
    requirePkce: false,
  })
  const logo = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8z"/></svg>'
  await services.clientChanges.ask(client.id, { kind: 'logo', bytes: Buffer.from(logo) }, people[0] ?? '')
  const [change] = await services.clientChanges.listOf(client.id)
  return {
    credentialId: credential?.id ?? '',
    agentId: String(agentId),
    clientId: client.id,
    endpointId: endpoint.id,
    webhookId: ofAgent.endpoint.id,
    changeId: change?.id ?? '',
  }
}

/** As if every person had signed in with a second factor, which operators need. */
export async function useSecondFactor(settings: Subject['settings']): Promise<void> {
  await using services = await openForBench(settings)
  await services.database.writer.updateTable('sessions').set({ factors: 'password totp' }).execute()
}

/** Files that can be opened: those of the fill are names without content. */
async function addFiles(services: Services, advertiserId: number, candidateId: string, now: number) {
  const content = Buffer.from('That I come on time and leave the place tidy.\n'.repeat(100))
  await services.profiles.addResume(candidateId, { name: 'Pat Page.txt', content: oneChunk(content) })
  const [resume] = await services.profiles.listResumes(candidateId)
  const blob = await services.blobs.put(oneChunk(content))
  const draft = believableDraft(0, now)
  const { id } = await services.submissions.add(advertiserId, {
    ...draft,
    contact: { ...draft.contact, email: rareEmail, firstName: 'Quentin', lastName: 'Quokka' },
    files: draft.files.map(file => ({ ...file, fileName: 'resume.txt', contentType: 'text/plain', ...blob })),
  })
  return { resumeId: resume?.id ?? '', applicationId: id }
}

/** The last part of the address in emails that stops them. */
async function unsubscribeToken({ notifications }: Services, candidateId: string): Promise<string> {
  const path = await notifications.unsubscribePath({ candidateId, topic: 'receipts' })
  return path.slice(path.lastIndexOf('/') + 1)
}
