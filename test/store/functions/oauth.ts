import { at, holderOf, newCode, newDecision, newToken, type Scene } from '../scene.ts'
import { exceptions, type StoreFunctions } from '../store-function.ts'

const { secret } = exceptions

const keyOf = ({ candidateId, clientId }: Scene, advertiserId: number | null) => ({
  candidateId,
  clientId,
  advertiserId,
})

export const oauthFunctions: StoreFunctions = {
  'oauth.findContext': {
    exception: secret,
    sample: (stores, scene) =>
      stores.oauth.findContext(scene.sessionHash, scene.clientId, scene.advertiserId),
  },
  'oauth.recordConsent': {
    of: 'candidate',
    actsOnOwn: true,
    // By the consent of this candidate, which the first statements find or make.
    reachedBy: {
      grants: ['candidate_id', 'id'],
      oauth_codes: 'grant_id',
      oauth_tokens: 'hash',
      released_resumes: 'grant_id',
    },
    samples: [
      (stores, scene) =>
        stores.oauth.recordConsent(keyOf(scene, null), newDecision(scene.fresh()), newCode(scene.fresh())),
      (stores, scene) =>
        stores.oauth.recordConsent(
          keyOf(scene, null),
          { ...newDecision(scene.fresh()), released: 31 },
          newCode(scene.fresh()),
        ),
      (stores, scene) =>
        stores.oauth.recordConsent(
          keyOf(scene, scene.advertiserId),
          newDecision(scene.fresh()),
          newCode(scene.fresh()),
        ),
    ],
  },
  'oauth.issueCode': {
    of: 'grant',
    actsOnOwn: true,
    sample: (stores, scene) => stores.oauth.issueCode(scene.grantId, newCode(scene.fresh())),
  },
  'oauth.findCode': { exception: secret, sample: (stores, scene) => stores.oauth.findCode(scene.codeHash) },
  'oauth.countFailedAttempt': {
    exception: secret,
    sample: (stores, scene) => stores.oauth.countFailedAttempt(scene.codeHash),
  },
  'oauth.redeem': {
    exception: secret,
    sample: (stores, scene) =>
      stores.oauth.redeem(scene.codeHash, holderOf(scene.clientId), newToken(scene.fresh()), 3),
  },
  'oauth.revokeTokensOfCode': {
    exception: secret,
    sample: (stores, scene) => stores.oauth.revokeTokensOfCode(scene.codeHash, at),
  },
  'oauth.issueClientToken': {
    of: 'client',
    actsOnOwn: true,
    sample: (stores, scene) => stores.oauth.issueClientToken(scene.clientId, newToken(scene.fresh())),
  },
  'oauth.issueAgentToken': {
    of: 'client',
    strangerGets: false,
    sample: (stores, scene) =>
      stores.oauth.issueAgentToken(
        scene.clientId,
        scene.agentId,
        scene.advertiserId,
        ['w_progress'],
        newToken(scene.fresh()),
      ),
  },
  'oauth.findToken': {
    exception: secret,
    sample: (stores, scene) => stores.oauth.findToken(scene.token.hash),
  },
  'oauth.findAgentToken': {
    exception: secret,
    sample: (stores, scene) => stores.oauth.findAgentToken(scene.agentTokenHash),
  },
}
