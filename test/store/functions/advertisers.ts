import { at, fullApplication, hash, type Scene } from '../scene.ts'
import { exceptions, type Sample, type StoreFunctions } from '../store-function.ts'

const { operator, secret } = exceptions
const all = { after: 0, before: Number.MAX_SAFE_INTEGER, limit: 100 }

const logo = { hash, type: 'image/png' as const, bytes: Buffer.from('x') }

function credential({ fresh }: Scene) {
  const id = fresh()
  return { id, hash: id, hint: 'h', label: 'l', createdAt: at, expiresAt: null }
}

export const advertiserFunctions: StoreFunctions = {
  'advertisers.add': {
    exception: operator,
    samples: [
      stores => stores.advertisers.add({ name: 'New', createdAt: at }),
      stores => stores.advertisers.add({ id: 5, name: 'New', createdAt: at }),
    ],
  },
  'advertisers.list': { exception: operator, sample: stores => stores.advertisers.list() },
  'advertisers.find': {
    actsOnOwn: true,
    sample: (stores, scene) => stores.advertisers.find(scene.advertiserId),
  },
  'advertisers.setRequiresFactor': {
    actsOnOwn: true,
    sample: (stores, scene) => stores.advertisers.setRequiresFactor(scene.advertiserId, true),
  },
  'advertisers.telling': {
    actsOnOwn: true,
    sample: (stores, scene) => stores.advertisers.telling(scene.advertiserId),
  },
  'advertisers.setTelling': {
    actsOnOwn: true,
    samples: [
      (stores, scene) => stores.advertisers.setTelling(scene.advertiserId, { emails: 'everything' }),
      (stores, scene) => stores.advertisers.setTelling(scene.advertiserId, { showsReasons: true }),
    ],
  },
  'privacyNotices.list': {
    actsOnOwn: true,
    sample: async (stores, scene) => {
      await stores.privacyNotices.add(scene.advertiserId, { url: null, content: scene.fresh() }, at)
      return stores.privacyNotices.list(scene.advertiserId, 5)
    },
  },
  'privacyNotices.find': {
    actsOnOwn: true,
    sample: async (stores, scene) => {
      await stores.privacyNotices.add(scene.advertiserId, { url: null, content: scene.fresh() }, at)
      return stores.privacyNotices.find(scene.advertiserId, 1)
    },
  },
  'privacyNotices.add': {
    actsOnOwn: true,
    sample: (stores, scene) =>
      stores.privacyNotices.add(scene.advertiserId, { url: null, content: scene.fresh() }, at),
  },
  'advertisers.setTimeZone': {
    exception: operator,
    sample: (stores, scene) => stores.advertisers.setTimeZone(scene.advertiserId, 'Europe/London'),
  },
  'advertisers.setAnswerDays': {
    actsOnOwn: true,
    sample: (stores, scene) => stores.advertisers.setAnswerDays(scene.advertiserId, 30),
  },
  'advertisers.setKeepMonths': {
    actsOnOwn: true,
    sample: (stores, scene) => stores.advertisers.setKeepMonths(scene.advertiserId, 6),
  },
  'advertisers.setStatus': {
    actsOnOwn: true,
    samples: (['hold', 'active'] as const).map(
      (status): Sample =>
        (stores, scene) =>
          stores.advertisers.setStatus(scene.advertiserId, status),
    ),
  },
  'logos.find': { exception: 'logos are public', sample: stores => stores.logos.find(logo.hash) },
  'logos.setOfAdvertiser': {
    actsOnOwn: true,
    samples: [
      (stores, scene) => stores.logos.setOfAdvertiser(scene.advertiserId, logo),
      (stores, scene) => stores.logos.setOfAdvertiser(scene.advertiserId, undefined),
    ],
  },
  'logos.setOfClient': {
    of: 'client',
    actsOnOwn: true,
    samples: [
      (stores, scene) => stores.logos.setOfClient(scene.clientId, logo),
      (stores, scene) => stores.logos.setOfClient(scene.clientId, undefined),
    ],
  },
  'credentials.findOwner': {
    exception: secret,
    sample: (stores, scene) => stores.credentials.findOwner(scene.credentialHash),
  },
  'credentials.advertiserOf': {
    exception: operator,
    sample: (stores, scene) => stores.credentials.advertiserOf(scene.credentialId),
  },
  'credentials.add': {
    actsOnOwn: true,
    sample: (stores, scene) => stores.credentials.add(scene.advertiserId, credential(scene)),
  },
  'credentials.list': {
    strangerGets: [],
    sample: (stores, scene) => stores.credentials.list(scene.advertiserId),
  },
  'credentials.revoke': {
    sample: (stores, scene) => stores.credentials.revoke(scene.advertiserId, scene.credentialId, at),
  },
  'credentials.recordUse': {
    tellsNothing: true,
    sample: (stores, scene) => stores.credentials.recordUse(scene.advertiserId, scene.credentialId, at, at),
  },
  'submissions.add': {
    actsOnOwn: true,
    sample: (stores, scene) => stores.submissions.add(scene.advertiserId, fullApplication, at),
  },
  'applications.resolveBounds': {
    strangerGets: { after: 0, before: 1 },
    samples: [
      (stores, scene) => stores.applications.resolveBounds(scene.advertiserId, {}),
      (stores, scene) =>
        stores.applications.resolveBounds(scene.advertiserId, { afterDate: at + 1, beforeDate: at - 1 }),
    ],
  },
  'applications.whenDurable': {
    actsOnOwn: true,
    sample: (stores, scene) => stores.applications.whenDurable(scene.advertiserId, 0),
  },
  'applications.page': {
    strangerGets: { text: '', count: 0, lastId: 0, hasMore: false },
    samples: (['json', 'xml'] as const).flatMap(format =>
      [false, true].map(
        (includePrimaryInfo): Sample =>
          async (stores, scene) => {
            const request = { ...all, format, includePrimaryInfo, head: '', tail: '' }
            const { content, ...page } = await stores.applications.page(scene.advertiserId, request)
            return { ...page, text: Buffer.from(content).toString() }
          },
      ),
    ),
  },
  'applications.file': {
    sample: (stores, scene) => stores.applications.file(scene.advertiserId, scene.applicationId, 'resume'),
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
        async ({ applications }, { advertiserId, applicationId }) => {
          const file = await applications.file(advertiserId, applicationId, 'resume')
          const blob = file?.blob ?? ''
          return applications.recordVerdict(advertiserId, applicationId, 'resume', verdict, at, blob)
        },
    ),
  },
  // After a verdict, which it tells of.
  'progress.activities': {
    strangerGets: [],
    sample: (stores, { advertiserId, applicationId: id }) =>
      stores.progress.activities(advertiserId, { id, submittedAt: at }),
  },
  'blobReferences.page': {
    exception: "the operator's check of the files, whoever they belong to",
    sample: stores => stores.blobReferences.page('', 10),
  },
  'agents.add': {
    exception: operator,
    samples: [
      stores => stores.agents.add({ name: 'New', createdAt: at }),
      stores => stores.agents.add({ id: 6, name: 'New', createdAt: at }),
    ],
  },
  'agents.list': { exception: operator, sample: stores => stores.agents.list() },
  'agents.find': { exception: operator, sample: (stores, scene) => stores.agents.find(scene.agentId) },
  'agents.listFor': { actsOnOwn: true, sample: (stores, scene) => stores.agents.listFor(scene.advertiserId) },
  'agents.authorise': {
    actsOnOwn: true,
    // The agent remembers when it was last authorised, by any advertiser.
    shared: ['agents'],
    sample: (stores, scene) => stores.agents.authorise(scene.advertiserId, scene.agentId, at),
  },
}
