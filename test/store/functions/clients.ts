import { at, hash, redirectUri } from '../scene.ts'
import { exceptions, type StoreFunctions } from '../store-function.ts'

const { operator } = exceptions

const newChange = (id: string) => ({
  id,
  kind: 'privacy' as const,
  value: 'null',
  requestedBy: 'person',
  requestedAt: at,
})

/** Clients, and the ways in which their codes and tokens end. */
export const clientFunctions: StoreFunctions = {
  'clients.add': {
    exception: operator,
    samples: [[], [redirectUri]].map(
      redirectUris =>
        (stores, { fresh, agentId, advertiserId }) =>
          stores.clients.add(
            { id: fresh(), name: 'New', agentId, scopes: [], requirePkce: true, redirectUris },
            hash,
            at,
            redirectUris.length === 0 ? [advertiserId] : [],
          ),
    ),
  },
  'clients.allow': {
    exception: operator,
    sample: (stores, scene) => stores.clients.allow(scene.clientId, scene.advertiserId),
  },
  'clients.forbid': {
    exception: operator,
    sample: (stores, scene) => stores.clients.forbid(scene.clientId, scene.advertiserId, at),
  },
  'clients.setPrivacyUrl': {
    exception: operator,
    sample: (stores, scene) => stores.clients.setPrivacyUrl(scene.clientId, redirectUri),
  },
  'clients.setRedirectUris': {
    exception: operator,
    samples: [
      (stores, scene) => stores.clients.setRedirectUris(scene.clientId, []),
      (stores, scene) => stores.clients.setRedirectUris(scene.clientId, [redirectUri]),
    ],
  },
  'clients.list': {
    exception: operator,
    samples: [stores => stores.clients.list(), (stores, { agentId }) => stores.clients.list(agentId)],
  },
  'clientChanges.add': {
    of: 'client',
    actsOnOwn: true,
    sample: (stores, { clientId, fresh }) => stores.clientChanges.add(clientId, newChange(fresh())),
  },
  'clientChanges.listOf': {
    of: 'client',
    strangerGets: [],
    sample: (stores, { clientId }) => stores.clientChanges.listOf(clientId),
  },
  'clientChanges.list': { exception: operator, sample: stores => stores.clientChanges.list() },
  'clientChanges.end': {
    of: 'client',
    strangerGets: false,
    sample: (stores, { clientId }) => stores.clientChanges.end(clientId, 'own-change', 'withdrawn'),
  },
  'clients.find': {
    of: 'client',
    actsOnOwn: true,
    sample: (stores, scene) => stores.clients.find(scene.clientId),
  },
  'clients.addSecret': {
    of: 'client',
    actsOnOwn: true,
    samples: [
      (stores, scene) => stores.clients.addSecret(scene.clientId, scene.fresh(), 1, at),
      (stores, scene) => stores.clients.addSecret(scene.clientId, scene.fresh(), 0, at),
    ],
  },
  'oauth.revokeToken': {
    of: 'client',
    tellsNothing: true,
    sample: (stores, scene) => stores.oauth.revokeToken(scene.clientId, scene.token.hash, at),
  },
  'consents.narrow': {
    of: 'candidate',
    strangerGets: false,
    // By the consent that the first statement has found to be the candidate's.
    reachedBy: { oauth_codes: 'grant_id', oauth_tokens: 'hash', released_resumes: 'grant_id' },
    samples: [
      (stores, scene) => stores.consents.narrow(scene.candidateId, scene.grantId, 1, at),
      (stores, scene) => stores.consents.narrow(scene.candidateId, scene.grantId, 32, at),
    ],
  },
  'consents.withdraw': {
    of: 'candidate',
    strangerGets: false,
    // By the consent that the first statement has found to be the candidate's.
    reachedBy: { oauth_codes: 'grant_id', oauth_tokens: 'hash' },
    sample: (stores, scene) => stores.consents.withdraw(scene.candidateId, scene.grantId, at),
  },
  'agents.setProgress': {
    strangerGets: false,
    samples: [
      (stores, scene) => stores.agents.setProgress(scene.advertiserId, scene.agentId, true, at),
      (stores, scene) => stores.agents.setProgress(scene.advertiserId, scene.agentId, false, at),
    ],
  },
  'agents.withdraw': {
    strangerGets: false,
    reachedBy: { webhook_endpoints: 'agent_id' },
    sample: (stores, scene) => stores.agents.withdraw(scene.advertiserId, scene.agentId, at),
  },
  'clients.disable': {
    of: 'client',
    actsOnOwn: true,
    sample: (stores, scene) => stores.clients.disable(scene.clientId, at),
  },
}
