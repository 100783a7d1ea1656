import type { Background } from './background.ts'

/**
 * Rows that are gathered in memory and written every few seconds, because no request waits for them. A killed process
 * loses what it has not written.
 */
export function createBatchWriter<Row>(deps: {
  /** Everything gathered so far, in one order on every node, so that concurrent writes cannot deadlock. */
  take(): Row[]
  /** Rows that could not be written go with the next write. */
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
    // The timer need not keep the process alive: a shutdown flushes first.
    timer.unref()
  }

  function flushInBackground(): void {
    background.run(flush(), deps.ifLost)
  }

  /** Runs one at a time: a second call waits for the first, then writes what has been gathered since. */
  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    // The flush that failed reports it itself.
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
    /** Call when something has been gathered. */
    later,
    flush,
    /** Call before the database is closed. What cannot be written now is lost. */
    async close(): Promise<void> {
      isClosed = true
      flushInBackground()
      await background.whenIdle()
    },
  }
}
