import type { RouteOptions } from 'fastify'
import { swsValueOf } from '../companies/callers/sws-auth.ts'
import { createEventStore } from '../events/feed/event-store.ts'
import { feedRoutes } from '../events/feed/routes.ts'
import { createFeed } from '../events/feed/service.ts'
import { createWaiting, eventPollHeardSeconds, eventPollSeconds } from '../events/feed/waiting-service.ts'
import { readerOf } from '../model/application-read.ts'
import { BoardProblem } from '../model/problems.ts'
import { bearerValueOf } from '../platform/http/auth/bearer-auth.ts'
import { authenticateForVersion1 } from './callers.ts'
import type { CollectModule } from './collect.ts'
import type { CompanyModule } from './companies.ts'
import type { Platform } from './platform.ts'
import type { ShareModule } from './share.ts'
import type { Web } from './web.ts'

export type EventModule = ReturnType<typeof openEvents>

/** Lets programs follow events. */
export function openEvents({ database, hints, background, limits }: Platform) {
  const {
    eventPollSeconds: seconds = eventPollSeconds,
    eventPollHeardSeconds: heardSeconds = eventPollHeardSeconds,
  } = limits
  const eventStore = createEventStore(database)
  const waiting = createWaiting({
    lastOf: eventStore.lastOf,
    lookMs: () => (hints.isHeard() ? heardSeconds : seconds) * 1000,
    attend: hints.attend,
    background,
    limits,
  })
  hints.listen(waiting.changed)
  return { eventStore, waiting, feed: createFeed({ store: eventStore, waiting, limits }) }
}

export function eventRoutes(
  { feed, waiting }: EventModule,
  { reads, answers }: CollectModule,
  { tokenCheck }: ShareModule,
  { credentials }: CompanyModule,
  { limits, clock }: Web,
  onWake: (seconds: number) => void,
): RouteOptions[] {
  return feedRoutes({
    feed,
    waitingCount: waiting.count,
    recheck: {
      async advertiser(request) {
        const principal = await authenticateForVersion1(
          swsValueOf(request),
          'r_applications',
          tokenCheck,
          credentials,
        )
        if (principal.isOnHold) throw new BoardProblem('advertiser-on-hold')
        return principal
      },
      client: request => tokenCheck.client(bearerValueOf(request)),
    },
    onWake: writtenAt => onWake(Math.max(0, clock() - writtenAt) / 1000),
    onHandedOut: (principal, { firstId, lastId }) =>
      reads.list(principal.advertiserId, readerOf(principal), firstId, lastId),
    answersOf: answers.of,
    limits,
  })
}
