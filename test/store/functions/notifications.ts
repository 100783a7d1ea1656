import { at, later } from '../scene.ts'
import type { StoreFunctions } from '../store-function.ts'

const digest = 'writes to the members of every company that has something new'
const topic = 'receipts' as const

/** Which emails people want, and the members who are due for one. */
export const notificationFunctions: StoreFunctions = {
  'notifications.preferences': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, { candidateId }) => stores.notifications.preferences(candidateId),
  },
  'notifications.setMuted': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, { candidateId }) => stores.notifications.setMuted(candidateId, 7),
  },
  'notifications.setTopic': {
    of: 'candidate',
    actsOnOwn: true,
    samples: [true, false].map(
      isOn =>
        (stores, { candidateId }) =>
          stores.notifications.setTopic(candidateId, topic, isOn),
    ),
  },
  'notifications.rhythm': {
    sample: (stores, { advertiserId, colleagueId }) => stores.notifications.rhythm(advertiserId, colleagueId),
  },
  'notifications.setRhythm': {
    tellsNothing: true,
    samples: (['off', 'daily'] as const).map(
      rhythm =>
        (stores, { advertiserId, colleagueId }) =>
          stores.notifications.setRhythm(advertiserId, colleagueId, rhythm, at),
    ),
  },
  'notifications.linkKey': {
    exception: 'one key for the whole service',
    sample: (stores, { fresh }) => stores.notifications.linkKey(fresh()),
  },
  'digests.zones': { exception: digest, sample: stores => stores.digests.zones() },
  'digests.dueSoon': {
    exception: digest,
    sample: stores => stores.digests.dueSoon({ before: later, after: later }, 9),
  },
  'digests.dueDaily': {
    exception: digest,
    sample: stores =>
      stores.digests.dueDaily(
        [
          { timeZone: null, at: later },
          { timeZone: 'Europe/Berlin', at: later },
        ],
        later,
        9,
      ),
  },
  'digests.tell': {
    exception: digest,
    sample: async stores =>
      stores.digests.tell(await stores.digests.dueDaily([{ timeZone: null, at: later }], later, 9), later),
  },
}
