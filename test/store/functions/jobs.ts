import { at, later, newAd, newQuestionnaire, type Scene } from '../scene.ts'
import { exceptions, type Sample, type StoreFunctions } from '../store-function.ts'
import type { Stores } from '../stores.ts'

const statuses = ['closed', 'open'] as const
const nothing = { entries: [], hasNewer: false, hasOlder: false }
const everybody = 'what is advertised is for everybody'

const keptKey = ({ clientId }: Scene, key: string) => ({
  clientId,
  key,
  contentHash: 'hash',
  expiresAt: later,
})

const report = async (stores: Stores, { advertiserId, jobAdId, fresh }: Scene) => {
  const id = fresh()
  const sent = { id, advertiserId, jobAdId, reason: 'other', details: 'x', email: 'r@example.com' } as const
  await stores.reports.add(sent, at)
  return id
}
const onReport = (
  run: (stores: Stores, scene: Scene, id: string) => Promise<unknown>,
): StoreFunctions[string] => ({
  exception: exceptions.operator,
  sample: async (stores, scene) => run(stores, scene, await report(stores, scene)),
})

/** Reports are made by strangers and read by operators. */
const reportFunctions: StoreFunctions = {
  'reports.add': onReport(async () => {}),
  'reports.find': onReport((stores, _, id) => stores.reports.find(id)),
  'reports.open': onReport(stores => stores.reports.open(9)),
  'reports.onHold': onReport(async stores => [
    await stores.reports.onHold('review', 9),
    await stores.reports.onHold('held', 9),
  ]),
  'reports.ad': onReport((stores, { jobAdId }) => stores.reports.ad(jobAdId, 9)),
  'reports.counts': onReport(stores => stores.reports.counts()),
  'reports.hold': onReport((stores, { jobAdId }) => stores.reports.hold(jobAdId, 'Why', at)),
  'reports.release': onReport(async (stores, { jobAdId }) => {
    await stores.reports.hold(jobAdId, 'Why', at)
    return stores.reports.release(jobAdId, at)
  }),
  'reports.dismiss': onReport((stores, { jobAdId }, id) => stores.reports.dismiss(jobAdId, [id], at)),
  'reports.forgetAddress': onReport(stores => stores.reports.forgetAddress('r@example.com')),
}

