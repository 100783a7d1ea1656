import type { Background } from '../core/async/background.ts'
import { within } from '../core/async/within.ts'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Limits } from '../limits.ts'
import type {
  ChosenDeliveries,
  ClaimedDelivery,
  Courier,
  DeliveryOutcome,
  DeliveryStore,
} from './delivery-ports.ts'
import type { Counts, GoesOn, WorkDone } from './ports.ts'

const minuteMs = 60_000

/** Pauses after each failed attempt; the last one repeats until the delivery is given up. */
const pausesMs = [1, 5, 15, 60, 240, 720, 1440].map(minutes => minutes * minuteMs)

/** After a commit elsewhere has been announced, its rows are visible at the first look or soon afterwards. */
const looksAfterMs = [20, 200, 2000]

/** Without a courier at work, a delivery is dropped when it has waited this long for one. */
const uncollectedMs = 60 * minuteMs

export type Deliveries = ReturnType<typeof createDeliveries>

/** What happened to a delivery at an attempt. `waiting`: it is attempted again later, here or elsewhere. */
export type DeliveryReport = 'sent' | 'dropped' | 'dead' | 'waiting'

type Report = DeliveryReport | 'unavailable'

/**
 * Works off the outbox: rows that other transactions have written. Each attempt holds a claim for a limited time, so a
 * row is attempted by one process at a time, and again if that process dies: at least once, under the same ID.
 */
