import { statuses } from '../../../src/model/application-status.ts'
import { at, later, type Scene } from '../scene.ts'
import { exceptions, type StoreFunctions } from '../store-function.ts'
import type { Stores } from '../stores.ts'

const none = Object.fromEntries(statuses.map(status => [status, 0]))

/** Decides on the application of the scene, later each time; the email waits. */
const hold = (
  stores: Stores,
  { advertiserId, ownApplicationId: applicationId, credentialId, fresh }: Scene,
): Promise<unknown> => {
  const entry = { applicationId, label: null, reason: null, tells: true } as const
  const laterAt = at + 10 * Number(/\d+$/.exec(fresh()))
  return stores.progress.report(
    advertiserId,
    { by: 'api', credentialId },
    [
      { ...entry, to: 'seen', at: laterAt },
      { ...entry, to: 'offer', at: laterAt + 1 },
    ],
    { now: at, maxHistory: 1000, toldAtOnce: 0, unread: 0 },
  )
}

/** What the people of an advertiser do with its applications. */
export const progressFunctions: StoreFunctions = {
  'progress.open': {
    strangerGets: false,
    sample: (stores, { advertiserId, ownApplicationId, candidateId }) =>
      stores.progress.open(advertiserId, ownApplicationId, { by: candidateId, now: at }),
  },
  'progress.setStatus': {
    strangerGets: [],
    sample: (stores, { advertiserId, ownApplicationId, candidateId }) =>
      stores.progress.setStatus(advertiserId, {
        applications: [{ id: ownApplicationId, shown: 'seen' }],
        to: 'shortlisted',
        by: candidateId,
        at,
        note: 'Good.',
        tells: true,
        maxHistory: 1000,
        toldAtOnce: 50,
      }),
  },
  'progress.report': {
    strangerGets: ['not-found', 'not-found'],
    sample: (stores, { advertiserId, ownApplicationId: applicationId, credentialId }) => {
      const said = { applicationId, label: 'Phone', reason: null, tells: true } as const
      return stores.progress.report(
        advertiserId,
        { by: 'api', credentialId },
        [
          { ...said, to: 'interview', at: at + 5 },
          { ...said, to: 'hired', at: at + 6 },
        ],
        { now: at, maxHistory: 1000, toldAtOnce: 50, unread: 0 },
      )
    },
  },
  'progress.held': {
    strangerGets: [],
    sample: async (stores, scene) => {
      await hold(stores, scene)
      return stores.progress.held(scene.advertiserId, at)
    },
  },
  'progress.takeBack': {
    strangerGets: { ended: 0, changed: 0 },
    sample: async (stores, scene) => {
      await hold(stores, scene)
      const chosen = { status: 'offer', until: later, max: 9 } as const
      return stores.progress.takeBack(scene.advertiserId, chosen, { by: scene.candidateId, now: at })
    },
  },
  'progress.addNote': {
    strangerGets: 'missing',
    sample: (stores, { advertiserId, ownApplicationId, candidateId }) =>
      stores.progress.addNote(advertiserId, ownApplicationId, {
        text: 'Called.',
        by: candidateId,
        at,
        maxHistory: 1000,
      }),
  },
  'progress.history': {
    strangerGets: [],
    sample: (stores, scene) => stores.progress.history(scene.advertiserId, scene.ownApplicationId, 9),
  },
  'progress.isFull': {
    strangerGets: false,
    sample: (stores, scene) => stores.progress.isFull(scene.advertiserId, scene.ownApplicationId, 1),
  },
  'progress.whyUntold': {
    strangerGets: 'no-account',
    sample: (stores, scene) => stores.progress.whyUntold(scene.advertiserId, scene.ownApplicationId),
  },
  'progress.visit': {
    strangerGets: null,
    tellsNothing: true,
    samples: [
      (stores, { advertiserId, candidateId }) =>
        stores.progress.visit(advertiserId, candidateId, { now: at, visitMs: 1, repeatMs: 0 }),
      (stores, { advertiserId, candidateId }) =>
        stores.progress.visit(advertiserId, candidateId, { now: at + 2, visitMs: 1, repeatMs: 0 }),
    ],
  },
  'progress.lastVisit': {
    strangerGets: null,
    sample: (stores, scene) => stores.progress.lastVisit(scene.advertiserId, scene.candidateId),
  },
  'progress.counts': {
    strangerGets: none,
    samples: [
      (stores, scene) => stores.progress.counts(scene.advertiserId),
      (stores, scene) => stores.progress.counts(scene.advertiserId, scene.jobAdId),
    ],
  },
  'progress.countsOfAds': {
    strangerGets: new Map(),
    sample: (stores, scene) => stores.progress.countsOfAds(scene.advertiserId, [scene.jobAdId]),
  },
  'counts.faults': {
    exception: exceptions.operator,
    sample: (stores, scene) => stores.counts.faults(scene.advertiserId),
  },
  'counts.repair': {
    exception: exceptions.operator,
    sample: (stores, scene) => stores.counts.repair(scene.advertiserId),
  },
}
