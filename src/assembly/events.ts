import type { RouteOptions } from 'fastify'
import { Problem } from '../core/problems.ts'
import { feedRoutes } from '../events/feed/routes.ts'
import { createFeed } from '../events/feed/service.ts'
import { createWaiting } from '../events/feed/waiting-service.ts'
import { bearerValueOf } from '../http/auth/bearer-auth.ts'
import { swsValueOf } from '../http/auth/sws-auth.ts'
import { readerOf } from '../model/application-read.ts'
import { createEventStore } from '../storage/events/event-store.ts'
import type { AdvertiserModule } from './advertisers.ts'
import { authenticateForVersion1 } from './callers.ts'
import type { CollectModule } from './collect.ts'
import type { Platform } from './platform.ts'
import type { ShareModule } from './share.ts'
import type { Web } from './web.ts'

export type EventModule = ReturnType<typeof openEvents>

/** Programs follow what happens. */
export function openEvents({ database, hints, background, limits }: Platform) {
  const eventStore = createEventStore(database)
  const waiting = createWaiting({
    lastOf: eventStore.lastOf,
    lookMs: () => (hints.isHeard() ? limits.eventLookHeardSeconds : limits.eventLookSeconds) * 1000,
    attend: hints.attend,
    background,
    limits,
  })
  hints.listen(waiting.changed)
  return { eventStore, waiting, feed: createFeed({ store: eventStore, waiting, limits }) }
}

export function eventRoutes(
  {
    feed,
    waiting,
    reads,
    tokenCheck,
    credentials,
  }: EventModule & CollectModule & ShareModule & AdvertiserModule,
  { limits, clock }: Web,
  onWake: (seconds: number) => void,
): RouteOptions[] {
  return feedRoutes({
    feed,
    waitingCount: waiting.count,
    recheck: {
      async advertiser(request) {
        const principal = await authenticateForVersion1(swsValueOf(request), tokenCheck, credentials)
        if (principal.isOnHold) throw new Problem('advertiser-on-hold')
        return principal
      },
      client: request => tokenCheck.client(bearerValueOf(request)),
    },
    onWake: writtenAt => onWake(Math.max(0, clock() - writtenAt) / 1000),
    onHandedOut: (principal, { firstId, lastId }) =>
      reads.list(principal.advertiserId, readerOf(principal), firstId, lastId),
    limits,
  })
}