export function createDeliveries(deps: {
  store: DeliveryStore
  couriers: Readonly<Record<string, Courier>>
  /** Whether this process can deliver at all. */
  isOn(): boolean
  background: Background
  clock: Clock
  limits: Pick<
    Limits,
    'deliveriesAtOnce' | 'deliveryAttemptSeconds' | 'deliveryClaimSeconds' | 'deliveryWaitSeconds'
  >
  log: Log
}) {
  const { store, couriers, clock, limits } = deps
  const kinds = Object.keys(couriers)
  const claimMs = limits.deliveryClaimSeconds * 1000
  /** Those under way in this process: a person who waits for one gets its report, whichever round has claimed it. */
  const attempts = new Map<string, Promise<Report>>()
  let isStopping = false
  let single = 0
  let looks: NodeJS.Timeout | undefined
  let isLooking = false
  /** Whether deliveries were announced while looks for others were due. */
  let isMoreAnnounced = false
  /** A look that finds something may then have found only some of them. */
  let areSeveral = false
  let underWay: Promise<WorkDone> | undefined

  function attempt(delivery: ClaimedDelivery): Promise<Report> {
    const begun = attemptNow(delivery).finally(() => attempts.delete(delivery.id))
    attempts.set(delivery.id, begun)
    return begun
  }

  async function attemptNow(delivery: ClaimedDelivery): Promise<Report> {
    const { id, kind, attempt: number } = delivery
    const forgetsContent = couriers[kind]?.isPersonal === true
    const result = await outcomeOf(delivery)
    if (result.outcome === 'dropped') {
      await store.remove(delivery)
      return 'dropped'
    }
    if (result.outcome === 'sent') {
      await store.end(delivery, { state: 'sent', at: clock(), fault: null, forgetsContent })
      return 'sent'
    }
    const now = clock()
    const dueAt = now + (pausesMs[Math.min(number, pausesMs.length) - 1] ?? 0)
    const isOver = result.outcome === 'dead' || dueAt > delivery.giveUpAt
    const level = isOver ? 'error' : 'warn'
    deps.log[level](
      { delivery: id, kind, attempt: number, reason: result.words, isOver },
      'a delivery failed',
    )
    if (isOver) {
      await store.end(delivery, { state: 'dead', at: now, fault: result.words, forgetsContent })
      return 'dead'
    }
    await store.retry(delivery, dueAt, result.words)
    return result.outcome === 'retry' && result.isUnavailable ? 'unavailable' : 'waiting'
  }

  /** An attempt ends before its claim does. One that is cut off may still arrive, and is repeated under the same ID. */
  async function outcomeOf(delivery: ClaimedDelivery): Promise<DeliveryOutcome> {
    const courier = couriers[delivery.kind]
    const tooLong: DeliveryOutcome = { outcome: 'retry', words: 'no answer in time', isUnavailable: true }
    if (courier === undefined) return { outcome: 'dead', words: 'unknown kind' }
    if (delivery.giveUpAt < clock()) return { outcome: 'dead', words: 'too late' }
    let outcome: DeliveryOutcome = tooLong
    const delivered = courier.deliver(delivery).then(
      result => {
        outcome = result
      },
      error => {
        // A bug or the database: the operator finds it in the log.
        deps.log.error(
          { err: error, delivery: delivery.id, kind: delivery.kind },
          'a delivery could not be made',
        )
        outcome = { outcome: 'retry', words: 'internal error, see the log', isUnavailable: false }
      },
    )
    await within(limits.deliveryAttemptSeconds * 1000, delivered)
    return outcome
  }

  async function round(goesOn: GoesOn): Promise<WorkDone> {
    const did: Counts = {}
    for (;;) {
      const now = clock()
      const claimed = await store.claim(kinds, now, now + claimMs, limits.deliveriesAtOnce)
      const reports = await Promise.all(claimed.map(attempt))
      for (const report of reports) {
        const what = report === 'unavailable' ? 'waiting' : report
        did[what] = (did[what] ?? 0) + 1
      }
      // An unavailable server would take as long for each of the others; they stay due.
      const isAll = claimed.length < limits.deliveriesAtOnce || reports.includes('unavailable')
      if (isAll || isStopping || !(await goesOn())) return { did }
    }
  }

  /** One round at a time: the rounds of a process would only compete. */
  function work(goesOn: GoesOn = async () => true): Promise<WorkDone> {
    underWay ??= round(goesOn).finally(() => {
      underWay = undefined
    })
    return underWay
  }

  function lookAfter(pauses: readonly number[]): void {
    const [pause, ...more] = pauses
    if (pause === undefined || isStopping) {
      areSeveral = false
      return
    }
    looks = setTimeout(() => {
      looks = undefined
      deps.background.run(look(more), 'the outbox could not be worked off')
    }, pause)
    looks.unref()
  }

  async function look(pauses: readonly number[]): Promise<void> {
    isLooking = true
    let isFound = false
    try {
      // A round that is under way may have looked before the commit.
      await underWay
      const { did } = await work()
      isFound = Object.keys(did).length > 0
    } finally {
      isLooking = false
      areSeveral ||= isMoreAnnounced
      if (isMoreAnnounced) lookAfter(looksAfterMs)
      else if (areSeveral || !isFound) lookAfter(pauses)
      isMoreAnnounced = false
    }
  }

  return {
    /** Call when deliveries have been written, even shortly before their commit. */
    wake(): void {
      if (isStopping || !deps.isOn()) return
      if (isLooking || looks !== undefined) isMoreAnnounced = true
      else lookAfter(looksAfterMs)
    },

    /** Attempts one delivery at once, before all others that are due. */
    async deliver(id: string): Promise<DeliveryReport> {
      // More of these at once would be a flood; the others take their turn.
      if (isStopping || single >= limits.deliveriesAtOnce * 2) return 'waiting'
      single += 1
      try {
        const now = clock()
        const claimed = await store.claimOne(id, now, now + claimMs)
        // A round may have claimed it at the same moment, and begins its attempt within this turn.
        if (claimed === undefined) await new Promise(setImmediate)
        const report = await (claimed === undefined ? (attempts.get(id) ?? 'waiting') : attempt(claimed))
        return report === 'unavailable' ? 'waiting' : report
      } finally {
        single -= 1
      }
    },

    /** The task that takes up what was left. A hanging server delays other tasks only for a short time. */
    async run(goesOn: GoesOn = async () => true): Promise<WorkDone> {
      if (!deps.isOn()) {
        const dropped = await store.dropUnclaimed(kinds, clock() - uncollectedMs, 1000)
        return { did: dropped === 0 ? {} : { dropped } }
      }
      let done: WorkDone = { did: {} }
      const worked = work(goesOn).then(result => {
        done = result
      })
      deps.background.run(worked, 'the outbox could not be worked off')
      await within(limits.deliveryWaitSeconds * 1000, worked)
      return done
    },

    /** Starts nothing new; attempts under way end in the background, or are repeated by another process. */
    stop(): void {
      isStopping = true
      clearTimeout(looks)
    },

    counts: store.counts,
    list: store.list,
    retryNow: (chosen: ChosenDeliveries, giveUpAfterMs: number) =>
      store.retryNow(chosen, clock(), clock() + giveUpAfterMs),
    drop: store.drop,
  }
}
