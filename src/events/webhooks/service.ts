import { type EventType, eventTypes } from '../../model/events.ts'
import { BoardProblem } from '../../model/problems.ts'
import type { AllowedHosts } from '../../platform/core/addresses/public-addresses.ts'
import type { Clock, EpochMs } from '../../platform/core/clock.ts'
import { assertSingleLine, invalidField } from '../../platform/core/fields.ts'
import { newUuid } from '../../platform/core/ids.ts'
import { Problem } from '../../platform/core/problems.ts'
import { checkEndpointUrl } from './address-rules.ts'
import { pingMessage } from './messages.ts'
import type { AttemptResult, Backlog, Endpoint, EndpointOwner, WebhookPost } from './ports.ts'
import type { ReplayStore } from './replay-store.ts'
import {
  createSigner,
  receiverKey,
  type SignatureScheme,
  signedHeaders,
  type WebhookKeys,
} from './signing-rules.ts'
import type { EndpointStore } from './webhook-store.ts'

/** Limit: Webhook endpoints of one advertiser. */
export const maxWebhooksPerAdvertiser = 10
/** Limit: Concurrent tests of one owner's endpoints. They do not count towards its share of the webhooks. */
export const webhookTestsAtOnce = 4
/** Limit: How long an endpoint's old key signs alongside the new one, unless its owner says otherwise. */
export const webhookOverlapHours = 24

/** Limit: The description of a webhook endpoint: one line. */
export const webhookDescriptionLength = 200
/** Limit: Webhook endpoints of one agent. Each gets the events of every advertiser that authorises it. */
const webhooksPerAgent = 20
/** Limit: Length of the URL of a webhook endpoint. */
const webhookUrlLength = 2_000
/** Limit: Tests of one webhook endpoint per minute. */
const webhookTestsPerMinute = 10
/** Limit: Attempts, replays and parked events shown for one endpoint. */
const webhookAttemptsShown = 100
/** Limit: How far an endpoint's outstanding events are counted. */
const webhookBehindCounted = 1_000

export interface EndpointFields {
  url: string
  types: readonly string[]
  description: string
  scheme: SignatureScheme
}

/** An endpoint with its verification key; a secret is shown once. */
export interface ShownEndpoint {
  endpoint: Endpoint
  key: string
}

export type Webhooks = ReturnType<typeof createWebhooks>

