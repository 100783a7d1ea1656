import type {
  ClientToken,
  IntakeToken,
  Principal,
  ProfileToken,
  WebhookToken,
} from '../../model/principal.ts'
import { BoardProblem } from '../../model/problems.ts'
import type { Clock, EpochMs } from '../../platform/core/clock.ts'
import { hashSecret, secretPrefixes, tokenLength } from '../../platform/core/secrets.ts'
import type { Clients } from '../clients/service.ts'
import type { AuthorizationStore } from '../grants/authorization-store.ts'
import type { TokenRecord } from '../protocol/records.ts'
import { type advertiserScopes, scopes, splitScope } from '../protocol/scopes.ts'

/** Resolves tokens on every request, so that expiry, revocation and withdrawal take effect with the next one. */
export function createTokenCheck(deps: {
  store: Pick<AuthorizationStore, 'findToken' | 'findAgentToken'>
  clients: Pick<Clients, 'find'>
  clock: Clock
}) {
  const { store, clock } = deps

  const isToken = (value: string) => value.startsWith(secretPrefixes.token) && value.length <= tokenLength

  function isAlive({ expiresAt, revokedAt }: { expiresAt: EpochMs; revokedAt: EpochMs | null }): boolean {
    return revokedAt === null && clock() < expiresAt
  }

  async function find(value: string, scope: string): Promise<{ hash: string; record: TokenRecord }> {
    const hash = hashSecret(value)
    const record = isToken(value) ? await store.findToken(hash) : undefined
    if (record === undefined || !isAlive(record) || record.scope !== scope) {
      throw new BoardProblem('invalid-token')
    }
    return { hash, record }
  }

  return {
    isToken,

    /** A candidate's token, for prefill and resume. */
    async profile(value: string): Promise<ProfileToken> {
      const { hash, record } = await find(value, scopes.profile)
      const { clientId, candidateId, grantId, advertiserId, released } = record
      if (candidateId === null || grantId === null) throw new BoardProblem('invalid-token')
      return { hash, clientId, candidateId, grantId, advertiserId, released }
    },

    /** A client's own token, for completion. */
    async client(value: string): Promise<ClientToken> {
      const { record } = await find(value, '')
      return { clientId: record.clientId }
    },

    /** A job board's token, for intake. */
    async intake(value: string): Promise<IntakeToken> {
      const { record } = await find(value, scopes.intake)
      return { clientId: record.clientId }
    },

    /** An agent's token, for its webhook endpoints. */
    async webhooks(value: string): Promise<WebhookToken> {
      const { record } = await find(value, scopes.webhooks)
      const client = await deps.clients.find(record.clientId)
      if (client?.agentId === undefined || client.agentId === null) throw new BoardProblem('invalid-token')
      return { clientId: record.clientId, agentId: client.agentId }
    },

    /** An agent's token with this scope, which version 1 accepts in place of an SWS credential. */
    async agent(value: string, needed: (typeof advertiserScopes)[number]): Promise<Principal> {
      const record = isToken(value) ? await store.findAgentToken(hashSecret(value)) : undefined
      if (record === undefined || !isAlive(record)) throw new BoardProblem('invalid-credential')
      const { clientId, scope, expiresAt: _, revokedAt: __, isAuthorised, ...rest } = record
      if (!splitScope(scope).has(needed)) throw new BoardProblem('invalid-credential')
      if (!isAuthorised) throw new BoardProblem('agent-not-authorised')
      // Identified by client and not by token, so that a new token does not reset the rate limit.
      return { credentialId: `client:${clientId}`, ...rest }
    },
  }
}
