import assert from 'node:assert/strict'
import type { EventStore } from '../../src/events/feed/event-store.ts'
import { webhookLeaseSeconds } from '../../src/events/webhooks/lane-service.ts'
import type {
  AttemptResult,
  HeldLane,
  LaneKind,
  LaneStore,
  WebhookPost,
} from '../../src/events/webhooks/ports.ts'
import { createSender, type Sender } from '../../src/events/webhooks/sender-service.ts'
import type { EventType, StoredEvent } from '../../src/model/events.ts'
import { createBackground } from '../../src/platform/core/async/background.ts'
import { defaultLimits } from '../../src/settings-limits.ts'
import { silentLog } from '../harness/database.ts'
import { seeded } from '../harness/random.ts'
import { type Accepted, checkOrder, type Spell } from './lane-order.ts'

interface Lane {
  id: string
  kind: LaneKind
  endpointId: string
  advertiserId: number
  /** Up to here its claims have been checked. */
  checked: number
  sent: number
  end: number | null
  tries: number
  dueAt: number
  lease: number
  leasedUntil: number
  ended: string | undefined
}

interface Endpoint {
  id: string
  advertiserIds: Set<number>
  state: 'active' | 'paused' | 'stopped'
  answerMs: number | null
  /** How its receiver behaves. */
  mode: 'well' | 'down' | 'refusing' | 'hanging'
  poison: Set<string>
  /** Requests that the receiver accepted, in their order. */
  accepted: Accepted[]
  acceptedKeys: Set<string>
  failures: Map<string, number>
  /** Events that failed four times, the last time with a status. */
  mayStepAside: Set<string>
  parked: Set<string>
}

interface Timer {
  at: number
  order: number
  call(): void
}

interface Node {
  sender: Sender
  isDead: boolean
  /** While the node is suspended, this promise is pending. */
  runs: Promise<void>
  resume(): void
}

type SenderLimits = Parameters<typeof createSender>[0]['limits']

const types: EventType[] = ['application.created', 'application.erased']
const leaseMs = webhookLeaseSeconds * 1000

/** Several nodes, receivers and a database in one process, on one clock: the same seed gives the same history. */
export class World {
  now = Date.parse('2026-11-14T00:00:00Z')
  readonly random: () => number
  readonly events = new Map<number, StoredEvent[]>()
  readonly lanes = new Map<string, Lane>()
  readonly endpoints = new Map<string, Endpoint>()
  readonly nodes: Node[] = []
  readonly #timers: Timer[] = []
  #order = 0
  #ids = 0
  /** Requests under way. */
  inFlight = 0
  maxInFlight = 0
  kills = 0
  requests = 0
  storeFails = 0
  /** The share of hints that arrive. */
  hintsArrive = 0.5
  readonly #spells = new Map<string, Spell[]>()

  readonly #limits: SenderLimits

  constructor(seed: number, limits: Partial<SenderLimits> = {}) {
    this.random = seeded(seed)
    this.#limits = { webhooksAtOnce: defaultLimits.webhooksAtOnce, ...limits }
  }

  chance = (share: number) => this.random() < share
  pick = <T>(from: readonly T[]): T => from[Math.floor(this.random() * from.length)] as T

  after(ms: number, call: () => void): () => void {
    const timer = { at: this.now + ms, order: this.#order++, call }
    this.#timers.push(timer)
    return () => {
      const index = this.#timers.indexOf(timer)
      if (index >= 0) this.#timers.splice(index, 1)
    }
  }

  /** Runs everything that is due within this time. */
  async pass(ms: number): Promise<void> {
    const until = this.now + ms
    for (;;) {
      // All promises that can be settled now.
      await new Promise<void>(resolve => setImmediate(resolve))
      let next: Timer | undefined
      for (const timer of this.#timers) {
        if (timer.at > until) continue
        if (next === undefined || timer.at < next.at || (timer.at === next.at && timer.order < next.order))
          next = timer
      }
      if (next === undefined) break
      this.#timers.splice(this.#timers.indexOf(next), 1)
      this.now = Math.max(this.now, next.at)
      next.call()
    }
    this.now = until
  }

  addEndpoint(id: string, advertiserIds: number[]): void {
    this.endpoints.set(id, {
      id,
      advertiserIds: new Set(advertiserIds),
      state: 'active',
      answerMs: 1,
      mode: 'well',
      poison: new Set(),
      accepted: [],
      acceptedKeys: new Set(),
      parked: new Set(),
      failures: new Map(),
      mayStepAside: new Set(),
    })
    for (const advertiserId of advertiserIds) this.addLane(id, advertiserId)
  }

  addLane(endpointId: string, advertiserId: number): void {
    const id = `${endpointId}-${advertiserId}-${this.#ids++}`
    const start = this.last(advertiserId)
    const end = { upTo: Number.POSITIVE_INFINITY, endedAt: Number.POSITIVE_INFINITY }
    this.#spellsOf(endpointId, advertiserId).push({ after: start, ...end })
    this.lanes.set(id, {
      id,
      kind: 'live',
      endpointId,
      advertiserId,
      checked: start,
      sent: start,
      end: null,
      tries: 0,
      dueAt: this.now,
      lease: 0,
      leasedUntil: 0,
      ended: undefined,
    })
  }

  removeLanes(endpointId: string, advertiserId: number): void {
    for (const lane of this.lanes.values()) {
      if (lane.endpointId !== endpointId || lane.advertiserId !== advertiserId) continue
      this.lanes.delete(lane.id)
    }
    const spell = this.#spellsOf(endpointId, advertiserId).at(-1) ?? assert.fail()
    Object.assign(spell, { upTo: this.last(advertiserId), endedAt: this.now })
  }

  #spellsOf(endpointId: string, advertiserId: number): Spell[] {
    const key = `${endpointId} ${advertiserId}`
    const spells = this.#spells.get(key) ?? []
    this.#spells.set(key, spells)
    return spells
  }

