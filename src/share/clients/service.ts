import type { Advertiser, AdvertiserStore, AgentStore } from '../../advertisers/ports.ts'
import type { Clock } from '../../core/clock.ts'
import { assertLine, invalidField } from '../../core/fields.ts'
import { Problem } from '../../core/problems.ts'
import { hashSecret, newSecret } from '../../core/secrets.ts'
import type { Client, ClientDirectory, ClientStore } from '../protocol/ports.ts'
import { scopes } from '../protocol/scopes.ts'
import { clientScopes, isClientId, isClientScope, redirectUriFault } from './rules.ts'

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
  /** Whom a job board may bring applications to: with w_applications, and only with it. */
  advertiserIds?: readonly number[] | undefined
}

/** The old secret and the new one: whoever uses the old one has until the next rotation. */
const secretsBesideNewest = 1

export type Clients = ReturnType<typeof createClients>

export function createClients(deps: {
  store: ClientStore
  agents: Pick<AgentStore, 'find'>
  advertisers: Pick<AdvertiserStore, 'find'>
  clock: Clock
  limits: ClientLimits
}) {
  const { store, agents, advertisers, clock, limits } = deps

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

  async function advertiserOf(advertiserId: number): Promise<Advertiser> {
    const advertiser = await advertisers.find(advertiserId)
    if (advertiser === undefined) throw new Problem('not-found', `There is no advertiser ${advertiserId}.`)
    return advertiser
  }

  return {
    find,

    list: () => store.list(),

    async add(client: NewClient): Promise<{ client: Client; advertiserIds: number[]; secret: string }> {
      const { id, agentId, requirePkce } = client
      if (!isClientId(id, limits.clientIdLength)) {
        const form = `1 to ${limits.clientIdLength} letters, digits, dots, hyphens and underscores, and begin with a letter or a digit`
        throw invalidField('id', 'malformed', `The ID must have ${form}.`)
      }
      assertLine('name', client.name, limits.nameLength)
      const granted = scopesOf(client)
      const redirectUris = [...new Set(client.redirectUris)].sort()
      checkRedirectUris(redirectUris)
      if (granted.includes(scopes.profile) && redirectUris.length === 0) {
        throw invalidField('redirectUri', 'missing', 'The scope r_profile_apply needs a redirect URI.')
      }
      if (agentId !== null && (await agents.find(agentId)) === undefined) {
        throw new Problem('not-found', `There is no agent ${agentId}.`)
      }
      const advertiserIds = [...new Set(client.advertiserIds ?? [])].sort((a, b) => a - b)
      checkIntake(granted, advertiserIds)
      for (const advertiserId of advertiserIds) await advertiserOf(advertiserId)
      const secret = newSecret('clientSecret')
      const added = { id, name: client.name.trim(), agentId, scopes: granted, requirePkce, redirectUris }
      const secretHash = hashSecret(secret)
      if (!(await store.add(added, secretHash, clock(), advertiserIds))) {
        throw invalidField('id', 'taken', `Client ${id} exists already.`)
      }
      return { client: { ...added, disabledAt: null, secretHashes: [secretHash] }, advertiserIds, secret }
    },

    /** Lets a job board bring applications to an advertiser. Repeating it is harmless. */
    async allow(clientId: string, advertiserId: number): Promise<{ client: Client; advertiser: Advertiser }> {
      const client = await find(clientId)
      if (client === undefined) throw noSuchClient(clientId)
      if (!client.scopes.includes(scopes.intake)) {
        const why = `Client ${clientId} does not have the scope ${scopes.intake}: scopes are given when a client is added.`
        throw invalidField('id', 'not-a-job-board', why)
      }
      const advertiser = await advertiserOf(advertiserId)
      await store.allow(clientId, advertiserId)
      return { client, advertiser }
    },

    /** Ends that from the next request on; its tokens stay valid for its other advertisers. */
    async forbid(
      clientId: string,
      advertiserId: number,
    ): Promise<{ client: Client; advertiser: Advertiser }> {
      const client = await find(clientId)
      if (client === undefined) throw noSuchClient(clientId)
      const advertiser = await advertiserOf(advertiserId)
      if (!(await store.forbid(clientId, advertiserId))) {
        throw new Problem('not-found', `Client ${clientId} does not act for advertiser ${advertiserId}.`)
      }
      return { client, advertiser }
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

function scopesOf({ scopes: wanted, agentId }: NewClient): string[] {
  const chosen = wanted ?? (agentId === null ? [scopes.profile] : [scopes.profile, scopes.applications])
  const unknown = chosen.find(scope => !isClientScope(scope))
  if (unknown !== undefined) {
    throw invalidField(
      'scope',
      'unknown',
      `There is no scope ${unknown}; there are ${clientScopes.join(', ')}.`,
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

function checkIntake(chosen: readonly string[], advertiserIds: readonly number[]): void {
  const isJobBoard = chosen.includes(scopes.intake)
  if (isJobBoard && advertiserIds.length === 0) {
    const why = `The scope ${scopes.intake} is for certain advertisers: name each with --advertiser.`
    throw invalidField('advertiser', 'missing', why)
  }
  if (!isJobBoard && advertiserIds.length > 0) {
    const why = `Advertisers are listed for the scope ${scopes.intake} only.`
    throw invalidField('advertiser', 'not-a-job-board', why)
  }
}

function noSuchClient(clientId: string): Problem {
  return new Problem('not-found', `There is no client ${clientId}.`)
}
