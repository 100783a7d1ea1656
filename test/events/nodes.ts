import { createEventStore } from '../../src/events/feed/event-store.ts'
import type { HintSource } from '../../src/events/feed/hints-adapter.ts'
import { Presence } from '../../src/events/feed/presence.ts'
import { readFeedQuery } from '../../src/events/feed/query.ts'
import { frameJson } from '../../src/events/feed/rendering.ts'
import { createFeed } from '../../src/events/feed/service.ts'
import { createWaiting } from '../../src/events/feed/waiting-service.ts'
import { eventTypes } from '../../src/model/events.ts'
import { defaultLimits } from '../../src/settings-limits.ts'
import { open } from '../harness/database.ts'
import type { Services } from '../harness/services.ts'
import type { Tenant } from '../harness/tenant.ts'

/** So long that no test lives to see it: whatever wakes earlier was a hint. */
export const neverMs = 1_000_000_000

export interface Told {
  id: string
  type: string
  data: Record<string, unknown>
  application?: Record<string, unknown>
}

export interface Answered {
  events: Told[]
  cursor: string
  more: boolean
}

type Ask = (tenant: Tenant, search: string, waitMs?: number) => Promise<Answered>

/** Answers as the route does, without HTTP. */
export const asking =
  (services: Services, feed = services.feed): Ask =>
  async ({ advertiserId, credential }, search, waitMs = 0) => {
    const stream = { advertiserId }
    const sinceMs = performance.now()
    const recheck = async () => (await services.credentials.authenticate(credential)).eventNumber
    const query = readFeedQuery(stream, search, eventTypes)
    const presence = new Presence()
    const answer = await feed.followJson(advertiserId, query, {
      lastNumber: await recheck(),
      ...(waitMs === 0 ? {} : { patience: { sinceMs, untilMs: sinceMs + waitMs, presence, recheck } }),
    })
    return JSON.parse(frameJson(advertiserId, answer).toString())
  }

export interface Node {
  services: Services
  waiting: ReturnType<typeof createWaiting>
  ask: Ask
}

/** A node whose feed hears of changes in these ways only, and looks for others so often. */
export function nodeOver(services: Services, ways: readonly HintSource[], lookMs: number): Node {
  const { hints, background } = services
  const store = createEventStore(services.database)
  const waiting = createWaiting({
    lastOf: store.lastOf,
    lookMs: () => lookMs,
    ...(ways.includes('notify') ? { attend: hints.attend } : {}),
    background,
  })
  hints.listen((stream, from) => {
    if (ways.includes(from)) waiting.changed(stream)
  })
  return { services, waiting, ask: asking(services, createFeed({ store, waiting, limits: defaultLimits })) }
}

/** Nodes in this process over one database, which tell each other of their changes as the workers of a supervisor do. */
export async function openNodes(
  settings: Record<string, string>,
  count: number,
): Promise<{ nodesWith(ways: readonly HintSource[], lookMs: number): Node[]; close(): Promise<void> }> {
  const opened: Services[] = []
  for (let index = 0; index < count; index++) opened.push(await open(settings))
  for (const services of opened)
    services.hints.forward(async streams => {
      for (const other of opened) if (other !== services) other.hints.heard(streams, 'worker')
    })
  return {
    nodesWith: (ways, lookMs) => opened.map(services => nodeOver(services, ways, lookMs)),
    async close() {
      for (const services of opened) await services.close()
    },
  }
}
