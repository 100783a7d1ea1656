import type { NewApplication } from '../../src/applications/ports.ts'
import type { Database } from '../../src/storage/schema.ts'
import { createAdvertiserStore, createCredentialStore } from '../../src/storage/sql/advertisers.ts'
import { createApplicationStore } from '../../src/storage/sql/applications.ts'
import { createBlobReferences } from '../../src/storage/sql/blob-references.ts'
import { createDemoStore } from '../../src/storage/sql/demo.ts'
import { plainDraft } from '../harness/applications.ts'

/** Every store over one database; a test compares the list with what src/storage/sql really exports. */
export function storesOver(database: Database) {
  return {
    advertisers: createAdvertiserStore(database),
    credentials: createCredentialStore(database),
    applications: createApplicationStore(database),
    blobReferences: createBlobReferences(database),
    demo: createDemoStore(database),
  }
}

export type Stores = ReturnType<typeof storesOver>

export const storeFactories = [
  createAdvertiserStore,
  createApplicationStore,
  createBlobReferences,
  createCredentialStore,
  createDemoStore,
] as const

/** Who calls, and the identifiers of what belongs to the owner. */
export interface Scene {
  advertiserId: number
  applicationId: number
  credentialId: string
  credentialHash: string
  /** Different in every call, for what must be new. */
  fresh: string
}

type Sample = (stores: Stores, scene: Scene) => Promise<unknown>

interface StoreFunction {
  /** Why it may look beyond one advertiser; undefined for everything that takes the advertiser first. */
  exception?: string
  /** What a stranger must get when it asks for what the owner has. */
  strangerGets?: unknown
  /** Reads, makes or changes the row of the advertiser that is named: a stranger may, for its own. */
  actsOnOwn?: true
  /** Calls that between them send every shape of its SQL. */
  samples: Sample[]
}

const hash = 'a'.repeat(64)
const at = 1_794_614_400_000

export const fullApplication: NewApplication = {
  ...plainDraft({ jobReference: 'HCR-7', primaryJobSeekingInfo: { isNewToWorkForce: true } }),
  files: [
    {
      type: 'resume',
      fileName: 'resume.pdf',
      contentType: 'application/pdf',
      sha256: hash,
      size: 1,
      scan: 'unscanned',
      uploadedAt: at,
    },
  ],
  screen: { json: '{}', xml: '<screen/>', sha256: hash, size: 9, successful: true },
}

const operator = "the operator's own look-up or list"
const demo = 'the demo world: it fills and empties whole databases, and refuses those that are not its own'
const all = { after: 0, before: Number.MAX_SAFE_INTEGER, limit: 100 }
const credential = ({ fresh }: Scene) => ({
  id: fresh,
  hash: fresh,
  hint: 'h',
  label: 'l',
  createdAt: at,
  expiresAt: null,
})