/** Manages endpoints for their owners. Owners see and change only their own endpoints. */
export function createWebhooks(deps: {
  store: EndpointStore
  replays: ReplayStore
  post: Pick<WebhookPost, 'send'>
  keys(): WebhookKeys
  /** Records the key in the database; rejects if other processes use another one. */
  claimKey(): Promise<void>
  allowed(): AllowedHosts
  ownOrigins(): readonly string[]
  userAgent: string
  clock: Clock
  /** Call when lanes may have become due. */
  wake(): void
}) {
  const { store, replays, clock } = deps

  async function find(owner: EndpointOwner, endpointId: string): Promise<Endpoint> {
    const endpoint = await store.find(owner, endpointId)
    if (endpoint === undefined) throw noSuchEndpoint()
    return endpoint
  }

  /** Applies a change, unless the endpoint has been removed, and returns the endpoint's new state. */
  async function changed(
    owner: EndpointOwner,
    endpointId: string,
    change: Promise<unknown>,
  ): Promise<Endpoint> {
    await change
    return find(owner, endpointId)
  }

  function checkUrl(url: string): void {
    const fault = checkEndpointUrl(url, {
      allowed: deps.allowed(),
      ownOrigins: deps.ownOrigins(),
      maxLength: webhookUrlLength,
    })
    if (fault !== undefined) throw refusedUrl('endpoint-address', fault)
  }

  function checkDescription(description: string): string {
    if (description !== '') assertSingleLine('description', description, webhookDescriptionLength)
    return description.trim()
  }

  function checkTypes(types: readonly string[]): EventType[] {
    const known = eventTypes.filter(type => types.includes(type))
    const unknown = types.find(type => !known.includes(type as EventType))
    if (unknown !== undefined)
      throw invalidField('types', 'unknown', `There is no event type "${unknown.slice(0, 60)}".`)
    if (known.length === 0) throw invalidField('types', 'required', 'Choose at least one event type.')
    return known
  }

  const testing = new Map<string, number>()

  /** Limits concurrent tests: they use no slots, so that owners who await a result need not wait for one. */
  async function ping(endpoint: Endpoint): Promise<AttemptResult> {
    checkKey(endpoint)
    const key = JSON.stringify(endpoint.owner)
    const count = testing.get(key) ?? 0
    if (count >= webhookTestsAtOnce)
      throw new Problem('rate-limited', 'Other tests are under way. Wait until they have ended.', {
        retryAfterSeconds: 15,
      })
    testing.set(key, count + 1)
    try {
      return await pingNow(endpoint)
    } finally {
      const left = (testing.get(key) ?? 1) - 1
      if (left === 0) testing.delete(key)
      else testing.set(key, left)
    }
  }

  async function pingNow(endpoint: Endpoint): Promise<AttemptResult> {
    const at = clock()
    if ((await store.testsSince(endpoint.id, at - 60_000)) >= webhookTestsPerMinute)
      throw new Problem('rate-limited', 'Too many tests of this endpoint. Wait a minute.', {
        retryAfterSeconds: 60,
      })
    const advertiserId = 'advertiserId' in endpoint.owner ? endpoint.owner.advertiserId : null
    const { id, body } = pingMessage(newUuid(), endpoint.id, advertiserId, at)
    const result = await deps.post.send({
      url: endpoint.url,
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': deps.userAgent,
        ...signedHeaders(createSigner(deps.keys(), endpoint, at), id, body, at),
        'dossier-attempt': '1',
      },
    })
    const { outcome, status, ms, answer, skewMs = null } = result
    const row = { at, advertiserId: null, number: null, attempt: 1, outcome, status, ms, answer }
    await store.recordTest(endpoint.id, row, skewMs)
    return result
  }

  return {
    /** A new endpoint receives no events before it has answered a test. */
    async add(owner: EndpointOwner, fields: EndpointFields, id = newUuid()): Promise<ShownEndpoint> {
      checkUrl(fields.url)
      const types = checkTypes(fields.types)
      const description = checkDescription(fields.description)
      await deps.claimKey()
      const max = 'agentId' in owner ? webhooksPerAgent : maxWebhooksPerAdvertiser
      const endpoint = await store.add(
        {
          id,
          owner,
          url: fields.url,
          description,
          types,
          scheme: fields.scheme,
          createdAt: clock(),
        },
        max,
      )
      if (endpoint === undefined)
        throw invalidField('url', 'too-many', `There are ${max} endpoints already. Remove one first.`)
      return { endpoint, key: receiverKey(deps.keys(), endpoint) }
    },

    list: store.list,
    listAll: store.listAll,
    find,

    /** For the operator, whose commands name an endpoint without its owner. */
    async findAny(endpointId: string): Promise<Endpoint> {
      const endpoint = await store.findAny(endpointId)
      if (endpoint === undefined) throw noSuchEndpoint()
      return endpoint
    },

    /** A changed URL must answer a test first, like a new endpoint's. */
    async change(
      owner: EndpointOwner,
      endpointId: string,
      { url, description, types }: Partial<Omit<EndpointFields, 'scheme'>>,
    ): Promise<Endpoint> {
      if (url !== undefined) checkUrl(url)
      const change = {
        ...(url === undefined ? {} : { url }),
        ...(description === undefined ? {} : { description: checkDescription(description) }),
        ...(types === undefined ? {} : { types: checkTypes(types) }),
      }
      const endpoint = await find(owner, endpointId)
      if (Object.keys(change).length === 0) return endpoint
      if (url !== undefined && url !== endpoint.url && endpoint.state !== 'new') {
        const { outcome, status } = await ping({ ...endpoint, url })
        if (outcome !== 'accepted') {
          const message = `The new URL did not accept a test (${status ?? outcome}), so nothing was changed.`
          throw refusedUrl('endpoint-not-answering', { code: 'not-answering', message })
        }
      }
      return changed(owner, endpointId, store.change(owner, endpointId, change))
    },

    /** Sends `test.ping`. A successful response activates a new endpoint, and ends the pauses of a failing one. */
    async test(
      owner: EndpointOwner,
      endpointId: string,
    ): Promise<{ endpoint: Endpoint; result: AttemptResult }> {
      const endpoint = await find(owner, endpointId)
      const result = await ping(endpoint)
      if (result.outcome === 'accepted' && /^(new|failing)$/.test(endpoint.state)) {
        await store.activate(endpointId, clock(), 'test')
        deps.wake()
      }
      return { endpoint: await find(owner, endpointId), result }
    },

    pause: (owner: EndpointOwner, endpointId: string) =>
      changed(owner, endpointId, store.pause(owner, endpointId)),

    /** Continues where it stopped. A new endpoint must answer a test first. */
    async resume(owner: EndpointOwner, endpointId: string): Promise<Endpoint> {
      const endpoint = await find(owner, endpointId)
      checkKey(endpoint)
      if (endpoint.state === 'new')
        throw invalidField('state', 'new', 'This endpoint has not answered a test yet. Send a test first.')
      await store.activate(endpointId, clock(), 'resume')
      deps.wake()
      return find(owner, endpointId)
    },

    /** The previous key also signs for some hours, so that no receiver misses a webhook. */
    async rotate(
      owner: EndpointOwner,
      endpointId: string,
      overlapHours = webhookOverlapHours,
    ): Promise<ShownEndpoint> {
      if (!Number.isInteger(overlapHours) || overlapHours < 0 || overlapHours > 168)
        throw invalidField('overlapHours', 'range', 'The overlap must be 0 to 168 hours.')
      await find(owner, endpointId)
      await deps.claimKey()
      const now = clock()
      await store.rotate(owner, endpointId, now, now + overlapHours * 3_600_000)
      const endpoint = await find(owner, endpointId)
      return { endpoint, key: receiverKey(deps.keys(), endpoint) }
    },

    /** Ends the overlap: the previous key no longer signs. */
    retire: (owner: EndpointOwner, endpointId: string) =>
      changed(owner, endpointId, store.retire(owner, endpointId)),

    async remove(owner: EndpointOwner, endpointId: string): Promise<void> {
      if (!(await store.remove(owner, endpointId))) throw noSuchEndpoint()
    },

    /** Sends events again, or events from before the endpoint existed, alongside the live ones. */
    async replay(
      owner: EndpointOwner,
      endpointId: string,
      wanted: {
        from: EpochMs
        to?: EpochMs | undefined
        types?: readonly string[] | undefined
        advertiserId?: number | undefined
      },
    ): Promise<{ id: string }> {
      await find(owner, endpointId)
      const advertiserId = 'advertiserId' in owner ? owner.advertiserId : wanted.advertiserId
      if (wanted.advertiserId !== undefined && wanted.advertiserId !== advertiserId)
        throw invalidField('advertiserId', 'unknown', 'Name your own company.')
      if (advertiserId === undefined)
        throw invalidField('advertiserId', 'required', 'Name the advertiser whose events to send again.')
      if (wanted.to !== undefined && wanted.to < wanted.from)
        throw invalidField('to', 'range', 'The end must not be before the beginning.')
      const id = newUuid()
      const added = await replays.add(owner, endpointId, {
        id,
        advertiserId,
        after: wanted.from - 1,
        now: clock(),
        types: wanted.types === undefined ? null : checkTypes(wanted.types),
        ...(wanted.to === undefined ? {} : { end: wanted.to }),
      })
      if (added === undefined)
        throw invalidField('state', 'new', 'This endpoint gets no events of this advertiser yet.')
      deps.wake()
      return { id }
    },

    async cancelReplay(owner: EndpointOwner, endpointId: string, laneId: string): Promise<void> {
      await find(owner, endpointId)
      if (!(await replays.cancel(endpointId, laneId, clock())))
        throw new Problem('not-found', 'No such replay is under way.')
    },

    /** Resends parked events, including failed ones. Returns how many. */
    async resendDeferred(owner: EndpointOwner, endpointId: string, laneId: string | 'all'): Promise<number> {
      await find(owner, endpointId)
      const count = await replays.resendDeferred(endpointId, laneId, clock())
      deps.wake()
      return count
    },

    backlog: (endpoint: Endpoint): Promise<Backlog> => store.backlog(endpoint, webhookBehindCounted),

    /** The details on an endpoint's page. */
    async details(owner: EndpointOwner, endpointId: string) {
      const endpoint = await find(owner, endpointId)
      const [backlog, attempts, lanes, givenUp, hours] = await Promise.all([
        store.backlog(endpoint, webhookBehindCounted),
        store.attempts(endpointId, webhookAttemptsShown),
        store.lanes(endpointId, webhookAttemptsShown),
        store.givenUp(endpointId),
        store.hours(endpointId, Math.floor(clock() / 3_600_000) - 47),
      ])
      // A public key can be shown again; a secret cannot.
      const publicKey = endpoint.scheme === 'v1a' ? receiverKey(deps.keys(), endpoint) : null
      return { endpoint, publicKey, backlog, attempts, lanes, givenUp, hours }
    },
  }
}

function checkKey({ stopReason }: Endpoint): void {
  if (stopReason === 'key-lost')
    throw invalidField(
      'state',
      'key-lost',
      'This service has lost the key of this endpoint’s secret. Make a new secret and give it to your receiver first.',
    )
}

const refusedUrl = (
  problem: 'endpoint-address' | 'endpoint-not-answering',
  { code, message }: { code: string; message: string },
) => new BoardProblem(problem, message, { errors: [{ field: 'url', code, message }] })

const noSuchEndpoint = () => new Problem('not-found', 'There is no such webhook endpoint.')
