// Signals when the next request is due, on its own thread: it sleeps as precisely as the system can, whereas a timer of the
// event loop is up to a millisecond late, and a busy loop would occupy a core.
import { parentPort, workerData } from 'node:worker_threads'

export interface Beat {
  /** By the clock of `process.hrtime`, which all threads share. */
  startMs: number
  intervalMs: number
  count: number
}

const { startMs, intervalMs, count } = workerData as Beat
const sleeper = new Int32Array(new SharedArrayBuffer(4))
for (let beat = 0; beat < count; beat++) {
  const waitMs = startMs + beat * intervalMs - Number(process.hrtime.bigint()) / 1e6
  if (waitMs > 0) Atomics.wait(sleeper, 0, 0, waitMs)
  parentPort?.postMessage(null)
}
