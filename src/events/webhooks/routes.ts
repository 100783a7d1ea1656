import type { FastifyReply, RouteOptions } from 'fastify'
import { eventId } from '../../model/events.ts'
import { readJson } from '../../platform/core/input/json-body.ts'
import { type Call, route } from '../../platform/http/routes.ts'
import { deferredEventId } from './messages.ts'
import type { Endpoint, EndpointOwner, ListedLane } from './ports.ts'
import { changedWebhookBody, newWebhookBody, replayBody, rotateBody, webhookSchemas } from './schemas.ts'
import type { Webhooks } from './service.ts'

const path = '/v1/agent/webhooks'
const one = `${path}/:webhookId` as const
const auth = 'webhook-token'

type OneCall = Call<'webhook-token', 'webhookId'>

/**
 * The owner whose endpoints the caller may see. A credential stands only for its company, whatever else its caller
 * knows.
 */
const ownerOf = (caller: OneCall['caller']): EndpointOwner =>
  'credentialId' in caller ? { advertiserId: caller.advertiserId } : { agentId: caller.agentId }

/** Lets agents, and companies with a credential that has the right, manage their webhook endpoints. */
export function webhookRoutes(webhooks: Webhooks, baseUrl: () => string): RouteOptions[] {
  /** A call without a body that returns the endpoint's new state and the result of `run`. */
  const act = <Name extends 'test' | 'pause' | 'resume' | 'retire' | 'resend'>(
    name: Name,
    run: (owner: EndpointOwner, id: string) => Promise<object>,
  ) =>
    route({
      method: 'POST',
      url: `${one}/${name}`,
      auth,
      schema: webhookSchemas[name],
      async handle({ reply, caller, params: { webhookId } }: OneCall) {
        const owner = ownerOf(caller)
        const more = await run(owner, webhookId)
        return sendOne(reply, await webhooks.find(owner, webhookId), more)
      },
    })

  return [
    route({
      method: 'GET',
      url: path,
      auth,
      schema: webhookSchemas.list,
      handle: async ({ reply, caller }) =>
        sendJson(reply, { webhooks: (await webhooks.list(ownerOf(caller))).map(shown) }),
    }),
    route({
      method: 'POST',
      url: path,
      auth,
      body: 'json',
      schema: webhookSchemas.create,
      async handle({ request, reply, caller }) {
        const { description = '', scheme = 'v1', ...fields } = readJson(newWebhookBody, request.body)
        const { endpoint, key } = await webhooks.add(ownerOf(caller), { ...fields, description, scheme })
        reply.status(201).header('location', `${baseUrl()}${path}/${endpoint.id}`)
        return sendOne(reply, endpoint, { key })
      },
    }),
    route({
      method: 'GET',
      url: one,
      auth,
      schema: webhookSchemas.read,
      async handle({ reply, caller, params }) {
        const details = await webhooks.details(ownerOf(caller), params.webhookId)
        return sendOne(reply, details.endpoint, shownDetails(details))
      },
    }),
    route({
      method: 'PATCH',
      url: one,
      auth,
      body: 'json',
      schema: webhookSchemas.change,
      async handle({ request, reply, caller, params }) {
        const change = readJson(changedWebhookBody, request.body)
        return sendOne(reply, await webhooks.change(ownerOf(caller), params.webhookId, change))
      },
    }),
    route({
      method: 'DELETE',
      url: one,
      auth,
      schema: webhookSchemas.remove,
      async handle({ reply, caller, params }) {
        await webhooks.remove(ownerOf(caller), params.webhookId)
        return reply.status(204).send()
      },
    }),
    act('test', async (owner, id) => {
      const { outcome, status, ms, answer } = (await webhooks.test(owner, id)).result
      return { test: { outcome, status, ms: Math.round(ms), answer } }
    }),
    route({
      method: 'POST',
      url: `${one}/rotate`,
      auth,
      body: 'json',
      schema: webhookSchemas.rotate,
      async handle({ request, reply, caller, params }) {
        const { overlapHours } = readJson(rotateBody, request.body)
        const { endpoint, key } = await webhooks.rotate(ownerOf(caller), params.webhookId, overlapHours)
        return sendOne(reply, endpoint, { key })
      },
    }),
    act('retire', async (owner, id) => {
      await webhooks.retire(owner, id)
      return {}
    }),
    act('resend', async (owner, id) => ({ resent: await webhooks.resendDeferred(owner, id, 'all') })),
    act('pause', async (owner, id) => {
      await webhooks.pause(owner, id)
      return {}
    }),
    route({
      method: 'POST',
      url: `${one}/replay`,
      auth,
      body: 'json',
      schema: webhookSchemas.replay,
      async handle({ request, reply, caller, params: { webhookId } }) {
        const { id: replayId } = await webhooks.replay(
          ownerOf(caller),
          webhookId,
          readJson(replayBody, request.body),
        )
        return sendOne(reply, await webhooks.find(ownerOf(caller), webhookId), { replayId })
      },
    }),
    route({
      method: 'DELETE',
      url: `${one}/replays/:replayId`,
      auth,
      schema: webhookSchemas.cancelReplay,
      async handle({ reply, caller, params: { webhookId, replayId } }) {
        await webhooks.cancelReplay(ownerOf(caller), webhookId, replayId)
        return reply.status(204).send()
      },
    }),
    act('resume', async (owner, id) => {
      await webhooks.resume(owner, id)
      return {}
    }),
  ]
}

function shown(endpoint: Endpoint) {
  const { id, url, description, types, scheme, state, stopReason } = endpoint
  return {
    id,
    url,
    description,
    types,
    scheme,
    state,
    createdAt: isoTime(endpoint.createdAt),
    lastSuccessAt: isoTime(endpoint.succeededAt),
    failingSince: isoTime(endpoint.failingSince),
    stopReason,
    overlapUntil: isoTime(endpoint.overlapUntil),
  }
}

type Details = Awaited<ReturnType<Webhooks['details']>>

function shownDetails({ publicKey, backlog, attempts, lanes }: Details) {
  const { events, oldestAt, nextTryAt } = backlog
  return {
    ...(publicKey === null ? {} : { key: publicKey }),
    behind: { events, oldestAt: isoTime(oldestAt), nextTryAt: isoTime(nextTryAt) },
    attempts: attempts.map(({ at, advertiserId, number, ...attempt }) => ({
      at: isoTime(at),
      eventId: advertiserId === null || number === null ? null : eventId({ advertiserId }, number),
      ...attempt,
    })),
    replays: lanes.filter(({ kind }) => kind === 'replay').map(shownReplay),
    parked: lanes.filter(({ kind }) => kind === 'parked').map(shownDeferred),
  }
}

const shownReplay = ({ id, advertiserId, state, delivered, createdAt }: ListedLane) => ({
  id,
  advertiserId,
  state,
  delivered,
  createdAt: isoTime(createdAt),
})

const shownDeferred = (lane: ListedLane) => ({
  eventId: deferredEventId(lane),
  state: lane.state,
  tries: lane.tries,
  nextTryAt: lane.state === 'waiting' || lane.state === 'running' ? isoTime(lane.dueAt) : null,
})

const isoTime = (at: number | null) => (at === null ? null : new Date(at).toISOString())

const sendOne = (reply: FastifyReply, endpoint: Endpoint, more: object = {}) =>
  sendJson(reply, { ...shown(endpoint), ...more })

const sendJson = (reply: FastifyReply, body: unknown) =>
  reply
    .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
    .send(JSON.stringify(body))
