import type { Role } from '../../../src/model/principal.ts'
import { at, later, newInvitation } from '../scene.ts'
import { exceptions, type Sample, type StoreFunctions } from '../store-function.ts'

const { secret } = exceptions
const form = 'the key of a form is a hash of who has sent it, and of a random value'

const setRole =
  (role: Role): Sample =>
  (stores, { advertiserId, colleagueId }) =>
    stores.members.setRole(advertiserId, colleagueId, role)

/** The people who work for an advertiser, and the forms with which they make changes. */
export const peopleFunctions: StoreFunctions = {
  'members.find': {
    sample: (stores, { advertiserId, colleagueId }) => stores.members.find(advertiserId, colleagueId),
  },
  'members.workplacesOf': {
    of: 'candidate',
    strangerGets: [],
    sample: (stores, { candidateId }) => stores.members.workplacesOf(candidateId),
  },
  'members.list': {
    strangerGets: [],
    sample: (stores, { advertiserId }) => stores.members.list(advertiserId),
  },
  'members.listInvitations': {
    strangerGets: [],
    sample: (stores, { advertiserId }) => stores.members.listInvitations(advertiserId, at),
  },
  'members.invite': {
    actsOnOwn: true,
    sample: (stores, { advertiserId, fresh }) =>
      stores.members.invite(advertiserId, newInvitation(fresh(), 'new@example.com'), 99),
  },
  'members.issueLink': {
    sample: (stores, { advertiserId, invitationId, fresh }) =>
      stores.members.issueLink(advertiserId, invitationId, fresh(), at),
  },
  'members.setRole': { strangerGets: 'missing', samples: [setRole('recruiter'), setRole('admin')] },
  'members.remove': {
    strangerGets: 'missing',
    sample: (stores, { advertiserId, colleagueId }) => stores.members.remove(advertiserId, colleagueId),
  },
  'members.takeBack': {
    strangerGets: false,
    sample: (stores, { advertiserId, invitationId }) => stores.members.takeBack(advertiserId, invitationId),
  },
  'members.findInvitation': {
    exception: secret,
    sample: (stores, { invitationHashes: [hash] }) => stores.members.findInvitation(hash, at),
  },
  'members.join': {
    exception: secret,
    sample: (stores, { invitationHashes: [hash], candidateId }) =>
      stores.members.join(hash, { candidateId, email: 'first@example.com' }, at),
  },
  'members.joinWithAccount': {
    exception: secret,
    sample: (stores, { invitationHashes: [, hash], fresh }) =>
      stores.members.joinWithAccount(
        hash,
        { candidateId: fresh(), passwordHash: 'new', firstName: 'Rae', lastName: 'Ray', profile: '{}' },
        at,
      ),
  },
  'sentForms.claim': { exception: form, sample: stores => stores.sentForms.claim('form', at, later) },
  'sentForms.finish': {
    exception: form,
    sample: stores => stores.sentForms.finish('form', later, { location: '/there', expiresAt: later }),
  },
  'sentForms.find': { exception: form, sample: stores => stores.sentForms.find('form') },
  'sentForms.release': { exception: form, sample: stores => stores.sentForms.release('form', later) },
}
