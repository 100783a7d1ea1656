import type { AgentRole } from '../../../src/model/principal.ts'
import { at, newInvitation } from '../scene.ts'
import { exceptions, type Sample, type StoreFunctions } from '../store-function.ts'

const { secret } = exceptions

const setRole =
  (role: AgentRole): Sample =>
  (stores, { agentId, agentPeople }) =>
    stores.agentMembers.setRole(agentId, agentPeople.ids[1], role)

/** The people of an agent, and the companies that have authorised it. */
export const agentFunctions: StoreFunctions = {
  'agents.companiesOf': {
    of: 'agent',
    strangerGets: [],
    reachedBy: { agent_authorisations: 'agent_id' },
    sample: (stores, { agentId }) => stores.agents.companiesOf(agentId),
  },
  'agents.advertisersOf': {
    of: 'agent',
    strangerGets: [],
    reachedBy: { agent_authorisations: 'agent_id' },
    sample: (stores, { agentId }) => stores.agents.advertisersOf(agentId, { afterId: 0, limit: 9 }),
  },
  'agentMembers.find': {
    of: 'agent',
    sample: (stores, { agentId, agentPeople }) => stores.agentMembers.find(agentId, agentPeople.ids[1]),
  },
  'agentMembers.workplacesOf': {
    of: 'candidate',
    strangerGets: [],
    sample: (stores, { candidateId }) => stores.agentMembers.workplacesOf(candidateId),
  },
  'agentMembers.list': {
    of: 'agent',
    strangerGets: [],
    sample: (stores, { agentId }) => stores.agentMembers.list(agentId),
  },
  'agentMembers.listInvitations': {
    of: 'agent',
    strangerGets: [],
    sample: (stores, { agentId }) => stores.agentMembers.listInvitations(agentId, at),
  },
  'agentMembers.invite': {
    of: 'agent',
    actsOnOwn: true,
    sample: (stores, { agentId, fresh }) =>
      stores.agentMembers.invite(agentId, newInvitation(fresh(), 'new@example.com'), 99),
  },
  'agentMembers.issueLink': {
    of: 'agent',
    sample: (stores, { agentId, agentPeople, fresh }) =>
      stores.agentMembers.issueLink(agentId, agentPeople.invitationId, fresh(), at),
  },
  'agentMembers.setRole': {
    of: 'agent',
    strangerGets: 'missing',
    samples: [setRole('reader'), setRole('admin')],
  },
  'agentMembers.remove': {
    of: 'agent',
    strangerGets: 'missing',
    sample: (stores, { agentId, agentPeople }) => stores.agentMembers.remove(agentId, agentPeople.ids[1]),
  },
  'agentMembers.takeBack': {
    of: 'agent',
    strangerGets: false,
    sample: (stores, { agentId, agentPeople }) =>
      stores.agentMembers.takeBack(agentId, agentPeople.invitationId),
  },
  'agentMembers.findInvitation': {
    exception: secret,
    sample: (stores, { agentPeople: { hashes } }) => stores.agentMembers.findInvitation(hashes[0], at),
  },
  'agentMembers.join': {
    exception: secret,
    sample: (stores, { agentPeople: { hashes }, candidateId }) =>
      stores.agentMembers.join(hashes[0], { candidateId, email: 'first@example.com' }, at),
  },
  'agentMembers.joinWithAccount': {
    exception: secret,
    sample: (stores, { agentPeople: { hashes }, fresh }) =>
      stores.agentMembers.joinWithAccount(
        hashes[1],
        { candidateId: fresh(), passwordHash: 'new', firstName: 'Rae', lastName: 'Ray', profile: '{}' },
        at,
      ),
  },
}
