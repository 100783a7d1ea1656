import type { AdvertiserStore, AgentStore, CredentialStore } from '../advertisers/ports.ts'
import { hashCredential } from '../advertisers/rules.ts'
import type { DraftLimits } from '../apply/draft-check.ts'
import type { OwnApplicationStore } from '../apply/form/ports.ts'
import { prepareApplication } from '../apply/new-application.ts'
import type { Update } from '../collect/progress/ports.ts'
import type { Clock, EpochMs } from '../core/clock.ts'
import { sha256Hex, sha256OfNothing } from '../core/hashing.ts'
import { hashPassword } from '../core/password.ts'
import type { BlobStore } from '../files/ports.ts'
import type { ApplicationDraft, ApplicationFile } from '../model/application.ts'
import type { ApplicationStatus } from '../model/application-status.ts'
import type { CandidateStore } from '../people/profile/ports.ts'
import type { ClientStore } from '../share/protocol/ports.ts'
import type { DemoStore } from './ports.ts'
import type { DemoApplication, DemoFile } from './world/demo-application.ts'
import type { DemoCandidate } from './world/world.ts'

type World = typeof import('./world/everything.ts') & {
  openAsset(name: string): AsyncIterable<Uint8Array>
}

/** Candidates upload files shortly before they submit. */
const uploadedBeforeMs = 60_000

/** Loading takes a second or two, so a process that has not finished after this time has died. */
const abandonedAfterMs = 10_000

const createdAt = Date.parse('2026-09-01T09:00:00+10:00')

export type Demo = ReturnType<typeof createDemo>

