import { at, later, type Scene } from '../scene.ts'
import { newEndpoint } from '../scene-parts.ts'
import { exceptions, type StoreFunctions } from '../store-function.ts'
import type { Stores } from '../stores.ts'

const { operator, sweep } = exceptions
const found = 'by the ID of an endpoint that the service has found to be the owner’s'
const sender = 'the processes share the work between them; a lease says which one may change a lane'

const owner = ({ advertiserId }: Scene) => ({ advertiserId })
const attempt = { at, advertiserId: null, number: null, attempt: 1, outcome: 'refused' as const }
const tested = { ...attempt, status: 500, ms: 1, answer: 'no' }

async function held(stores: Stores, { advertiserId, endpointId }: Scene) {
  const now = at + 10
  const except = { exceptEndpoints: ['other'], exceptOwners: ['agent 0'] }
  const question = { now, leaseMs: 1, advertiserIds: [advertiserId], ...except, max: 9 }
  const due = await stores.lanes.findDue({ ...question, answeredWithinMs: 2000 })
  const [lane] = due.filter(each => each.endpointId === endpointId)
  return stores.lanes.take(lane?.id ?? '', now, now + 1)
}

const record = {
  now: at,
  sent: at,
  tries: 0,
  dueAt: at,
  leasedUntil: null,
  accepted: 1,
  answerMs: 1,
  skewMs: 0,
  attempts: [{ ...tested, advertiserId: 1, number: at }],
}

export const webhookFunctions: StoreFunctions = {
  'endpoints.add': {
    actsOnOwn: true,
    sample: (stores, scene) => stores.endpoints.add(newEndpoint(scene.fresh(), owner(scene)), 10),
  },
  'endpoints.list': { strangerGets: [], sample: (stores, scene) => stores.endpoints.list(owner(scene)) },
  'endpoints.find': { sample: (stores, scene) => stores.endpoints.find(owner(scene), scene.endpointId) },
  'endpoints.findAny': {
    exception: operator,
    sample: (stores, { endpointId }) => stores.endpoints.findAny(endpointId),
  },
  'endpoints.listAll': { exception: operator, sample: stores => stores.endpoints.listAll() },
  'endpoints.change': {
    strangerGets: false,
    sample: (stores, scene) =>
      stores.endpoints.change(owner(scene), scene.endpointId, { description: 'new' }),
  },
  'endpoints.rotate': {
    strangerGets: false,
    sample: (stores, scene) => stores.endpoints.rotate(owner(scene), scene.endpointId, at, later),
  },
  'endpoints.retire': {
    strangerGets: false,
    sample: (stores, scene) => stores.endpoints.retire(owner(scene), scene.endpointId),
  },
  'endpoints.recordTest': {
    exception: found,
    sample: (stores, { endpointId }) => stores.endpoints.recordTest(endpointId, tested, 1),
  },
  'endpoints.testsSince': {
    exception: found,
    sample: (stores, { endpointId }) => stores.endpoints.testsSince(endpointId, at),
  },
  'lanes.findDue': { exception: sender, samples: [held] },
  'lanes.take': { exception: sender, samples: [held] },
  'lanes.record': {
    exception: sender,
    sample: async (stores, scene) => {
      const lane = await held(stores, scene)
      const park = [{ id: scene.fresh(), after: at, number: at + 1, notice: null, dueAt: later }]
      return lane && stores.lanes.record(lane, { ...record, park, stop: 'gone', ended: 'done' })
    },
  },
  'endpoints.activate': {
    exception: found,
    sample: (stores, { endpointId }) => stores.endpoints.activate(endpointId, at, 'resume'),
  },
  'endpoints.pause': {
    strangerGets: false,
    sample: (stores, scene) => stores.endpoints.pause(owner(scene), scene.endpointId),
  },
  'endpoints.lanes': {
    exception: found,
    sample: (stores, { endpointId }) => stores.endpoints.lanes(endpointId, 9),
  },
  'endpoints.backlog': {
    exception: found,
    samples: [
      (stores, scene) =>
        stores.endpoints.backlog(
          { id: scene.endpointId, types: ['application.created'], owner: owner(scene) },
          9,
        ),
      (stores, { endpointId, agentId }) =>
        stores.endpoints.backlog({ id: endpointId, types: ['application.created'], owner: { agentId } }, 9),
    ],
  },
  'endpoints.givenUp': {
    exception: found,
    sample: (stores, { endpointId }) => stores.endpoints.givenUp(endpointId),
  },
  'endpoints.attempts': {
    exception: found,
    sample: (stores, { endpointId }) => stores.endpoints.attempts(endpointId, 9),
  },
  'endpoints.hours': {
    exception: found,
    sample: (stores, { endpointId }) => stores.endpoints.hours(endpointId, 0),
  },
  'replays.add': {
    exception: found,
    sample: (stores, { endpointId, advertiserId, fresh }) =>
      stores.replays.add({ advertiserId }, endpointId, {
        id: fresh(),
        advertiserId,
        after: 0,
        types: null,
        now: at,
      }),
  },
  'replays.cancel': {
    exception: found,
    sample: (stores, { endpointId, fresh }) => stores.replays.cancel(endpointId, fresh(), at),
  },
  'replays.resendDeferred': {
    exception: found,
    samples: [
      (stores, { endpointId }) => stores.replays.resendDeferred(endpointId, 'all', at),
      (stores, { endpointId, fresh }) => stores.replays.resendDeferred(endpointId, fresh(), at),
    ],
  },
  'webhookUpkeep.correctTimes': { exception: sweep, sample: stores => stores.webhookUpkeep.correctTimes(at) },
  'webhookUpkeep.failing': { exception: sweep, sample: stores => stores.webhookUpkeep.failing(1) },
  'webhookUpkeep.tell': {
    exception: 'tells the owner of its own endpoint',
    samples: [
      ...[owner, ({ agentId }: Scene) => ({ agentId })].map(
        ownerOf => (stores: Stores, scene: Scene) =>
          stores.webhookUpkeep.tell(
            {
              id: scene.endpointId,
              owner: ownerOf(scene),
              failingSince: at,
              failedAt: later,
              told: 0,
              isStopped: false,
            },
            ...([1, false, at] as const),
          ),
      ),
    ],
  },
  'webhookUpkeep.notifyGivenUp': {
    exception: sweep,
    sample: stores => stores.webhookUpkeep.notifyGivenUp(at, 1),
  },
  'webhookUpkeep.prune': { exception: sweep, sample: stores => stores.webhookUpkeep.prune(1, 9, 9) },
  'webhookUpkeep.removeEnded': { exception: sweep, sample: stores => stores.webhookUpkeep.removeEnded(1, 9) },
  'webhookUpkeep.figures': { exception: operator, sample: stores => stores.webhookUpkeep.figures(at) },
  'webhookUpkeep.isUsed': { exception: operator, sample: stores => stores.webhookUpkeep.isUsed() },
  'endpoints.remove': {
    exception: 'finds the endpoint to be the owner’s in the same transaction',
    sample: async (stores, scene) => {
      const isGone = await stores.endpoints.remove(owner(scene), scene.endpointId)
      if (isGone) {
        await stores.endpoints.add(newEndpoint(scene.endpointId, owner(scene)), 99)
        await stores.endpoints.activate(scene.endpointId, at, 'resume')
      }
      return isGone
    },
  },
}
