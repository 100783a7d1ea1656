import { setTimeout as sleep } from 'node:timers/promises'
import type { RouteOptions } from 'fastify'
import { createOutbox } from '../demo/outbox-service.ts'
import { createDemo } from '../demo/service.ts'
import { eventTypes } from '../model/events.ts'
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
import type { WebhookModule } from './webhooks.ts'

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
    /** The secret of the demo's own receiver, from the start of the process on. */
    demoHooks: { secret: undefined as string | undefined },
  }
}

/** Adds the endpoints of the demo, which receives webhooks of its own, at the address of this start. */
export async function prepareDemoHooks(
  { webhooks, demoHooks, background }: DemoModule & WebhookModule & Platform,
  baseUrl: string,
): Promise<void> {
  const { harbourId } = await import('../demo/world/world.ts')
  const owner = { advertiserId: harbourId }
  const fields = { types: [...eventTypes], scheme: 'v1' as const }
  const known = await webhooks.list(owner)
  for (const [path, description] of [
    ['/demo/hooks', 'Northwind ATS'],
    ['/demo/hooks/broken', 'Broken on purpose'],
  ] as const) {
    const url = `${baseUrl}${path}`
    const before = known.find(endpoint => new URL(endpoint.url).pathname === path)
    if (before !== undefined) await webhooks.change(owner, before.id, { url })
    const { endpoint, key } =
      before === undefined
        ? await webhooks.add(owner, { url, description, ...fields })
        : await webhooks.rotate(owner, before.id, 0)
    demoHooks.secret ??= key
    background.run(webhooks.test(owner, endpoint.id), 'the demo did not receive a webhook')
  }
}

/** Loaded in demo mode only. */
export async function demoRoutes({ outbox, demoHooks }: DemoModule, web: Web): Promise<RouteOptions[]> {
  const [{ outboxRoutes }, { componentsRoutes }, { demoSiteRoutes }, hooks, receiving] = await Promise.all([
    import('../demo/outbox-pages.ts'),
    import('../demo/components/pages.ts'),
    import('../demo/site/pages.ts'),
    import('../demo/site/hooks-pages.ts'),
    import('../demo/site/hooks-service.ts'),
  ])
  const { baseUrl, authUrl, clock, sessions, limits } = web
  return [
    ...outboxRoutes({ outbox }),
    ...componentsRoutes(),
    ...hooks.hookRoutes(receiving.createHookReceiver({ secret: () => demoHooks.secret, clock })),
    ...demoSiteRoutes({ baseUrl, authUrl, fetch, clock, sessions, limits }),
  ]
}
