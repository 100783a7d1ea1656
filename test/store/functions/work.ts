import type { Scene } from '../scene.ts'
import { at, later } from '../scene.ts'
import { exceptions, type Sample, type StoreFunctions } from '../store-function.ts'
import type { Stores } from '../stores.ts'

const { sweep } = exceptions
const lease = 'the processes share the work between them, and nobody owns it'
const backup = 'a backup is of the whole database, of all owners'
const figure = 'the age of the oldest of all, without its owner'
const scan = 'the bytes are judged once, for everybody who has them'
const blob = 'the bytes of a file are kept or removed for everybody who has them'
const formsOfPages = [false, true].flatMap(includesApplications => [
  () => ({ includesApplications }),
  (agentId: number) => ({ includesApplications, agentId }),
])
const firstEvents = { after: 0, limit: 9, types: ['application.created' as const] }
const loose = { blob: 'loose', since: at }

/** Background work. */
export const workFunctions: StoreFunctions = {
  'serviceClock.update': {
    exception: lease,
    shared: ['service_clock'],
    samples: [
      stores => stores.serviceClock.update(found => ({ ...found, ticks: 1, seenAt: at, doubtedFrom: 0 })),
      stores => stores.serviceClock.update(found => found),
    ],
  },
  'serviceClock.read': { exception: lease, sample: stores => stores.serviceClock.read() },
  'serviceClock.confirm': { exception: lease, sample: stores => stores.serviceClock.confirm(at) },
  'leases.take': { exception: lease, sample: stores => stores.leases.take('task', 'us', at, later) },
  'leases.renew': { exception: lease, sample: stores => stores.leases.renew('task', 'us', later) },
  'leases.release': { exception: lease, sample: stores => stores.leases.release('task', 'us') },
  'leases.isHeld': { exception: lease, sample: stores => stores.leases.isHeld('task', at) },
  'backups.setLast': {
    exception: backup,
    sample: stores => stores.backups.setLast('here', { set: 'set', at }),
  },
  'backups.last': { exception: backup, sample: stores => stores.backups.last() },
  'backups.copiedAt': { exception: backup, sample: stores => stores.backups.copiedAt() },
  'figures.oldestUnjudged': { exception: figure, sample: stores => stores.figures.oldestUnjudged() },
  'unanswered.companies': {
    exception: 'the numbers of all companies, without their applications',
    sample: stores => stores.unanswered.companies(0, 9),
  },
  'unanswered.total': {
    exception: 'one number of all companies',
    sample: stores => stores.unanswered.total(),
  },
  'unanswered.record': {
    actsOnOwn: true,
    sample: (stores, scene) => stores.unanswered.record(scene.advertiserId, 3),
  },
  'rateCounts.add': {
    exception: 'the nodes count together, by hashes that belong to no owner',
    sample: stores => {
      const count = { name: 'v1', window: 1, hits: 2, expiresAt: later }
      return stores.rateCounts.add(['a', 'b'].map(key => ({ ...count, key })))
    },
  },
  'slidingCounts.hit': {
    exception: 'the nodes count together, by hashes that belong to no owner',
    sample: stores => {
      const count = { name: 'mails', key: 'a', window: 1, hits: 1, expiresAt: later }
      return stores.slidingCounts.hit(count, { from: 0, to: 2, max: 0 })
    },
  },
  'expiry.removeTokens': { exception: sweep, sample: stores => stores.expiry.removeTokens(at, 9) },
  'expiry.removeCodes': { exception: sweep, sample: stores => stores.expiry.removeCodes(at, at, 9) },
  'expiry.removeSessions': { exception: sweep, sample: stores => stores.expiry.removeSessions(at, 9) },
  'expiry.removeEmailCodes': { exception: sweep, sample: stores => stores.expiry.removeEmailCodes(at, 9) },
  'expiry.removeUndoLinks': { exception: sweep, sample: stores => stores.expiry.removeUndoLinks(at, 9) },
  'expiry.removeLinks': { exception: sweep, sample: stores => stores.expiry.removeLinks(at, 9) },
  'expiry.removeInvitations': { exception: sweep, sample: stores => stores.expiry.removeInvitations(at, 9) },
  'expiry.removeSentForms': { exception: sweep, sample: stores => stores.expiry.removeSentForms(at, 9) },
  'expiry.removeRateCounts': { exception: sweep, sample: stores => stores.expiry.removeRateCounts(at, 9) },
  'expiry.removeEvents': { exception: sweep, sample: stores => stores.expiry.removeEvents(at, 9) },
  'events.lastOf': {
    exception: 'the streams that requests wait for: each request was allowed to',
    sample: (stores, { advertiserId, clientId }) => stores.events.lastOf([{ advertiserId }, { clientId }]),
  },
  'events.whenDurable': {
    actsOnOwn: true,
    sample: (stores, { advertiserId }) => stores.events.whenDurable(advertiserId, 0),
  },
  'events.newest': {
    actsOnOwn: true,
    samples: [
      (stores, { advertiserId }) => stores.events.newest(advertiserId, { limit: 9 }),
      (stores, { advertiserId }) => stores.events.newest(advertiserId, { limit: 9, before: later }),
    ],
  },
  'events.page': {
    actsOnOwn: true,
    samples: formsOfPages.map(
      form =>
        (stores: Stores, { advertiserId, agentId }: Scene) =>
          stores.events.page({ advertiserId }, { ...firstEvents, ...form(agentId) }),
    ),
  },
  'events.jsonPage': {
    actsOnOwn: true,
    samples: formsOfPages.map(
      form =>
        (stores: Stores, { advertiserId, agentId }: Scene) =>
          stores.events.jsonPage(advertiserId, { ...firstEvents, ...form(agentId) }),
    ),
  },
  'expiry.removeJobReports': { exception: sweep, sample: stores => stores.expiry.removeJobReports(at, 9) },
  'expiry.removeAdDecisions': { exception: sweep, sample: stores => stores.expiry.removeAdDecisions(at, 9) },
  'expiry.removeAdVersions': { exception: sweep, sample: stores => stores.expiry.removeAdVersions(at, 9) },
  'expiry.removeDrafts': { exception: sweep, sample: stores => stores.expiry.removeDrafts(at, 9) },
  'expiry.removeRecentDecisions': {
    exception: sweep,
    sample: stores => stores.expiry.removeRecentDecisions(at, 9),
  },
  'expiry.removeReads': { exception: sweep, sample: stores => stores.expiry.removeReads('2000-01-01', 9) },
  'expiry.removeListReads': {
    exception: sweep,
    sample: stores => stores.expiry.removeListReads('2000-01-01', 9),
  },
  'expiry.removeAgentCalls': {
    exception: sweep,
    sample: stores => stores.expiry.removeAgentCalls('2000-01-01', 9),
  },
  'expiry.removeLeases': { exception: sweep, sample: stores => stores.expiry.removeLeases(at, 9) },
  'expiry.removeUnconfirmed': {
    exception: sweep,
    sample: async (stores, { fresh }) => {
      const candidateId = fresh()
      const person = { email: candidateId, passwordHash: '', firstName: '', lastName: '', profile: '{}' }
      await stores.accounts.add({ candidateId, ...person, createdAt: 0 })
      return stores.expiry.removeUnconfirmed(1, 9)
    },
  },
  'expiry.removeMailCounts': { exception: sweep, sample: stores => stores.expiry.removeMailCounts(5, 9) },
  'expiry.removeSignInFailures': {
    exception: sweep,
    sample: stores => stores.expiry.removeSignInFailures(at, 9),
  },
  'expiry.removeKnownBrowsers': {
    exception: sweep,
    sample: stores => stores.expiry.removeKnownBrowsers(at, 9),
  },
  'expiry.removeIntakeKeys': { exception: sweep, sample: stores => stores.expiry.removeIntakeKeys(at, 9) },
  'scanning.unscanned': { exception: scan, sample: stores => stores.scanning.unscanned('', 9) },
  'scanning.resumesOf': { exception: scan, sample: stores => stores.scanning.resumesOf('blob') },
  'scanning.attachmentsOf': { exception: scan, sample: stores => stores.scanning.attachmentsOf('blob') },
  'scanning.draftFilesOf': { exception: scan, sample: stores => stores.scanning.draftFilesOf('blob') },
  'scanning.recordDraftVerdict': {
    exception: scan,
    sample: stores => stores.scanning.recordDraftVerdict('blob', 'clean', at),
  },
  'scanning.recordResumeVerdict': {
    of: 'candidate',
    strangerGets: false,
    samples: (['clean', 'infected'] as const).map(
      (verdict): Sample =>
        (stores, { candidateId, resumeId }) =>
          stores.scanning.recordResumeVerdict(candidateId, resumeId, verdict, at),
    ),
  },
  'blobReferences.described': {
    exception: blob,
    sample: stores => stores.blobReferences.described(['blob']),
  },
  'blobReferences.named': { exception: blob, sample: stores => stores.blobReferences.named(['blob']) },
  'blobReferences.loose': { exception: blob, sample: stores => stores.blobReferences.loose(9) },
  'blobReferences.forgetLoose': {
    exception: blob,
    sample: stores => stores.blobReferences.forgetLoose([loose, { ...loose, blob: 'other' }]),
  },
  'blobReferences.databaseId': { exception: blob, sample: stores => stores.blobReferences.databaseId() },
  'blobReferences.makeDatabaseId': {
    exception: blob,
    sample: stores => stores.blobReferences.makeDatabaseId('fresh'),
  },
  'blobReferences.restoredAt': { exception: blob, sample: stores => stores.blobReferences.restoredAt() },
  'blobReferences.sweptUntil': { exception: blob, sample: stores => stores.blobReferences.sweptUntil() },
  'blobReferences.setSweptUntil': {
    exception: blob,
    sample: stores => stores.blobReferences.setSweptUntil('20261114'),
  },
}