export function createDemo(deps: {
  store: DemoStore
  advertisers: Pick<AdvertiserStore, 'add' | 'setStatus'>
  credentials: Pick<CredentialStore, 'add'>
  agents: Pick<AgentStore, 'add' | 'authorise'>
  clients: Pick<ClientStore, 'add'>
  candidates: Pick<CandidateStore, 'addResume'>
  blobs: BlobStore
  clock: Clock
  sleep(ms: number): Promise<void>
  /** Called only when the world is needed: a service without the demo never loads it. */
  loadWorld(): Promise<World>
  /** The ordinary apply use case with a given clock, so that the demo's history is created like any other. */
  addAt(clock: Clock): (advertiserId: number, draft: ApplicationDraft) => Promise<unknown>
  own: Pick<OwnApplicationStore, 'send'>
  /** The ordinary use case with a given clock. */
  progressAt(clock: Clock): {
    find(advertiserId: number, email: string): Promise<{ id: number; status: ApplicationStatus }>
    open(advertiserId: number, applicationId: number, by: string): Promise<unknown>
    update(advertiserId: number, applicationId: number, update: Update): Promise<unknown>
  }
  /** Checks them like any other. */
  logos: {
    setOfAdvertiser(advertiserId: number, logo: Buffer): Promise<void>
    setOfClient(clientId: string, logo: Buffer): Promise<void>
  }
  limits: DraftLimits
}) {
  const { store, blobs, clock } = deps

  /** Replaces all data except redirect URIs and webhook endpoints, because running nodes have registered theirs. */
  async function load(): Promise<void> {
    const world = await deps.loadWorld()
    const callbacks = await store.listRedirectUris()
    const putHooksBack = await store.keepHooks()
    await clear()
    await addParties(world, callbacks)
    await store.addBoard({
      candidates: await Promise.all(world.demoCandidates.map(newAccount)),
      members: world.demoMembers,
      agents: world.demoAgents,
      operators: world.demoOperators,
      advertisers: world.demoAdvertisers,
      screens: world.demoQuestionnaires,
      jobAds: world.demoJobAds,
      createdAt,
    })
    for (const { id, resumeAsset, resumeFileName } of world.demoCandidates) {
      if (resumeAsset === undefined || resumeFileName === undefined) continue
      const asset = await putAsset(world, world.file('resume', resumeAsset, resumeFileName))
      await deps.candidates.addResume(id, { id, ...asset, scan: 'clean', uploadedAt: createdAt }, 1)
    }
    for (const [id, logo] of world.advertiserLogos) await deps.logos.setOfAdvertiser(id, logo)
    for (const [id, logo] of world.clientLogos) await deps.logos.setOfClient(id, logo)
    const inOrder = [...world.harbourApplications, ...world.southernApplications].sort(
      (a, b) => Date.parse(a.submittedAt) - Date.parse(b.submittedAt),
    )
    for (const application of inOrder) await apply(world, application)
    for (const { advertiserId, email, at, by, to, note = '' } of world.demoSteps) {
      const progress = deps.progressAt(() => Date.parse(at))
      const { id, status } = await progress.find(advertiserId, email)
      if (to === undefined && note === '') await progress.open(advertiserId, id, by)
      else await progress.update(advertiserId, id, { by, shown: status, to, note, tells: false })
    }
    await putHooksBack(clock())
    await store.finish()
  }

  /** Advertisers, agents and clients, as an operator adds them but with published secrets. */
  async function addParties(world: World, callbacks: { clientId: string; uri: string }[]): Promise<void> {
    for (const { id, name, status, credential, credentialLabel } of world.demoAdvertisers) {
      await deps.advertisers.add({ id, name, createdAt })
      await deps.advertisers.setStatus(id, status)
      await deps.credentials.add(id, {
        // Fixed, so that scripts against the demo can refer to it.
        id: `demo-credential-${id}`,
        hash: hashCredential(credential),
        hint: 'sws_demo',
        label: credentialLabel,
        createdAt,
        expiresAt: null,
      })
    }
    for (const { id, name, authorisedBy } of world.demoAgents) {
      await deps.agents.add({ id, name, createdAt })
      for (const advertiserId of authorisedBy) await deps.agents.authorise(advertiserId, id, createdAt)
    }
    for (const { secret, redirectUris, advertiserIds, ...client } of world.demoClients) {
      const registered = callbacks.filter(({ clientId }) => clientId === client.id).map(({ uri }) => uri)
      const uris = [...new Set([...redirectUris, ...registered])]
      const added = { ...client, requirePkce: false, redirectUris: uris }
      await deps.clients.add(added, sha256Hex(secret), createdAt, advertiserIds)
    }
  }

  async function newAccount({ id, password, confirmedAt, profile, ...person }: DemoCandidate) {
    const { email, firstName, lastName } = person
    return {
      candidateId: id,
      email,
      firstName,
      lastName,
      passwordHash: await hashPassword(password),
      emailConfirmedAt: Date.parse(confirmedAt),
      profile: JSON.stringify(profile),
      createdAt,
    }
  }

  async function putAsset({ openAsset }: World, { asset, fileName, contentType }: DemoFile) {
    const blob = await blobs.put(openAsset(asset))
    return { fileName, contentType, ...blob }
  }

  async function apply(world: World, application: DemoApplication): Promise<void> {
    const { advertiserId, submittedAt, files, ...rest } = application
    const at = Date.parse(submittedAt)
    const stored = await Promise.all(files.map(file => storedFile(world, file, at - uploadedBeforeMs)))
    // Applications for an ad on the demo's board are linked to it; older ones carry only its reference.
    const ad = world.demoJobAds.find(({ reference }) => reference === rest.jobReference)
    const draft = { ...rest, ...(ad === undefined ? {} : { jobAdId: ad.id }), files: stored }
    const { jobSeekerId } = rest
    if (ad === undefined || !world.demoCandidates.some(({ id }) => id === jobSeekerId)) {
      await deps.addAt(() => at)(advertiserId, draft)
      return
    }
    // Candidates with an account applied on this service, so their account lists the application.
    const submission = {
      formKey: `demo-${ad.id}`,
      resumeId: undefined,
      ad: {
        advertiserId,
        jobAdId: ad.id,
        jobTitle: ad.title,
        jobLocation: ad.location,
        advertiserName: world.demoAdvertisers.find(({ id }) => id === advertiserId)?.name ?? '',
      },
      application: prepareApplication(draft, deps.limits),
    }
    await deps.own.send(jobSeekerId, submission, at)
  }

  async function storedFile(world: World, file: DemoFile, uploadedAt: EpochMs): Promise<ApplicationFile> {
    const { type, scan, fileName, contentType } = file
    // The content of an infected file is discarded before it reaches the blob store.
    if (scan === 'infected')
      return { type, scan, fileName, contentType, blob: null, sha256: sha256OfNothing, size: 0, uploadedAt }
    return { type, scan, ...(await putAsset(world, file)), uploadedAt }
  }

  async function clear(): Promise<void> {
    for (const blob of await store.clear()) await blobs.remove(blob)
  }

  return {
    state: () => store.state(),

    /** Loads the demo world if it is missing; false if the database holds other data. */
    async ensureLoaded(): Promise<boolean> {
      for (;;) {
        const state = await store.state()
        if (state === 'loaded') return true
        if (state === 'other') return false
        if (await store.claim(clock(), abandonedAfterMs)) {
          await load()
          return true
        }
        // Another process is loading it.
        await deps.sleep(50)
      }
    },

    /** Adds this node's redirect URI for the demo careers page. Several nodes may share a database. */
    async registerCallback(baseUrl: string): Promise<void> {
      const [careersPage] = (await deps.loadWorld()).demoClients
      await store.addRedirectUri(careersPage.id, `${baseUrl}/demo/callback`)
    },

    /** Resets the demo world; false if the database holds other data. */
    async reset(): Promise<boolean> {
      if ((await store.state()) === 'other') return false
      await store.seize(clock())
      await load()
      return true
    },

    /** Empties the database; false if it holds other data. */
    async remove(): Promise<boolean> {
      if ((await store.state()) === 'other') return false
      await clear()
      await store.unmark()
      return true
    },
  }
}
