import { at, prefillRequest, type Scene } from '../scene.ts'
import type { StoreFunctions } from '../store-function.ts'

const newPrefill = ({ advertiserId, fresh }: Scene, resumeId: string | null) => ({
  id: fresh(),
  retryKey: fresh(),
  request: prefillRequest(advertiserId),
  resume: resumeId === null ? null : { resumeId, releasedId: fresh() },
  disclosure: { id: fresh(), filled: 31 },
})

export const sharingFunctions: StoreFunctions = {
  'sharing.recordPrefill': {
    of: 'grant',
    actsOnOwn: true,
    reachedBy: { oauth_tokens: 'hash', grants: 'candidate_id' },
    samples: [
      (stores, scene) => stores.sharing.recordPrefill(scene.token, newPrefill(scene, null), at),
      (stores, scene) => stores.sharing.recordPrefill(scene.token, newPrefill(scene, scene.resumeId), at),
    ],
  },
  'sharing.findAdvertiser': {
    actsOnOwn: true,
    sample: (stores, scene) => stores.sharing.findAdvertiser(scene.clientId, scene.advertiserId),
  },
  'sharing.findChosenResume': {
    of: 'grant',
    actsOnOwn: true,
    sample: (stores, scene) => stores.sharing.findChosenResume(scene.grantId, scene.candidateId),
  },
  'sharing.findReleasedResume': {
    of: 'grant',
    sample: (stores, scene) => stores.sharing.findReleasedResume(scene.grantId, scene.releasedId),
  },
  'sharing.recordDownload': {
    of: 'grant',
    actsOnOwn: true,
    reachedBy: { oauth_tokens: 'hash' },
    sample: (stores, scene) => stores.sharing.recordDownload(scene.token, scene.fresh(), at),
  },
  'sharing.complete': {
    of: 'client',
    strangerGets: false,
    sample: (stores, scene) => stores.sharing.complete(scene.clientId, scene.prefilledId, at, at),
  },
  'sharing.reportProgress': {
    of: 'client',
    strangerGets: ['not-found'],
    sample: (stores, { clientId, prefilledId }) =>
      stores.sharing.reportProgress(
        clientId,
        [{ prefilledApplicationId: prefilledId, to: 'interview', at, reason: null }],
        { maxStates: 9, unread: 0 },
      ),
  },
  'history.disclosures': {
    of: 'candidate',
    strangerGets: [],
    samples: [
      (stores, scene) => stores.history.disclosures(scene.candidateId, 10),
      (stores, scene) => stores.history.disclosures(scene.candidateId, 10, { at: at + 1, id: '' }),
    ],
  },
  'history.received': {
    of: 'candidate',
    strangerGets: [],
    sample: (stores, scene) => stores.history.received(scene.candidateId),
  },
  'history.reported': {
    of: 'candidate',
    strangerGets: [],
    sample: (stores, scene) => stores.history.reported(scene.candidateId, 10),
  },
  'history.applications': {
    of: 'candidate',
    strangerGets: [],
    samples: [
      (stores, scene) => stores.history.applications(scene.candidateId, 10),
      (stores, scene) => stores.history.applications(scene.candidateId, 10, { at: at + 1, id: '' }),
    ],
  },
  'consents.listConsents': {
    of: 'candidate',
    strangerGets: [],
    sample: (stores, scene) => stores.consents.listConsents(scene.candidateId),
  },
}
