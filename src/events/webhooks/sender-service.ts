import type { Background } from '../../platform/core/async/background.ts'
import { withTimeout } from '../../platform/core/async/with-timeout.ts'
import type { Clock, SteadyClock } from '../../platform/core/clock.ts'
import type { Log } from '../../platform/core/log.ts'
import type { EventStore } from '../feed/event-store.ts'
import { createLanes, type LaneLimits, type Slot, webhookLeaseSeconds } from './lane-service.ts'
import type { After, AttemptResult, DueLane, HeldLane, LaneStore, WebhookPost } from './ports.ts'
import { slowMs } from './schedule-rules.ts'
import type { WebhookKeys } from './signing-rules.ts'

/**
 * Limit: Webhooks sent to one endpoint at the same time, each for another advertiser or replay: one advertiser's
 * webhooks follow each other.
 */
const lanesPerEndpoint = 8
/** Limit: How often a process polls for webhooks that no hint has announced, or whose pause is over. */
export const webhookPollMs = 1_000

const bounds = { lanesPerEndpoint, webhookPollMs, webhookLeaseSeconds }

/**
 * The slots have this many shares and an owner gets at most one, so that receivers that hang delay only their owner.
 */
const sharesPerProcess = 8

const keysAt = (counts: ReadonlyMap<string, number>, min: number) =>
  [...counts].filter(([, count]) => count >= min).map(([key]) => key)

export type Sender = ReturnType<typeof createSender>

/**
 * Delivers the events of all lanes. Any process may do so, because it takes each lane by a lease. Hints name the
 * advertisers whose lanes to poll, and polls of all lanes find events whose hints were lost.
 */
