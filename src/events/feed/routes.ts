import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import {
  clientEventTypes,
  type EventType,
  eventId,
  eventTypes,
  type StoredEvent,
} from '../../model/events.ts'
import type { Principal } from '../../model/principal.ts'
import { BoardProblem } from '../../model/problems.ts'
import { searchOf } from '../../platform/http/requests/form.ts'
import { negotiate } from '../../platform/http/requests/negotiation.ts'
import { route } from '../../platform/http/routes.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { Presence } from './presence.ts'
import { type FeedQuery, readFeedQuery } from './query.ts'
import type { JsonPage } from './records.ts'
import { type Answer, type FeedAnswer, frameJson, renderFeed } from './rendering.ts'
import { advertiserFeedSchema, clientFeedSchema } from './schemas.ts'
import type { Feed, Patience, Reception } from './service.ts'

/** Limit: Requests that may wait for events concurrently in a process. Further ones are answered immediately. */
const waitingPerProcess = 8_000

/**
 * Limit: Waits end at multiples of this time: one wake-up of the process serves dozens of the thousands that may wait,
 * and no wake-up lasts more than a few milliseconds.
 */
const eventWaitTickMs = 250
/** Limit: Requests of one credential that may wait for events concurrently on a node. */
const waitingPerCredential = 8

interface RouteDeps {
  feed: Feed
  waitingCount(): number
  /** Looks up the caller again; rejects if it may no longer read. */
  recheck: {
    advertiser(request: FastifyRequest): Promise<Principal>
    client(request: FastifyRequest): Promise<unknown>
  }
  /** Called with the time of the newest event for which a request has waited. */
  onWake(writtenAt: number): void
  /** Called with the applications that are included with their events. */
  onHandedOut(principal: Principal, range: IdRange): void
  /** These applications' answers, as integrators get them, up to the first that does not fit. */
  answersOf(
    advertiserId: number,
    applicationIds: readonly number[],
  ): Promise<{ found: ReadonlyMap<number, object>; next: number | undefined }>
  limits: { waitingPerProcess?: number }
}

interface SentEvent {
  id: string
  type: EventType
  data: { applicationId?: number }
}

interface SentPage {
  events: SentEvent[]
  cursor: string
  more: boolean
}

/** The page up to an event, which becomes the first of the next page. */
function cutAt(advertiserId: number, { events, cursor }: SentPage, end: number): SentPage {
  const stream = { advertiserId }
  const number = Number(events[end - 1]?.id.slice(eventId(stream, '').length))
  const restoredAt = readCursor(stream, cursor)?.restoredAt ?? 0
  return { events: events.slice(0, end), cursor: writeCursor(stream, { number, restoredAt }), more: true }
}

