import { at, later, newDelivery } from '../scene.ts'
import { exceptions, type StoreFunctions } from '../store-function.ts'

const { secret } = exceptions
const address = 'an address names the account before the sign-in'
const counts = 'counts by the hash of an address or of an account, which nobody owns'
const failures = { failures: 1, lastFailedAt: at }

/** How a candidate gets an account and signs in to it. */
export const accountFunctions: StoreFunctions = {
  'accounts.find': {
    of: 'candidate',
    actsOnOwn: true,
    samples: [(stores, scene) => stores.accounts.find(scene.candidateId)],
  },
  'accounts.findByEmail': {
    exception: address,
    samples: [(stores, scene) => stores.accounts.findByEmail(scene.email)],
  },
  'accounts.add': {
    exception: address,
    samples: [
      (stores, { fresh, passwordHash }) =>
        stores.accounts.add({
          candidateId: fresh(),
          email: fresh(),
          passwordHash,
          firstName: 'Mary',
          lastName: 'Nguyen',
          profile: '{}',
          createdAt: at,
        }),
    ],
  },
  'accounts.addLink': {
    of: 'candidate',
    actsOnOwn: true,
    samples: [
      (stores, { fresh, candidateId, email }) =>
        stores.accounts.addLink({ hash: fresh(), purpose: 'reset', candidateId, email, expiresAt: later }),
    ],
  },
  'accounts.findLink': {
    exception: secret,
    samples: [(stores, { links }) => stores.accounts.findLink(links.reset, 'reset', at)],
  },
  'accounts.findRegistration': {
    of: 'candidate',
    samples: [(stores, { candidateId }) => stores.accounts.findRegistration(candidateId, 'browser mark')],
  },
  'accounts.confirm': {
    exception: secret,
    samples: [(stores, { links }) => stores.accounts.confirm(links.confirm, at)],
  },
  'accounts.changeEmail': {
    exception: secret,
    samples: [(stores, { links }) => stores.accounts.changeEmail(links['change-email'], at)],
  },
  'accounts.resetPassword': {
    exception: secret,
    samples: [(stores, { links }) => stores.accounts.resetPassword(links.reset, 'new', at)],
  },
  'accounts.changePassword': {
    of: 'candidate',
    strangerGets: false,
    samples: [
      (stores, { candidateId, passwordHash, sessionId, fresh }) =>
        stores.accounts.changePassword(candidateId, {
          formerHash: passwordHash,
          passwordHash: 'new',
          keptSessionId: sessionId,
          mails: [newDelivery(fresh())],
          now: at,
        }),
    ],
  },
  'accounts.countMail': { exception: counts, samples: [stores => stores.accounts.countMail('recipient', 5)] },
  'failures.replace': {
    exception: counts,
    samples: [
      stores => stores.failures.replace('key', undefined, failures),
      stores => stores.failures.replace('key', failures, { ...failures, failures: 2 }),
    ],
  },
  'failures.find': { exception: counts, samples: [stores => stores.failures.find('key')] },
  'failures.set': { exception: counts, samples: [stores => stores.failures.set('key', failures)] },
  'failures.takeBack': { exception: counts, samples: [stores => stores.failures.takeBack('key')] },
  'failures.remove': { exception: counts, samples: [stores => stores.failures.remove('key')] },
}
