import { at, later } from '../scene.ts'
import { exceptions, type StoreFunctions } from '../store-function.ts'

const plan = { dueAt: at, ripeAt: 5 }
const time = { now: at, runningMs: 5 }

/** What a candidate takes along. */
export const ownDataFunctions: StoreFunctions = {
  'ownData.account': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, scene) => stores.ownData.account(scene.candidateId),
  },
  'ownData.reports': {
    exception: 'the confirmed address of the account is what says who asks',
    sample: stores => stores.ownData.reports('r@example.com'),
  },
  'ownData.consents': {
    of: 'candidate',
    strangerGets: [],
    sample: (stores, scene) => stores.ownData.consents(scene.candidateId),
  },
  'ownData.memberships': {
    of: 'candidate',
    strangerGets: [],
    sample: (stores, scene) => stores.ownData.memberships(scene.candidateId),
  },
  'ownData.links': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, scene) => stores.ownData.links(scene.candidateId, at),
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
    sample: (stores, scene) => stores.ownData.recipients(scene.candidateId, 9),
  },
  'ownData.advertisersAppliedTo': {
    of: 'candidate',
    strangerGets: [],
    sample: (stores, scene) => stores.ownData.advertisersAppliedTo(scene.candidateId, 9),
  },
}

/** Functions that end things for good: after everything that needs them. */
export const removalFunctions: StoreFunctions = {
  'ownRetention.find': {
    of: 'candidate',
    sample: (stores, scene) => stores.ownRetention.find(scene.candidateId, scene.ownApplicationId),
  },
  'retention.companies': {
    exception: exceptions.operator,
    sample: stores => stores.retention.companies(0, 9),
  },
  'retention.find': {
    actsOnOwn: true,
    sample: (stores, { advertiserId }) => stores.retention.find(advertiserId),
  },
  'retention.update': {
    actsOnOwn: true,
    samples: [
      (stores, { advertiserId }) =>
        stores.retention.update(
          advertiserId,
          () => ({ choice: 6, months: 12, next: 6, changesAt: later }),
          at,
        ),
      // Longer: what was planned is discarded.
      (stores, { advertiserId }) =>
        stores.retention.update(advertiserId, ({ stored }) => ({ ...stored, months: null }), at),
      (stores, { advertiserId }) =>
        stores.retention.update(advertiserId, ({ stored }) => ({ ...stored, months: 12 }), at),
    ],
  },
  'retention.untold': {
    exception: exceptions.operator,
    samples: [
      stores => stores.retention.untold(at, 9),
      (stores, { advertiserId }) => stores.retention.untold(at, 9, advertiserId),
    ],
  },
  'retention.keptBefore': {
    strangerGets: { count: 0, onHold: 0, oldestAt: null },
    sample: (stores, { advertiserId }) => stores.retention.keptBefore(advertiserId, later + 1, '2026-01-01'),
  },
  'retention.planErasures': {
    strangerGets: 0,
    sample: (stores, { advertiserId }) =>
      stores.retention.planErasures(
        advertiserId,
        { before: later + 1, months: 12, day: '2026-01-01' },
        plan,
        1,
      ),
  },
  'retention.remind': {
    exception: exceptions.operator,
    sample: stores => stores.retention.remind({ from: '2026-01-01', to: '2026-02-01' }, at, 9),
  },
  'holds.place': {
    sample: (stores, { advertiserId, ownApplicationId }) =>
      stores.holds.place(advertiserId, ownApplicationId, {
        reason: 'A dispute',
        placedAt: at,
        placedBy: null,
      }),
    strangerGets: 'missing',
  },
  'holds.find': {
    sample: (stores, { advertiserId, ownApplicationId }) => stores.holds.find(advertiserId, ownApplicationId),
  },
  'holds.list': {
    exception: exceptions.operator,
    samples: [
      stores => stores.holds.list(undefined),
      (stores, { advertiserId }) => stores.holds.list(advertiserId),
    ],
  },
  'holds.release': {
    strangerGets: false,
    sample: (stores, { advertiserId, ownApplicationId }) =>
      stores.holds.release(advertiserId, ownApplicationId, { actorId: null, at }),
  },
  'erasures.due': {
    exception: exceptions.sweep,
    samples: [
      stores => stores.erasures.due(time, undefined, 9),
      stores => stores.erasures.due(time, { dueAt: at, advertiserId: 1, applicationId: 1 }, 9),
    ],
  },
  'erasures.erase': {
    samples: [
      (stores, { advertiserId, ownApplicationId }) =>
        stores.erasures.erase(advertiserId, ownApplicationId, at, time),
      (stores, { advertiserId, ownApplicationId }) =>
        stores.erasures.erase(advertiserId, ownApplicationId, at),
    ],
  },
  'accountRemoval.lastAdminOf': {
    of: 'candidate',
    actsOnOwn: true,
    // The other admins there.
    reachedBy: {
      memberships: ['candidate_id', 'advertiser_id'],
      agent_members: ['candidate_id', 'agent_id'],
      operators: ['candidate_id', 'role'],
    },
    sample: (stores, scene) => stores.accountRemoval.lastAdminOf(scene.candidateId),
  },
  'accountRemoval.remove': {
    of: 'candidate',
    strangerGets: { outcome: 'changed' },
    reachedBy: {
      memberships: ['candidate_id', 'advertiser_id'],
      agent_members: ['candidate_id', 'agent_id'],
      operators: ['candidate_id', 'role'],
      oauth_codes: 'grant_id',
      oauth_tokens: 'grant_id',
    },
    // The owner's password is a new one by now, which is the owner's alone.
    sample: (stores, scene) =>
      stores.accountRemoval.remove(scene.candidateId, 'new', { now: at, eraseAt: later }),
  },
}
