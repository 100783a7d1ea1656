import { setTimeout as sleep } from 'node:timers/promises'
import type { RouteOptions } from 'fastify'
import { createOutbox } from '../demo/outbox-service.ts'
import { createDemo } from '../demo/service.ts'
import type { EndpointOwner } from '../events/webhooks/ports.ts'
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
  { database, blobs, clock, limits, setback }: Platform,
  { advertiserStore, agentStore, logos }: AdvertiserModule,
  { candidateStore }: AccountModule,
  { submissionsAt, ownApplications }: ApplyModule,
  collect: CollectModule,
) {
  const store = createDemoStore(database)
  return {
    demo: createDemo({
      store: {
        ...store,
        async clear() {
          const files = await store.clear()
          await setback.forget()
          return files
        },
      },
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
    /** The secrets of the demo's own receiver, from the start of the process on. */
    demoHooks: { secrets: [] as string[] },
  }
}

/** Adds the endpoints of the demo, which receives webhooks of its own, at the address of this start. */
export async function prepareDemoHooks(
  { webhooks, demoHooks, background }: DemoModule & WebhookModule & Platform,
  baseUrl: string,
): Promise<void> {
  const { harbourId, demoAgents, demoWebhookId } = await import('../demo/world/world.ts')
  const harbour = { advertiserId: harbourId }
  const northwind = { agentId: demoAgents[0].id }
  const ofAgents = eventTypes.filter(type => type.startsWith('agent.'))
  const reach = async (owner: EndpointOwner, id: string, url: string) => {
    await webhooks.change(owner, id, { url })
    await webhooks.test(owner, id)
  }
  for (const { owner, path, description, types, id } of [
    { owner: harbour, path: '/demo/hooks', description: 'Northwind ATS', types: eventTypes },
    { owner: harbour, path: '/demo/hooks/broken', description: 'Broken on purpose', types: eventTypes },
    {
      ...{ owner: northwind, path: '/demo/hooks', description: 'Who works with us', types: ofAgents },
      id: demoWebhookId,
    },
  ]) {
    const url = `${baseUrl}${path}`
    const known = await webhooks.list(owner)
    const before = known.find(endpoint => new URL(endpoint.url).pathname === path)
    const add = () =>
      webhooks.add(owner, { url, description, types, scheme: 'v1' }, id).catch(error => {
        if (id === undefined) throw error
        // A node that started at the same time was faster.
        return webhooks.rotate(owner, id, 0)
      })
    const { endpoint, key } = before === undefined ? await add() : await webhooks.rotate(owner, before.id, 0)
    demoHooks.secrets.push(key)
    background.run(reach(owner, endpoint.id, url), 'the demo did not receive a webhook')
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
    ...hooks.hookRoutes(receiving.createHookReceiver({ secrets: () => demoHooks.secrets, clock })),
    ...demoSiteRoutes({ baseUrl, authUrl, fetch, clock, sessions, limits }),
  ]
}
