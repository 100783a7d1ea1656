import type { OwnApplicationStore } from '../apply/form/own-application-store.ts'
import { prepareApplication } from '../apply/new-application.ts'
import type { Update } from '../collect/progress/progress-store.ts'
import type { AdvertiserStore, CredentialStore } from '../companies/advertiser-store.ts'
import type { AgentStore } from '../companies/agent-store.ts'
import { hashCredential } from '../companies/rules.ts'
import { snapshotOf } from '../model/ad-version.ts'
import type { ApplicationDraft, ApplicationFile } from '../model/application.ts'
import type { ApplicationStatus } from '../model/application-status.ts'
import type { CandidateStore } from '../people/profile/candidate-store.ts'
import type { BlobStore } from '../platform/blobs/ports.ts'
import type { Clock, EpochMs } from '../platform/core/clock.ts'
import { sha256Hex, sha256OfNothing } from '../platform/core/hashing.ts'
import { hashPassword } from '../platform/core/password.ts'
import { dayIn } from '../platform/core/time/time-zone.ts'
import type { ClientStore } from '../share/clients/client-store.ts'
import type { DemoStore } from './demo-store.ts'
import type { DatedJobAd } from './world/board.ts'
import type { DemoApplication, DemoFile, file } from './world/demo-application.ts'
import type { DemoWorld } from './world/demo-world.ts'
import { type WorldName, worldNames } from './world-names.ts'

type Loaded = DemoWorld & { file: typeof file; openAsset(name: string): AsyncIterable<Uint8Array> }
type World = Omit<Loaded, 'jobAds'> & { jobAds: DatedJobAd[] }

/** Candidates upload files shortly before they submit. */
const uploadedBeforeMs = 60_000

/** Loading takes a second or two, so a process that has not finished after this time has died. */
const abandonedAfterMs = 10_000

const createdAt = Date.parse('2026-09-01T09:00:00+10:00')

