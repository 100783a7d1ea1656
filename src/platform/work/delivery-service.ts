import type { Background } from '../core/async/background.ts'
import { withTimeout } from '../core/async/with-timeout.ts'
import type { Clock, EpochMs } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Counts, GoesOn, LookAtTime, WorkDone } from '../core/task-ports.ts'
import type {
  ChosenDeliveries,
  ClaimedDelivery,
  DeliveryHandler,
  DeliveryOutcome,
  DeliveryState,
} from './delivery-ports.ts'
import type { DeliveryStore } from './delivery-store.ts'

/** Limit: Emails that a process sends concurrently: each has a connection to the mail server. */
const deliveriesAtOnce = 8
/** Limit: An attempt to deliver is aborted after this time, for instance if a server answers too slowly. */
const deliveryAttemptSeconds = 120
/** Limit: How long other background work waits for deliveries; they continue in parallel. */
export const deliveryWaitSeconds = 15

const bounds = { deliveriesAtOnce, deliveryAttemptSeconds, deliveryWaitSeconds }

/**
 * Limit: How long only one process may deliver an email that it has claimed. Longer than an attempt; it is also the
 * wait after a process has died.
 */
const deliveryClaimSeconds = 300

const minuteMs = 60_000

/** Pauses after each failed attempt; the last one repeats until the delivery fails for good. */
const pausesMs = [1, 5, 15, 60, 240, 720, 1440].map(minutes => minutes * minuteMs)

/** Once another process's commit has been announced, its rows are visible at the first poll or soon afterwards. */
const looksAfterMs = [20, 200, 2000]

export type Deliveries = ReturnType<typeof createDeliveries>

/** Outcome of an attempt. `waiting`: the delivery is attempted again later, here or elsewhere. */
export type DeliveryReport = 'sent' | 'dropped' | 'dead' | 'waiting' | 'gathered'

type Report = DeliveryReport | 'unavailable'

interface Round {
  claims: number
  /** Resolves with its last attempt. */
  done: Promise<WorkDone>
}

/**
 * Processes the outbox: rows written by other transactions. Each attempt holds a claim for a limited time, so a row is
 * attempted by one process at a time, and again if that process dies: at least once, under the same ID.
 */