export const jobFunctions: StoreFunctions = {
  'adVersions.keepNext': {
    actsOnOwn: true,
    sample: (stores, { advertiserId }) => stores.adVersions.keepNext(advertiserId, 0, at),
  },
  'adVersions.list': {
    strangerGets: [],
    sample: (stores, { advertiserId }) => stores.adVersions.list(advertiserId, { jobAdId: 0, version: 0 }),
  },
  ...reportFunctions,
  'jobAds.add': {
    actsOnOwn: true,
    shared: ['counters'],
    sample: (stores, scene) => stores.jobAds.add(scene.advertiserId, newAd, at),
  },
  'jobAds.addOnce': {
    actsOnOwn: true,
    // Keys are a client's, and its caller has checked the client.
    shared: ['counters', 'intake_keys'],
    samples: ['ad', 'ad'].map(
      (key): Sample =>
        (stores, scene) =>
          stores.jobAds.addOnce(scene.advertiserId, newAd, at, keptKey(scene, key)),
    ),
  },
  'screens.addOnce': {
    actsOnOwn: true,
    shared: ['counters', 'intake_keys'],
    sample: (stores, scene) =>
      stores.screens.addOnce(scene.advertiserId, newQuestionnaire, at, keptKey(scene, 'questionnaire')),
  },
  'jobAds.find': { sample: (stores, scene) => stores.jobAds.find(scene.advertiserId, scene.jobAdId) },
  'jobAds.list': {
    strangerGets: [],
    samples: [
      (stores, scene) => stores.jobAds.list(scene.advertiserId, 0, 10),
      (stores, scene) => stores.jobAds.list(scene.advertiserId, 0, 10, 'HCR-7'),
    ],
  },
  'postingLists.jobAds': {
    strangerGets: nothing,
    samples: [
      (stores, { advertiserId }) => stores.postingLists.jobAds(advertiserId, { limit: 10 }, '2026-11-15'),
      (stores, { advertiserId }) =>
        stores.postingLists.jobAds(advertiserId, { limit: 10, status: 'open' }, '2026-11-15'),
      // Past the closing date.
      (stores, { advertiserId }) =>
        stores.postingLists.jobAds(advertiserId, { limit: 10, status: 'closed' }, '2100-01-01'),
      (stores, { advertiserId }) =>
        stores.postingLists.jobAds(advertiserId, { limit: 10, afterId: 0 }, '2026-11-15'),
    ],
  },
  'postingLists.adsOfAestDays': {
    strangerGets: [],
    sample: (stores, scene) => stores.postingLists.adsOfAestDays(scene.advertiserId, '2026-11-15', 10),
  },
  'postingLists.screens': {
    strangerGets: nothing,
    samples: [
      (stores, { advertiserId }) => stores.postingLists.screens(advertiserId, { limit: 10 }),
      (stores, { advertiserId }) => stores.postingLists.screens(advertiserId, { limit: 10, status: 'open' }),
      (stores, { advertiserId }) => stores.postingLists.screens(advertiserId, { limit: 10, afterId: 0 }),
    ],
  },
  'postingLists.openScreens': {
    strangerGets: [],
    sample: (stores, scene) => stores.postingLists.openScreens(scene.advertiserId, 10),
  },
  // Before the ad is changed to one without a questionnaire.
  'postingLists.adsWithScreen': {
    strangerGets: [],
    sample: (stores, scene) => stores.postingLists.adsWithScreen(scene.advertiserId, scene.screenId, 10),
  },
  'jobAds.update': {
    samples: [
      (stores, scene) => stores.jobAds.update(scene.advertiserId, scene.jobAdId, newAd, later),
      (stores, scene) => stores.jobAds.update(scene.advertiserId, scene.jobAdId, newAd, later + 1, later),
    ],
  },
  'jobAds.setStatus': {
    samples: statuses.map(
      (status): Sample =>
        (stores, scene) =>
          stores.jobAds.setStatus(scene.advertiserId, scene.jobAdId, status, later),
    ),
  },
  'screens.add': {
    actsOnOwn: true,
    shared: ['counters'],
    sample: (stores, scene) => stores.screens.add(scene.advertiserId, newQuestionnaire, at),
  },
  'screens.find': { sample: (stores, scene) => stores.screens.find(scene.advertiserId, scene.screenId) },
  'screens.list': {
    strangerGets: [],
    sample: (stores, scene) => stores.screens.list(scene.advertiserId, 0, 10),
  },
  'screens.update': {
    samples: [
      (stores, scene) => stores.screens.update(scene.advertiserId, scene.screenId, newQuestionnaire, later),
      (stores, scene) =>
        stores.screens.update(scene.advertiserId, scene.screenId, newQuestionnaire, later + 1, later),
    ],
  },
  'screens.setStatus': {
    samples: statuses.map(
      (status): Sample =>
        (stores, scene) =>
          stores.screens.setStatus(scene.advertiserId, scene.screenId, status, later),
    ),
  },
  'jobBoard.find': { exception: everybody, sample: (stores, scene) => stores.jobBoard.find(scene.jobAdId) },
  'jobBoard.companies': {
    exception: everybody,
    sample: stores => stores.jobBoard.companies(10, { now: at }),
  },
  'jobBoard.countOpen': {
    exception: everybody,
    sample: stores => stores.jobBoard.countOpen(10, { now: at }),
  },
  'jobBoard.listOpen': {
    exception: everybody,
    samples: [
      stores => stores.jobBoard.listOpen(Number.MAX_SAFE_INTEGER, 10, { now: at }),
      stores =>
        stores.jobBoard.listOpen(Number.MAX_SAFE_INTEGER, 10, {
          now: at,
          words: ['cook', 'perth'],
        }),
      ...([{ workplace: 'remote' }, { employmentType: 'FULL_TIME' }, { withPay: true }] as const).map(
        (filter): Sample =>
          stores =>
            stores.jobBoard.listOpen(Number.MAX_SAFE_INTEGER, 10, { now: at, filter }),
      ),
    ],
  },
}
