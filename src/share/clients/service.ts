import type { Advertiser, AdvertiserStore } from '../../companies/advertiser-store.ts'
import type { AgentStore } from '../../companies/agent-store.ts'
import { nameLength } from '../../model/text-lengths.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { assertSingleLine, invalidField } from '../../platform/core/fields.ts'
import { Problem } from '../../platform/core/problems.ts'
import { hashSecret, newSecret } from '../../platform/core/secrets.ts'
import type { Client } from '../protocol/records.ts'
import { advertiserScopes, scopes } from '../protocol/scopes.ts'
import type { ClientStore } from './client-store.ts'
import {
  clientIdLength,
  clientScopes,
  isClientId,
  isClientScope,
  maxRedirectUris,
  redirectUriFault,
  redirectUriLength,
} from './rules.ts'

export interface NewClient {
  id: string
  name: string
  redirectUris: readonly string[]
  agentId: number | null
  requirePkce: boolean
  privacyUrl?: string | undefined
  /** Undefined: the default, which depends on whether the client belongs to an agent. */
  scopes?: readonly string[] | undefined
  /**
   * Advertisers that a job board may submit applications to, or that a client without an agent may act for; required
   * with w_applications.
   */
  advertiserIds?: readonly number[] | undefined
}

/** A rotation keeps the previous secret valid until the next rotation. */
const secretsBesideNewest = 1

export type Clients = ReturnType<typeof createClients>

export function createClients(deps: {
  store: ClientStore
  agents: Pick<AgentStore, 'find'>
  advertisers: Pick<AdvertiserStore, 'find'>
  logos: { setOfClient(clientId: string, bytes: Buffer | undefined): Promise<void> }
  clock: Clock
}) {
  const { store, agents, advertisers, clock } = deps

  /** Does not look up a malformed ID, because a URL may contain anything. */
  const find = async (clientId: string): Promise<Client | undefined> =>
    isClientId(clientId) ? store.find(clientId) : undefined

  function checkRedirectUris(uris: readonly string[]): void {
    if (uris.length > maxRedirectUris) {
      throw invalidField('redirectUri', 'too-many', `Register at most ${maxRedirectUris} redirect URIs.`)
    }
    for (const uri of uris) {
      const fault = redirectUriFault(uri)
      if (fault !== undefined) {
        throw invalidField(
          'redirectUri',
          'not-allowed',
          `The redirect URI ${uri} cannot be registered. ${fault}`,
        )
      }
    }
  }

  /** Returns the URIs to register; throws unless a client with these scopes may have them. */
  function checkUris(granted: readonly string[], uris: readonly string[]): string[] {
    const chosen = [...new Set(uris)].sort()
    checkRedirectUris(chosen)
    if (granted.includes(scopes.profile) && chosen.length === 0)
      throw invalidField('redirectUri', 'missing', 'The scope r_profile_apply needs a redirect URI.')
    return chosen
  }

  function checkPrivacyUrl(text: string): string {
    const { protocol = '', username, password, href = '' } = URL.parse(text) ?? {}
    const isPlain = /^https?:$/.test(protocol) && username === '' && password === ''
    if (isPlain && href.length <= redirectUriLength) return href
    const why = `The address of the privacy notice must be a URL such as https://example.com/privacy, with at most ${redirectUriLength} characters.`
    throw invalidField('privacyUrl', 'not-allowed', why)
  }

  /** Returns the client after a change; `change` returns false if there is no such client. */
  async function changed(clientId: string, change: () => Promise<boolean>): Promise<Client> {
    const isThere = isClientId(clientId) && (await change())
    const client = isThere ? await store.find(clientId) : undefined
    if (client === undefined) throw noSuchClient(clientId)
    return client
  }

  async function advertiserOf(advertiserId: number): Promise<Advertiser> {
    const advertiser = await advertisers.find(advertiserId)
    if (advertiser === undefined) throw new Problem('not-found', `There is no advertiser ${advertiserId}.`)
    return advertiser
  }

  return {
    find,

    list: () => store.list(),

    /** Clients of one agent. */
    listOf: (agentId: number) => store.list(agentId),

    checkUris,
    checkPrivacyUrl,

    async add(client: NewClient): Promise<{ client: Client; advertiserIds: number[]; secret: string }> {
      const { id, agentId, requirePkce } = client
      if (!isClientId(id)) {
        const form = `1 to ${clientIdLength} letters, digits, dots, hyphens and underscores, and begin with a letter or a digit`
        throw invalidField('id', 'malformed', `The ID must have ${form}.`)
      }
      assertSingleLine('name', client.name, nameLength)
      const privacyUrl = client.privacyUrl === undefined ? null : checkPrivacyUrl(client.privacyUrl)
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
      checkAdvertisers(granted, agentId, advertiserIds)
      for (const advertiserId of advertiserIds) await advertiserOf(advertiserId)
      const secret = newSecret('clientSecret')
      const added = {
        id,
        name: client.name.trim(),
        agentId,
        scopes: granted,
        requirePkce,
        redirectUris,
        privacyUrl,
      }
      const secretHash = hashSecret(secret)
      if (!(await store.add(added, secretHash, clock(), advertiserIds))) {
        throw invalidField('id', 'taken', `Client ${id} already exists.`)
      }
      return {
        client: { ...added, logoHash: null, disabledAt: null, secretHashes: [secretHash] },
        advertiserIds,
        secret,
      }
    },

    /**
     * Lets a job board submit applications to an advertiser, and the consent page say that a client without an agent acts
     * on its behalf. Idempotent.
     */
    async allow(clientId: string, advertiserId: number): Promise<{ client: Client; advertiser: Advertiser }> {
      const client = await find(clientId)
      if (client === undefined) throw noSuchClient(clientId)
      if (!client.scopes.includes(scopes.intake)) {
        if (client.agentId !== null) {
          const why = `Client ${clientId} belongs to agent ${client.agentId}, which advertisers authorise themselves.`
          throw invalidField('id', 'client-of-an-agent', why)
        }
        if (!client.scopes.includes(scopes.profile)) {
          const why = `Client ${clientId} has neither the scope ${scopes.intake} nor ${scopes.profile}. Scopes are set when a client is added.`
          throw invalidField('id', 'not-a-job-board', why)
        }
      }
      const advertiser = await advertiserOf(advertiserId)
      await store.allow(clientId, advertiserId)
      return { client, advertiser }
    },

    /** Takes effect with the next request; the client's tokens and consents stay valid for its other advertisers. */
    async forbid(
      clientId: string,
      advertiserId: number,
    ): Promise<{ client: Client; advertiser: Advertiser }> {
      const client = await find(clientId)
      if (client === undefined) throw noSuchClient(clientId)
      const advertiser = await advertiserOf(advertiserId)
      if (!(await store.forbid(clientId, advertiserId, clock()))) {
        throw new Problem('not-found', `Client ${clientId} does not act for advertiser ${advertiserId}.`)
      }
      return { client, advertiser }
    },

    /** Replaces all redirect URIs, starting with the next authorization request. */
    async setRedirectUris(clientId: string, uris: readonly string[]): Promise<Client> {
      const client = await find(clientId)
      if (client === undefined) throw noSuchClient(clientId)
      const chosen = checkUris(client.scopes, uris)
      return changed(clientId, () => store.setRedirectUris(clientId, chosen))
    },

    /** Undefined removes the URL. */
    async setPrivacyUrl(clientId: string, privacyUrl: string | undefined): Promise<Client> {
      const known = privacyUrl === undefined ? null : checkPrivacyUrl(privacyUrl)
      return changed(clientId, () => store.setPrivacyUrl(clientId, known))
    },

    /** Undefined removes the logo. */
    setLogo: (clientId: string, bytes: Buffer | undefined): Promise<Client> =>
      changed(clientId, async () => {
        await deps.logos.setOfClient(clientId, bytes)
        return true
      }),

    /** `isOnly`: revokes all other secrets immediately, for use after a leak. */
    async rotate(clientId: string, isOnly = false): Promise<{ secret: string }> {
      const client = await find(clientId)
      if (client === undefined) throw noSuchClient(clientId)
      if (client.disabledAt !== null) {
        throw invalidField(
          'id',
          'disabled',
          `Client ${clientId} is disabled, so a new secret would not work.`,
        )
      }
      const secret = newSecret('clientSecret')
      const keep = isOnly ? 0 : secretsBesideNewest
      if (!(await store.addSecret(clientId, hashSecret(secret), keep, clock()))) throw noSuchClient(clientId)
      return { secret }
    },

    /** Disables a client permanently and revokes its codes and tokens. */
    async disable(clientId: string): Promise<Client> {
      return changed(clientId, () => store.disable(clientId, clock()))
    },
  }
}