export function createSender(deps: {
  store: LaneStore
  events: Pick<EventStore, 'page'>
  post: WebhookPost
  keys(): WebhookKeys
  /** Why this process must not deliver now, such as an incorrect clock; undefined if it may. */
  objection(): Promise<string | undefined>
  background: Background
  clock: Clock
  steadyClock: SteadyClock
  after: After
  random(): number
  newId(): string
  userAgent: string
  limits: { webhooksAtOnce: number } & Partial<typeof bounds> & LaneLimits
  log: Log
  onAttempt?(result: AttemptResult): void
}) {
  const { store, clock, steadyClock, log } = deps
  const limits = { ...bounds, ...deps.limits }
  const leaseMs = limits.webhookLeaseSeconds * 1000
  const slowSlots = Math.floor(limits.webhooksAtOnce / 2)
  const share = Math.max(Math.floor(limits.webhooksAtOnce / sharesPerProcess), 1)
  const cut = new AbortController()
  const running = new Map<string, Slot>()
  /** Advertisers whose lanes to poll; `all` after a poll of all lanes was requested. */
  let hinted = new Set<number>()
  let isAllHinted = false
  let looking: Promise<void> | undefined
  /** Whether any lanes wait for a slot. */
  let areSome = false
  /** Whether a lane has ended since the last poll began, which then counted too few free slots. */
  let hasEnded = false
  let isOn = false
  let stopped: Promise<void> | undefined
  let isStopping = false
  let objection: string | undefined
  let cancelTimer = () => {}
  const ended = new Set<() => void>()

  const lanes = createLanes({
    ...deps,
    cut: cut.signal,
    isStopping: () => isStopping,
    onAttempt: result => deps.onAttempt?.(result),
  })

  /**
   * Half of the slots are for lanes that are not known to be slow. A long request frees its slot while it lasts, up to
   * four times the number of slots in all: receivers that begin to hang at the same moment delay others only for that
   * long.
   */
  function countSlots(): { free: number; slow: number } {
    const slow = [...running.values()].filter(({ isSlow }) => isSlow).length
    const isLate = ({ isSlow, since }: Slot) => !isSlow && steadyClock() - since > slowMs
    const late = [...running.values()].filter(isLate).length
    const { webhooksAtOnce } = limits
    const free = Math.min(webhooksAtOnce - running.size + late, 4 * webhooksAtOnce - running.size)
    return { free, slow: Math.min(slow + late, slowSlots) }
  }

  function countRunning(key: 'endpointId' | 'owner'): Map<string, number> {
    const counts = new Map<string, number>()
    for (const slot of running.values()) counts.set(slot[key], (counts.get(slot[key]) ?? 0) + 1)
    return counts
  }

  async function runLane(lane: HeldLane, slot: Slot): Promise<void> {
    let held = lane
    for (;;) {
      const turn = await lanes.turn(held, slot)
      if (turn.end === 'again') hint(lane.advertiserId)
      if (turn.end !== 'more') return
      held = turn.lane
      if (!areSome && !isStopping) continue
      // Other lanes have waited longer.
      await lanes.release(held, slot)
      hint(lane.advertiserId)
      return
    }
  }

  async function start({ id, endpointId, owner, answerMs }: DueLane): Promise<void> {
    const now = clock()
    const lane = await store.take(id, now, now + leaseMs)
    if (lane === undefined) return
    const slot = {
      endpointId,
      owner,
      advertiserId: lane.advertiserId,
      isHinted: false,
      isSlow: (answerMs ?? slowMs + 1) > slowMs,
      since: steadyClock(),
    }
    running.set(id, slot)
    const run = runLane(lane, slot).finally(() => {
      running.delete(id)
      hasEnded = true
      for (const call of ended) call()
      if (areSome) look()
    })
    deps.background.run(run, 'a webhook lane was interrupted', { endpoint: endpointId })
  }

  /** Takes lanes while there are slots for them, up to a maximum per owner. Returns whether some may be left. */
  async function takeLanes(
    advertiserIds: readonly number[] | undefined,
    maxOfOwner: number,
  ): Promise<boolean> {
    for (;;) {
      const { free, slow } = countSlots()
      if (isStopping || free <= 0) return true
      const isFastOnly = slow >= slowSlots
      const max = isFastOnly ? free : Math.min(free, slowSlots - slow)
      const [ofEndpoints, ofOwners] = [countRunning('endpointId'), countRunning('owner')]
      const exceptEndpoints = keysAt(ofEndpoints, limits.lanesPerEndpoint)
      const exceptOwners = keysAt(ofOwners, maxOfOwner)
      const found = await store.findDue({
        now: clock(),
        leaseMs,
        exceptEndpoints,
        exceptOwners,
        max,
        ...(advertiserIds === undefined ? {} : { advertiserIds }),
        ...(isFastOnly ? { answeredWithinMs: slowMs } : {}),
      })
      const chosen = found.filter(({ endpointId, owner }) => {
        const [ofEndpoint, ofOwner] = [ofEndpoints.get(endpointId) ?? 0, ofOwners.get(owner) ?? 0]
        if (ofEndpoint >= limits.lanesPerEndpoint || ofOwner >= maxOfOwner) return false
        ofEndpoints.set(endpointId, ofEndpoint + 1)
        ofOwners.set(owner, ofOwner + 1)
        return true
      })
      await Promise.all(chosen.map(start))
      if (found.length < max)
        return isFastOnly || exceptEndpoints.length + exceptOwners.length > 0 || chosen.length < found.length
    }
  }

  /** One poll. While lanes wait for slots, owners without a request in progress come before those that have one. */
  async function lookOnce(advertiserIds: readonly number[] | undefined): Promise<boolean> {
    if (areSome) await takeLanes(advertiserIds, 1)
    return takeLanes(advertiserIds, share)
  }

  async function mayDeliver(): Promise<boolean> {
    const now = await deps.objection()
    if (now !== objection) {
      if (now === undefined) log.info({}, 'webhooks are delivered again')
      else log.error({ reason: now }, 'this process delivers no webhooks')
    }
    objection = now
    return now === undefined
  }

  async function work(): Promise<void> {
    while (!isStopping && (isAllHinted || hinted.size > 0)) {
      const advertiserIds = isAllHinted ? undefined : [...hinted]
      hinted = new Set()
      isAllHinted = false
      if (!(await mayDeliver())) return
      hasEnded = false
      const isLeft = await lookOnce(advertiserIds)
      isAllHinted ||= isLeft && hasEnded
      // Lanes that found no slot may belong to any advertiser: the next free slot polls all lanes.
      areSome = isLeft || (areSome && advertiserIds !== undefined)
      if (running.size === 0) areSome = false
    }
  }

  function look(): void {
    isAllHinted = true
    wake()
  }

  function hint(advertiserId: number): void {
    if (!isOn) return
    hinted.add(advertiserId)
    for (const slot of running.values()) slot.isHinted ||= slot.advertiserId === advertiserId
    wake()
  }

  function wake(): void {
    if (!isOn || isStopping || looking !== undefined) return
    looking = work().finally(() => {
      looking = undefined
      // Hints that arrived since the last poll.
      if (isAllHinted || hinted.size > 0) wake()
    })
    deps.background.run(looking, 'webhook lanes could not be looked at')
  }

  /** Polls later for events whose hints were lost, and for lanes whose pause is over. */
  function lookLater(): void {
    cancelTimer = deps.after(limits.webhookPollMs, () => {
      look()
      lookLater()
    })
  }

  const untilIdle = () =>
    new Promise<void>(resolve => {
      const check = () => {
        if (running.size > 0) return
        ended.delete(check)
        resolve()
      }
      ended.add(check)
      check()
    })

  async function stop(ms: number): Promise<void> {
    isStopping = true
    cancelTimer()
    // No further poll begins, and a failure of the current one is logged.
    const looked = Promise.resolve(looking).catch(() => {})
    await withTimeout(ms, looked.then(untilIdle))
    cut.abort()
    await withTimeout(1000, untilIdle())
    await deps.post.close()
  }

  async function untilQuiet(): Promise<void> {
    while (looking !== undefined || running.size > 0) {
      await looking
      await untilIdle()
    }
  }

  return {
    /** Starts to deliver in this process. */
    start(): void {
      isOn = true
      look()
      lookLater()
    },
    /** Sends due webhooks in a process that otherwise delivers none; waits for them for a limited time. */
    async runOnce(ms: number): Promise<void> {
      if (isOn) return look()
      isOn = true
      look()
      await withTimeout(ms, untilQuiet())
      isOn = false
    },
    /** Call when an advertiser has new events. */
    hint,
    /** Polls all lanes. */
    look,
    running: () => running.size,
    objection: () => objection,
    /** Starts nothing new and waits for the requests in progress; aborts them after that time. */
    stop(ms: number): Promise<void> {
      stopped ??= stop(ms)
      return stopped
    },
  }
}
