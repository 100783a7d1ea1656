import type { AgentStore } from '../advertisers/ports.ts'
import type { Clock } from '../core/clock.ts'
import { assertLine, invalidField } from '../core/fields.ts'
import { Problem } from '../core/problems.ts'
import { hashSecret, newSecret } from '../core/secrets.ts'
import { clientScopes, isClientId, isClientScope, redirectUriFault } from './client-rules.ts'
import type { Client, ClientDirectory, ClientStore } from './ports.ts'

export interface ClientLimits {
  clientIdLength: number
  nameLength: number
  redirectUriLength: number
  redirectUris: number
}

export interface NewClient {
  id: string
  name: string
  redirectUris: readonly string[]
  agentId: number | null
  requirePkce: boolean
  /** Undefined: what follows from whether it is an agent's. */
  scopes?: readonly string[] | undefined
}

/** The old secret and the new one: whoever uses the old one has until the next rotation. */
const secretsBesideNewest = 1

export type Clients = ReturnType<typeof createClients>

export function createClients(deps: {
  store: ClientStore
  agents: Pick<AgentStore, 'find'>
  clock: Clock
  limits: ClientLimits
}) {
  const { store, agents, clock, limits } = deps

  /** What can be no ID is not asked for: it may be anything that somebody put into a URL. */
  const find: ClientDirectory['find'] = async clientId =>
    isClientId(clientId, limits.clientIdLength) ? store.find(clientId) : undefined

  function checkRedirectUris(uris: readonly string[]): void {
    if (uris.length > limits.redirectUris) {
      throw invalidField(
        'redirectUri',
        'too-many',
        `There may be ${limits.redirectUris} redirect URIs at most.`,
      )
    }
    for (const uri of uris) {
      const fault = redirectUriFault(uri, limits.redirectUriLength)
      if (fault !== undefined) {
        throw invalidField(
          'redirectUri',
          'not-allowed',
          `The redirect URI ${uri} cannot be registered. ${fault}`,
        )
      }
    }
  }

  return {
    find,

    list: () => store.list(),

    async add(client: NewClient): Promise<{ client: Client; secret: string }> {
      const { id, agentId, requirePkce } = client
      if (!isClientId(id, limits.clientIdLength)) {
        const form = `1 to ${limits.clientIdLength} letters, digits, dots, hyphens and underscores, and begin with a letter or a digit`
        throw invalidField('id', 'malformed', `The ID must have ${form}.`)
      }
      assertLine('name', client.name, limits.nameLength)
      const scopes = scopesOf(client)
      const redirectUris = [...new Set(client.redirectUris)].sort()
      checkRedirectUris(redirectUris)
      if (scopes.includes('r_profile_apply') && redirectUris.length === 0) {
        throw invalidField('redirectUri', 'missing', 'The scope r_profile_apply needs a redirect URI.')
      }
      if (agentId !== null && (await agents.find(agentId)) === undefined) {
        throw new Problem('not-found', `There is no agent ${agentId}.`)
      }
      const secret = newSecret('clientSecret')
      const added = { id, name: client.name.trim(), agentId, scopes, requirePkce, redirectUris }
      const secretHash = hashSecret(secret)
      if (!(await store.add(added, secretHash, clock()))) {
        throw invalidField('id', 'taken', `Client ${id} exists already.`)
      }
      return { client: { ...added, disabledAt: null, secretHashes: [secretHash] }, secret }
    },

    /** `isOnly`: all others end at once, because one has leaked. */
    async rotate(clientId: string, isOnly = false): Promise<{ secret: string }> {
      const client = await find(clientId)
      if (client === undefined) throw noSuchClient(clientId)
      if (client.disabledAt !== null) {
        throw invalidField(
          'id',
          'disabled',
          `Client ${clientId} is disabled: no secret opens anything for it.`,
        )
      }
      const secret = newSecret('clientSecret')
      const keep = isOnly ? 0 : secretsBesideNewest
      if (!(await store.addSecret(clientId, hashSecret(secret), keep, clock()))) throw noSuchClient(clientId)
      return { secret }
    },

    /** For good, and with all that it was issued. */
    async disable(clientId: string): Promise<Client> {
      const isThere = isClientId(clientId, limits.clientIdLength) && (await store.disable(clientId, clock()))
      const client = isThere ? await store.find(clientId) : undefined
      if (client === undefined) throw noSuchClient(clientId)
      return client
    },
  }
}

function scopesOf({ scopes, agentId }: NewClient): string[] {
  const chosen = scopes ?? (agentId === null ? ['r_profile_apply'] : clientScopes)
  const unknown = chosen.find(scope => !isClientScope(scope))
  if (unknown !== undefined) {
    throw invalidField(
      'scope',
      'unknown',
      `There is no scope ${unknown}; there are ${clientScopes.join(' and ')}.`,
    )
  }
  if (agentId === null && chosen.includes('r_applications')) {
    throw invalidField(
      'scope',
      'agent-missing',
      'The scope r_applications is for agents: say which with --agent.',
    )
  }
  return clientScopes.filter(scope => chosen.includes(scope))
}

function noSuchClient(clientId: string): Problem {
  return new Problem('not-found', `There is no client ${clientId}.`)
}
