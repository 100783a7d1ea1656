import { setTimeout as sleep } from 'node:timers/promises'
import type { RouteOptions } from 'fastify'
import { createOutbox } from '../demo/outbox-service.ts'
import { createDemo } from '../demo/service.ts'
import { createCredentialStore } from '../storage/advertisers/advertiser-store.ts'
import { createClientStore } from '../storage/share/client-store.ts'
import { createDemoStore } from '../storage/upkeep/demo-store.ts'
import { createOutboxStore } from '../storage/upkeep/outbox-store.ts'
import type { AccountModule } from './accounts.ts'
import type { AdvertiserModule } from './advertisers.ts'
import type { ApplyModule } from './apply.ts'
import type { CollectModule } from './collect.ts'
import type { Platform } from './platform.ts'
import type { Web } from './web.ts'

export type DemoModule = ReturnType<typeof openDemo>

export function openDemo(
  { database, blobs, clock, limits }: Platform,
  { advertiserStore, agentStore, logos }: AdvertiserModule,
  { candidateStore }: AccountModule,
  { submissionsAt, ownApplications }: ApplyModule,
  collect: CollectModule,
) {
  return {
    demo: createDemo({
      store: createDemoStore(database),
      advertisers: advertiserStore,
      credentials: createCredentialStore(database),
      agents: agentStore,
      clients: createClientStore(database),
      candidates: candidateStore,
      blobs,
      clock,
      sleep,
      loadWorld: async () => ({
        ...(await import('../demo/world/everything.ts')),
        ...(await import('../demo/world/assets-adapter.ts')),
      }),
      addAt: time => submissionsAt(time).add,
      own: ownApplications,
      progressAt: time => ({
        ...collect.progressAt(time),
        async find(advertiserId, email) {
          const filter = { prefix: email, hasVirus: false }
          const { applications } = await collect.finding.page(advertiserId, filter, undefined)
          const [found] = applications
          if (found === undefined) throw new Error(`the demo has no application of ${email}`)
          return found
        },
      }),
      logos,
      limits,
    }),
    outbox: createOutbox({ store: createOutboxStore(database), clock }),
  }
}

/** Loaded in demo mode only. */
export async function demoRoutes({ outbox }: DemoModule, web: Web): Promise<RouteOptions[]> {
  const [{ outboxRoutes }, { componentsRoutes }, { demoSiteRoutes }] = await Promise.all([
    import('../demo/outbox-pages.ts'),
    import('../demo/components/pages.ts'),
    import('../demo/site/pages.ts'),
  ])
  const { baseUrl, authUrl, clock, sessions, limits } = web
  return [
    ...outboxRoutes({ outbox }),
    ...componentsRoutes(),
    ...demoSiteRoutes({ baseUrl, authUrl, fetch, clock, sessions, limits }),
  ]
}
