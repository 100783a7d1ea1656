import { at, later, newDelivery } from '../scene.ts'
import { exceptions, type StoreFunctions } from '../store-function.ts'

const { secret } = exceptions
const address = 'an address names the account before the sign-in'
const counts = 'counts by the hash of an address or of an account, which nobody owns'
const ofEmail = 'the ID of the email that is being sent says whose change it is'
const changeId = 'delivery of a change'
const undoLink = 'undo link'
const issuer = 'https://login.example.com/'
const failures = { failures: 1, lastFailedAt: at }

/** How a candidate gets an account and signs in to it. */
export const accountFunctions: StoreFunctions = {
  'accounts.find': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, scene) => stores.accounts.find(scene.candidateId),
  },
  'accounts.namesOf': {
    exception: 'names of the people in the entries that the caller was shown',
    sample: (stores, { candidateId }) => stores.accounts.namesOf([candidateId]),
  },
  'accounts.hasWorkplace': {
    of: 'candidate',
    strangerGets: false,
    sample: (stores, scene) => stores.accounts.hasWorkplace(scene.candidateId),
  },
  'codes.add': {
    exception: address,
    sample: (stores, { fresh, email }) =>
      stores.codes.add({
        challenge: fresh(),
        purpose: 'sign-in',
        email,
        made_at: at,
        expires_at: later,
      }),
  },
  'codes.find': { exception: secret, sample: stores => stores.codes.find('challenge', 'sign-in') },
  'codes.setCode': { exception: secret, sample: stores => stores.codes.setCode('challenge', 'mac', at) },
  'codes.countTry': {
    exception: secret,
    sample: stores => stores.codes.countTry('challenge', 'sign-in', 5, at),
  },
  'codes.use': { exception: secret, sample: stores => stores.codes.use('challenge', at) },
  'accounts.findByEmail': {
    exception: address,
    sample: (stores, scene) => stores.accounts.findByEmail(scene.email),
  },
  'accounts.add': {
    exception: address,
    sample: (stores, { fresh, passwordHash }) =>
      stores.accounts.add({
        candidateId: fresh(),
        email: fresh(),
        passwordHash,
        firstName: 'Mary',
        lastName: 'Nguyen',
        profile: '{}',
        createdAt: at,
      }),
  },
  'accounts.addLink': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, { fresh, candidateId, email }) =>
      stores.accounts.addLink({ hash: fresh(), purpose: 'reset', candidateId, email, expiresAt: later }),
  },
  'accounts.addDecoy': {
    exception: counts,
    sample: (stores, { fresh }) => stores.accounts.addDecoy({ hash: fresh(), expiresAt: later }),
  },
  'accounts.findLink': {
    exception: secret,
    sample: (stores, { links }) => stores.accounts.findLink(links.reset, 'reset', at),
  },
  'accounts.findRegistration': {
    of: 'candidate',
    sample: (stores, { candidateId }) => stores.accounts.findRegistration(candidateId, 'browser mark'),
  },
  'accounts.confirm': {
    exception: secret,
    sample: (stores, { links }) => stores.accounts.confirm(links.confirm, at),
  },
  'accounts.changeEmail': {
    exception: secret,
    sample: (stores, { links }) =>
      stores.accounts.changeEmail(links['change-email'], at, [newDelivery('delivery of a change')]),
  },
  'accounts.resetPassword': {
    exception: secret,
    sample: (stores, { links }) =>
      stores.accounts.resetPassword(links.reset, 'new', at, [newDelivery('delivery of a reset')]),
  },
  'accounts.changePassword': {
    of: 'candidate',
    strangerGets: false,
    sample: (stores, { candidateId, passwordHash, sessionId, fresh }) =>
      stores.accounts.changePassword(candidateId, {
        formerHash: passwordHash,
        passwordHash: 'new',
        keptSessionId: sessionId,
        mails: [newDelivery(fresh())],
        now: at,
      }),
  },

  'identities.addAccount': {
    exception: 'makes an account',
    sample: (stores, { fresh }) =>
      stores.identities.addAccount(
        `${fresh()}@example.net`,
        { candidateId: fresh(), passwordHash: 'none', firstName: '', lastName: '', profile: '{}' },
        { issuer, subject: fresh() },
        at,
      ),
  },
  'identities.link': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, { candidateId }) =>
      stores.identities.link(candidateId, { issuer, subject: candidateId }, at, []),
  },
  'identities.find': {
    exception: 'the provider vouches for the person',
    sample: (stores, { candidateId }) => stores.identities.find({ issuer, subject: candidateId }),
  },
  'identities.list': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, { candidateId }) => stores.identities.list(candidateId),
  },
  'identities.isOperator': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, { candidateId }) => stores.identities.isOperator(candidateId),
  },
  'identities.isCandidateOf': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, { candidateId }) => stores.identities.isCandidateOf(issuer, candidateId),
  },
  'identities.unlink': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, { candidateId }) =>
      stores.identities.unlink({ candidateId, sessionId: '' }, issuer, at, []),
  },
  'identities.endSessions': {
    exception: 'the provider names the sessions',
    sample: (stores, { candidateId }) =>
      stores.identities.endSessions(issuer, { subject: candidateId, session: undefined }),
  },
  'identities.keep': { exception: secret, sample: stores => stores.identities.keep('kept', '', at) },
  'identities.read': { exception: secret, sample: stores => stores.identities.read('kept', at - 1) },
  'identities.take': { exception: secret, sample: stores => stores.identities.take('kept', at - 1) },
  'undo.findChange': { exception: ofEmail, sample: stores => stores.undo.findChange(changeId, at) },
  'undo.firstChange': {
    of: 'candidate',
    sample: (stores, { candidateId, email }) =>
      stores.undo.firstChange(candidateId, { email, since: at }, at),
  },
  'undo.addLink': { exception: ofEmail, sample: stores => stores.undo.addLink(changeId, undoLink) },
  'undo.find': { exception: secret, sample: stores => stores.undo.find(undoLink, at) },
  'undo.undo': {
    exception: secret,
    sample: (stores, { fresh }) =>
      stores.undo.undo(undoLink, {
        passwordHash: 'newer',
        now: at,
        mails: addresses => addresses.map(() => newDelivery(fresh())),
      }),
  },
  'failures.replace': {
    exception: counts,
    samples: [
      stores => stores.failures.replace('key', undefined, failures),
      stores => stores.failures.replace('key', failures, { ...failures, failures: 2 }),
    ],
  },
  'failures.find': { exception: counts, sample: stores => stores.failures.find('key') },
  'failures.set': { exception: counts, sample: stores => stores.failures.set('key', failures) },
  'failures.countAndNotify': {
    exception: counts,
    sample: (stores, { fresh }) =>
      stores.failures.countAndNotify('key', {
        now: at,
        forgottenBefore: 0,
        every: 1,
        mails: [newDelivery(fresh())],
      }),
  },
  'failures.takeBack': { exception: counts, sample: stores => stores.failures.takeBack('key') },
  'failures.remove': { exception: counts, sample: stores => stores.failures.remove('key') },
}