  last = (advertiserId: number) => this.events.get(advertiserId)?.at(-1)?.number ?? 0

  write(advertiserId: number): void {
    const log = this.events.get(advertiserId) ?? []
    this.events.set(advertiserId, log)
    const number = Math.max(this.last(advertiserId) + 1, this.now)
    log.push({ number, type: this.pick(types), applicationId: log.length + 1, detail: '' })
    for (const node of this.nodes) if (this.chance(this.hintsArrive)) node.sender.hint(advertiserId)
  }

  /** What a node asks of the outside world: nothing reaches a suspended node, and nothing at all a dead one. */
  async #through<T>(node: Node, work: () => T | Promise<T>): Promise<T> {
    const never = () => new Promise<T>(() => {})
    // Some take a moment each way, in which anything may happen to the node.
    const moment = async () => {
      if (this.chance(0.2)) await new Promise<void>(resolve => void this.after(this.random() * 20, resolve))
      await node.runs
    }
    await moment()
    if (node.isDead) return never()
    if (this.chance(this.storeFails)) {
      if (this.chance(0.5)) await work()
      throw new Error('the database cannot be reached')
    }
    const result = await work()
    await moment()
    return node.isDead ? never() : result
  }

  startNode(): void {
    const node: Node = { isDead: false, runs: Promise.resolve(), resume() {}, sender: undefined as never }
    const free = (lane: Lane) => lane.leasedUntil <= this.now || lane.leasedUntil > this.now + 2 * leaseMs
    const isDue = (lane: Lane) =>
      lane.ended === undefined &&
      lane.dueAt <= this.now &&
      free(lane) &&
      this.endpoints.get(lane.endpointId)?.state === 'active'
    const store: LaneStore = {
      findDue: question =>
        this.#through(node, () =>
          [...this.lanes.values()]
            .filter(lane => isDue(lane) && this.last(lane.advertiserId) > lane.sent)
            .filter(lane => question.advertiserIds?.includes(lane.advertiserId) ?? true)
            .filter(lane => !question.exceptEndpoints.includes(lane.endpointId))
            .map(({ id, endpointId, dueAt }) => ({
              id,
              endpointId,
              dueAt,
              owner: endpointId.split('/')[0] ?? '',
              answerMs: this.endpoints.get(endpointId)?.answerMs ?? null,
            }))
            .filter(
              ({ answerMs }) => (answerMs ?? 0) <= (question.answeredWithinMs ?? Number.POSITIVE_INFINITY),
            )
            .filter(({ owner }) => !question.exceptOwners.includes(owner))
            .sort((a, b) => a.dueAt - b.dueAt)
            .slice(0, question.max),
        ),
      take: (laneId, now, until) =>
        this.#through(node, (): HeldLane | undefined => {
          const lane = this.lanes.get(laneId)
          if (lane === undefined || !isDue(lane) || lane.dueAt > now) return undefined
          lane.lease += 1
          lane.leasedUntil = until
          const parked = [...this.lanes.values()].filter(
            each => each.kind === 'parked' && each.endpointId === lane.endpointId,
          )
          const endpoint = { id: lane.endpointId, url: lane.endpointId, scheme: 'v1' as const, generation: 1 }
          return {
            id: lane.id,
            kind: lane.kind,
            lease: lane.lease,
            leasedUntil: until,
            types,
            tries: lane.tries,
            sent: lane.sent,
            end: lane.end,
            advertiserId: lane.advertiserId,
            agentId: null,
            parked: parked.length,
            notice: null,
            endpoint: { ...endpoint, overlapUntil: null },
          }
        }),
      record: (held, record) =>
        this.#through(node, () => {
          const lane = this.lanes.get(held.id)
          const endpoint = this.endpoints.get(held.endpoint.id)
          if (
            lane === undefined ||
            endpoint === undefined ||
            lane.lease !== held.lease ||
            lane.ended !== undefined
          )
            return undefined
          assert.ok(record.sent >= lane.sent, `${lane.id} moved back from ${lane.sent} to ${record.sent}`)
          lane.sent = record.sent
          lane.tries = record.tries
          lane.dueAt = record.dueAt
          lane.leasedUntil = record.leasedUntil ?? 0
          lane.ended = record.ended
          endpoint.answerMs = record.answerMs ?? endpoint.answerMs
          if (record.stop !== undefined) endpoint.state = 'stopped'
          for (const { id, number, dueAt } of record.park ?? []) {
            endpoint.parked.add(`${lane.advertiserId} ${number}`)
            this.lanes.set(id, {
              ...lane,
              id,
              kind: 'parked',
              sent: number - 1,
              end: number,
              tries: 0,
              dueAt,
              lease: 0,
              leasedUntil: 0,
              ended: undefined,
            })
          }
          this.check(lane)
          const { types, endpoint: current } = held
          return {
            mayGoOn: endpoint.state === 'active',
            hasMore: this.last(lane.advertiserId) > lane.sent,
            current: { types, endpoint: current },
          }
        }),
    }
    const events: Pick<EventStore, 'page'> = {
      page: (stream, query) =>
        this.#through(node, () => {
          assert.ok('advertiserId' in stream)
          const found = (this.events.get(stream.advertiserId) ?? []).filter(
            ({ number }) => number > query.after,
          )
          const events = found.slice(0, query.limit)
          return {
            events,
            hasMore: events.length < found.length,
            newest: events.at(-1)?.number,
            last: this.last(stream.advertiserId),
            from: 0,
            restoredAt: 0,
          }
        }),
    }
    const post: WebhookPost = { send: request => this.#send(node, request), close: async () => {} }
    node.sender = createSender({
      store,
      events,
      post,
      random: this.random,
      log: silentLog,
      userAgent: 'test',
      clock: () => this.now,
      steadyClock: () => this.now,
      keys: () => [Buffer.alloc(32)],
      newId: () => `parked-${this.#ids++}`,
      objection: async () => undefined,
      after: (ms, call) =>
        this.after(ms, () => {
          const run = async () => {
            await node.runs
            if (!node.isDead) call()
          }
          run()
        }),
      background: createBackground(silentLog),
      limits: this.#limits,
    })
    this.nodes.push(node)
    node.sender.start()
  }

  kill(node: Node): void {
    node.isDead = true
    this.kills += 1
    this.nodes.splice(this.nodes.indexOf(node), 1)
  }

  suspend(node: Node, ms: number): void {
    const { promise, resolve } = Promise.withResolvers<void>()
    node.runs = promise
    this.after(ms, resolve)
  }

  async #send(
    node: Node,
    { url, headers, body }: Parameters<WebhookPost['send']>[0],
  ): Promise<AttemptResult> {
    const endpoint = this.endpoints.get(url) ?? assert.fail()
    const { data } = JSON.parse(body) as { data: { advertiserId: number } }
    const number = Number(headers['webhook-id']?.split('_').at(-1))
    const key = `${data.advertiserId} ${number}`
    const begunAt = this.now
    this.requests += 1
    this.inFlight += 1
    this.maxInFlight = Math.max(this.maxInFlight, this.inFlight)
    const ms = endpoint.mode === 'hanging' ? 15_000 : Math.ceil(this.random() * 30)
    await new Promise<void>(resolve => void this.after(ms, resolve))
    this.inFlight -= 1
    const answered = (outcome: AttemptResult['outcome'], status: number | null) => ({
      outcome,
      status,
      ms,
      answer: null,
    })
    const result =
      endpoint.mode === 'hanging'
        ? answered('timeout', null)
        : endpoint.mode === 'down'
          ? answered('connect', null)
          : endpoint.mode === 'refusing' || endpoint.poison.has(key)
            ? answered('refused', 500)
            : answered('accepted', 204)
    if (result.outcome === 'accepted') {
      endpoint.accepted.push({ advertiserId: data.advertiserId, number, begunAt, at: this.now })
      endpoint.acceptedKeys.add(key)
    } else {
      const failures = (endpoint.failures.get(key) ?? 0) + 1
      endpoint.failures.set(key, failures)
      if (failures >= 4 && result.outcome === 'refused') endpoint.mayStepAside.add(key)
    }
    await node.runs
    return node.isDead ? new Promise<never>(() => {}) : result
  }

  /** Everything that a lane claims to have sent was accepted or has stepped aside; checked as far as it is new. */
  check(lane: Lane): void {
    if (lane.kind !== 'live') return
    const endpoint = this.endpoints.get(lane.endpointId) ?? assert.fail()
    const log = this.events.get(lane.advertiserId) ?? []
    const from = log.findLastIndex(({ number }) => number <= lane.checked) + 1
    for (const { number } of log.slice(from)) {
      if (number > lane.sent) break
      const key = `${lane.advertiserId} ${number}`
      assert.ok(endpoint.acceptedKeys.has(key) || endpoint.parked.has(key), `${lane.id} claims ${number}`)
    }
    lane.checked = lane.sent
  }

  checkOrder(): void {
    for (const endpoint of this.endpoints.values())
      for (const advertiserId of this.events.keys())
        checkOrder(
          endpoint.id,
          endpoint.accepted.filter(each => each.advertiserId === advertiserId),
          this.#spellsOf(endpoint.id, advertiserId),
          number => endpoint.mayStepAside.has(`${advertiserId} ${number}`),
        )
  }
}
