import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { Problem } from '../../core/problems.ts'
import { searchOf } from '../../http/requests/form.ts'
import { negotiate } from '../../http/requests/negotiation.ts'
import { type Call, route } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import { clientEventTypes, eventTypes } from '../../model/events.ts'
import type { Principal } from '../../model/principal.ts'
import type { Format } from '../../model/v1/rendering.ts'
import { endOfWait } from './end-of-wait.ts'
import { handedOut, type IdRange } from './handed-out.ts'
import { Presence } from './presence.ts'
import { type FeedLimits, type FeedQuery, readFeedQuery } from './query.ts'
import { frameJson, renderFeed } from './rendering.ts'
import { advertiserFeedSchema, clientFeedSchema } from './schemas.ts'
import type { Feed, Patience } from './service.ts'

interface RouteDeps {
  feed: Feed
  waitingCount(): number
  /** Looks the caller up again; rejects if it may no longer read. */
  recheck: {
    advertiser(request: FastifyRequest): Promise<Principal>
    client(request: FastifyRequest): Promise<unknown>
  }
  /** Called with the time of the newest event that a request has waited for. */
  onWake(writtenAt: number): void
  /** Called with applications that are handed out with their events. */
  onHandedOut(principal: Principal, range: IdRange): void
  limits: FeedLimits & Pick<Limits, 'waitingPerCredential' | 'waitingPerProcess' | 'eventWaitTickMs'>
}

/** The feeds: of an advertiser in version 1, of an OAuth client in version 2. */
export function feedRoutes({
  feed,
  waitingCount,
  recheck,
  onWake,
  onHandedOut,
  limits,
}: RouteDeps): RouteOptions[] {
  const waitingOf = new Map<string, number>()

  /** Undefined if the request does not wait. */
  function patienceOf(
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
    credential: string,
    waitMs: number,
    check: Patience['recheck'],
  ): (Patience & { end(): void }) | undefined {
    if (waitMs === 0 || request.method === 'HEAD' || waitingCount() >= limits.waitingPerProcess)
      return undefined
    const others = waitingOf.get(credential) ?? 0
    if (others >= limits.waitingPerCredential)
      throw new Problem('too-many-waiting', undefined, { retryAfterSeconds: 1 })
    waitingOf.set(credential, others + 1)
    const presence = new Presence()
    reply.raw.on('close', presence.leave)
    const now = performance.now()
    return {
      sinceMs: now - reply.elapsedTime,
      untilMs: endOfWait(now, waitMs, Math.random(), limits.eventWaitTickMs),
      presence,
      recheck: check,
      onWake,
      end() {
        reply.raw.off('close', presence.leave)
        const left = (waitingOf.get(credential) ?? 1) - 1
        if (left === 0) waitingOf.delete(credential)
        else waitingOf.set(credential, left)
      },
    }
  }

  async function followAdvertiser(
    { request, reply, caller }: Call<'sws'>,
    query: FeedQuery,
    format: Format,
  ): Promise<Buffer | string> {
    const { advertiserId, eventNumber: lastNumber, credentialId } = caller
    const patience = patienceOf({ request, reply }, credentialId, query.waitMs, async () => {
      const { eventNumber } = await recheck.advertiser(request)
      return eventNumber
    })
    const options = { lastNumber, ...(patience && { patience }) }
    const handOut = (events: Parameters<typeof handedOut>[0]) => {
      if (request.method !== 'GET' || events.length === 0) return
      for (const range of handedOut(events, query.types)) onHandedOut(caller, range)
    }
    try {
      if (format === 'json') {
        const answer = await feed.followJson(advertiserId, query, options)
        handOut(answer.page?.withApplication ?? [])
        return frameJson(advertiserId, answer)
      }
      const answer = await feed.follow({ advertiserId }, query, options)
      handOut(answer.events.flatMap(event => ('application' in event ? event : [])))
      return renderFeed('xml', { advertiserId }, answer)
    } finally {
      patience?.end()
    }
  }

  return [
    route({
      method: ['GET', 'HEAD'],
      url: '/v1/advertiser/events',
      auth: 'sws',
      schema: advertiserFeedSchema(limits),
      handle: call => {
        const { request, reply, caller } = call
        const stream = { advertiserId: caller.advertiserId }
        const type = negotiate(request.headers.accept)
        if (type === undefined) {
          reply.header('vary', 'Accept')
          throw new Problem('not-acceptable')
        }
        const query = readFeedQuery(stream, searchOf(request.raw.url), eventTypes, limits)
        const send = (content: Buffer | string) =>
          reply
            .headers({ 'content-type': type.contentType, vary: 'Accept', 'cache-control': 'no-store' })
            .send(content)
        // The common case of a poll, without a promise.
        const cursor = feed.unchanged(query, caller.eventNumber)
        return cursor === undefined
          ? followAdvertiser(call, query, type.format).then(send)
          : send(renderFeed(type.format, stream, { events: [], cursor, more: false }))
      },
    }),
    route({
      method: ['GET', 'HEAD'],
      url: '/v2/events',
      auth: 'client-token',
      schema: clientFeedSchema(limits),
      handle: async ({ request, reply, caller }) => {
        const stream = { clientId: caller.clientId }
        const query = readFeedQuery(stream, searchOf(request.raw.url), clientEventTypes, limits)
        const patience = patienceOf(
          { request, reply },
          `client:${caller.clientId}`,
          query.waitMs,
          async () => {
            await recheck.client(request)
            return undefined
          },
        )
        try {
          const answer = await feed.follow(stream, query, { ...(patience && { patience }) })
          return reply
            .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
            .send(renderFeed('json', stream, answer))
        } finally {
          patience?.end()
        }
      },
    }),
  ]
}
