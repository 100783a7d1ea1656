import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Step } from './connection.ts'
import type { Target } from './load.ts'
import type { Outcome, Plan, Timetable } from './open-loop-client.ts'

/** Milliseconds from the planned moment of a request to the end of its response. */
export interface Spread {
  samples: number
  p50: number
  p90: number
  p99: number
  p999: number
  max: number
}

export interface Latencies extends Spread {
  /** How late the client itself was: the 99th percentile of requests that found a free connection. */
  ownLateness: number
  clientBusy: number
}

export interface Stream<S extends Step = Step> {
  target: Target<S>
  perSecond: number
}

/** What came of a stream of requests. */
export interface Window<S extends Step = Step> {
  answers: { step: S /** By `performance.now`. */; plannedAt: number; ms: number }[]
  ownLateness: number
  clientBusy: number
}

/** Warm-up, in which connections are opened and caches filled; its requests are not counted. */
const warmUpMs = 300

/**
 * Sends requests like independent people: each has its planned moment, whether or not earlier ones have been answered. A
 * request that finds no free connection waits, and its time runs from its planned moment, so that a server that pauses
 * cannot stop the clock, too (no coordinated omission).
 *
 * A small process of its own sends them, and all of them are written before the clock starts: garbage collections of this
 * process, which has filled databases, would take the cores from the server that is measured. It sends those of `beside` too.
 */
export async function askAtRate<S extends Step>(
  target: Target<S>,
  perSecond: number,
  ms: number,
  beside: readonly Stream[] = [],
): Promise<Window<S>> {
  const countOf = (rate: number) => Math.max(1, Math.round(((ms + warmUpMs) / 1000) * rate))
  const steps = Array.from({ length: countOf(perSecond) }, () => target.next())
  const others = beside.map(({ target: { port, next }, perSecond: rate }) =>
    timetable(port, rate, Array.from({ length: countOf(rate) }, next)),
  )
  const { startedAt, clientBusy, latencies, lateness } = await carryOut({
    warmUpMs,
    timetables: [timetable(target.port, perSecond, steps), ...others],
  })
  const first = steps.length - latencies.length
  const begin = startedAt - (now() - performance.now())
  return {
    answers: steps.slice(first).map((step, index) => ({
      step,
      plannedAt: begin + ((first + index) * 1000) / perSecond,
      ms: latencies[index] ?? Number.NaN,
    })),
    ownLateness: quantile(lateness.filter(ms => !Number.isNaN(ms)).sort(), 0.99),
    clientBusy,
  }
}

function timetable(port: number, perSecond: number, steps: readonly Step[]): Timetable {
  const distinct = [...new Set(steps)]
  const places = new Map(distinct.map((step, index) => [step, index]))
  return {
    port,
    intervalMs: 1000 / perSecond,
    distinct,
    order: Uint32Array.from(steps, step => places.get(step) ?? 0),
  }
}

let client: ChildProcess | undefined

/** The process is kept for the next time, with its code compiled. */
async function carryOut(plan: Plan): Promise<Outcome> {
  client ??= fork(fileURLToPath(new URL('./open-loop-client.ts', import.meta.url)), {
    serialization: 'advanced',
    execArgv: ['--expose-gc'],
  })
  client.ref()
  client.channel?.ref()
  const over = new AbortController()
  try {
    client.send(plan)
    const answered = once(client, 'message', { signal: over.signal })
    const ended = once(client, 'exit', { signal: over.signal }).then(() => {
      throw new Error('the client of the bench ended early')
    })
    const [outcome] = await Promise.race([answered, ended])
    return outcome
  } finally {
    over.abort()
    client.unref()
    client.channel?.unref()
  }
}

const now = () => Number(process.hrtime.bigint()) / 1e6

/** All windows count as one; how late and how busy the client was is taken from its worst window. */
export function latenciesOf(windows: readonly Window[]): Latencies {
  return {
    ...spreadOf(windows.flatMap(({ answers }) => answers.map(({ ms }) => ms))),
    ownLateness: Math.max(...windows.map(({ ownLateness }) => ownLateness)),
    clientBusy: Math.max(...windows.map(({ clientBusy }) => clientBusy)),
  }
}

function spreadOf(latencies: readonly number[]): Spread {
  const sorted = Float64Array.from(latencies).sort()
  return {
    samples: sorted.length,
    p50: quantile(sorted, 0.5),
    p90: quantile(sorted, 0.9),
    p99: quantile(sorted, 0.99),
    p999: quantile(sorted, 0.999),
    max: sorted.at(-1) ?? Number.NaN,
  }
}

/** The smallest value that this share of them does not exceed. */
export function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}
