import type { Background } from './background.ts'

/**
 * Collects rows in memory and writes them every few seconds, because no request waits for them. A killed process loses
 * unwritten rows.
 */
export function createBatchWriter<Row>(deps: {
  /** Takes all collected rows, in the same order on every node, so that concurrent writes cannot deadlock. */
  take(): Row[]
  /** Rows that could not be written are included in the next write. */
  putBack(rows: readonly Row[]): void
  write(rows: readonly Row[]): Promise<void>
  everySeconds: number
  batchRows: number
  background: Background
  /** Logged when a write fails. */
  ifLost: string
}) {
  const { background, batchRows } = deps
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> | undefined
  let isClosed = false

  function later(): void {
    if (timer !== undefined || isClosed) return
    timer = setTimeout(flushInBackground, deps.everySeconds * 1000)
    // The timer need not keep the process running: a shutdown flushes first.
    timer.unref()
  }

  function flushInBackground(): void {
    background.run(flush(), deps.ifLost)
  }

  /** Runs one at a time: a second call waits for the first, then writes the rows collected since. */
  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    // The failed flush reports its own error.
    while (flushing !== undefined) await flushing.catch(() => {})
    flushing = writeAll()
    try {
      await flushing
    } finally {
      flushing = undefined
    }
  }

  async function writeAll(): Promise<void> {
    const rows = deps.take()
    while (rows.length > 0) {
      try {
        await deps.write(rows.slice(0, batchRows))
      } catch (error) {
        deps.putBack(rows)
        later()
        throw error
      }
      rows.splice(0, batchRows)
    }
  }

  return {
    /** Call when rows have been collected. */
    later,
    flush,
    /** Call before the database is closed. Rows that cannot be written now are lost. */
    async close(): Promise<void> {
      isClosed = true
      flushInBackground()
      await background.whenIdle()
    },
  }
}
