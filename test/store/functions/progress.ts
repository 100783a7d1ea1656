import { statuses } from '../../../src/model/application-status.ts'
import { at } from '../scene.ts'
import { exceptions, type StoreFunctions } from '../store-function.ts'

const none = Object.fromEntries(statuses.map(status => [status, 0]))

/** What the people of an advertiser do with its applications. */
export const progressFunctions: StoreFunctions = {
  'progress.setStatus': {
    strangerGets: [],
    samples: [
      (stores, { advertiserId, ownApplicationId, candidateId }) =>
        stores.progress.setStatus(advertiserId, {
          applications: [{ id: ownApplicationId, shown: 'new' }],
          to: 'shortlisted',
          by: candidateId,
          at,
          note: 'Good.',
          tells: true,
          historyMost: 1000,
        }),
    ],
  },
  'progress.addNote': {
    strangerGets: 'missing',
    samples: [
      (stores, { advertiserId, ownApplicationId, candidateId }) =>
        stores.progress.addNote(advertiserId, ownApplicationId, {
          text: 'Called.',
          by: candidateId,
          at,
          historyMost: 1000,
        }),
    ],
  },
  'progress.history': {
    strangerGets: [],
    samples: [(stores, scene) => stores.progress.history(scene.advertiserId, scene.ownApplicationId, 9)],
  },
  'progress.hasAccount': {
    strangerGets: false,
    samples: [(stores, scene) => stores.progress.hasAccount(scene.advertiserId, scene.ownApplicationId)],
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
    samples: [(stores, scene) => stores.progress.lastVisit(scene.advertiserId, scene.candidateId)],
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
    samples: [(stores, scene) => stores.progress.countsOfAds(scene.advertiserId, [scene.jobAdId])],
  },
  'counts.faults': {
    exception: exceptions.operator,
    samples: [(stores, scene) => stores.counts.faults(scene.advertiserId)],
  },
  'counts.repair': {
    exception: exceptions.operator,
    samples: [(stores, scene) => stores.counts.repair(scene.advertiserId)],
  },
}