/** Every function of every store. A test compares the names with the stores themselves. */
export const storeFunctions: Record<string, StoreFunction> = {
  'advertisers.add': {
    exception: operator,
    samples: [
      stores => stores.advertisers.add({ name: 'New', createdAt: at }),
      stores => stores.advertisers.add({ id: 5, name: 'New', createdAt: at }),
    ],
  },
  'advertisers.list': { exception: operator, samples: [stores => stores.advertisers.list()] },
  'advertisers.find': {
    actsOnOwn: true,
    samples: [(stores, scene) => stores.advertisers.find(scene.advertiserId)],
  },
  'advertisers.setStatus': {
    actsOnOwn: true,
    samples: [(stores, scene) => stores.advertisers.setStatus(scene.advertiserId, 'hold')],
  },
  'credentials.findOwner': {
    exception: 'the credential is what says who asks',
    samples: [(stores, scene) => stores.credentials.findOwner(scene.credentialHash)],
  },
  'credentials.advertiserOf': {
    exception: operator,
    samples: [(stores, scene) => stores.credentials.advertiserOf(scene.credentialId)],
  },
  'credentials.add': {
    actsOnOwn: true,
    samples: [(stores, scene) => stores.credentials.add(scene.advertiserId, credential(scene))],
  },
  'credentials.list': {
    strangerGets: [],
    samples: [(stores, scene) => stores.credentials.list(scene.advertiserId)],
  },
  'credentials.revoke': {
    samples: [(stores, scene) => stores.credentials.revoke(scene.advertiserId, scene.credentialId, at)],
  },
  'credentials.recordUse': {
    samples: [
      (stores, scene) => stores.credentials.recordUse(scene.advertiserId, scene.credentialId, at, at),
    ],
  },
  'applications.add': {
    actsOnOwn: true,
    samples: [(stores, scene) => stores.applications.add(scene.advertiserId, fullApplication, at)],
  },
  'applications.resolveBounds': {
    strangerGets: { after: 0, before: 1 },
    samples: [
      (stores, scene) => stores.applications.resolveBounds(scene.advertiserId, {}),
      (stores, scene) =>
        stores.applications.resolveBounds(scene.advertiserId, { afterDate: at + 1, beforeDate: at - 1 }),
    ],
  },
  'applications.page': {
    strangerGets: { text: '', count: 0, lastId: 0, hasMore: false },
    samples: (['json', 'xml'] as const).flatMap(format =>
      [false, true].map(
        (includePrimaryInfo): Sample =>
          async (stores, scene) => {
            const request = { ...all, format, includePrimaryInfo }
            const { content, ...page } = await stores.applications.page(scene.advertiserId, request)
            return { ...page, text: Buffer.from(content).toString() }
          },
      ),
    ),
  },
  'applications.file': {
    samples: [(stores, scene) => stores.applications.file(scene.advertiserId, scene.applicationId, 'resume')],
  },
  'applications.screen': {
    samples: (['json', 'xml'] as const).map(
      (format): Sample =>
        (stores, scene) =>
          stores.applications.screen(scene.advertiserId, scene.applicationId, format),
    ),
  },
  'applications.recordVerdict': {
    strangerGets: false,
    samples: (['clean', 'infected'] as const).map(
      (verdict): Sample =>
        (stores, scene) =>
          stores.applications.recordVerdict(scene.advertiserId, scene.applicationId, 'resume', verdict, at),
    ),
  },
  'blobReferences.page': {
    exception: "the operator's check of the files, whoever they belong to",
    samples: [stores => stores.blobReferences.page('', 10)],
  },
  'demo.state': { exception: demo, samples: [stores => stores.demo.state()] },
  'demo.claim': { exception: demo, samples: [stores => stores.demo.claim(at, 0)] },
  'demo.seize': { exception: demo, samples: [stores => stores.demo.seize(at)] },
  'demo.unmark': { exception: demo, samples: [stores => stores.demo.unmark()] },
  'demo.addAccounts': {
    exception: demo,
    samples: [stores => stores.demo.addAccounts(demoAccounts)],
  },
  'demo.finish': { exception: demo, samples: [stores => stores.demo.finish()] },
  'demo.clear': { exception: demo, samples: [stores => stores.demo.clear()] },
}

const demoAccounts: Parameters<Stores['demo']['addAccounts']>[0] = {
  createdAt: at,
  advertisers: [
    { id: 7, name: 'Demo', status: 'active', credential: { id: 'c7', hash: 'h7', hint: 'h', label: 'l' } },
  ],
  agents: [{ id: 8, name: 'Agent', authorisedBy: [7] }],
  clients: [{ id: 'client', name: 'Client', agentId: 8, secretHash: hash }],
  candidates: [
    {
      id: 'candidate',
      email: 'demo@example.com',
      emailConfirmedAt: at,
      passwordHash: 'x',
      firstName: 'Demo',
      lastName: 'Demo',
      profile: '{}',
      resume: { id: 'r', fileName: 'r.pdf', contentType: 'application/pdf', sha256: hash, size: 1 },
    },
  ],
}

/** An advertiser that has one of everything, and one that has nothing but its name. */
export async function prepareScene(stores: Stores): Promise<{ owner: Scene; stranger: Scene }> {
  const [owner, stranger] = [
    await stores.advertisers.add({ name: 'Owner', createdAt: at }),
    await stores.advertisers.add({ name: 'Stranger', createdAt: at }),
  ]
  if (owner === undefined || stranger === undefined) throw new Error('the scene needs an empty database')
  const own = { id: 'own-credential', hash, hint: 'h', label: 'l', createdAt: at, expiresAt: null }
  await stores.credentials.add(owner.id, own)
  const { id } = await stores.applications.add(owner.id, fullApplication, at)
  const scene = { applicationId: id, credentialId: own.id, credentialHash: hash }
  return {
    owner: { ...scene, advertiserId: owner.id, fresh: 'of-owner' },
    stranger: { ...scene, advertiserId: stranger.id, fresh: 'of-stranger' },
  }
}