function scopesOf({ scopes: wanted, agentId }: NewClient): string[] {
  const chosen = wanted ?? (agentId === null ? [scopes.profile] : [scopes.profile, ...advertiserScopes])
  const unknown = chosen.find(scope => !isClientScope(scope))
  if (unknown !== undefined) {
    throw invalidField(
      'scope',
      'unknown',
      `Unknown scope ${unknown}. The scopes are ${clientScopes.join(', ')}.`,
    )
  }
  const ofAgents = [...advertiserScopes, scopes.webhooks].find(scope => chosen.includes(scope))
  if (agentId === null && ofAgents !== undefined) {
    throw invalidField(
      'scope',
      'agent-missing',
      `The scope ${ofAgents} is for agents. Name the agent with --agent.`,
    )
  }
  return clientScopes.filter(scope => chosen.includes(scope))
}

function checkAdvertisers(
  chosen: readonly string[],
  agentId: number | null,
  advertiserIds: readonly number[],
): void {
  const isJobBoard = chosen.includes(scopes.intake)
  const isNamed = agentId === null && chosen.includes(scopes.profile)
  if (isJobBoard && advertiserIds.length === 0) {
    const why = `The scope ${scopes.intake} is limited to certain advertisers. Name each with --advertiser.`
    throw invalidField('advertiser', 'missing', why)
  }
  if (!isJobBoard && !isNamed && advertiserIds.length > 0) {
    const why = `Advertisers can be listed only with the scope ${scopes.intake}, or without an agent ${scopes.profile}.`
    throw invalidField('advertiser', 'not-a-job-board', why)
  }
}

function noSuchClient(clientId: string): Problem {
  return new Problem('not-found', `There is no client ${clientId}.`)
}