export function createDeliveries(deps: {
  store: DeliveryStore
  handlers: Readonly<Record<string, DeliveryHandler>>
  /** Whether this process can deliver at all. */
  isOn(): boolean
  background: Background
  clock: Clock
  lookAtTime: LookAtTime
  limits?: Partial<typeof bounds>
  log: Log
}) {
  const { store, handlers, clock } = deps
  const limits = { ...bounds, ...deps.limits }
  const kinds = Object.keys(handlers)
  const personalKinds = kinds.filter(kind => handlers[kind]?.isPersonal === true)
  const claimMs = deliveryClaimSeconds * 1000
  /**
   * Attempts in progress in this process: a person who waits for one gets its report, whichever round has claimed it.
   */
  const attempts = new Map<string, Promise<Report>>()
  let isStopping = false
  let single = 0
  let looks: NodeJS.Timeout | undefined
  let isLooking = false
  /** Whether deliveries were announced while polls for others were due. */
  let isMoreAnnounced = false
  /** If so, a poll may have found only some of the announced deliveries. */
  let areSeveral = false
  let underWay: Promise<Round> | undefined
  /** The latest claim of a round; its attempts begin as soon as it is answered. */
  let claiming: Promise<unknown> | undefined
  /** Attempts of rounds in progress. A slow one occupies its slot, and the others continue. */
  const slots = new Set<Promise<Report>>()
  let sent = 0
  let outages = 0

  /** If the clock were ahead, everything that waits would fail, and personal content would be lost (decision 088). */
  const isInDoubt = async () => (await deps.lookAtTime()).pausedMs > 0

  const told = (report: Report | DeliveryState): DeliveryReport =>
    report === 'unavailable' || report === 'held' ? 'waiting' : report

  function attempt(delivery: ClaimedDelivery, lateBefore = 0): Promise<Report> {
    const begun = attemptNow(delivery, lateBefore).finally(() => attempts.delete(delivery.id))
    attempts.set(delivery.id, begun)
    return begun
  }

  async function attemptNow(delivery: ClaimedDelivery, lateBefore: EpochMs): Promise<Report> {
    const { id, kind, attempt: number } = delivery
    const forgetsContent = personalKinds.includes(kind)
    const result = await outcomeOf(delivery, lateBefore)
    if (result.outcome === 'dropped') {
      await store.remove(delivery)
      return 'dropped'
    }
    if (result.outcome === 'gathered') {
      await store.gather(delivery, result.into, clock())
      return 'gathered'
    }
    if (result.outcome === 'sent') {
      await store.end(delivery, { state: 'sent', at: clock(), fault: null, forgetsContent })
      return 'sent'
    }
    const now = clock()
    const pauseMs = pausesMs[Math.min(number, pausesMs.length) - 1] ?? 0
    const isLate = (at: EpochMs) => at + pauseMs > delivery.giveUpAt
    // Checked twice, because the clock may have been corrected in between.
    const isOver = result.outcome === 'dead' || (isLate(now) && !(await isInDoubt()) && isLate(clock()))
    const level = isOver ? 'error' : 'warn'
    deps.log[level](
      { delivery: id, kind, attempt: number, reason: result.words, isOver },
      'a delivery failed',
    )
    if (isOver) {
      await store.end(delivery, { state: 'dead', at: now, fault: result.words, forgetsContent })
      return 'dead'
    }
    await store.retry(delivery, now + pauseMs, result.words)
    return result.outcome === 'retry' && result.isUnavailable ? 'unavailable' : 'waiting'
  }

  /** An attempt ends before its claim does. An aborted attempt may still arrive, and is repeated under the same ID. */
  async function outcomeOf(delivery: ClaimedDelivery, lateBefore: EpochMs): Promise<DeliveryOutcome> {
    const handler = handlers[delivery.kind]
    const tooLong: DeliveryOutcome = { outcome: 'retry', words: 'no answer in time', isUnavailable: true }
    if (handler === undefined) return { outcome: 'dead', words: 'unknown kind' }
    if (delivery.giveUpAt < lateBefore) return { outcome: 'dead', words: 'too late' }
    let outcome: DeliveryOutcome = tooLong
    const delivered = handler.deliver(delivery).then(
      result => {
        outcome = result
      },
      error => {
        // A bug or a database failure: the operator finds it in the log.
        deps.log.error(
          { err: error, delivery: delivery.id, kind: delivery.kind },
          'a delivery could not be made',
        )
        outcome = { outcome: 'retry', words: 'internal error, see the log', isUnavailable: false }
      },
    )
    await withTimeout(limits.deliveryAttemptSeconds * 1000, delivered)
    return outcome
  }

  /** Attempts a delivery in a slot. */
  function occupySlot(delivery: ClaimedDelivery, lateBefore: EpochMs): Promise<Report> {
    const sentBefore = sent
    const reported = attempt(delivery, lateBefore).then(report => {
      if (report === 'sent') sent += 1
      // If another email was sent in the meantime, the server is available, and this recipient is slow.
      if (report === 'unavailable' && sent === sentBefore) outages += 1
      return report
    })
    slots.add(reported)
    const leave = () => void slots.delete(reported)
    // The round reports a rejection.
    reported.then(leave, leave)
    return reported
  }

  /** Ends when nothing more is due; its last attempts may then still be in progress. */
  async function round(goesOn: GoesOn, lateBefore: EpochMs): Promise<Round> {
    // Deliveries in progress also belong to this round: its caller learns their outcome.
    const reports = [...slots]
    let claims = 0
    const outagesBefore = outages
    for (;;) {
      while (slots.size >= limits.deliveriesAtOnce) {
        await Promise.race(slots)
        // Attempts that end together are followed by one claim.
        await new Promise(setImmediate)
      }
      // An unavailable server would take as long for each of the other deliveries; they stay due.
      if (outages > outagesBefore || isStopping || (claims > 0 && !(await goesOn()))) break
      const now = clock()
      const free = limits.deliveriesAtOnce - slots.size
      const claim = store.claim(kinds, now, now + claimMs, free, lateBefore)
      claiming = claim
      const claimed = await claim
      // The process is stopping: deliveries sent now could not be recorded, and would be sent again.
      if (isStopping) {
        await Promise.all(claimed.map(delivery => store.release(delivery, clock())))
        break
      }
      reports.push(...claimed.map(delivery => occupySlot(delivery, lateBefore)))
      claims += claimed.length
      if (claimed.length < free) break
    }
    return { claims, done: Promise.all(reports).then(countReports) }
  }

  /** Runs one round at a time: several rounds in a process would only compete. */
  function work(goesOn: GoesOn = async () => true, lateBefore = 0): Promise<Round> {
    underWay ??= round(goesOn, lateBefore).finally(() => {
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
      // A round in progress may have polled before the commit.
      await underWay
      const { claims, done } = await work()
      isFound = claims > 0
      deps.background.run(done, 'the outbox could not be worked off')
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

    /** Attempts one delivery immediately, before all others that are due. */
    async deliver(id: string): Promise<DeliveryReport> {
      // More concurrent attempts would be a flood; further ones wait for a round.
      if (isStopping || single >= limits.deliveriesAtOnce * 2) return 'waiting'
      single += 1
      try {
        const now = clock()
        const claimed = await store.claimOne(id, now, now + claimMs)
        if (claimed !== undefined && isStopping) {
          await store.release(claimed, clock())
          return 'waiting'
        }
        if (claimed !== undefined) return told(await attempt(claimed))
        // A round may have claimed it at the same moment: the round begins its attempt in the same turn as the answer,
        // or has ended it.
        await Promise.allSettled([claiming])
        await new Promise(setImmediate)
        return told((await attempts.get(id)) ?? (await store.stateOf(id)) ?? 'dropped')
      } finally {
        single -= 1
      }
    },

    /** The task that processes leftover deliveries. A hanging server delays other tasks only for a short time. */
    async run(goesOn: GoesOn = async () => true): Promise<WorkDone> {
      const now = clock()
      // Late deliveries stay untouched while the clock is in doubt: their links to undo a change have expired by the
      // same clock. Otherwise the earlier time counts, so that a clock that changes during the check makes nothing
      // late.
      const lateBefore = (await isInDoubt()) ? 0 : Math.min(now, clock())
      if (!deps.isOn()) {
        // Another process may have a mail server, so drop only deliveries that would fail there too.
        const dropped = await store.dropLate(kinds, lateBefore, 1000)
        return { did: dropped === 0 ? {} : { dropped } }
      }
      let done: WorkDone = { did: {} }
      const worked = work(goesOn, lateBefore).then(async round => {
        done = await round.done
      })
      deps.background.run(worked, 'the outbox could not be worked off')
      await withTimeout(limits.deliveryWaitSeconds * 1000, worked)
      return done
    },

    /** Starts nothing new; attempts in progress end in the background, or are repeated by another process. */
    stop(): void {
      isStopping = true
      clearTimeout(looks)
    },

    counts: store.counts,
    list: store.list,
    retryNow: (chosen: ChosenDeliveries, giveUpAfterMs: number) =>
      store.retryNow(chosen, clock(), clock() + giveUpAfterMs, personalKinds),
    drop: store.drop,
  }
}

function countReports(reports: readonly Report[]): WorkDone {
  const did: Counts = {}
  for (const report of reports) {
    const what = report === 'unavailable' ? 'waiting' : report
    did[what] = (did[what] ?? 0) + 1
  }
  return { did }
}