/** The feeds: an advertiser's in version 1, an OAuth client's in version 2. */
export function feedRoutes({
  feed,
  waitingCount,
  recheck,
  onWake,
  onHandedOut,
  answersOf,
  limits: { waitingPerProcess: maxWaiting = waitingPerProcess },
}: RouteDeps): RouteOptions[] {
  const waitingOf = new Map<string, number>()

  /** Undefined if the request does not wait. */
  function patienceOf(
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
    credential: string,
    waitMs: number,
    check: Patience['recheck'],
  ): (Patience & { end(): void }) | undefined {
    if (waitMs === 0 || request.method === 'HEAD' || waitingCount() >= maxWaiting) return undefined
    const others = waitingOf.get(credential) ?? 0
    if (others >= waitingPerCredential)
      throw new BoardProblem('too-many-waiting', undefined, { retryAfterSeconds: 1 })
    waitingOf.set(credential, others + 1)
    const presence = new Presence()
    reply.raw.on('close', presence.leave)
    const now = performance.now()
    return {
      sinceMs: now - reply.elapsedTime,
      untilMs: endOfWait(now, waitMs, Math.random(), eventWaitTickMs),
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

  /** Answers the request once it need not wait any longer. */
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

  /** Adds the answers to the events of a page, which ends earlier if they make it too large. */
  async function withAnswers(advertiserId: number, json: string) {
    const page: SentPage = JSON.parse(json)
    const ids = page.events.flatMap(({ data }) => data.applicationId ?? [])
    const { found, next } = await answersOf(advertiserId, [...new Set(ids)])
    const end = page.events.findIndex(({ data }) => next !== undefined && data.applicationId === next)
    const kept = end < 0 ? page : cutAt(advertiserId, page, end)
    const events = kept.events.map(event => {
      const answers = found.get(event.data.applicationId ?? 0)
      return answers === undefined ? event : { ...event, answers }
    })
    const handed = kept.events.flatMap(({ type, data: { applicationId = 0 } }) =>
      found.has(applicationId) ? { type, applicationId } : [],
    )
    return { json: JSON.stringify({ ...kept, events }), handed }
  }

  return [
    route({
      method: 'GET',
      url: '/v1/advertiser/events',
      auth: 'sws',
      schema: advertiserFeedSchema(),
      handle: call => {
        const { request, reply, caller } = call
        const stream = { advertiserId: caller.advertiserId }
        const type = negotiate(request.headers.accept)
        if (type === undefined) {
          reply.header('vary', 'Accept')
          throw new BoardProblem('not-acceptable')
        }
        const query = readFeedQuery(stream, searchOf(request.raw.url), eventTypes, caller.agentId)
        if (query.includesAnswers && type.format === 'xml') {
          reply.header('vary', 'Accept')
          throw new BoardProblem(
            'not-acceptable',
            'Answers are added in JSON only: send Accept: application/json.',
          )
        }
        const send = (content: Buffer | string) =>
          reply
            .headers({ 'content-type': type.contentType, vary: 'Accept', 'cache-control': 'no-store' })
            .send(content)
        const { advertiserId, eventNumber: lastNumber, credentialId } = caller
        // The common case of a poll. Its response depends on this number only.
        const cursor = feed.unchanged(query, lastNumber)
        if (cursor !== undefined) {
          const content = renderFeed(type.format, stream, { events: [], cursor, more: false })
          return feed.whenDurable(advertiserId, lastNumber).then(() => send(content))
        }
        const patience = patienceOf(call, credentialId, query.waitMs, async () => {
          const { eventNumber } = await recheck.advertiser(request)
          return eventNumber
        })
        const handOut = (events: Parameters<typeof handedOut>[0]) => {
          if (request.method !== 'GET' || events.length === 0) return
          for (const range of handedOut(events, query.types)) onHandedOut(caller, range)
        }
        const sendJson = (answer: Answer<JsonPage>) => {
          const content = frameJson(advertiserId, answer)
          if (!query.includesAnswers) {
            handOut(answer.page?.withApplication ?? [])
            return void send(content)
          }
          // A copy, because callers share the page.
          withAnswers(advertiserId, content.toString())
            .then(({ json, handed }) => {
              handOut(handed)
              send(json)
            })
            .catch(error => reply.send(error))
        }
        const sendXml = (answer: FeedAnswer) => {
          handOut(answer.events.flatMap(event => ('application' in event ? event : [])))
          send(renderFeed('xml', stream, answer))
        }
        const options = { lastNumber, patience }
        if (type.format === 'json')
          feed.answerJson(advertiserId, query, options, answerTo(reply, patience, sendJson))
        else feed.answer(stream, query, options, answerTo(reply, patience, sendXml))
        // Returns no promise, which would be held while the request waits.
        return undefined
      },
    }),
    route({
      method: 'GET',
      url: '/v2/events',
      auth: 'client-token',
      schema: clientFeedSchema(),
      handle: call => {
        const { request, reply, caller } = call
        const stream = { clientId: caller.clientId }
        const query = readFeedQuery(stream, searchOf(request.raw.url), clientEventTypes)
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

/**
 * Ends a wait up to a sixteenth of its time early, so that requests that began together do not return together. Where
 * possible, all waits end on the ticks of a common clock: one wake-up of the process and one look-up then serve many.
 */
export function endOfWait(now: number, waitMs: number, random: number, tickMs: number): number {
  const end = now + waitMs
  const first = end - waitMs / 16
  const any = end - random * (end - first)
  const onBeat = Math.floor(any / tickMs) * tickMs
  return [onBeat, onBeat + tickMs].find(at => at >= first && at <= end) ?? any
}

interface IdRange {
  firstId: number
  lastId: number
}

/**
 * The applications included with these events, as ranges of the advertiser's IDs. Each application has one
 * `application.created` or `application.imported` event, in the order of the IDs, so a page that hides neither type
 * contains every application between its first and its last.
 */
function handedOut(
  events: readonly Pick<StoredEvent, 'type' | 'applicationId'>[],
  types: FeedQuery['types'],
): IdRange[] {
  const arrivals: readonly string[] = ['application.created', 'application.imported']
  const isWhole = types === undefined || arrivals.every(type => types.some(each => each === type))
  const arrived: number[] = []
  const ranges: IdRange[] = []
  for (const { type, applicationId: id } of events) {
    if (id === null) continue
    if (isWhole && arrivals.includes(type)) arrived.push(id)
    else ranges.push({ firstId: id, lastId: id })
  }
  const [firstId] = arrived
  const lastId = arrived.at(-1)
  return firstId === undefined || lastId === undefined ? ranges : [{ firstId, lastId }, ...ranges]
}
