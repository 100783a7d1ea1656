import { setTimeout as sleep } from 'node:timers/promises'
import type { RouteOptions } from 'fastify'
import { createCredentialStore } from '../companies/advertiser-store.ts'
import { createDemoStore } from '../demo/demo-store.ts'
import { createOutbox } from '../demo/outbox-service.ts'
import { createOutboxStore } from '../demo/outbox-store.ts'
import { createDemo } from '../demo/service.ts'
import type { WorldName } from '../demo/world-names.ts'
import type { EndpointOwner } from '../events/webhooks/ports.ts'
import { eventTypes } from '../model/events.ts'
import { createClientStore } from '../share/clients/client-store.ts'
import type { AccountModule } from './accounts.ts'
import type { ApplyModule } from './apply.ts'
import type { CollectModule } from './collect.ts'
import type { CompanyModule } from './companies.ts'
import type { Platform } from './platform.ts'
import type { Web } from './web.ts'
import type { WebhookModule } from './webhooks.ts'

/** Imported only in demo mode. */
export const worldNamed = async (name: WorldName) => (await import('../demo/world/load.ts')).loadWorld(name)

/** The accounts with which visitors try the world. */
export const doorsOf = async (name: WorldName) =>
  (await import('../demo/world/doors.ts')).demoDoors(await worldNamed(name))

export type DemoModule = ReturnType<typeof openDemo>

export function openDemo(
  { config, database, blobs, clock, restoreDetection }: Platform,
  { advertiserStore, agentStore, logos, privacyNotices }: CompanyModule,
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
          await restoreDetection.forget()
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
      timeZone: config.TIME_ZONE,
      sleep,
      loadWorld: async name => ({
        ...(await worldNamed(name)),
        file: (await import('../demo/world/demo-application.ts')).file,
        ...(await import('../demo/world/assets-adapter.ts')),
      }),
      notices: { set: (id, content) => privacyNotices.set(id, { url: '', content }) },
      addAt: time => submissionsAt(time).add,
      own: ownApplications,
      progressAt: time => ({
        ...collect.progressAt(time),
        async find(advertiserId, email) {
          const filter = { prefix: email, hasVirus: false }
          const { applications } = await collect.applicationSearch.page(advertiserId, filter, undefined)
          const [found] = applications
          if (found === undefined) throw new Error(`the demo has no application of ${email}`)
          return found
        },
      }),
      logos,
    }),
    outbox: createOutbox({ store: createOutboxStore(database), clock }),
    /** The secrets of the demo's own receiver, from the start of the process. */
    demoHooks: { secrets: [] as string[] },
  }
}

/** Adds the endpoints of the demo, which receives its own webhooks, at this start's address. */
export async function prepareDemoHooks(
  { background }: Platform,
  { webhooks }: WebhookModule,
  { demoHooks }: DemoModule,
  world: WorldName,
  baseUrl: string,
): Promise<void> {
  const { demoWebhookId } = await import('../demo/world/world.ts')
  const { advertisers, agents } = await worldNamed(world)
  const harbour = { advertiserId: advertisers[0].id }
  const northwind = { agentId: agents[0].id }
  const ofAgents = eventTypes.filter(type => type.startsWith('agent.'))
  const reach = async (owner: EndpointOwner, id: string, url: string) => {
    await webhooks.change(owner, id, { url })
    await webhooks.test(owner, id)
  }
  for (const { owner, path, description, types, id } of [
    { owner: harbour, path: '/demo/hooks', description: 'Northwind ATS', types: eventTypes },
    { owner: harbour, path: '/demo/hooks/broken', description: 'Broken on purpose', types: eventTypes },
    {
      owner: northwind,
      path: '/demo/hooks',
      description: 'Who works with us',
      types: ofAgents,
      id: demoWebhookId,
    },
  ]) {
    const url = `${baseUrl}${path}`
    const known = await webhooks.list(owner)
    const before = known.find(endpoint => new URL(endpoint.url).pathname === path)
    const add = () =>
      webhooks.add(owner, { url, description, types, scheme: 'v1' }, id).catch(error => {
        if (id === undefined) throw error
        // Another node that started at the same time was faster.
        return webhooks.rotate(owner, id, 0)
      })
    const { endpoint, key } = before === undefined ? await add() : await webhooks.rotate(owner, before.id, 0)
    demoHooks.secrets.push(key)
    if (before?.stopReason === 'key-lost') await webhooks.resume(owner, before.id)
    background.run(reach(owner, endpoint.id, url), 'the demo did not receive a webhook')
  }
}

/** Loaded in demo mode only. */
export async function demoRoutes({ outbox, demoHooks }: DemoModule, web: Web): Promise<RouteOptions[]> {
  const [world, { outboxRoutes }, { demoSiteRoutes }, hooks, receiving] = await Promise.all([
    worldNamed(web.demoWorld),
    import('../demo/outbox-pages.ts'),
    import('../demo/site/pages.ts'),
    import('../demo/site/hooks-pages.ts'),
    import('../demo/site/hooks-service.ts'),
  ])
  return [
    ...outboxRoutes({ outbox }),
    ...hooks.hookRoutes(
      receiving.createHookReceiver({ secrets: () => demoHooks.secrets, clock: web.clock }),
      world,
    ),
    ...demoSiteRoutes({ ...web, fetch, world }),
  ]
}
