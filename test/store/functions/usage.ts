import { at, usageDay } from '../scene.ts'
import type { StoreFunctions } from '../store-function.ts'

const ofAllAdvertisers =
  'what a node has counted for all advertisers goes in one transaction, each count to its own'

const newRead = (advertiserId: number) => ({
  advertiserId,
  day: usageDay,
  reader: 'credential:own-credential' as const,
  firstAt: at,
  lastAt: at,
})

/** Counts by day, of applications and of calls, and reads by day. */
export const usageFunctions: StoreFunctions = {
  'usage.addCalls': {
    exception: ofAllAdvertisers,
    sample: (stores, scene) =>
      stores.usage.addCalls([{ advertiserId: scene.advertiserId, day: usageDay, calls: 2 }]),
  },
  'agentCalls.add': {
    exception: ofAllAdvertisers,
    sample: (stores, { agentId, advertiserId }) =>
      stores.agentCalls.add([{ agentId, advertiserId, day: usageDay, code: '', calls: 2, lastAt: at }]),
  },
  'agentCalls.days': {
    of: 'agent',
    strangerGets: [],
    reachedBy: { agent_call_days: 'agent_id' },
    sample: (stores, { agentId }) => stores.agentCalls.days(agentId, usageDay),
  },
  'agentCalls.last': {
    of: 'agent',
    strangerGets: [],
    reachedBy: { agent_call_days: 'agent_id' },
    sample: (stores, { agentId }) => stores.agentCalls.last(agentId),
  },
  'reads.addReads': {
    exception: ofAllAdvertisers,
    sample: (stores, { advertiserId, applicationId }) =>
      stores.reads.addReads([{ ...newRead(advertiserId), applicationId, way: 'view' }]),
  },
  'reads.addLists': {
    exception: ofAllAdvertisers,
    sample: (stores, { advertiserId, applicationId: lastId }) =>
      stores.reads.addLists([{ ...newRead(advertiserId), way: 'list', firstId: 1, lastId }]),
  },
  'usage.calls': {
    strangerGets: [],
    sample: (stores, scene) => stores.usage.calls(scene.advertiserId, usageDay),
  },
  'usage.lastApplicationAt': {
    strangerGets: 0,
    sample: (stores, scene) => stores.usage.lastApplicationAt(scene.advertiserId),
  },
  'usage.countApplications': {
    strangerGets: 0,
    sample: (stores, scene) => stores.usage.countApplications(scene.advertiserId, at, at + 1),
  },
  'usage.countedDays': {
    strangerGets: [],
    sample: (stores, scene) => stores.usage.countedDays(scene.advertiserId, usageDay),
  },
  'usage.keepDays': {
    actsOnOwn: true,
    sample: (stores, scene) => stores.usage.keepDays(scene.advertiserId, [{ day: usageDay, count: 1 }]),
  },
}
