// Signals when the next request is due, on its own thread: it sleeps as precisely as the system can, whereas a timer of the
// event loop is up to a millisecond late, and a busy loop would occupy a core.
import { parentPort } from 'node:worker_threads'

const sleeper = new Int32Array(new SharedArrayBuffer(4))
/** Moments by the clock of `process.hrtime`, which all threads share, in ascending order. */
parentPort?.on('message', (moments: Float64Array) => {
  for (const moment of moments) {
    const waitMs = moment - Number(process.hrtime.bigint()) / 1e6
    if (waitMs > 0) Atomics.wait(sleeper, 0, 0, waitMs)
    parentPort?.postMessage(null)
  }
})
