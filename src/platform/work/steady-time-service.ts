import type { Clock, SteadyClock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { afterLook, pausedMs, type ServiceClock } from '../core/steady-time-rules.ts'
import type { SteadyTime } from '../core/task-ports.ts'
import type { ServiceClockStore } from './service-clock-store.ts'

/**
 * How long the service has run, and whether its clock can be trusted: nothing is removed by age while it is in doubt
 * (decision 088). Processes count together: each adds only time in which no other one has added any.
 */
export function createSteadyTimes(deps: {
  store: ServiceClockStore
  clock: Clock
  steadyClock: SteadyClock
  log: Log
}) {
  const { store, clock, steadyClock, log } = deps
  /** The first check that found the current number of ticks, and the last check of any kind. */
  let first: { ticks: number; at: number } | undefined
  let last: { now: number; at: number } | undefined
  let underWay: Promise<unknown> = Promise.resolve()

  const timeOf = (state: ServiceClock): SteadyTime => ({
    runningMs: state.runningMs,
    pausedMs: pausedMs(state),
    doubtMs: state.doubtMs,
  })

  async function look(): Promise<SteadyTime> {
    const [now, at] = [clock(), Math.floor(steadyClock())]
    let wasTrusted = true
    const state = await store.update(found => {
      wasTrusted = found.doubtedFrom === null
      const movedMs = last && now - last.now - (at - last.at)
      const creditMs = first?.ticks === found.ticks ? Math.max(0, at - first.at) : undefined
      return afterLook(found, { now, creditMs, movedMs })
    })
    if (first?.ticks !== state.ticks) first = { ticks: state.ticks, at }
    last = { now, at }
    if (wasTrusted && state.doubtedFrom !== null)
      log.warn(
        { seconds: Math.round(state.doubtMs / 1000) },
        'the clock is in doubt: nothing is removed by age until the service has run for a day, or "dossier clock confirm" says that the clock is right',
      )
    return timeOf(state)
  }

  return {
    /** Counts the time since the last check. Called each minute, and before data is removed by age. */
    look(): Promise<SteadyTime> {
      // One after the other, so that no move of the clock is counted twice.
      const turn = underWay.then(look)
      underWay = turn.catch(() => {})
      return turn
    },

    /** State at the last check by any process. */
    read: async (): Promise<SteadyTime> => timeOf(await store.read()),

    /** Records an operator's confirmation that the clock is right. Returns false if it was not in doubt. */
    async confirm(): Promise<boolean> {
      return store.confirm(clock())
    },
  }
}
