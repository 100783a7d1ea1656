import { execFileSync } from 'node:child_process'
import { fdatasyncSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import process from 'node:process'
import { createPace } from '../core/async/pace.ts'

/** Microseconds of CPU time: small databases are copied without a rest. */
const restsAfter = 1_500_000

/** The pace of the process that copies a database, which has nothing else to do: it blocks while it rests. */
export function createCopierPace() {
  const pace = createPace()
  const hasWorked = () => {
    const { user, system } = process.cpuUsage()
    return user + system > restsAfter
  }
  return {
    /**
     * Called each millisecond or so of work. What was written to `file` goes to the disk in small pieces: a commit of the service
     * on the same disk, which blocks it, waits for all that is being flushed.
     */
    rest(file?: number): void {
      if (!pace.isTired()) return
      if (file !== undefined) fdatasyncSync(file)
      const ms = pace.restMs()
      if (hasWorked()) block(ms)
    },
    /**
     * Gives every other process the processor as soon as it wants it. A low priority alone does not: Linux lets a
     * process finish a slice of some milliseconds first. Not where all processors are busy, because this process would hardly
     * get any time then, and cannot go back.
     */
    yieldAtOnce(): void {
      const [load = 0] = loadavg()
      if (!hasWorked() || load > availableParallelism()) return
      try {
        execFileSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(process.pid)], {
          stdio: 'ignore',
        })
      } catch {
        // Not Linux, or not allowed.
      }
    },
  }
}

export type CopierPace = ReturnType<typeof createCopierPace>

const cell = new Int32Array(new SharedArrayBuffer(4))

function block(ms: number): void {
  Atomics.wait(cell, 0, 0, ms)
}
