import type { Logger } from 'pino'
import type { Erasure } from '../collect/erasure/service.ts'
import type { Config } from '../config.ts'
import { aheadOrBehind, type Clock } from '../core/clock.ts'
import type { CleanUp } from '../files/clean-up-service.ts'
import type { BlobStore, Scanner } from '../files/ports.ts'
import { createRescan } from '../files/rescan-service.ts'
import { createApplicationStore } from '../storage/collect/application-store.ts'
import { clockDifference } from '../storage/database/database-clock.ts'
import type { Database } from '../storage/database/tables.ts'
import { createExpiryStore } from '../storage/upkeep/expiry-store.ts'
import { createScanningStore } from '../storage/upkeep/scanning-store.ts'
import { createExpiry } from '../work/expiry-service.ts'
import type { GoesOn, Task } from '../work/ports.ts'
import type { RunReport } from '../work/service.ts'

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
