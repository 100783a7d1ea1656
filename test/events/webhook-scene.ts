import { createLaneStore } from '../../src/events/webhooks/lane-store.ts'
import type { AttemptResult, EndpointOwner, WebhookRequest } from '../../src/events/webhooks/ports.ts'
import { createReplayStore } from '../../src/events/webhooks/replay-store.ts'
import { createSender } from '../../src/events/webhooks/sender-service.ts'
import { createWebhooks } from '../../src/events/webhooks/service.ts'
import type { WebhookKeys } from '../../src/events/webhooks/signing-rules.ts'
import { createWebhookUpkeep } from '../../src/events/webhooks/upkeep-service.ts'
import { createEndpointStore } from '../../src/events/webhooks/webhook-store.ts'
import { createWebhookUpkeepStore } from '../../src/events/webhooks/webhook-upkeep-store.ts'
import { type EventType, eventId } from '../../src/model/events.ts'
import { noAllowedHosts } from '../../src/platform/core/addresses/public-addresses.ts'
import { createBackground } from '../../src/platform/core/async/background.ts'
import { newUuid } from '../../src/platform/core/ids.ts'
import { addEvent, nextEventNumber } from '../../src/schema/writing/record-event.ts'
import { withLedger } from '../../src/schema/writing/with-ledger.ts'
import { defaultLimits } from '../../src/settings-limits.ts'
import { type MovableClock, steadily } from '../harness/clock.ts'
import { silentLog } from '../harness/database.ts'
import type { Services } from '../harness/services.ts'

export interface Received {
  url: string
  id: string
  type: string
  attempt: number
  at: number
  headers: Readonly<Record<string, string>>
  body: string
}

export type Answer = (received: Received) => Partial<AttemptResult> | Promise<Partial<AttemptResult>>

export const wellAnswer: Answer = () => ({ outcome: 'accepted', status: 204 })
export const refusedWith = (status: number, more: Partial<AttemptResult> = {}): Answer => {
  return () => ({ outcome: 'refused', status, ...more })
}

export const webhookKeys: WebhookKeys = [Buffer.alloc(32, 'k')]

/** Endpoints and a process that delivers, on real stores; receivers are functions, and pauses pass on the clock of the test. */
export function createScene(services: Services, clock: MovableClock) {
  const { database } = services
  const received: Received[] = []
  const answers = new Map<string, Answer>()
  const send = async ({ url, headers, body }: WebhookRequest): Promise<AttemptResult> => {
    const { id, type } = JSON.parse(body) as { id: string; type: string }
    const attempt = Number(headers['dossier-attempt'])
    const request = { url, id, type, attempt, at: clock(), headers, body }
    received.push(request)
    const answer = await (answers.get(url) ?? wellAnswer)(request)
    return { outcome: 'accepted', status: null, ms: 1, answer: null, ...answer }
  }
  const post = { send, close: async () => {} }
  const common = { post, keys: () => webhookKeys, clock, limits: defaultLimits, userAgent: 'test' }

  const laneStore = createLaneStore(database)
  const newSender = (store = laneStore) =>
    createSender({
      ...common,
      store,
      events: services.eventStore,
      objection: async () => undefined,
      background: createBackground(silentLog),
      steadyClock: () => clock(),
      after: (ms, call) => {
        clock.advance(ms)
        setImmediate(call)
        return () => {}
      },
      random: () => 0,
      newId: newUuid,
      log: silentLog,
    })
  const sender = newSender()
  const endpointStore = createEndpointStore(database)
  const webhooks = createWebhooks({
    ...common,
    store: endpointStore,
    replays: createReplayStore(database),
    claimKey: async () => {},
    allowed: () => noAllowedHosts,
    ownOrigins: () => [],
    wake() {},
  })
  const upkeep = createWebhookUpkeep({
    store: createWebhookUpkeepStore(database),
    lookAtTime: steadily(clock),
    clock,
  })
  let made = 0

  const writeEvent = (advertiserId: number, type: EventType = 'application.created', data: object = {}) =>
    withLedger(database, advertiserId, async trx => {
      const number = await nextEventNumber(trx, advertiserId, clock(), { changesList: false })
      await addEvent(trx, advertiserId, number, type, null, data)
      return number
    })

  return {
    received,
    answers,
    webhooks,
    upkeep,
    laneStore,
    newSender,

    async addEndpoint(
      owner: EndpointOwner,
      types: readonly EventType[] = ['application.created'],
      answer?: Answer,
    ) {
      made += 1
      const url = `https://receiver-${made}.example.com/hooks`
      const { endpoint } = await webhooks.add(owner, { url, types, description: '', scheme: 'v1' })
      await webhooks.test(owner, endpoint.id)
      if (answer !== undefined) answers.set(url, answer)
      received.length = 0
      return { id: endpoint.id, url, owner }
    },

    writeEvent,

    /** Writes events, a millisecond apart; returns their IDs. */
    async write(advertiserId: number, count: number): Promise<string[]> {
      const ids: string[] = []
      for (let index = 0; index < count; index++) {
        clock.advance(1)
        ids.push(eventId({ advertiserId }, await writeEvent(advertiserId)))
      }
      return ids
    },

    /** Sends everything that is due now. */
    deliver: () => sender.runOnce(60_000),

    /** Lets time pass in steps, and sends what becomes due. */
    async pass(ms: number, stepMs = 60_000): Promise<void> {
      const until = clock() + ms
      while (clock() < until) {
        clock.set(Math.min(clock() + stepMs, until))
        await sender.runOnce(60_000)
      }
    },

    /** The IDs that a receiver was sent, without tests. */
    idsAt: (url: string) =>
      received.filter(each => each.url === url && each.type !== 'test.ping').map(({ id }) => id),

    lanesOf: (endpointId: string) =>
      database.reader.selectFrom('webhook_lanes').selectAll().where('endpoint_id', '=', endpointId).execute(),

    endpointRow: (endpointId: string) =>
      database.reader
        .selectFrom('webhook_endpoints')
        .selectAll()
        .where('id', '=', endpointId)
        .executeTakeFirstOrThrow(),
  }
}

/** The same without the endpoints and events of earlier tests, and with a new advertiser. */
export async function emptyScene(services: Services, clock: MovableClock) {
  for (const table of [
    'webhook_lanes',
    'webhook_attempts',
    'webhook_hours',
    'webhook_endpoints',
    'events',
  ] as const)
    await services.database.writer.deleteFrom(table).execute()
  const { id: advertiserId } = await services.advertisers.add('Northwind')
  return { scene: createScene(services, clock), advertiserId }
}

/** A person of a company or an agent, with that role; returns the ID. */
export async function addMember(
  { database: { writer } }: Services,
  of: { advertiser_id: number } | { agent_id: number },
  role: 'admin' | 'reader',
): Promise<string> {
  const candidateId = `${role}-${Object.values(of)[0]}`
  const names = { email: `${candidateId}@example.com`, first_name: 'A', last_name: 'B' }
  await writer
    .insertInto('candidates')
    .values({
      id: candidateId,
      ...names,
      email_confirmed_at: 1,
      password_hash: '',
      profile: '{}',
      created_at: 1,
    })
    .execute()
  const member = { candidate_id: candidateId, role, created_at: 1 }
  await ('agent_id' in of
    ? writer.insertInto('agent_members').values({ ...of, ...member })
    : writer.insertInto('memberships').values({ ...of, ...member, role: 'admin' })
  ).execute()
  return candidateId
}
