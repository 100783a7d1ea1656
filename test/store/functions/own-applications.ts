import { at, later, newResume, newSubmission } from '../scene.ts'
import type { StoreFunctions } from '../store-function.ts'

/** What candidates apply for on the job board itself. */
export const ownApplicationFunctions: StoreFunctions = {
  'ownApplications.send': {
    of: 'candidate',
    actsOnOwn: true,
    // The application itself is the advertiser's.
    shared: [
      'application_counts',
      'advertiser_ledger',
      'applications',
      'application_files',
      'application_screens',
      'application_pieces',
      'application_terms',
      'application_counts',
      'events',
      'deliveries',
    ],
    samples: [
      (stores, scene) =>
        stores.ownApplications.send(scene.candidateId, newSubmission(scene, scene.fresh()), later),
      (stores, scene) =>
        stores.ownApplications.send(
          scene.candidateId,
          { ...newSubmission(scene, scene.fresh()), resumeId: scene.resumeId },
          later,
        ),
      (stores, scene) =>
        stores.ownApplications.send(
          scene.candidateId,
          { ...newSubmission(scene, scene.fresh()), keepResume: { id: scene.fresh(), max: 1000 } },
          later,
        ),
    ],
  },
  'drafts.list': {
    of: 'candidate',
    strangerGets: [],
    sample: (stores, scene) => stores.drafts.list(scene.candidateId),
  },
  'drafts.find': {
    of: 'candidate',
    sample: (stores, scene) => stores.drafts.find(scene.candidateId, scene.jobAdId),
  },
  'drafts.own': {
    of: 'candidate',
    sample: (stores, scene) => stores.drafts.own(scene.candidateId, scene.draftId),
  },
  'drafts.save': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, scene) => {
      const draft = { id: scene.fresh(), version: 0, jobAdId: Number(scene.fresh().replace(/\D/g, '')) }
      const job = { jobTitle: 'A job', advertiserName: 'A company', content: '{}' }
      const { id, ...file } = newResume(scene.fresh())
      return stores.drafts.save(
        scene.candidateId,
        { ...draft, ...job, files: new Map([['coverLetter', file]]), removed: ['resumeFile'] },
        { now: later, expiresAt: later, max: 1_000 },
      )
    },
  },
  'drafts.discard': {
    of: 'candidate',
    strangerGets: false,
    sample: (stores, scene) => stores.drafts.discard(scene.candidateId, scene.draftId, later),
  },
  'ownApplications.answeredScreens': {
    of: 'candidate',
    strangerGets: [],
    sample: (stores, scene) => stores.ownApplications.answeredScreens(scene.candidateId, 9),
  },
  'ownApplications.findSent': {
    of: 'candidate',
    sample: (stores, scene) => stores.ownApplications.findSent(scene.candidateId, scene.formKey),
  },
  'ownApplications.lastFor': {
    of: 'candidate',
    sample: (stores, scene) => stores.ownApplications.lastFor(scene.candidateId, scene.jobAdId),
  },
  'ownApplications.list': {
    of: 'candidate',
    strangerGets: [],
    samples: [
      (stores, scene) => stores.ownApplications.list(scene.candidateId, undefined, 10),
      (stores, scene) =>
        stores.ownApplications.list(scene.candidateId, { submittedAt: later + 1, applicationId: 1 }, 10),
    ],
  },
  'ownApplications.find': {
    of: 'candidate',
    sample: (stores, scene) => stores.ownApplications.find(scene.candidateId, scene.ownApplicationId),
  },
  'ownApplications.file': {
    of: 'candidate',
    sample: (stores, scene) =>
      stores.ownApplications.file(scene.candidateId, scene.ownApplicationId, 'coverLetter'),
  },
  'ownApplications.reads': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, scene) => stores.ownApplications.reads(scene.candidateId),
  },
  'ownApplications.replaceFile': {
    of: 'candidate',
    strangerGets: 'unknown',
    sample: (stores, scene) => {
      const { id, ...file } = newResume(scene.fresh())
      return stores.ownApplications.replaceFile(
        scene.candidateId,
        scene.ownApplicationId,
        { ...file, type: 'resume' },
        { now: later, recordedSince: 0, max: 20 },
      )
    },
  },
  'ownApplications.endKeeping': {
    of: 'candidate',
    strangerGets: false,
    sample: (stores, scene) =>
      stores.ownApplications.endKeeping(scene.candidateId, scene.ownApplicationId, at),
  },
  'ownApplications.withdraw': {
    of: 'candidate',
    strangerGets: 'unknown',
    // The members who are notified.
    reachedBy: { memberships: 'advertiser_id' },
    sample: (stores, scene) =>
      stores.ownApplications.withdraw(scene.candidateId, scene.ownApplicationId, {
        now: at,
        eraseAt: later,
      }),
  },
  'ownApplications.holders': {
    of: 'candidate',
    strangerGets: [],
    sample: (stores, scene) => stores.ownApplications.holders(scene.candidateId, 10),
  },
}
