import type { ClaimedDelivery } from '../../../src/platform/work/delivery-ports.ts'
import { at, later, newDelivery } from '../scene.ts'
import { exceptions, type StoreFunctions } from '../store-function.ts'

const { operator, sweep } = exceptions
const worker = 'the outbox is worked off by processes, and the rows name no owner in a column'
const address = 'an address says which account is meant'
const claimed = (id: string): ClaimedDelivery => ({
  ...newDelivery(id),
  attempt: 1,
  createdAt: at,
  claimedUntil: later,
})

/** The outbox, and what its emails are about. */
export const mailFunctions: StoreFunctions = {
  'deliveries.add': {
    exception: worker,
    sample: (stores, { fresh }) => stores.deliveries.add([newDelivery(fresh()), newDelivery('delivery')], at),
  },
  'deliveries.claimOne': {
    exception: worker,
    sample: stores => stores.deliveries.claimOne('delivery', at, later),
  },
  'deliveries.stateOf': { exception: worker, sample: stores => stores.deliveries.stateOf('delivery') },
  'deliveries.claim': {
    exception: worker,
    sample: stores => stores.deliveries.claim(['reset'], at, later, 9, at),
  },
  'deliveries.release': {
    exception: worker,
    sample: stores => stores.deliveries.release(claimed('delivery'), at),
  },
  'deliveries.retry': {
    exception: worker,
    sample: stores => stores.deliveries.retry(claimed('delivery'), at, 'later'),
  },
  'deliveries.end': {
    exception: worker,
    samples: [
      stores =>
        stores.deliveries.end(claimed('delivery'), {
          state: 'dead',
          at,
          fault: 'no',
          forgetsContent: true,
        }),
      stores =>
        stores.deliveries.end(claimed('delivery'), {
          state: 'sent',
          at,
          fault: null,
          forgetsContent: false,
        }),
    ],
  },
  'deliveries.remove': { exception: worker, sample: stores => stores.deliveries.remove(claimed('delivery')) },
  'deliveries.gather': {
    exception: worker,
    sample: stores =>
      stores.deliveries.gather(
        claimed('delivery'),
        { ...newDelivery('digest'), dueAt: later, add: before => before ?? '{}' },
        at,
      ),
  },
  'deliveries.dropLate': { exception: worker, sample: stores => stores.deliveries.dropLate(['reset'], 0, 9) },
  'deliveries.counts': { exception: operator, sample: stores => stores.deliveries.counts() },
  'deliveries.list': {
    exception: operator,
    sample: stores => stores.deliveries.list(['waiting', 'dead'], 9),
  },
  'deliveries.retryNow': {
    exception: operator,
    samples: [
      stores => stores.deliveries.retryNow(['delivery'], at, later, ['reset']),
      stores => stores.deliveries.retryNow('dead', at, later, ['reset']),
    ],
  },
  'deliveries.drop': {
    exception: operator,
    samples: [stores => stores.deliveries.drop(['delivery']), stores => stores.deliveries.drop('dead')],
  },
  'expiry.removeDeliveries': { exception: sweep, sample: stores => stores.expiry.removeDeliveries(at, 9) },
  'notices.findReader': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, { candidateId }) => stores.notices.findReader(candidateId),
  },
  'notices.findSent': {
    of: 'candidate',
    sample: (stores, { candidateId, ownApplicationId }) =>
      stores.notices.findSent(candidateId, ownApplicationId),
  },
  'notices.findDisclosure': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, { candidateId, clientId, advertiserId }) =>
      stores.notices.findDisclosure(candidateId, {
        kind: 'first-disclosure',
        candidateId,
        clientId,
        advertiserId,
      }),
  },
  'notices.findNew': {
    sample: (stores, { advertiserId, colleagueId, applicationId }) =>
      stores.notices.findNew(
        advertiserId,
        {
          kind: 'new-applications',
          candidateId: colleagueId,
          advertiserId,
          firstId: 1,
          lastId: applicationId,
          withdrawnIds: [applicationId],
          withdrawals: 1,
        },
        { queuedAt: later, most: 9 },
      ),
  },
  'notices.findFailingWebhook': {
    actsOnOwn: true,
    samples: [
      (stores, { advertiserId, colleagueId: candidateId, endpointId }) =>
        stores.notices.findFailingWebhook(advertiserId, {
          kind: 'webhook-failing',
          candidateId,
          advertiserId,
          endpointId,
          isStopped: false,
        }),
      (stores, { advertiserId, colleagueId: candidateId, endpointId }) =>
        stores.notices.findFailingWebhook(advertiserId, {
          kind: 'webhook-failing',
          candidateId,
          advertiserId,
          endpointId,
          isStopped: false,
          isGivenUp: true,
        }),
    ],
  },
  'notices.findFailingAgentWebhook': {
    of: 'agent',
    actsOnOwn: true,
    sample: (stores, { agentId, agentPeople, endpointId }) =>
      stores.notices.findFailingAgentWebhook(agentId, {
        kind: 'webhook-failing',
        candidateId: agentPeople.ids[1],
        agentId,
        endpointId,
        isStopped: false,
      }),
  },
  'notices.findRetention': {
    actsOnOwn: true,
    sample: (stores, { advertiserId, colleagueId }) =>
      stores.notices.findRetention(advertiserId, colleagueId),
  },
  'notices.recordRefusal': {
    exception: address,
    sample: (stores, { email }) => stores.notices.recordRefusal(email, '550 no', at),
  },
  'notices.findRefusal': {
    of: 'candidate',
    sample: (stores, { candidateId }) => stores.notices.findRefusal(candidateId),
  },
  'notices.clearRefusal': {
    of: 'candidate',
    actsOnOwn: true,
    tellsNothing: true,
    sample: (stores, { candidateId }) => stores.notices.clearRefusal(candidateId),
  },
}
