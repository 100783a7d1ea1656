import assert from 'node:assert/strict'
import { emptyProfile } from '../../../src/model/profile.ts'
import { at, hash, newResume, newSession } from '../scene.ts'
import { exceptions, type StoreFunctions } from '../store-function.ts'

const { operator, secret } = exceptions
const name = { firstName: 'Mary', lastName: 'Nguyen' }

const newPasskey = { name: 'A phone', rpId: 'localhost', publicKey: 'key', counter: 0, transports: ['usb'] }
const newTotp = { secret: 'sealed', step: 1, codes: [hash] }

/** A candidate's data, and the sessions that give access to it. */
/** Only a session of the person adds a factor. */
const unlessEnded = (added: Promise<unknown>) =>
  added.catch(error => assert.equal((error as { code?: unknown }).code, 'form-expired'))

export const candidateFunctions: StoreFunctions = {
  'listEntries.firstNames': {
    exception: operator,
    sample: stores => stores.listEntries.firstNames('locations'),
  },
  'listEntries.add': {
    exception: operator,
    sample: stores =>
      stores.listEntries.add(
        'locations',
        [{ id: 'de-be', description: 'Berlin', level: 0, was: [] }],
        () => {},
      ),
  },
  'candidates.find': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, scene) => stores.candidates.find(scene.candidateId),
  },
  'candidates.changeProfile': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, scene) =>
      stores.candidates.changeProfile(scene.candidateId, () => ({
        next: { ...name, profile: emptyProfile },
      })),
  },
  'candidates.listResumes': {
    of: 'candidate',
    strangerGets: [],
    sample: (stores, scene) => stores.candidates.listResumes(scene.candidateId),
  },
  'candidates.findResume': {
    of: 'candidate',
    sample: (stores, scene) => stores.candidates.findResume(scene.candidateId, scene.resumeId),
  },
  'candidates.addResume': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, scene) => stores.candidates.addResume(scene.candidateId, newResume(scene.fresh()), 10),
  },
  'candidates.chooseDefault': {
    of: 'candidate',
    strangerGets: false,
    sample: (stores, scene) => stores.candidates.chooseDefault(scene.candidateId, scene.resumeId),
  },
  'candidates.removeResume': {
    of: 'candidate',
    strangerGets: false,
    // The default one: another has to take its place.
    sample: (stores, scene) => stores.candidates.removeResume(scene.candidateId, scene.resumeId, at),
  },
  'sessions.add': {
    of: 'candidate',
    strangerGets: false,
    sample: (stores, scene) =>
      stores.sessions.add(scene.candidateId, scene.passwordHash, newSession(scene.fresh())),
  },
  'sessions.find': {
    exception: secret,
    sample: (stores, scene) => stores.sessions.find(scene.sessionHash, at),
  },
  'sessions.prove': {
    of: 'candidate',
    strangerGets: false,
    sample: (stores, scene) =>
      stores.sessions.prove(scene.candidateId, scene.sessionId, { at, by: 'password' }),
  },
  'factors.find': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, scene) => stores.factors.find(scene.candidateId),
  },
  'factors.addTotp': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, { candidateId, sessionId }) =>
      unlessEnded(stores.factors.addTotp(candidateId, { ...newTotp, sessionId }, at, [])),
  },
  'factors.findPasskey': {
    exception: 'a passkey names the account',
    sample: stores => stores.factors.findPasskey('passkey'),
  },
  'factors.addPasskey': {
    of: 'candidate',
    actsOnOwn: true,
    // Where a used challenge is remembered.
    shared: ['sent_forms'],
    sample: (stores, { candidateId, sessionId, fresh }) =>
      unlessEnded(
        stores.factors.addPasskey(
          candidateId,
          {
            passkey: { ...newPasskey, id: fresh() },
            challenge: { hash: fresh(), expiresAt: at },
            codes: [hash],
            sessionId,
            max: 20,
          },
          at,
          [],
        ),
      ),
  },
  'factors.renamePasskey': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, scene) => stores.factors.renamePasskey(scene.candidateId, 'passkey', 'A phone'),
  },
  'factors.removePasskey': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, scene) => stores.factors.removePasskey({ ...scene, sessionId: 'x' }, 'passkey', at, []),
  },
  'factors.reset': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, scene) => stores.factors.reset(scene.candidateId, { reason: 'r', mails: [], at }),
  },
  'factors.listAtReset': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, scene) => stores.factors.listAtReset(scene.candidateId),
  },
  'factors.replaceCodes': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, scene) => stores.factors.replaceCodes(scene.candidateId, [hash], at, []),
  },
  'factors.removeTotp': {
    of: 'candidate',
    actsOnOwn: true,
    sample: (stores, scene) => stores.factors.removeTotp({ ...scene, sessionId: 'x' }, at, []),
  },
  'factors.removeLostTotp': {
    of: 'candidate',
    actsOnOwn: true,
    sample: async (stores, scene) => {
      const { totp } = await stores.factors.find(scene.candidateId)
      return stores.factors.removeLostTotp(scene.candidateId, totp?.secret ?? '', at, [])
    },
  },
  'sessions.recordUse': {
    exception: secret,
    sample: (stores, scene) => stores.sessions.recordUse(scene.sessionHash, at, at),
  },
  'sessions.list': {
    of: 'candidate',
    strangerGets: [],
    sample: (stores, scene) => stores.sessions.list(scene.candidateId, at),
  },
  'sessions.endOthers': {
    of: 'candidate',
    tellsNothing: true,
    sample: (stores, scene) => stores.sessions.endOthers(scene.candidateId, scene.sessionId),
  },
  'sessions.end': {
    of: 'candidate',
    tellsNothing: true,
    sample: (stores, scene) => stores.sessions.end(scene.candidateId, scene.sessionId),
  },
  'sessions.endByHash': {
    exception: secret,
    sample: (stores, scene) => stores.sessions.endByHash(scene.sessionHash),
  },
}
