import { at, later } from '../scene.ts'
import { exceptions, type StoreFunctions } from '../store-function.ts'

/** What a candidate takes along. */
export const ownDataFunctions: StoreFunctions = {
  'ownData.account': {
    of: 'candidate',
    actsOnOwn: true,
    samples: [(stores, scene) => stores.ownData.account(scene.candidateId)],
  },
  'ownData.consents': {
    of: 'candidate',
    strangerGets: [],
    samples: [(stores, scene) => stores.ownData.consents(scene.candidateId)],
  },
  'ownData.memberships': {
    of: 'candidate',
    strangerGets: [],
    samples: [(stores, scene) => stores.ownData.memberships(scene.candidateId)],
  },
  'ownData.links': {
    of: 'candidate',
    actsOnOwn: true,
    samples: [(stores, scene) => stores.ownData.links(scene.candidateId, at)],
  },
  'ownData.applications': {
    of: 'candidate',
    strangerGets: [],
    samples: [
      (stores, scene) => stores.ownData.applications(scene.candidateId, undefined, 9),
      (stores, scene) =>
        stores.ownData.applications(scene.candidateId, { submittedAt: later + 1, applicationId: 1 }, 9),
    ],
  },
  'ownData.startedApplications': {
    of: 'candidate',
    strangerGets: [],
    samples: [
      (stores, scene) => stores.ownData.startedApplications(scene.candidateId, undefined, 9),
      (stores, scene) =>
        stores.ownData.startedApplications(scene.candidateId, { createdAt: later + 1, id: '' }, 9),
    ],
  },
  'ownData.recipients': {
    of: 'candidate',
    strangerGets: [],
    samples: [(stores, scene) => stores.ownData.recipients(scene.candidateId, 9)],
  },
  'ownData.advertisersAppliedTo': {
    of: 'candidate',
    strangerGets: [],
    samples: [(stores, scene) => stores.ownData.advertisersAppliedTo(scene.candidateId, 9)],
  },
}

/** Functions that end things for good: after everything that needs them. */
export const removalFunctions: StoreFunctions = {
  'erasures.due': {
    exception: exceptions.sweep,
    samples: [
      stores => stores.erasures.due(at, undefined, 9),
      stores => stores.erasures.due(at, { dueAt: at, advertiserId: 1, applicationId: 1 }, 9),
    ],
  },
  'erasures.erase': {
    samples: [
      (stores, { advertiserId, ownApplicationId }) =>
        stores.erasures.erase(advertiserId, ownApplicationId, at),
    ],
  },
  'accountRemoval.lastAdminOf': {
    of: 'candidate',
    actsOnOwn: true,
    // The other admins there.
    reachedBy: { memberships: ['candidate_id', 'advertiser_id'] },
    samples: [(stores, scene) => stores.accountRemoval.lastAdminOf(scene.candidateId)],
  },
  'accountRemoval.remove': {
    of: 'candidate',
    strangerGets: { outcome: 'changed' },
    reachedBy: {
      memberships: ['candidate_id', 'advertiser_id'],
      oauth_codes: 'grant_id',
      oauth_tokens: 'grant_id',
    },
    // The owner's password is a new one by now, which is the owner's alone.
    samples: [
      (stores, scene) => stores.accountRemoval.remove(scene.candidateId, 'new', { now: at, eraseAt: later }),
    ],
  },
}
