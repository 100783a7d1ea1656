import type { Background } from '../../core/async/background.ts'
import { within } from '../../core/async/within.ts'
import type { Clock, SteadyClock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Limits } from '../../limits.ts'
import type { EventStore } from '../feed/ports.ts'
import { createLanes, type Slot } from './lane-service.ts'
import type { After, AttemptResult, DueLane, HeldLane, LaneStore, WebhookPost } from './ports.ts'
import { slowMs } from './schedule-rules.ts'
import type { WebhookKeys } from './signing-rules.ts'

export type Sender = ReturnType<typeof createSender>

/**
 * Delivers the events of all lanes that have some. Any process may: a lane is taken by a lease. Hints say where to look,
 * and looks at all lanes find what hints have missed.
 */
export function createSender(deps: {
  store: LaneStore
  events: Pick<EventStore, 'page'>
  post: WebhookPost
  keys(): WebhookKeys
  /** Why this process must not deliver now, such as a wrong clock; undefined if it may. */
  objection(): Promise<string | undefined>
  background: Background
  clock: Clock
  steadyClock: SteadyClock
  after: After
  random(): number
  newId(): string
  userAgent: string
  limits: Pick<
    Limits,
    | 'webhooksAtOnce'
    | 'lanesPerEndpoint'
    | 'webhookLookMs'
    | 'webhookPage'
    | 'webhookUnsaved'
    | 'webhookSaveMs'
    | 'webhookLeaseSeconds'
    | 'webhookAttemptSeconds'
    | 'webhooksLatePerSecond'
    | 'webhookParked'
  >
  log: Log
  onAttempt?(result: AttemptResult): void
}) {
  const { store, clock, steadyClock, limits, log } = deps
  const leaseMs = limits.webhookLeaseSeconds * 1000
  const slowSlots = Math.floor(limits.webhooksAtOnce / 2)
  const cut = new AbortController()
  const running = new Map<string, Slot>()
  /** Advertisers whose lanes to look at; `all` after a look at everything was asked for. */
  let hinted = new Set<number>()
  let isAllHinted = false
  let looking: Promise<void> | undefined
  /** Whether lanes wait for a slot. */
  let areSome = false
  /** Whether a lane has ended since the last look began, which then counted too few free slots. */
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

  /** A request that takes long makes its lane slow while it lasts. */
  const slowRunning = () =>
    [...running.values()].filter(({ isSlow, since }) => isSlow || steadyClock() - since > slowMs).length

  function fullEndpoints(): string[] {
    const counts = new Map<string, number>()
    for (const { endpointId } of running.values()) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1)
    return [...counts].filter(([, count]) => count >= limits.lanesPerEndpoint).map(([id]) => id)
  }

  async function runLane(lane: HeldLane, slot: Slot): Promise<void> {
    let held = lane
    for (;;) {
      const turn = await lanes.turn(held, slot)
      if (turn.end === 'again') hint(lane.advertiserId)
      if (turn.end !== 'more') return
      held = turn.lane
      if (!areSome && !isStopping) continue
      // Others have waited longer.
      await lanes.release(held, slot)
      hint(lane.advertiserId)
      return
    }
  }

  async function start({ id, endpointId, answerMs }: DueLane): Promise<void> {
    const now = clock()
    const lane = await store.take(id, now, now + leaseMs)
    if (lane === undefined) return
    const slot = {
      ...{ endpointId, advertiserId: lane.advertiserId, isHinted: false },
      ...{ isSlow: (answerMs ?? slowMs + 1) > slowMs, since: steadyClock() },
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

  /** One look: takes lanes as long as there are slots for them. Returns whether some are left. */
  async function lookOnce(advertiserIds: readonly number[] | undefined): Promise<boolean> {
    for (;;) {
      const free = limits.webhooksAtOnce - running.size
      if (isStopping || free <= 0) return true
      const isFastOnly = slowRunning() >= slowSlots
      const most = isFastOnly ? free : Math.min(free, slowSlots - slowRunning())
      const exceptEndpoints = fullEndpoints()
      const found = await store.findDue({
        ...{ now: clock(), leaseMs, exceptEndpoints, most },
        ...(advertiserIds === undefined ? {} : { advertiserIds }),
        ...(isFastOnly ? { answeredWithinMs: slowMs } : {}),
      })
      const perEndpoint = new Map<string, number>()
      const chosen = found.filter(({ endpointId }) => {
        const before =
          perEndpoint.get(endpointId) ??
          [...running.values()].filter(each => each.endpointId === endpointId).length
        perEndpoint.set(endpointId, before + 1)
        return before < limits.lanesPerEndpoint
      })
      await Promise.all(chosen.map(start))
      if (found.length < most) return isFastOnly || exceptEndpoints.length > 0 || chosen.length < found.length
    }
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
      // Lanes that found no slot belong to anyone: the next free slot looks at all.
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
      // Hinted between the last look and now.
      if (isAllHinted || hinted.size > 0) wake()
    })
    deps.background.run(looking, 'webhook lanes could not be looked at')
  }

  /** Finds what hints have missed, and lanes whose pause is over. */
  function lookLater(): void {
    cancelTimer = deps.after(limits.webhookLookMs, () => {
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
    // No other look begins, and the failure of this one is in the log.
    const looked = Promise.resolve(looking).catch(() => {})
    await within(ms, looked.then(untilIdle))
    cut.abort()
    await within(1000, untilIdle())
    await deps.post.close()
  }

  async function untilQuiet(): Promise<void> {
    while (looking !== undefined || running.size > 0) {
      await looking
      await untilIdle()
    }
  }

  return {
    /** From now on this process delivers. */
    start(): void {
      isOn = true
      look()
      lookLater()
    },
    /** Sends what is due, for a process that does not deliver otherwise; waits for it a limited time. */
    async runOnce(ms: number): Promise<void> {
      if (isOn) return look()
      isOn = true
      look()
      await within(ms, untilQuiet())
      isOn = false
    },
    /** Call when an advertiser has new events. */
    hint,
    /** Looks at all lanes. */
    look,
    running: () => running.size,
    objection: () => objection,
    /** Starts nothing new and waits for the requests under way; cuts them off at the end of that time. */
    stop(ms: number): Promise<void> {
      stopped ??= stop(ms)
      return stopped
    },
  }
}
