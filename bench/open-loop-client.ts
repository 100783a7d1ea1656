// Sends requests at fixed rates. A process of its own, see open-loop.ts.
import { Worker } from 'node:worker_threads'
import { Connection, type Step } from './connection.ts'

/** Requests to one server, at even intervals. */
export interface Timetable {
  port: number
  intervalMs: number
  distinct: readonly Step[]
  /** The requests, as places in `distinct`. */
  order: Uint32Array
}

export interface Plan {
  /** Requests of this time are not counted. */
  warmUpMs: number
  /** The first one is measured. */
  timetables: readonly Timetable[]
}

export interface Outcome {
  /** By the clock of `process.hrtime`, in milliseconds. */
  startedAt: number
  latencies: Float64Array
  /** How late each was sent; not a number if it had to wait for a connection. */
  lateness: Float64Array
  clientBusy: number
}

/** Opened in the warm-up, if it has as many requests: a server that pauses must not have to accept connections then, too. */
const firstConnections = 32
/** More than are ever in use while a server keeps up. */
const mostConnections = 128
/** Small, because a server that pauses makes us open many at once: megabytes of buffers would start a garbage collection. */
const readBufferBytes = 64 * 1024
/** For the metronome to get its moments. */
const headStartMs = 100

const now = () => Number(process.hrtime.bigint()) / 1e6
const metronome = new Worker(new URL('./metronome.ts', import.meta.url))

process.on('message', async (plan: Plan) => {
  // What is left of the last plan must not be collected while this one is carried out.
  globalThis.gc?.()
  // A failure ends the process, with its reason on standard error.
  process.send?.(await carryOut(plan))
})
process.on('disconnect', () => process.exit())

async function carryOut({ warmUpMs, timetables }: Plan): Promise<Outcome> {
  const startedAt = now() + headStartMs
  const failed = Promise.withResolvers<never>()
  const streams = timetables.map(timetable => openStream(timetable, { startedAt, warmUpMs }, failed.reject))
  const moments = streams.flatMap(({ moments }) => [...moments])
  const onBeat = () => streams.reduce((a, b) => (b.nextAt() < a.nextAt() ? b : a)).sendNext()
  const cpuBefore = process.cpuUsage()
  metronome.on('message', onBeat)
  metronome.postMessage(Float64Array.from(moments).sort())
  try {
    await Promise.race([Promise.all(streams.map(({ over }) => over)), failed.promise])
  } finally {
    metronome.off('message', onBeat)
    for (const { close } of streams) close()
  }
  const cpu = process.cpuUsage(cpuBefore)
  const [measured] = streams
  if (measured === undefined) throw new Error('nothing to measure')
  return {
    startedAt,
    ...measured.outcome(),
    clientBusy: (cpu.user + cpu.system) / 1000 / (now() - startedAt),
  }
}

interface Lane {
  send(index: number): void
  close(): void
}

function openStream(
  { port, intervalMs, distinct, order }: Timetable,
  { startedAt, warmUpMs }: { startedAt: number; warmUpMs: number },
  fail: (error: Error) => void,
) {
  /** The first one that is counted. */
  const first = Math.min(Math.ceil(warmUpMs / intervalMs), order.length - 1)
  const moments = Float64Array.from(order, (_, index) => startedAt + index * intervalMs)
  const latencies = new Float64Array(order.length)
  const lateness = new Float64Array(order.length).fill(Number.NaN)
  const lanes: Lane[] = []
  const free: Lane[] = []
  const waiting: number[] = []
  const over = Promise.withResolvers<void>()
  let [sent, answered] = [0, 0]

  function openLane(): Lane {
    let current = 0
    const connection = new Connection(
      port,
      {
        onDone() {
          latencies[current] = now() - (moments[current] as number)
          const next = waiting.shift()
          if (next === undefined) free.push(lane)
          else lane.send(next)
          if (++answered === order.length) over.resolve()
        },
        onError: fail,
      },
      readBufferBytes,
    )
    const lane: Lane = {
      send(index) {
        current = index
        connection.ask(distinct[order[index] as number] as Step)
      },
      close: () => connection.close(),
    }
    lanes.push(lane)
    return lane
  }

  return {
    moments,
    over: over.promise,
    nextAt: () => moments[sent] ?? Number.POSITIVE_INFINITY,
    sendNext() {
      const index = sent++
      const lane =
        (index < first && lanes.length < firstConnections ? undefined : free.pop()) ??
        (lanes.length < mostConnections ? openLane() : undefined)
      if (lane === undefined) waiting.push(index)
      else {
        lateness[index] = now() - (moments[index] as number)
        lane.send(index)
      }
    },
    close() {
      for (const lane of lanes) lane.close()
    },
    outcome: () => ({ latencies: latencies.slice(first), lateness: lateness.slice(first) }),
  }
}
