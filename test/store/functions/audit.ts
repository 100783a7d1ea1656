import { at } from '../scene.ts'
import { exceptions, type StoreFunctions } from '../store-function.ts'

const { operator, sweep } = exceptions
const filter = { from: 0, to: Number.MAX_SAFE_INTEGER, actor: 'task', action: 'member' }

/** The audit log; the scope of an advertiser's chain is its ID. */
export const auditFunctions: StoreFunctions = {
  'audit.record': {
    actsOnOwn: true,
    sample: (stores, { advertiserId }) =>
      stores.audit.record({
        action: 'member.role',
        scope: { ownerId: advertiserId },
        target: 'person:x',
        after: { role: 'admin' },
      }),
  },
  'audit.list': {
    exception: operator,
    samples: [
      (stores, { advertiserId }) => stores.audit.list(advertiserId, {}, undefined, 10),
      (stores, { advertiserId }) =>
        stores.audit.list(advertiserId, filter, { at, scope: advertiserId, number: 99 }, 10),
      stores => stores.audit.list(undefined, { actor: 'x', action: 'member.role' }, undefined, 10),
      stores => stores.audit.list(undefined, {}, { at, scope: 1, number: 99 }, 10),
    ],
  },
  'audit.read': {
    exception: operator,
    sample: (stores, { advertiserId }) => stores.audit.read(advertiserId, {}, 0, 10),
  },
  'audit.heads': {
    exception: operator,
    samples: [stores => stores.audit.heads(), (stores, { advertiserId }) => stores.audit.heads(advertiserId)],
  },
  'audit.seals': {
    exception: operator,
    sample: (stores, { advertiserId }) => stores.audit.seals(advertiserId),
  },
  'audit.droppedSeals': { exception: operator, sample: stores => stores.audit.droppedSeals() },
  'audit.scopes': { exception: operator, sample: stores => stores.audit.scopes() },
  'audit.restoredAt': { exception: operator, sample: stores => stores.audit.restoredAt() },
  'audit.databaseId': { exception: operator, sample: stores => stores.audit.databaseId() },
  'failedSignIns.note': {
    exception: 'counts wrong passwords of everyone who works for a company, an agent or the board',
    sample: stores => stores.failedSignIns.note(1, at),
  },
  'audit.expireAddresses': { exception: sweep, sample: stores => stores.audit.expireAddresses(at, 10) },
  'audit.dropMonths': { exception: sweep, sample: stores => stores.audit.dropMonths('2020-01', at) },
  'audit.removeDropped': { exception: sweep, sample: stores => stores.audit.removeDropped(at, 10) },
}
