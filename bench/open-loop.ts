import { Worker } from 'node:worker_threads'
import { Connection, type ConnectionEvents, type Step } from './connection.ts'
import type { Target } from './load.ts'
import type { Beat } from './metronome.ts'

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
  /** How late this process itself was: the 99th percentile of requests that found a free connection. */
  ownLateness: number
  clientBusy: number
}

/** More than are ever in use while a server keeps up. */
const mostConnections = 128
/** Small, because a server that pauses makes us open many at once: megabytes of buffers would start a garbage collection. */
const readBufferBytes = 64 * 1024
/** Warm-up, in which connections are opened and caches filled; its requests are not counted. */
const warmUpMs = 300

const now = () => Number(process.hrtime.bigint()) / 1e6

/**
 * Sends requests like independent people: each has its planned moment, whether or not earlier ones have been answered. A
 * request that finds no free connection waits, and its time runs from its planned moment, so that a server that pauses
 * cannot stop the clock, too (no coordinated omission).
 */
export async function askAtRate<S extends Step>(
  target: Target<S>,
  perSecond: number,
  ms: number,
  onAnswer: (step: S, ms: number) => void = () => {},
): Promise<Latencies> {
  const intervalMs = 1000 / perSecond
  const count = Math.max(1, Math.round((ms + warmUpMs) / intervalMs))
  const beat: Beat = { startMs: now() + 50, intervalMs, count }
  const plannedAt = (index: number) => beat.startMs + index * intervalMs
  const firstCounted = Math.min(Math.ceil(warmUpMs / intervalMs), count - 1)
  const latencies = new Float64Array(count)
  const lateness: number[] = []
  const free: Lane[] = []
  const waiting: number[] = []
  let opened = 0
  let sent = 0
  let answered = 0
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()

  const metronome = new Worker(new URL('./metronome.ts', import.meta.url), { workerData: beat })
  const all: Lane[] = []
  try {
    await new Promise<void>((resolve, reject) => {
      metronome.on('error', reject)
      metronome.on('message', () => {
        const index = sent++
        const lane = free.pop() ?? (opened < mostConnections ? openLane() : undefined)
        if (lane === undefined) waiting.push(index)
        else {
          if (index >= firstCounted) lateness.push(now() - plannedAt(index))
          lane.send(index)
        }
      })

      function openLane(): Lane {
        opened++
        let current = 0
        let step: S | undefined
        const events: ConnectionEvents = {
          onDone() {
            latencies[current] = now() - plannedAt(current)
            answered++
            if (step !== undefined && current >= firstCounted)
              onAnswer(step, latencies[current] ?? Number.NaN)
            const next = waiting.shift()
            if (next !== undefined) lane.send(next)
            else free.push(lane)
            if (answered === count) resolve()
          },
          onError: reject,
        }
        const connection = new Connection(target.port, events, readBufferBytes)
        const lane: Lane = {
          send(index) {
            current = index
            step = target.next()
            connection.ask(step)
          },
          close: () => connection.close(),
        }
        all.push(lane)
        return lane
      }
    })
  } finally {
    for (const lane of all) lane.close()
    await metronome.terminate()
  }
  const cpu = process.cpuUsage(cpuBefore)
  return {
    ...spreadOf(latencies.subarray(firstCounted)),
    ownLateness: quantile(Float64Array.from(lateness).sort(), 0.99),
    clientBusy: (cpu.user + cpu.system) / 1000 / (performance.now() - startedAt),
  }
}

interface Lane {
  send(index: number): void
  close(): void
}

export function spreadOf(latencies: Iterable<number>): Spread {
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
