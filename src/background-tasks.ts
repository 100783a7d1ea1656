import type { Logger } from 'pino'
import type { Erasure } from './applications/erasure.ts'
import type { Config } from './config.ts'
import { aheadOrBehind, type Clock } from './core/clock.ts'
import type { CleanUp } from './files/clean-up.ts'
import type { BlobStore, Scanner } from './files/ports.ts'
import { createRescan } from './files/rescan.ts'
import { clockDifference } from './storage/database-clock.ts'
import type { Database } from './storage/schema.ts'
import { createApplicationStore } from './storage/sql/applications.ts'
import { createExpiryStore } from './storage/sql/expiry.ts'
import { createScanningStore } from './storage/sql/scanning.ts'
import { createExpiry } from './work/expiry.ts'
import type { GoesOn, Task } from './work/ports.ts'
import type { RunReport } from './work/worker.ts'

/** Everything that goes on behind the requests. */
export function backgroundTasks(deps: {
  config: Config
  log: Logger
  clock: Clock
  database: Database
  blobs: BlobStore
  scanner: Scanner | undefined
  cleanUp: CleanUp
  erasure: Erasure
}): Task[] {
  const { config, log, clock, database, blobs, scanner, cleanUp, erasure } = deps
  const { limits } = config
  const expiry = createExpiry({ store: createExpiryStore(database), clock, limits })
  const removals: Task[] = [
    { name: 'expiry', everySeconds: limits.expiryEverySeconds, ...expiry },
    // Before the clean-up, which removes the files that it lets go of.
    { name: 'erasure', everySeconds: limits.erasureEverySeconds, run: erasure.run },
    { name: 'clean-up', everySeconds: limits.cleanUpEverySeconds, ...cleanUp },
  ]
  // All three go by age, and what they have removed is gone for good.
  const tasks = removals.map(task => ({
    ...task,
    run: async (goesOn: GoesOn) => {
      const ms = (await clockDifference(database, clock)) ?? 0
      if (Math.abs(ms) > limits.clockMostMs)
        throw new Error(`the clock of this machine is ${aheadOrBehind(ms)} that of the database`)
      return task.run(goesOn)
    },
  }))
  if (scanner === undefined) return tasks
  const rescan = createRescan({
    store: createScanningStore(database),
    applications: createApplicationStore(database),
    blobs,
    scanner,
    clock,
    limits,
    onUnreadable: (found, error) =>
      log.warn({ files: found.length, first: found[0], err: error }, 'files cannot be read to be scanned'),
  })
  return [{ name: 'rescan', everySeconds: limits.rescanEverySeconds, ...rescan }, ...tasks]
}

/** One line for each run that has done something, and one for each that could not. */
export function logRun(log: Logger, report: RunReport): void {
  const { task, outcome } = report
  if (outcome === 'failed') log.error({ task, err: report.error }, 'background work failed')
  if (outcome === 'done' && Object.values(report.did).some(count => count > 0))
    log.info({ task, ...report.did, ...report.left }, 'background work done')
}
