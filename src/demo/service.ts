import { hashCredential } from '../advertisers/rules.ts'
import type { DraftLimits } from '../apply/draft-check.ts'
import type { OwnApplicationStore } from '../apply/form/ports.ts'
import { prepareApplication } from '../apply/new-application.ts'
import type { Clock, EpochMs } from '../core/clock.ts'
import { sha256Hex, sha256OfNothing } from '../core/hashing.ts'
import { hashPassword } from '../core/password.ts'
import type { BlobStore } from '../files/ports.ts'
import type { ApplicationDraft, ApplicationFile } from '../model/application.ts'
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

export type Demo = ReturnType<typeof createDemo>

export function createDemo(deps: {
  store: DemoStore
  blobs: BlobStore
  clock: Clock
  sleep(ms: number): Promise<void>
  /** Called only when the world is needed: a service without the demo never loads it. */
  loadWorld(): Promise<World>
  /** The ordinary apply use case with a given clock, so that the demo's history is created like any other. */
  addAt(clock: Clock): (advertiserId: number, draft: ApplicationDraft) => Promise<unknown>
  own: Pick<OwnApplicationStore, 'send'>
  /** Checks them like any other. */
  logos: {
    setOfAdvertiser(advertiserId: number, logo: Buffer): Promise<void>
    setOfClient(clientId: string, logo: Buffer): Promise<void>
  }
  limits: DraftLimits
}) {
  const { store, blobs, clock } = deps

  /** Replaces all data except redirect URIs, because running nodes have registered theirs. */
  async function load(): Promise<void> {
    const world = await deps.loadWorld()
    const {
      demoAdvertisers,
      demoAgents,
      demoCandidates,
      demoClients,
      demoMembers,
      demoQuestionnaires,
      demoJobAds,
    } = world
    const callbacks = await store.listRedirectUris()
    await clear()
    await store.addAccounts({
      createdAt: Date.parse('2026-09-01T09:00:00+10:00'),
      advertisers: demoAdvertisers.map(({ credential, credentialLabel, ...advertiser }) => ({
        ...advertiser,
        credential: {
          // Fixed, so that scripts against the demo can refer to it.
          id: `demo-credential-${advertiser.id}`,
          hash: hashCredential(credential),
          hint: 'sws_demo',
          label: credentialLabel,
        },
      })),
      agents: demoAgents,
      clients: demoClients.map(({ secret, redirectUris, ...client }) => {
        const registered = callbacks.filter(({ clientId }) => clientId === client.id).map(({ uri }) => uri)
        return {
          ...client,
          redirectUris: [...new Set([...redirectUris, ...registered])],
          secretHash: sha256Hex(secret),
        }
      }),
      candidates: await Promise.all(demoCandidates.map(candidate => candidateAccount(world, candidate))),
      members: demoMembers,
      screens: demoQuestionnaires,
      jobAds: demoJobAds,
    })
    for (const [id, logo] of world.advertiserLogos) await deps.logos.setOfAdvertiser(id, logo)
    for (const [id, logo] of world.clientLogos) await deps.logos.setOfClient(id, logo)
    const inOrder = [...world.harbourApplications, ...world.southernApplications].sort(
      (a, b) => Date.parse(a.submittedAt) - Date.parse(b.submittedAt),
    )
    for (const application of inOrder) await apply(world, application)
    await store.finish()
  }

  async function candidateAccount(
    world: World,
    { resumeAsset, resumeFileName, ...candidate }: DemoCandidate,
  ) {
    const { password, confirmedAt, profile, ...account } = candidate
    return {
      ...account,
      passwordHash: await hashPassword(password),
      emailConfirmedAt: Date.parse(confirmedAt),
      profile: JSON.stringify(profile),
      resume:
        resumeAsset === undefined || resumeFileName === undefined
          ? null
          : {
              id: candidate.id,
              ...(await putAsset(world, world.file('resume', resumeAsset, resumeFileName))),
            },
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