const datedIn = (timeZone: string, now: EpochMs, { jobAds, ...world }: Loaded): World => ({
  ...world,
  jobAds: jobAds.map(({ closesAfterDays: days, ...ad }) => ({
    ...ad,
    closingDate: days === undefined ? null : dayIn(now + days * 86_400_000, timeZone),
  })),
})

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
  /** The operator's time zone; the demo's companies have chosen none. */
  timeZone: string
  sleep(ms: number): Promise<void>
  /** Called only when the world is needed: a service without the demo never loads it. */
  loadWorld(name: WorldName): Promise<Loaded>
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
  notices: { set(advertiserId: number, text: string): Promise<unknown> }
  logos: {
    setOfAdvertiser(advertiserId: number, logo: Buffer): Promise<void>
    setOfClient(clientId: string, logo: Buffer): Promise<void>
  }
}) {
  const { store, blobs, clock } = deps

  /** Replaces all data except redirect URIs and webhook endpoints, because running nodes have registered theirs. */
  async function load(name: WorldName): Promise<void> {
    const world = datedIn(deps.timeZone, clock(), await deps.loadWorld(name))
    const callbacks = await store.listRedirectUris()
    const putHooksBack = await store.keepHooks()
    await clear()
    await addParties(world, callbacks)
    const hashed = world.candidates.map(async person => ({
      ...person,
      passwordHash: await hashPassword(person.password),
    }))
    const board = {
      ...world,
      candidates: await Promise.all(hashed),
    }
    await store.addBoard(board, createdAt)
    for (const { id, resumeAsset, resumeFileName } of world.candidates) {
      if (resumeAsset === undefined || resumeFileName === undefined) continue
      const asset = await putAsset(world, world.file('resume', resumeAsset, resumeFileName))
      await deps.candidates.addResume(id, { id, ...asset, scan: 'clean', uploadedAt: createdAt }, 1)
    }
    for (const [id, text] of world.privacyNotices) await deps.notices.set(id, text)
    for (const [id, logo] of world.advertiserLogos) await deps.logos.setOfAdvertiser(id, logo)
    for (const [id, logo] of world.clientLogos) await deps.logos.setOfClient(id, logo)
    const inOrder = world.applications.toSorted(
      (a, b) => Date.parse(a.submittedAt) - Date.parse(b.submittedAt),
    )
    for (const application of inOrder) await apply(world, application)
    for (const { advertiserId, email, at, by, to, note = '' } of world.steps) {
      const progress = deps.progressAt(() => Date.parse(at))
      const { id, status } = await progress.find(advertiserId, email)
      if (to === undefined && note === '') await progress.open(advertiserId, id, by)
      else await progress.update(advertiserId, id, { by, shown: status, to, note, tells: false })
    }
    await putHooksBack(clock())
    await store.finish(name)
  }

  /** Advertisers, agents and clients, added as by an operator, but with published secrets. */
  async function addParties(world: World, callbacks: { clientId: string; uri: string }[]): Promise<void> {
    for (const { id, name, status, credential, credentialLabel } of world.advertisers) {
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
    for (const { id, name, authorisedBy } of world.agents) {
      await deps.agents.add({ id, name, createdAt })
      for (const advertiserId of authorisedBy) await deps.agents.authorise(advertiserId, id, createdAt)
    }
    for (const { secret, redirectUris, advertiserIds, ...client } of world.clients) {
      const registered = callbacks.filter(({ clientId }) => clientId === client.id).map(({ uri }) => uri)
      const uris = [...new Set([...redirectUris, ...registered])]
      const added = { ...client, requirePkce: false, redirectUris: uris }
      await deps.clients.add(added, sha256Hex(secret), createdAt, advertiserIds)
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
    const ad = world.jobAds.find(({ reference }) => reference === rest.jobReference)
    const draft = { ...rest, ...(ad === undefined ? {} : { jobAdId: ad.id }), files: stored }
    const { jobSeekerId } = rest
    if (ad === undefined || !world.candidates.some(({ id }) => id === jobSeekerId)) {
      await deps.addAt(() => at)(advertiserId, draft)
      return
    }
    const questionnaire = world.questionnaires.find(({ id }) => id === ad.screenId)
    // Candidates with an account applied on this service, so their account lists the application.
    const submission = {
      formKey: `demo-${ad.id}`,
      resumeId: undefined,
      ad: {
        advertiserId,
        jobAdId: ad.id,
        jobTitle: ad.title,
        jobLocation: ad.location,
        advertiserName: world.advertisers.find(({ id }) => id === advertiserId)?.name ?? '',
      },
      application: {
        ...prepareApplication(draft),
        shownAd: snapshotOf(ad, questionnaire ?? null, deps.timeZone),
      },
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

    /** The name of the world in the database, if any. */
    world: () => store.world(),

    /** Loads the demo world if it is missing; false if the database holds another world or other data. */
    async ensureLoaded(name: WorldName = 'australia'): Promise<boolean> {
      for (;;) {
        const state = await store.state()
        if (state === 'other' || ((await store.world()) ?? name) !== name) return false
        if (state === 'loaded') return true
        if (await store.claim(name, clock(), abandonedAfterMs)) {
          await load(name)
          return true
        }
        // Another process is loading it.
        await deps.sleep(50)
      }
    },

    /** Adds this node's redirect URI for the demo careers page. Several nodes may share a database. */
    async registerCallback(name: WorldName, baseUrl: string): Promise<void> {
      const [careersPage] = (await deps.loadWorld(name)).clients
      await store.addRedirectUri(careersPage.id, `${baseUrl}/demo/callback`)
    },

    /** Resets the demo world to its beginning; false if the database holds other data. */
    async reset(): Promise<boolean> {
      if ((await store.state()) === 'other') return false
      const stored = await store.world()
      const name = worldNames.find(each => each === stored) ?? 'australia'
      await store.seize(name, clock())
      await load(name)
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
