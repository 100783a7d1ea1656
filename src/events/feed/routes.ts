import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { Problem } from '../../core/problems.ts'
import { searchOf } from '../../http/requests/form.ts'
import { negotiate } from '../../http/requests/negotiation.ts'
import { route } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import { clientEventTypes, eventTypes } from '../../model/events.ts'
import type { Principal } from '../../model/principal.ts'
import { endOfWait } from './end-of-wait.ts'
import { handedOut, type IdRange } from './handed-out.ts'
import type { JsonPage } from './ports.ts'
import { Presence } from './presence.ts'
import { type FeedLimits, readFeedQuery } from './query.ts'
import { type Answer, type FeedAnswer, frameJson, renderFeed } from './rendering.ts'
import { advertiserFeedSchema, clientFeedSchema } from './schemas.ts'
import type { Feed, Patience, Reception } from './service.ts'

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

  /** Answers the request, once it need not wait any longer. */
  const answerTo = <Answered>(
    reply: FastifyReply,
    patience: { end(): void } | undefined,
    send: (answer: Answered) => void,
  ): Reception<Answered> => ({
    resolve(answer) {
      patience?.end()
      try {
        send(answer)
      } catch (error) {
        reply.send(error)
      }
    },
    reject(problem) {
      patience?.end()
      reply.send(problem)
    },
  })

  return [
    route({
      method: 'GET',
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
        const { advertiserId, eventNumber: lastNumber, credentialId } = caller
        // The common case of a poll.
        const cursor = feed.unchanged(query, lastNumber)
        if (cursor !== undefined)
          return send(renderFeed(type.format, stream, { events: [], cursor, more: false }))
        const patience = patienceOf(call, credentialId, query.waitMs, async () => {
          const { eventNumber } = await recheck.advertiser(request)
          return eventNumber
        })
        const handOut = (events: Parameters<typeof handedOut>[0]) => {
          if (request.method !== 'GET' || events.length === 0) return
          for (const range of handedOut(events, query.types)) onHandedOut(caller, range)
        }
        const sendJson = (answer: Answer<JsonPage>) => {
          handOut(answer.page?.withApplication ?? [])
          send(frameJson(advertiserId, answer))
        }
        const sendXml = (answer: FeedAnswer) => {
          handOut(answer.events.flatMap(event => ('application' in event ? event : [])))
          send(renderFeed('xml', stream, answer))
        }
        const options = { lastNumber, patience }
        if (type.format === 'json')
          feed.answerJson(advertiserId, query, options, answerTo(reply, patience, sendJson))
        else feed.answer(stream, query, options, answerTo(reply, patience, sendXml))
        // Without a promise, which would be held while the request waits.
        return undefined
      },
    }),
    route({
      method: 'GET',
      url: '/v2/events',
      auth: 'client-token',
      schema: clientFeedSchema(limits),
      handle: call => {
        const { request, reply, caller } = call
        const stream = { clientId: caller.clientId }
        const query = readFeedQuery(stream, searchOf(request.raw.url), clientEventTypes, limits)
        const patience = patienceOf(call, `client:${caller.clientId}`, query.waitMs, async () => {
          await recheck.client(request)
          return undefined
        })
        const send = (answer: FeedAnswer) =>
          reply
            .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
            .send(renderFeed('json', stream, answer))
        feed.answer(stream, query, { patience }, answerTo(reply, patience, send))
      },
    }),
  ]
}
