import { at, usageDay } from '../scene.ts'
import type { StoreFunctions } from '../store-function.ts'

/** Counts by day, of applications and of calls. */
export const usageFunctions: StoreFunctions = {
  'usage.addCalls': {
    exception: 'what a node has counted for all advertisers goes in one transaction, each count to its own',
    samples: [
      (stores, scene) =>
        stores.usage.addCalls([{ advertiserId: scene.advertiserId, day: usageDay, calls: 2 }]),
    ],
  },
  'usage.calls': {
    strangerGets: [],
    samples: [(stores, scene) => stores.usage.calls(scene.advertiserId, usageDay)],
  },
  'usage.lastApplicationAt': {
    strangerGets: 0,
    samples: [(stores, scene) => stores.usage.lastApplicationAt(scene.advertiserId)],
  },
  'usage.countApplications': {
    strangerGets: 0,
    samples: [(stores, scene) => stores.usage.countApplications(scene.advertiserId, at, at + 1)],
  },
  'usage.countedDays': {
    strangerGets: [],
    samples: [(stores, scene) => stores.usage.countedDays(scene.advertiserId, usageDay)],
  },
  'usage.keepDays': {
    actsOnOwn: true,
    samples: [(stores, scene) => stores.usage.keepDays(scene.advertiserId, [{ day: usageDay, count: 1 }])],
  },
}
