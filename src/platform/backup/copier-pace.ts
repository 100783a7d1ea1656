import { execFileSync } from 'node:child_process'
import { fdatasyncSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import process from 'node:process'
import { createPace } from '../core/async/pace.ts'

/** Microseconds of CPU time: small databases are copied without pausing. */
const restsAfter = 1_500_000

/** Paces the process that copies a database. It has no other work, so it blocks while it pauses. */
export function createCopierPace() {
  const pace = createPace()
  const hasWorked = () => {
    const { user, system } = process.cpuUsage()
    return user + system > restsAfter
  }
  return {
    /**
     * Call after each millisecond or so of work. Writes to `file` are flushed to the disk in small pieces: a commit of
     * the service on the same disk, which blocks it, waits for all data that is being flushed.
     */
    rest(file?: number): void {
      if (!pace.isTired()) return
      if (file !== undefined) fdatasyncSync(file)
      const ms = pace.restMs()
      if (hasWorked()) block(ms)
    },
    /**
     * Yields the processor to other processes as soon as they want it. A low priority alone does not: Linux lets a
     * process finish a slice of a few milliseconds first. Does nothing where all processors are busy, because this
     * process would hardly get any time then, and cannot go back.
     */
    yieldAtOnce(): void {
      const [load = 0] = loadavg()
      if (!hasWorked() || load > availableParallelism()) return
      try {
        execFileSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(process.pid)], {
          stdio: 'ignore',
        })
      } catch {
        // The system is not Linux, or does not allow it.
      }
    },
  }
}

export type CopierPace = ReturnType<typeof createCopierPace>

const cell = new Int32Array(new SharedArrayBuffer(4))

function block(ms: number): void {
  Atomics.wait(cell, 0, 0, ms)
}
